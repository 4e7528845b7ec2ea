//! What the clients of a run ask for, as the generators understand it.

use std::time::Duration;

use onesided_load::{ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan};
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, LoopShape, Operation},
};
use onesided_sim::Scenario;

use super::{SimulateRunError, places::refused, share::Extent};
use crate::covered::NotCovered;

/// The load of a run whose configuration was checked: that of the other back ends, but for the
/// clock and how long it lasts.
pub(super) fn load(
    configuration: &RunConfiguration,
    extent: Extent,
) -> Result<LoadPlan, SimulateRunError> {
    let what = (shape(configuration)?, pattern(configuration)?, mix(configuration)?);
    let objects = (configuration.slot_layout, configuration.access_bytes);
    let load = Scenario::load_of(what, objects, configuration.queue_pairs as usize)
        .map_err(SimulateRunError::Region)?;
    Ok(LoadPlan {
        operations_per_queue_pair: extent.operations_per_queue_pair,
        seed: configuration.seed,
        ..load
    })
}

fn shape(configuration: &RunConfiguration) -> Result<ShapePlan, NotCovered> {
    let window = configuration.window;
    match configuration.loop_shape {
        LoopShape::Closed | LoopShape::Saturating => Ok(ShapePlan::ClosedLoop {
            window,
            think_time: Duration::from_nanos(configuration.think_time_ns),
            post_list: configuration.post_list,
        }),
        LoopShape::Open => {
            let unknown = |factor| NotCovered::Unknown { factor };
            let rate = configuration.rate_ops_per_second;
            let rate = rate.ok_or(unknown("rate_ops_per_second"))?;
            let operations_per_second = rate / f64::from(configuration.queue_pairs);
            let arrivals = match configuration.arrivals.ok_or(unknown("arrivals"))? {
                Arrivals::Fixed => ArrivalPlan::FixedInterval { operations_per_second },
                Arrivals::Poisson => ArrivalPlan::Poisson { operations_per_second },
            };
            Ok(ShapePlan::OpenLoop { arrivals, max_outstanding: window })
        }
        LoopShape::PingPong => {
            let why = "the model has no threads of the server that answer";
            Err(refused("loop", LoopShape::PingPong, why))
        }
    }
}

fn pattern(configuration: &RunConfiguration) -> Result<PatternPlan, NotCovered> {
    let working_set = || {
        let unknown = NotCovered::Unknown { factor: "working_set_bytes" };
        configuration.working_set_bytes.ok_or(unknown)
    };
    Ok(match configuration.address_pattern {
        AddressPattern::OwnSlot => PatternPlan::OwnSlot,
        AddressPattern::Sequential => PatternPlan::Sequential { working_set_bytes: working_set()? },
        AddressPattern::Uniform => PatternPlan::Uniform { working_set_bytes: working_set()? },
        AddressPattern::Zipf => {
            let unknown = NotCovered::Unknown { factor: "zipf_exponent" };
            let exponent = configuration.zipf_exponent.ok_or(unknown)?;
            PatternPlan::Zipf { working_set_bytes: working_set()?, exponent }
        }
    })
}

fn mix(configuration: &RunConfiguration) -> Result<MixPlan, NotCovered> {
    Ok(match configuration.operation {
        Operation::Read => MixPlan::Single(PostedOperation::Read),
        Operation::Write => MixPlan::Single(PostedOperation::Write),
        Operation::CompareAndSwap => MixPlan::Single(PostedOperation::CompareAndSwap),
        Operation::FetchAndAdd => MixPlan::Single(PostedOperation::FetchAndAdd),
        Operation::Mixed => {
            let unknown = NotCovered::Unknown { factor: "write_fraction" };
            MixPlan::ReadWrite { write_fraction: configuration.write_fraction.ok_or(unknown)? }
        }
        Operation::WriteWithImmediate | Operation::Send => {
            let why = "the model has no receive queues";
            return Err(refused("operation", configuration.operation, why));
        }
    })
}
