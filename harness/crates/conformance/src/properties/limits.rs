//! What is more than was agreed is refused, and what was agreed can be used to the full.

use onesided_transport::{
    CompletionQueues, CompletionStatus, ConnectError, CreateEndpointError, Endpoint, PostError,
    ReceiveQueues, Transport,
};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::{Capability, Fixture},
    ledger::Ledger,
    pair::expect_status,
    pattern::pattern,
    requests::{read, write, write_with_immediate},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(a_send_queue_filled_to_its_depth_recovers_when_polled),
        connected!(a_full_send_queue_refuses_and_loses_nothing),
        connected!(
            a_full_receive_queue_refuses_and_loses_nothing,
            WriteWithImmediate,
            UnreliableArrival
        ),
        connected!(
            as_many_requests_as_the_depth_may_be_outstanding_on_every_queue_pair,
            UnreliableArrival
        ),
        property!(more_queue_pairs_than_the_device_has_are_refused),
        property!(a_deeper_queue_than_the_device_has_is_refused),
        property!(any_number_of_outstanding_reads_returns_the_same_data),
        connected!(a_post_before_connecting_is_refused),
        connected!(a_peer_with_another_number_of_queue_pairs_is_refused),
    ]
}

/// How many requests of a list were accepted.
fn accepted(posted: Result<(), PostError>, length: usize) -> Result<usize, Deviation> {
    match posted {
        Ok(()) => Ok(length),
        Err(PostError::QueueFull { request, .. }) => Ok(request),
        Err(other) => Err(other.into()),
    }
}

fn a_send_queue_filled_to_its_depth_recovers_when_polled<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let depth = 16;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let setup = Setup { send_queue_depth: depth as u32, ..Setup::default() };
    let mut pair = bench.connect(&setup)?;
    let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
    for round in 0..32_u64 {
        let request = |index| write(round << 32 | index, client.segment(0, 8), server.at(0));
        let list: Vec<_> = (0..depth).map(request).collect();
        // At once and one by one, by turns.
        let at_once = if round % 2 == 0 { list.len() } else { 1 };
        for requests in list.chunks(at_once) {
            pair.client.post(0, requests)?;
        }
        ledger.posted(0, &list);
        for completion in pair.client.completions(list.len())? {
            ledger.completed(&completion)?;
        }
    }
    pair.client.silence()?;
    ledger.balance()
}

/// A request occupies its queue until its completion, or that of one behind it, was polled.
/// `ibv_poll_cq(3)` leaves it to the caller not to overrun completion queues; the contract asks
/// for a refusal, because what is lost silently is a wrong count. Providers may round a depth up,
/// so more may be accepted; but what is accepted completes.
fn a_full_send_queue_refuses_and_loses_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let depth = 16;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&Setup { send_queue_depth: depth, ..Setup::default() })?;
    let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
    for round in 0..4_u64 {
        let request = |index| write(round << 32 | index, client.segment(0, 8), server.at(0));
        let list: Vec<_> = (0..256).map(request).collect();
        let accepted = accepted(pair.client.try_post(0, &list), list.len())?;
        if accepted < depth as usize {
            let what = format!("only {accepted} of {depth} requests were accepted");
            return Err(Deviation::broken(what));
        }
        ledger.posted(0, &list[..accepted]);
        for completion in pair.client.completions(accepted)? {
            ledger.completed(&completion)?;
        }
        pair.client.silence()?;
    }
    ledger.balance()
}

fn a_full_receive_queue_refuses_and_loses_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let depth = 8;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let setup = Setup { receive_queue_depth: depth, rnr_retry: 1, ..Setup::default() };
    let mut pair = bench.connect(&setup)?;
    let mut posted = 0;
    while posted < 64 && accepted(pair.server.try_post_receive(0, posted, None), 1)? == 1 {
        posted += 1;
    }
    if posted < u64::from(depth) {
        let what = format!("only {posted} of {depth} receive requests were accepted");
        return Err(Deviation::broken(what));
    }
    let request = |id| write_with_immediate(id, id as u32, client.segment(0, 8), server.at(0));
    for id in 0..posted {
        pair.client.succeed(0, request(id))?;
        pair.server.completion_of(0, id)?;
    }
    if !bench.service.is_reliable() {
        // Of one too many its sender hears nothing.
        return Ok(());
    }
    let status = [CompletionStatus::ReceiverNotReadyRetryExceeded];
    pair.client.end_with(0, request(posted), &status)
}

fn as_many_requests_as_the_depth_may_be_outstanding_on_every_queue_pair<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (queue_pairs, depth) = (8, 128);
    let length = 8 * queue_pairs * depth;
    for completion_queues in [CompletionQueues::PerThread, CompletionQueues::PerQueuePair] {
        let send_queue_depth = depth as u32;
        let setup = Setup { queue_pairs, send_queue_depth, completion_queues, ..Setup::default() };
        let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
        let mut pair = bench.connect(&setup)?;
        let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
        for round in 0..2 {
            let content = pattern(24 + round, length);
            client.put(0, &content);
            for queue_pair in 0..queue_pairs {
                let place = |index| 8 * (queue_pair * depth + index);
                let request =
                    |place| write(place as u64, client.segment(place, 8), server.at(place));
                let list: Vec<_> = (0..depth).map(place).map(request).collect();
                pair.client.post(queue_pair, &list)?;
                ledger.posted(queue_pair, &list);
            }
            for completion in pair.client.completions(queue_pairs * depth)? {
                ledger.completed(&completion)?;
            }
            pair.expect(&server, &content)?;
        }
        ledger.balance()?;
    }
    Ok(())
}

/// Checks that an endpoint is refused.
fn too_much<F: Fixture>(bench: &Bench<'_, F>, setup: &Setup) -> Verdict {
    match bench.endpoint(&bench.client, setup) {
        Err(CreateEndpointError::AboveLimit { asked, limit, .. }) if asked > limit => Ok(()),
        Err(CreateEndpointError::Refused { .. }) => Ok(()),
        Err(other) => Err(Deviation::broken(format!("refused, but for the wrong reason: {other}"))),
        Ok(_) => Err(Deviation::broken(format!("the device accepted {setup:?}"))),
    }
}

fn no_limit(what: &str) -> Deviation {
    Deviation::NotTestable { reason: format!("the device names no limit on {what}") }
}

fn more_queue_pairs_than_the_device_has_are_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let limit = bench.client.description().limits.queue_pairs;
    let above = limit.checked_add(1).ok_or_else(|| no_limit("queue pairs"))?;
    too_much(bench, &Setup { queue_pairs: above as usize, ..Setup::default() })
}

fn a_deeper_queue_than_the_device_has_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let limits = bench.client.description().limits;
    let above = limits.queue_depth.checked_add(1).ok_or_else(|| no_limit("queue depth"))?;
    too_much(bench, &Setup { send_queue_depth: above, ..Setup::default() })?;
    too_much(bench, &Setup { receive_queue_depth: above, ..Setup::default() })?;
    if bench.lacks(Capability::SharedReceives).is_none() {
        let above = limits.shared_receive_queue_depth.checked_add(1);
        let receive_queue_depth = above.ok_or_else(|| no_limit("shared receive queue depth"))?;
        let receive_queues = ReceiveQueues::Shared;
        too_much(bench, &Setup { receive_queue_depth, receive_queues, ..Setup::default() })?;
    }
    let entries = limits.completion_queue_entries;
    let above = entries.checked_add(1).ok_or_else(|| no_limit("completion queue entries"))?;
    too_much(bench, &Setup { send_queue_depth: above, ..Setup::default() })
}

/// `max_rd_atomic` bounds what is under way, not what may be posted.
fn any_number_of_outstanding_reads_returns_the_same_data<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (count, piece) = (48, 700);
    let length = count * piece;
    let content = pattern(26, length);
    let server = bench.server_memory(length)?;
    server.put(0, &content);
    for max_rd_atomic in [1, 2, 16, u8::MAX] {
        let client = bench.client_memory(length)?;
        let mut pair = bench.connect(&Setup { max_rd_atomic, ..Setup::default() })?;
        let request = |index| {
            let place = index * piece;
            read(index as u64, client.segment(place, piece), server.at(place))
        };
        let requests: Vec<_> = (0..count).map(request).collect();
        pair.client.post(0, &requests)?;
        for completion in pair.client.completions(count)? {
            expect_status(&completion, &[CompletionStatus::Success])?;
        }
        client.expect(&content)?;
    }
    Ok(())
}

fn a_post_before_connecting_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    client.put(0, &pattern(27, 8));
    let mut party = bench
        .endpoint(&bench.client, &Setup::default())
        .map_err(|error| Deviation::set_up("create an endpoint")(error.into()))?;
    let request = write(1, client.segment(0, 8), server.at(0));
    match party.try_post(0, &[request]) {
        Err(PostError::Invalid { queue_pair: 0, request: 0, .. }) => {}
        Err(other) => return Err(other.into()),
        Ok(()) => return Err(Deviation::broken("a queue pair without a peer accepted a request")),
    }
    party.silence()?;
    server.expect(&[0; 8])
}

fn a_peer_with_another_number_of_queue_pairs_is_refused<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let refused =
        |error: CreateEndpointError| Deviation::set_up("create an endpoint")(error.into());
    let (two, three) = (
        Setup { queue_pairs: 2, ..Setup::default() },
        Setup { queue_pairs: 3, ..Setup::default() },
    );
    let mut client = bench.endpoint(&bench.client, &two).map_err(refused)?;
    let server = bench.endpoint(&bench.server, &three).map_err(refused)?;
    let (client_gid, server_gid) = bench.gids()?;
    let peer = server.endpoint.address(server_gid);
    match client.endpoint.connect(&peer, &bench.attributes(&two, client_gid)?) {
        Err(ConnectError::CountDiffers { own: 2, peer: 3 }) => Ok(()),
        Err(other) => Err(Deviation::broken(format!("refused, but for the wrong reason: {other}"))),
        Ok(()) => Err(Deviation::broken("2 queue pairs were connected to 3")),
    }
}
