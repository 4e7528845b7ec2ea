//! What queue pairs ask for.

use std::{ops::Range, time::Duration};

use onesided_load::{
    ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, Slots, SlotsError,
};
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, LoopShape},
};

/// Why a run has no requests that a client's queue pairs could ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestsError {
    /// Both ends post, each when the other's turn has arrived.
    #[error("loop = ping-pong has no requests of its own: each end posts when the other has")]
    PingPong,
    /// Objects cannot lie as asked.
    #[error(transparent)]
    Slots(#[from] SlotsError),
}

/// Bytes of an object that a run accesses. An empty message needs none; its queue pair has one of a byte all the
/// same, so that there is a region to place.
pub fn object_bytes(configuration: &RunConfiguration) -> u32 {
    configuration.access_bytes.max(1)
}

/// How the objects lie that a run accesses.
///
/// # Errors
/// When they cannot lie as asked.
pub fn region(configuration: &RunConfiguration) -> Result<Slots, SlotsError> {
    let (layout, object_bytes) = (configuration.slot_layout, object_bytes(configuration));
    let queue_pairs = u64::from(configuration.queue_pairs);
    match configuration.working_set_bytes {
        None => Slots::new(layout, object_bytes, queue_pairs),
        Some(bytes) => Slots::filling(layout, object_bytes, bytes, queue_pairs),
    }
}

/// What the queue pairs of these numbers ask for, in a run whose configuration was checked. Times are in
/// units of which a second has `units_per_second`.
///
/// # Errors
/// When there is no such load.
pub fn requests(
    configuration: &RunConfiguration,
    queue_pairs: Range<usize>,
    units_per_second: u64,
) -> Result<LoadPlan, RequestsError> {
    Ok(LoadPlan {
        shape: shape(configuration)?,
        pattern: pattern(configuration),
        mix: mix(configuration),
        access_bytes: object_bytes(configuration),
        slot_layout: configuration.slot_layout,
        region_bytes: region(configuration)?.region_bytes(),
        queue_pairs,
        run_queue_pairs: configuration.queue_pairs as usize,
        operations_per_queue_pair: configuration.operations_per_queue_pair,
        units_per_second,
        seed: configuration.seed,
    })
}

// What a choice needs is there: the configuration's check saw to it.

fn shape(configuration: &RunConfiguration) -> Result<ShapePlan, RequestsError> {
    match configuration.loop_shape {
        LoopShape::Closed | LoopShape::Saturating => Ok(ShapePlan::ClosedLoop {
            window: configuration.window,
            think_time: Duration::from_nanos(configuration.think_time_ns),
            post_list: configuration.post_list,
        }),
        LoopShape::Batch => Ok(ShapePlan::Batch {
            window: configuration.window,
            post_list: configuration.post_list,
        }),
        LoopShape::Open => {
            let rate = configuration.rate_ops_per_second.unwrap_or(0.0);
            let operations_per_second = rate / f64::from(configuration.queue_pairs);
            let arrivals = match configuration.arrivals {
                Some(Arrivals::Fixed) => ArrivalPlan::FixedInterval { operations_per_second },
                Some(Arrivals::Poisson) | None => ArrivalPlan::Poisson { operations_per_second },
            };
            Ok(ShapePlan::OpenLoop { arrivals, max_outstanding: configuration.window })
        }
        LoopShape::PingPong => Err(RequestsError::PingPong),
    }
}

fn pattern(configuration: &RunConfiguration) -> PatternPlan {
    let working_set_bytes = configuration.working_set_bytes.unwrap_or(0);
    match configuration.address_pattern {
        AddressPattern::OwnSlot => PatternPlan::OwnSlot,
        AddressPattern::Sequential => PatternPlan::Sequential { working_set_bytes },
        AddressPattern::Uniform => PatternPlan::Uniform { working_set_bytes },
        AddressPattern::Zipf => PatternPlan::Zipf {
            working_set_bytes,
            exponent: configuration.zipf_exponent.unwrap_or(0.0),
        },
    }
}

fn mix(configuration: &RunConfiguration) -> MixPlan {
    let write_fraction = configuration.write_fraction.unwrap_or(0.0);
    let one = PostedOperation::of(configuration.operation);
    one.map_or(MixPlan::ReadWrite { write_fraction }, MixPlan::Single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_queue_pair_of_a_client_asks_for_alone_is_refused() {
        let of = |run: RunConfiguration| requests(&run, 0..1, 1_000_000_000);
        let answered =
            RunConfiguration { loop_shape: LoopShape::PingPong, ..RunConfiguration::default() };
        assert_eq!(of(answered), Err(RequestsError::PingPong));
        let small = RunConfiguration {
            address_pattern: AddressPattern::Uniform,
            working_set_bytes: Some(7),
            ..RunConfiguration::default()
        };
        assert!(matches!(of(small), Err(RequestsError::Slots(_))));
    }

    #[test]
    fn a_queue_pair_of_empty_messages_has_a_byte_of_the_region() {
        let run =
            RunConfiguration { access_bytes: 0, queue_pairs: 3, ..RunConfiguration::default() };
        assert_eq!(region(&run).map(|slots| slots.region_bytes()), Ok(3));
        assert_eq!(requests(&run, 0..3, 1).map(|plan| plan.region_bytes), Ok(3));
    }

    #[test]
    fn the_rate_of_a_run_is_shared_by_its_queue_pairs() {
        let run = RunConfiguration {
            loop_shape: LoopShape::Open,
            arrivals: Some(Arrivals::Fixed),
            rate_ops_per_second: Some(1e6),
            queue_pairs: 4,
            window: 3,
            ..RunConfiguration::default()
        };
        let arrivals = ArrivalPlan::FixedInterval { operations_per_second: 250_000.0 };
        let shape = ShapePlan::OpenLoop { arrivals, max_outstanding: 3 };
        assert_eq!(
            requests(&run, 1..3, 1).map(|plan| (plan.shape, plan.queue_pairs)),
            Ok((shape, 1..3))
        );
    }
}
