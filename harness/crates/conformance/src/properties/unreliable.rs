//! Services that send nothing again: what they may lose, and what they may not do.

use onesided_transport::{
    CompletionStatus, CreateEndpointError, Endpoint, PostError, RemoteSegment, Service, Transport,
    Word, WorkCompletion, WorkRequest,
};

use super::{Property, property, send::expect_receive};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::{Pair, Party, expect_status},
    pattern::pattern,
    requests::{datagram, fetch_and_add, nowhere, read, send, write},
};

/// How often a message is sent that may be lost. Ours: Soft-RoCE has lost a fifth of the datagrams of a sender
/// that posted lists of them without a bound; here one message is under way at a time, and it is seldom lost.
const TRIES: usize = 8;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(a_device_makes_queue_pairs_of_the_services_that_it_names),
        property!(what_a_service_lacks_is_refused_when_it_is_posted_and_harms_nothing),
        property!(
            sends_over_an_unreliable_connection_arrive_whole_and_in_order,
            Send,
            UnreliableConnection
        ),
        property!(
            a_send_without_a_receive_over_an_unreliable_connection_is_dropped_in_silence,
            Send,
            UnreliableConnection
        ),
        property!(
            a_send_longer_than_its_receive_over_an_unreliable_connection_does_not_arrive,
            Send,
            UnreliableConnection
        ),
        property!(a_write_over_an_unreliable_connection_arrives_whole, UnreliableConnection),
        property!(
            a_refused_write_over_an_unreliable_connection_ends_in_success_and_writes_nothing,
            UnreliableConnection
        ),
    ]
}

/// Posts a message until one arrives; the completion of its receive request.
pub(super) fn deliver<E: Endpoint>(
    pair: &mut Pair<E>,
    request: WorkRequest,
) -> Result<WorkCompletion, Deviation> {
    deliver_by(pair, 0, request)
}

/// As [`deliver`], by any queue pair.
pub(super) fn deliver_by<E: Endpoint>(
    pair: &mut Pair<E>,
    queue_pair: usize,
    request: WorkRequest,
) -> Result<WorkCompletion, Deviation> {
    for _ in 0..TRIES {
        pair.client.succeed(queue_pair, request)?;
        match pair.server.next_one() {
            Err(Deviation::Missing { .. }) => {}
            found => return found,
        }
    }
    Err(Deviation::broken(format!("none of {TRIES} messages arrived")))
}

/// What must be refused by the post itself.
pub(super) fn refused<E: Endpoint>(party: &mut Party<E>, request: WorkRequest) -> Verdict {
    match party.try_post(0, &[request]) {
        Err(PostError::Invalid { .. }) => Ok(()),
        other => {
            Err(Deviation::broken(format!("{:?} should be refused: {other:?}", request.opcode)))
        }
    }
}

fn unreliable() -> Setup {
    let service = Service::UnreliableConnection;
    Setup { service: Some(service), receive_queue_depth: 64, ..Setup::default() }
}

fn a_device_makes_queue_pairs_of_the_services_that_it_names<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let named = &bench.client.description().services;
    for &service in Service::ALL {
        let made =
            bench.endpoint(&bench.client, &Setup { service: Some(service), ..Setup::default() });
        match (named.contains(&service), made) {
            (true, Ok(_)) | (false, Err(CreateEndpointError::NoService { .. })) => {}
            (true, Err(error)) => {
                return Err(Deviation::set_up("make a queue pair of a named service")(
                    error.into(),
                ));
            }
            (false, made) => {
                let made = made.map(|_| "a queue pair");
                return Err(Deviation::broken(format!(
                    "{service} is not named, and gave {made:?}"
                )));
            }
        }
    }
    Ok(())
}

/// Each time the queue pair works afterwards: refused before the device sees it.
fn what_a_service_lacks_is_refused_when_it_is_posted_and_harms_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(64)?, bench.server_memory(64)?);
    let (local, at) = (client.segment(0, 8), server.at(0));
    let mut pair = bench.connect(&Setup::default())?;
    refused(&mut pair.client, datagram(1, nowhere(), None, local))?;
    pair.client.succeed(0, write(2, local, at))?;
    if bench.lacks(crate::Capability::UnreliableConnection).is_none() {
        let mut pair = bench.connect(&unreliable())?;
        let lacking = [
            read(1, local, at),
            fetch_and_add(1, 1, local, at),
            datagram(1, nowhere(), None, local),
        ];
        for request in lacking {
            refused(&mut pair.client, request)?;
            pair.client.succeed(0, write(2, local, at))?;
        }
    }
    if bench.lacks(crate::Capability::UnreliableDatagram).is_none() {
        let (mut pair, to) = bench.datagrams(&unreliable())?;
        for request in [read(1, local, at), write(1, local, at), send(1, None, local)] {
            refused(&mut pair.client, request)?;
            pair.client.succeed(0, datagram(2, to[0], None, local))?;
        }
    }
    Ok(())
}

/// Some may be missing; those that are there are in order, each whole in one receive request.
fn sends_over_an_unreliable_connection_arrive_whole_and_in_order<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (count, bytes) = (64_usize, 200);
    let (client, server) =
        (bench.client_memory(count * bytes)?, bench.server_memory(count * bytes)?);
    let mut pair = bench.connect(&unreliable())?;
    let sent = pattern(3, count * bytes);
    client.put(0, &sent);
    for index in 0..count {
        let buffer = server.segment(index * bytes, bytes);
        pair.server.try_post_receive(0, index as u64, Some(buffer))?;
    }
    let request =
        |index: usize| send(index as u64, Some(index as u32), client.segment(index * bytes, bytes));
    let requests: Vec<_> = (0..count).map(request).collect();
    pair.client.post(0, &requests)?;
    for completion in pair.client.completions(count)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    let mut found = pair.server.next()?;
    found.extend(pair.server.rest()?);
    let mut next = 0;
    for (place, completion) in found.iter().enumerate() {
        let index = immediate_of(completion)?;
        if (index as usize) < next || index as usize >= count {
            let what = format!("message {index} came after message {next} or is none: {found:?}");
            return Err(Deviation::broken(what));
        }
        next = index as usize + 1;
        expect_receive(completion, place as u64, bytes, Some(index))?;
        if server.get(place * bytes, bytes) != sent[index as usize * bytes..][..bytes] {
            return Err(Deviation::broken(format!("message {index} is not what was sent")));
        }
    }
    Ok(())
}

/// The immediate by which messages are told apart.
pub(super) fn immediate_of(completion: &WorkCompletion) -> Result<u32, Deviation> {
    match completion.kind {
        onesided_transport::CompletionKind::Receive { immediate: Some(immediate), .. } => {
            Ok(immediate)
        }
        _ => Err(Deviation::Surplus { completion: *completion }),
    }
}

/// IB spec vol. 1, 9.8.2.2: there is nobody to tell.
fn a_send_without_a_receive_over_an_unreliable_connection_is_dropped_in_silence<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    for length in [0, 8, 5_000] {
        let (client, server) = (bench.client_memory(5_000)?, bench.server_memory(5_000)?);
        let mut pair = bench.connect(&unreliable())?;
        pair.client.succeed(0, send(1, Some(1), client.segment(0, length)))?;
        pair.server.silence()?;
        pair.server.try_post_receive(0, 5, Some(server.segment(0, 5_000)))?;
        let found = deliver(&mut pair, send(2, Some(2), client.segment(0, length)))?;
        expect_receive(&found, 5, length, Some(2))?;
    }
    Ok(())
}

/// Nor any part of it behind the buffer. The receiving queue pair may be in error then.
fn a_send_longer_than_its_receive_over_an_unreliable_connection_does_not_arrive<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    for (room, length) in [(0, 1), (8, 9), (100, 5_000)] {
        let (client, server) = (bench.client_memory(5_000)?, bench.server_memory(5_000)?);
        let mut pair = bench.connect(&unreliable())?;
        client.put(0, &pattern(6, 5_000));
        let buffer = (room > 0).then(|| server.segment(0, room));
        pair.server.try_post_receive(0, 3, buffer)?;
        pair.client.succeed(0, send(4, None, client.segment(0, length)))?;
        let found = pair.server.rest()?;
        let arrived = |found: &&WorkCompletion| found.status == CompletionStatus::Success;
        if let Some(cut) = found.iter().find(arrived) {
            let what = format!("{length} bytes ended in a receive request of {room}: {cut:?}");
            return Err(Deviation::broken(what));
        }
        let mut expected = server.get(0, room);
        expected.resize(5_000, 0);
        server.expect(&expected)?;
    }
    Ok(())
}

/// One packet: nothing of it, or all.
fn a_write_over_an_unreliable_connection_arrives_whole<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let bytes = 200;
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(bytes)?);
    let mut pair = bench.connect(&unreliable())?;
    client.put(0, &pattern(5, bytes));
    for _ in 0..TRIES {
        pair.client.succeed(0, write(1, client.segment(0, bytes), server.at(0)))?;
        pair.server.silence()?;
        if server.get(0, bytes) != vec![0; bytes] {
            return server.expect(&pattern(5, bytes));
        }
    }
    Err(Deviation::broken(format!("none of {TRIES} writes arrived")))
}

fn a_refused_write_over_an_unreliable_connection_ends_in_success_and_writes_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(64)?, bench.server_memory(64)?);
    let mut pair = bench.connect(&unreliable())?;
    client.put(0, &pattern(6, 64));
    let there = server.at(0);
    let (key, beyond) = (there.key ^ 0x55, there.address + 60);
    for wrong in [RemoteSegment { key, ..there }, RemoteSegment { address: beyond, ..there }] {
        pair.client.succeed(0, write(1, client.segment(0, 64), wrong))?;
        pair.server.silence()?;
        server.expect(&[0; 64])?;
    }
    for _ in 0..TRIES {
        pair.client.succeed(0, write(2, client.segment(0, 64), there))?;
        pair.server.silence()?;
        if server.get(0, 64) == pattern(6, 64) {
            return Ok(());
        }
    }
    Err(Deviation::broken("after refused writes none arrives any more"))
}
