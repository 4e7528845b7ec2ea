//! How large the region is and where in it things are: the same on both sides, from the
//! configuration alone.

use onesided_load::{
    ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, Slots,
};
use onesided_measure::Clock;
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, LoopShape, Operation, Phase},
};
use onesided_transport::{
    LocalSegment, Opcode, Region, RemoteMemory, RemoteSegment, Signal, WorkRequest,
};

use crate::{
    error::RunError,
    ping_pong,
    plan::{self, BufferPlan},
    share::Share,
    verification::Content,
};

/// The server's region of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    /// Its size.
    pub region_bytes: usize,
    base: usize,
    stride: usize,
}

impl Geometry {
    /// Of a run.
    pub(crate) fn of(configuration: &RunConfiguration) -> Result<Self, RunError> {
        if configuration.loop_shape == LoopShape::PingPong {
            let stride = BufferPlan::of(configuration).stride;
            let queue_pairs = configuration.queue_pairs as usize;
            return Ok(Self { region_bytes: 2 * stride * queue_pairs, base: 0, stride });
        }
        let layout = configuration.slot_layout;
        let access = configuration.access_bytes;
        let slots = match configuration.working_set_bytes {
            None => Slots::new(layout, access, u64::from(configuration.queue_pairs)),
            Some(bytes) => Slots::filling(layout, access, bytes),
        };
        let slots =
            slots.map_err(|source| RunError::new(Phase::SetUp, "the server's region", source))?;
        let stride = slots.stride_bytes() as usize;
        let base = slots.offset(0) as usize;
        Ok(Self { region_bytes: slots.region_bytes() as usize, base, stride })
    }

    /// What is in it.
    pub(crate) fn content(&self, configuration: &RunConfiguration) -> Content {
        Content::of(configuration, self.base, self.stride)
    }

    /// The server's slots of a ping-pong: for each queue pair one that is watched and one that
    /// answers are sent from.
    pub(crate) fn pongs(
        &self,
        configuration: &RunConfiguration,
        region: &impl Region,
        arrivals: RemoteMemory,
    ) -> Vec<ping_pong::Slots> {
        let buffer = BufferPlan::of(configuration);
        let last = u64::from(configuration.access_bytes) - 1;
        let own = region.remote().address;
        let slots = |queue_pair: usize| {
            let watched = own + (2 * queue_pair * self.stride) as u64;
            let outgoing = watched + self.stride as u64;
            let theirs = (queue_pair * buffer.lane_bytes() + buffer.stride) as u64;
            ping_pong::Slots {
                write: WorkRequest {
                    id: 0,
                    opcode: Opcode::Write,
                    local: LocalSegment {
                        address: outgoing,
                        length: configuration.access_bytes,
                        key: region.local_key(),
                    },
                    remote: RemoteSegment { address: arrivals.address + theirs, key: arrivals.key },
                    signal: Signal::Signaled,
                    payload: plan::payload(configuration),
                },
                outgoing_last: outgoing + last,
                arriving_last: watched + last,
            }
        };
        (0..configuration.queue_pairs as usize).map(slots).collect()
    }

    /// The client's slots of a ping-pong's queue pair.
    pub(crate) fn ping(
        &self,
        configuration: &RunConfiguration,
        queue_pair: usize,
        local: LocalSegment,
        region: RemoteMemory,
    ) -> ping_pong::Slots {
        let last = u64::from(configuration.access_bytes) - 1;
        let watched = region.address + (2 * queue_pair * self.stride) as u64;
        let arriving = local.address + BufferPlan::of(configuration).stride as u64;
        ping_pong::Slots {
            write: template(configuration, local, RemoteMemory { address: watched, ..region }),
            outgoing_last: local.address + last,
            arriving_last: arriving + last,
        }
    }

    /// The load of one thread.
    pub(crate) fn load(
        &self,
        configuration: &RunConfiguration,
        share: &Share,
        clock: Clock,
    ) -> Result<LoadPlan, RunError> {
        Ok(LoadPlan {
            shape: shape(configuration),
            pattern: pattern(configuration),
            mix: mix(configuration)?,
            access_bytes: configuration.access_bytes,
            slot_layout: configuration.slot_layout,
            region_bytes: self.region_bytes as u64,
            queue_pairs: share.queue_pairs.clone(),
            run_queue_pairs: configuration.queue_pairs as usize,
            operations_per_queue_pair: configuration.operations_per_queue_pair,
            units_per_second: clock.description().frequency_hz,
            seed: configuration.seed,
        })
    }
}

/// A work request of a queue pair, complete but for what each post sets.
pub(crate) fn template(
    configuration: &RunConfiguration,
    local: LocalSegment,
    region: RemoteMemory,
) -> WorkRequest {
    WorkRequest {
        id: 0,
        opcode: Opcode::Read,
        local,
        remote: RemoteSegment { address: region.address, key: region.key },
        signal: Signal::Signaled,
        payload: plan::payload(configuration),
    }
}

fn shape(configuration: &RunConfiguration) -> ShapePlan {
    let per_queue_pair = |rate: f64| rate / f64::from(configuration.queue_pairs);
    match (configuration.arrivals, configuration.rate_ops_per_second) {
        (Some(arrivals), Some(rate)) => {
            let operations_per_second = per_queue_pair(rate);
            let arrivals = match arrivals {
                Arrivals::Fixed => ArrivalPlan::FixedInterval { operations_per_second },
                Arrivals::Poisson => ArrivalPlan::Poisson { operations_per_second },
            };
            ShapePlan::OpenLoop { arrivals, max_outstanding: configuration.window }
        }
        _ => ShapePlan::ClosedLoop {
            window: configuration.window,
            think_time: std::time::Duration::from_nanos(configuration.think_time_ns),
            post_list: configuration.post_list,
        },
    }
}

fn pattern(configuration: &RunConfiguration) -> PatternPlan {
    // The configuration's check saw to it that what a pattern needs is there.
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

fn mix(configuration: &RunConfiguration) -> Result<MixPlan, RunError> {
    Ok(match configuration.operation {
        Operation::Send => {
            let what = "operation = send is two-sided: it stands in stored tables, no run does it";
            return Err(RunError::plain(Phase::Connect, what));
        }
        Operation::Read => MixPlan::Single(PostedOperation::Read),
        Operation::Write => MixPlan::Single(PostedOperation::Write),
        Operation::WriteWithImmediate => MixPlan::Single(PostedOperation::WriteWithImmediate),
        Operation::CompareAndSwap => MixPlan::Single(PostedOperation::CompareAndSwap),
        Operation::FetchAndAdd => MixPlan::Single(PostedOperation::FetchAndAdd),
        Operation::Mixed => {
            MixPlan::ReadWrite { write_fraction: configuration.write_fraction.unwrap_or(0.0) }
        }
    })
}

#[cfg(test)]
mod tests;
