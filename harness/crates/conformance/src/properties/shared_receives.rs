//! One receive queue of several queue pairs: whichever gets a message takes its oldest request.

use std::collections::BTreeSet;

use onesided_transport::{
    CompletionStatus, CreateEndpointError, DATAGRAM_HEADER, Endpoint, PostError, ReceiveQueues,
    Service, Transport, Word, WorkCompletion,
};

use super::{
    Property, connected, property,
    send::{expect_datagram, expect_receive},
    unreliable::{deliver_by, immediate_of},
};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::{Party, expect_status},
    pattern::pattern,
    requests::{datagram, send, write_with_immediate},
};

/// Queue pairs that share a receive queue.
const COUNT: usize = 4;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(a_device_shares_receive_queues_of_the_services_that_it_names),
        connected!(
            a_shared_receive_queue_serves_whichever_queue_pair_gets_a_message,
            Send,
            SharedReceives,
            UnreliableArrival
        ),
        connected!(
            a_shared_receive_queue_keeps_the_order_of_its_posts_whichever_queue_pair_they_name,
            Send,
            SharedReceives,
            UnreliableArrival
        ),
        connected!(
            long_messages_at_the_same_time_take_each_a_request_of_a_shared_receive_queue,
            Send,
            SharedReceives,
            UnreliableArrival
        ),
        connected!(
            a_write_with_immediate_takes_a_request_of_a_shared_receive_queue,
            WriteWithImmediate,
            SharedReceives,
            UnreliableArrival
        ),
        connected!(
            a_shared_receive_queue_that_is_full_refuses_and_loses_nothing,
            Send,
            SharedReceives,
            UnreliableArrival
        ),
        property!(
            a_send_to_a_shared_receive_queue_run_dry_ends_receiver_not_ready,
            Send,
            SharedReceives
        ),
        property!(
            a_queue_pair_in_error_leaves_a_shared_receive_queue_to_the_others,
            Send,
            SharedReceives
        ),
        property!(
            an_unreliable_send_to_a_shared_receive_queue_run_dry_is_dropped_in_silence,
            Send,
            SharedReceivesOfUnreliableConnections
        ),
        property!(
            datagrams_take_requests_of_a_shared_receive_queue_and_are_dropped_when_it_runs_dry,
            SharedReceivesOfDatagrams
        ),
    ]
}

fn sharing() -> Setup {
    Setup {
        queue_pairs: COUNT,
        receive_queue_depth: 8,
        receive_queues: ReceiveQueues::Shared,
        ..Setup::default()
    }
}

/// What the receive side must see, and that the queue pair is the one that the message came for.
fn expect_receive_of<E: Endpoint>(
    party: &Party<E>,
    queue_pair: usize,
    completion: &WorkCompletion,
    (id, length, immediate): (u64, usize, Option<u32>),
) -> Verdict {
    expect_receive(completion, id, length, immediate)?;
    expect_number(party, queue_pair, completion, id)
}

/// That a completion is of a queue pair.
fn expect_number<E: Endpoint>(
    party: &Party<E>,
    queue_pair: usize,
    completion: &WorkCompletion,
    id: u64,
) -> Verdict {
    let expected_queue_pair_number = party.number(queue_pair);
    if completion.queue_pair_number == expected_queue_pair_number {
        return Ok(());
    }
    let found = *completion;
    Err(Deviation::Identity { expected_id: id, expected_queue_pair_number, found })
}

fn a_device_shares_receive_queues_of_the_services_that_it_names<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let description = bench.client.description();
    for &service in &description.services {
        let named = description.shared_receives.contains(&service);
        let made = bench.endpoint(&bench.client, &Setup { service: Some(service), ..sharing() });
        match (named, made) {
            (true, Ok(_)) | (false, Err(CreateEndpointError::NoSharedReceives { .. })) => {}
            (true, Err(error)) => {
                return Err(Deviation::set_up("share a receive queue of a named service")(
                    error.into(),
                ));
            }
            (false, made) => {
                let (made, service) = (made.map(|_| "queue pairs"), service.word());
                let what = format!("{service} is not named, and gave {made:?}");
                return Err(Deviation::broken(what));
            }
        }
    }
    Ok(())
}

/// Not in the order of the queue pairs, one of them twice.
fn a_shared_receive_queue_serves_whichever_queue_pair_gets_a_message<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let bytes = 100;
    let order = [3, 1, 1, 0, 2];
    let length = bytes * order.len();
    let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
    client.put(0, &pattern(11, length));
    let mut pair = bench.connect(&sharing())?;
    for place in 0..order.len() {
        let buffer = server.segment(place * bytes, bytes);
        pair.server.try_post_receive(0, 20 + place as u64, Some(buffer))?;
    }
    for (place, queue_pair) in order.into_iter().enumerate() {
        let (bits, local) = (Some(place as u32), client.segment(place * bytes, bytes));
        pair.client.succeed(queue_pair, send(9, bits, local))?;
        let found = pair.server.next_one()?;
        expect_receive_of(&pair.server, queue_pair, &found, (20 + place as u64, bytes, bits))?;
    }
    pair.server.silence()?;
    server.expect(&pattern(11, length))
}

fn a_shared_receive_queue_keeps_the_order_of_its_posts_whichever_queue_pair_they_name<
    F: Fixture,
>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let client = bench.client_memory(8)?;
    let mut pair = bench.connect(&sharing())?;
    for (id, queue_pair) in (0..).zip([2, 0, 3, 3, 1, 0]) {
        pair.server.try_post_receive(queue_pair, id, None)?;
    }
    for (id, queue_pair) in (0..).zip([1, 1, 0, 3, 2, 0]) {
        pair.client.succeed(queue_pair, send(9, Some(id), client.segment(0, 0)))?;
        let found = pair.server.next_one()?;
        expect_receive_of(&pair.server, queue_pair, &found, (id.into(), 0, Some(id)))?;
    }
    Ok(())
}

/// Which takes which is left open.
fn long_messages_at_the_same_time_take_each_a_request_of_a_shared_receive_queue<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let bytes = 20_000;
    let (client, server) =
        (bench.client_memory(COUNT * bytes)?, bench.server_memory(COUNT * bytes)?);
    let sent = pattern(13, COUNT * bytes);
    client.put(0, &sent);
    let mut pair = bench.connect(&sharing())?;
    for place in 0..COUNT {
        pair.server.try_post_receive(
            0,
            place as u64,
            Some(server.segment(place * bytes, bytes)),
        )?;
    }
    for queue_pair in 0..COUNT {
        let local = client.segment(queue_pair * bytes, bytes);
        let request = send(queue_pair as u64, Some(queue_pair as u32), local);
        pair.client.post(queue_pair, &[request])?;
    }
    for completion in pair.client.completions(COUNT)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    let mut places = BTreeSet::new();
    for completion in pair.server.completions(COUNT)? {
        let index = immediate_of(&completion)?;
        let (queue_pair, id) = (index as usize, completion.id);
        let whole = sent.get(queue_pair * bytes..(queue_pair + 1) * bytes);
        expect_receive_of(&pair.server, queue_pair, &completion, (id, bytes, Some(index)))?;
        if whole != Some(&server.get(id as usize * bytes, bytes)[..]) || !places.insert(id) {
            let what = format!("message {index} is not in request {id}, or another one is, too");
            return Err(Deviation::broken(what));
        }
    }
    Ok(())
}

fn a_write_with_immediate_takes_a_request_of_a_shared_receive_queue<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    client.put(0, &pattern(2, 8));
    let mut pair = bench.connect(&sharing())?;
    for (id, queue_pair) in (0..).zip([2, 0, 3]) {
        pair.server.try_post_receive(1, id, None)?;
        let request = write_with_immediate(9, id as u32, client.segment(0, 8), server.at(0));
        pair.client.succeed(queue_pair, request)?;
        let found = pair.server.next_one()?;
        expect_receive_of(&pair.server, queue_pair, &found, (id, 8, Some(id as u32)))?;
    }
    server.expect(&pattern(2, 8))
}

/// Providers round the depth up, but not to as many as queue pairs with a queue each would take.
fn a_shared_receive_queue_that_is_full_refuses_and_loses_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (depth, most) = (32, COUNT as u64 * 32);
    let client = bench.client_memory(8)?;
    let mut pair =
        bench.connect(&Setup { receive_queue_depth: depth, rnr_retry: 1, ..sharing() })?;
    let mut posted = 0;
    loop {
        let queue_pair = posted as usize % COUNT;
        match pair.server.try_post_receive(queue_pair, posted, None) {
            Ok(()) if posted < most => posted += 1,
            Ok(()) => {
                return Err(Deviation::broken(format!("it took {posted}, asked for {depth}")));
            }
            Err(PostError::QueueFull { .. }) => break,
            Err(other) => return Err(other.into()),
        }
    }
    if posted < depth.into() {
        return Err(Deviation::broken(format!("only {posted} of {depth} were accepted")));
    }
    let request = |id| send(id, Some(id as u32), client.segment(0, 0));
    for id in 0..posted {
        let queue_pair = (id as usize + 1) % COUNT;
        pair.client.succeed(queue_pair, request(id))?;
        let found = pair.server.next_one()?;
        expect_receive_of(&pair.server, queue_pair, &found, (id, 0, Some(id as u32)))?;
    }
    if !bench.service.is_reliable() {
        // Of one too many its sender hears nothing.
        return Ok(());
    }
    let not_ready = [CompletionStatus::ReceiverNotReadyRetryExceeded];
    pair.client.end_with(0, request(posted), &not_ready)
}

/// Another queue pair goes on as soon as there is a request again.
fn a_send_to_a_shared_receive_queue_run_dry_ends_receiver_not_ready<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let client = bench.client_memory(8)?;
    let mut pair = bench.connect(&Setup { rnr_retry: 1, ..sharing() })?;
    let request = |id| send(id, Some(id as u32), client.segment(0, 0));
    pair.server.try_post_receive(0, 1, None)?;
    pair.client.succeed(1, request(1))?;
    pair.server.completion_of(1, 1)?;
    let not_ready = [CompletionStatus::ReceiverNotReadyRetryExceeded];
    pair.client.end_with(0, request(2), &not_ready)?;
    pair.server.silence()?;
    pair.server.try_post_receive(0, 3, None)?;
    pair.client.succeed(2, request(3))?;
    let found = pair.server.next_one()?;
    expect_receive_of(&pair.server, 2, &found, (3, 0, Some(3)))
}

/// The request that the failing message took ends with it; no other.
fn a_queue_pair_in_error_leaves_a_shared_receive_queue_to_the_others<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(100)?, bench.server_memory(300)?);
    client.put(0, &pattern(4, 100));
    let mut pair = bench.connect(&sharing())?;
    for (id, room) in (0..).zip([8, 100, 100]) {
        let buffer = server.segment(100 * id as usize, room);
        pair.server.try_post_receive(0, id, Some(buffer))?;
    }
    let refused = [CompletionStatus::RemoteInvalidRequest, CompletionStatus::RemoteOperationError];
    pair.client.end_with(0, send(1, None, client.segment(0, 9)), &refused)?;
    let found = pair.server.completion_of(0, 0)?;
    if found.status == CompletionStatus::Success {
        return Err(Deviation::broken(format!("9 bytes ended in a request of 8: {found:?}")));
    }
    pair.server.silence()?;
    for (id, queue_pair) in [(1, 1), (2, 3)] {
        pair.client.succeed(queue_pair, send(2, Some(7), client.segment(0, 100)))?;
        let found = pair.server.next_one()?;
        expect_receive_of(&pair.server, queue_pair, &found, (id, 100, Some(7)))?;
        if server.get(100 * id as usize, 100) != pattern(4, 100) {
            return Err(Deviation::broken(format!("request {id} has not what was sent")));
        }
    }
    Ok(())
}

fn an_unreliable_send_to_a_shared_receive_queue_run_dry_is_dropped_in_silence<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let bytes = 5_000;
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(bytes)?);
    client.put(0, &pattern(5, bytes));
    let service = Service::UnreliableConnection;
    let mut pair = bench.connect(&Setup { service: Some(service), ..sharing() })?;
    let request = |id: u32| send(id.into(), Some(id), client.segment(0, bytes));
    for (id, queue_pair) in (0..).zip([0, 3, 1]) {
        pair.client.succeed(queue_pair, request(100))?;
        pair.server.silence()?;
        pair.server.try_post_receive(2, id, Some(server.segment(0, bytes)))?;
        pair.server.silence()?;
        let found = deliver_by(&mut pair, queue_pair, request(7))?;
        expect_receive_of(&pair.server, queue_pair, &found, (id, bytes, Some(7)))?;
    }
    server.expect(&pattern(5, bytes))
}

fn datagrams_take_requests_of_a_shared_receive_queue_and_are_dropped_when_it_runs_dry<
    F: Fixture,
>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (header, bytes) = (DATAGRAM_HEADER as usize, 100);
    let room = header + bytes;
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(room)?);
    client.put(0, &pattern(6, bytes));
    let (mut pair, to) = bench.datagrams(&sharing())?;
    let request =
        |queue_pair: usize, bits| datagram(1, to[queue_pair], Some(bits), client.segment(0, bytes));
    for (id, queue_pair) in (0..).zip([2, 0, 3]) {
        pair.client.succeed(0, request(queue_pair, 100))?;
        pair.server.silence()?;
        pair.server.try_post_receive(1, id, Some(server.segment(0, room)))?;
        pair.server.silence()?;
        let found = deliver_by(&mut pair, 0, request(queue_pair, 7))?;
        expect_datagram(&found, id, bytes, Some(7))?;
        expect_number(&pair.server, queue_pair, &found, id)?;
    }
    let arrived = server.get(header, bytes);
    match arrived == pattern(6, bytes) {
        true => Ok(()),
        false => Err(Deviation::broken("the bytes behind the header are not those sent")),
    }
}
