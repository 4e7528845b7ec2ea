//! How large the region is and where in it things are: the same on both sides, from the
//! configuration alone.

use onesided_plan::region;
use onesided_results::{
    RunConfiguration,
    vocabulary::{LoopShape, Operation, Phase, Service, Side},
};
use onesided_transport::{
    Destination, LocalSegment, Opcode, Region, RemoteMemory, RemoteSegment, Signal, WorkRequest,
};

use crate::{
    error::RunError,
    ping_pong,
    plan::{self, BufferPlan},
    verification::Content,
};

/// Bytes that two items of datagrams are apart at the least: a cache line.
const ALIGNMENT: usize = 64;

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
        if configuration.service == Service::UnreliableDatagram {
            // The header of a message lies before the item that it arrives in.
            let arriving = plan::arriving_bytes(configuration) as usize;
            let stride = arriving.next_multiple_of(ALIGNMENT);
            let region_bytes = stride * configuration.queue_pairs as usize;
            let base = plan::header_bytes(configuration) as usize;
            return Ok(Self { region_bytes, base, stride });
        }
        let slots = region(configuration)
            .map_err(|source| RunError::new(Phase::SetUp, "the server's region", source))?;
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
        destinations: &[Destination],
    ) -> Vec<ping_pong::Slots> {
        let buffer = BufferPlan::of(configuration);
        let own = region.remote().address;
        let slots = |queue_pair: usize| {
            let watched = own + (2 * queue_pair * self.stride) as u64;
            let outgoing = watched + self.stride as u64;
            let theirs = (queue_pair * buffer.lane_bytes() + buffer.stride) as u64;
            ping_pong::Slots {
                request: WorkRequest {
                    id: 0,
                    opcode: of_a_turn(configuration, Side::Server, destinations.get(queue_pair)),
                    local: LocalSegment {
                        address: outgoing,
                        length: configuration.access_bytes,
                        key: region.local_key(),
                    },
                    remote: RemoteSegment {
                        address: arrivals.address.wrapping_add(theirs),
                        key: arrivals.key,
                    },
                    signal: Signal::Signaled,
                    payload: plan::payload(configuration),
                },
                buffer: LocalSegment {
                    address: watched,
                    length: plan::arriving_bytes(configuration),
                    key: region.local_key(),
                },
                answered_by: of_a_turn(configuration, Side::Client, destinations.get(queue_pair)),
                header: plan::header_bytes(configuration),
                may_be_lost: !configuration.service.is_reliable(),
            }
        };
        (0..configuration.queue_pairs as usize).map(slots).collect()
    }

    /// Where sends of each queue pair of the run land in a server's region: in its own item. Empty ones need no
    /// buffer, unless they bring a header along.
    pub(crate) fn landings(
        &self,
        configuration: &RunConfiguration,
        region: &impl Region,
    ) -> Vec<LocalSegment> {
        let header = u64::from(plan::header_bytes(configuration));
        let first = region.remote().address + self.base as u64 - header;
        let (length, key) = (plan::arriving_bytes(configuration), region.local_key());
        if length == 0 {
            return Vec::new();
        }
        let landing = |queue_pair: usize| {
            let address = first + (queue_pair * self.stride) as u64;
            LocalSegment { address, length, key }
        };
        (0..configuration.queue_pairs as usize).map(landing).collect()
    }

    /// The client's slots of a ping-pong's queue pair.
    pub(crate) fn ping(
        &self,
        configuration: &RunConfiguration,
        queue_pair: usize,
        (local, destination): (LocalSegment, Option<&Destination>),
        region: RemoteMemory,
    ) -> ping_pong::Slots {
        let watched = region.address + (2 * queue_pair * self.stride) as u64;
        let arriving = local.address + BufferPlan::of(configuration).stride as u64;
        ping_pong::Slots {
            request: WorkRequest {
                opcode: of_a_turn(configuration, Side::Client, destination),
                ..template(configuration, local, RemoteMemory { address: watched, ..region })
            },
            buffer: LocalSegment {
                address: arriving,
                length: plan::arriving_bytes(configuration),
                ..local
            },
            answered_by: of_a_turn(configuration, Side::Server, destination),
            header: plan::header_bytes(configuration),
            may_be_lost: !configuration.service.is_reliable(),
        }
    }
}

/// What a side of a ping-pong posts at its turn.
fn of_a_turn(
    configuration: &RunConfiguration,
    side: Side,
    destination: Option<&Destination>,
) -> Opcode {
    let operation = match (configuration.operation, side) {
        (Operation::WriteAnsweredBySend, Side::Client) => Operation::Write,
        (Operation::WriteAnsweredBySend, Side::Server) => Operation::Send,
        (operation, _) => operation,
    };
    match (operation, destination) {
        (Operation::Send, Some(&destination)) => Opcode::Datagram { destination, immediate: None },
        (Operation::Send, None) => Opcode::Send { immediate: None },
        (Operation::WriteWithImmediate, _) => Opcode::WriteWithImmediate { immediate: 0 },
        _ => Opcode::Write,
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

#[cfg(test)]
mod tests;
