//! Receive requests of a run: how many there are, in whose queues, and whether a device has room for them.

use onesided_results::{
    RunConfiguration,
    vocabulary::{LoopShape, Operation, Phase, Side},
};
use onesided_transport::{DeviceDescription, EndpointAttributes, ReceiveQueues};

use super::{client_endpoint, server_endpoint};
use crate::{error::RunError, ping_pong};

/// Receive requests that a receive queue has at the least. Ours.
const LEAST_RECEIVES: u32 = 256;

/// Receive requests that a server keeps posted in a receive queue, if operations consume any: twice what can be
/// in flight to it, so that it has a whole window's time to post new ones, and some for when its thread is not
/// run. All `queue_pairs` of a thread take from a queue that is shared.
pub(super) fn receives(configuration: &RunConfiguration, queue_pairs: usize) -> u32 {
    let takers = match configuration.receive_queues {
        ReceiveQueues::PerQueuePair => 1,
        ReceiveQueues::Shared => u32::try_from(queue_pairs).unwrap_or(u32::MAX),
    };
    match (configuration.operation.consumes_receives(), configuration.loop_shape) {
        (true, LoopShape::PingPong) => ping_pong::RECEIVES,
        (true, _) => {
            let in_flight = configuration.window.saturating_mul(takers);
            in_flight.saturating_mul(2).max(LEAST_RECEIVES)
        }
        (false, _) => 0,
    }
}

/// Receive requests that a client keeps posted: as many as the server in a ping-pong, unless only its answers
/// consume some.
pub(super) fn client_receives(configuration: &RunConfiguration) -> u32 {
    match (configuration.loop_shape, configuration.operation) {
        (LoopShape::PingPong, Operation::WriteAnsweredBySend) => ping_pong::RECEIVES,
        // A thread of a ping-pong has one queue pair.
        (LoopShape::PingPong, _) => receives(configuration, 1),
        _ => 0,
    }
}

/// Whose the receive queues of a side are that are `depth` deep: one that receives nothing has none to share.
pub(super) fn receive_queues(configuration: &RunConfiguration, depth: u32) -> ReceiveQueues {
    match depth {
        0 => ReceiveQueues::PerQueuePair,
        _ => configuration.receive_queues,
    }
}

/// Refuses receive queues that a side's device cannot give, by what was asked for and before anything is taken.
///
/// # Errors
/// Which flags ask for what, and how much the device has.
pub(crate) fn check_receive_queues(
    configuration: &RunConfiguration,
    side: Side,
    device: &DeviceDescription,
) -> Result<(), RunError> {
    // Of the thread that has the most: shares differ by one.
    let queue_pairs = configuration.queue_pairs.div_ceil(configuration.threads.max(1));
    let attributes = match side {
        Side::Client => client_endpoint(configuration, queue_pairs as usize),
        Side::Server => server_endpoint(configuration, queue_pairs as usize),
    };
    if attributes.receive_queues == ReceiveQueues::PerQueuePair {
        return check_own_queue(configuration.window, &attributes, device);
    }
    device.check_receive_queues(attributes.receive_queues, attributes.service).map_err(
        |source| RunError::new(Phase::SetUp, "receive_queues (--receive-queues) = shared", source),
    )?;
    let [_, _, depth, entries] = attributes.beside(&device.limits);
    let above = [depth, entries].into_iter().find(|(_, needed, most)| needed > most);
    let Some((what, needed, most)) = above else { return Ok(()) };
    let (window, name) = (configuration.window, &device.name);
    let what = format!(
        "receive_queues (--receive-queues) = shared: {queue_pairs} queue pairs of a thread (--queue-pairs, \
         --threads) with window = {window} (--window) need {what} {needed}; allowed: at most {most}, the limit \
         of {name}"
    );
    Err(RunError::plain(Phase::SetUp, what))
}

/// As [`check_receive_queues`], of a queue that each queue pair has for itself.
fn check_own_queue(
    window: u32,
    attributes: &EndpointAttributes,
    device: &DeviceDescription,
) -> Result<(), RunError> {
    let [_, _, (_, needed, most), _] = attributes.beside(&device.limits);
    if needed <= most {
        return Ok(());
    }
    let name = &device.name;
    let what = format!(
        "window (--window) is {window}, for which {needed} receive requests are kept posted (twice as many, \
         {LEAST_RECEIVES} at the least); allowed: at most {most}, the limit of a receive queue of {name}"
    );
    Err(RunError::plain(Phase::SetUp, what))
}

#[cfg(test)]
mod tests;
