//! Datagrams: one packet, to any queue pair, that arrives once or not.

use std::{collections::BTreeSet, num::NonZeroU32};

use onesided_transport::{
    CompletionStatus, ConnectError, DATAGRAM_HEADER, Endpoint, EndpointAddress, GidEntry,
    PostError, Service, Transport,
};

use super::{
    Property, property,
    send::{expect_datagram, expect_receive, source_of},
    unreliable::{deliver, deliver_by, immediate_of, refused},
};
use crate::{
    bench::{Bench, MemoryOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::expect_status,
    pattern::pattern,
    requests::{datagram, inline, send},
};

const HEADER: usize = DATAGRAM_HEADER as usize;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(a_datagram_arrives_whole_behind_the_header, UnreliableDatagram),
        property!(a_datagram_without_bytes_hands_over_its_immediate, UnreliableDatagram),
        property!(an_inline_datagram_takes_its_bytes_when_it_is_posted, UnreliableDatagram, Inline),
        property!(a_datagram_without_a_receive_is_dropped_in_silence, UnreliableDatagram),
        property!(a_datagram_with_another_key_never_arrives, UnreliableDatagram),
        property!(a_datagram_to_nobody_ends_in_success, UnreliableDatagram),
        property!(one_queue_pair_sends_datagrams_to_many, UnreliableDatagram),
        property!(
            datagrams_of_one_queue_pair_to_two_endpoints_reach_each_its_own,
            UnreliableDatagram
        ),
        property!(
            datagrams_of_one_queue_pair_to_two_devices_reach_each_its_own,
            UnreliableDatagram,
            DatagramsToSeveralDevices
        ),
        property!(a_destination_of_another_endpoint_is_refused, UnreliableDatagram),
        property!(a_datagram_names_its_sender, UnreliableDatagram),
        property!(datagrams_arrive_whole_and_at_most_once, UnreliableDatagram),
        property!(a_datagram_above_the_active_mtu_is_refused_when_it_is_posted, UnreliableDatagram),
        property!(
            a_datagram_longer_than_its_receive_is_never_cut_short_in_silence,
            UnreliableDatagram
        ),
        property!(a_receive_without_room_for_the_header_is_refused, UnreliableDatagram),
        property!(datagrams_have_no_connection_and_connections_no_destinations, UnreliableDatagram),
    ]
}

fn receiving() -> Setup {
    Setup { receive_queue_depth: 8, ..Setup::default() }
}

/// What the header's bytes are is left open.
fn a_datagram_arrives_whole_behind_the_header<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (mut pair, to) = bench.datagrams(&receiving())?;
    let mtu = pair.path_mtu.bytes() as usize;
    for (round, length) in (0..).zip([1, 8, 63, 64, 65, 257, mtu]) {
        let (client, server) = (bench.client_memory(8_192)?, bench.server_memory(8_192)?);
        let sent = pattern(7, 8_192);
        client.put(0, &sent);
        let (from, place) = (3 * round, 5 * round + 1);
        let id = 10 + round as u64;
        pair.server.try_post_receive(0, id, Some(server.segment(place, HEADER + mtu)))?;
        let request = datagram(1, to[0], None, client.segment(from, length));
        let found = deliver(&mut pair, request)?;
        expect_datagram(&found, id, length, None)?;
        let mut expected = vec![0; 8_192];
        expected[place..place + HEADER].copy_from_slice(&server.get(place, HEADER));
        let behind = place + HEADER;
        expected[behind..behind + length].copy_from_slice(&sent[from..from + length]);
        server.expect(&expected)?;
    }
    Ok(())
}

fn a_datagram_without_bytes_hands_over_its_immediate<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(HEADER + 8)?);
    let (mut pair, to) = bench.datagrams(&receiving())?;
    for (id, immediate) in [(1, Some(0x0102_0304)), (2, None)] {
        pair.server.try_post_receive(0, id, Some(server.segment(0, HEADER + 8)))?;
        let request = datagram(5, to[0], immediate, client.segment(0, 0));
        let found = deliver(&mut pair, request)?;
        expect_datagram(&found, id, 0, immediate)?;
    }
    let mut expected = server.get(0, HEADER);
    expected.extend([0; 8]);
    server.expect(&expected)
}

fn an_inline_datagram_takes_its_bytes_when_it_is_posted<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let bytes = 24;
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(HEADER + bytes)?);
    let (mut pair, to) = bench.datagrams(&Setup { inline_bytes: bytes as u32, ..receiving() })?;
    pair.server.try_post_receive(0, 1, Some(server.segment(0, HEADER + bytes)))?;
    for _ in 0..4 {
        client.put(0, &pattern(2, bytes));
        pair.client.post(0, &[inline(datagram(2, to[0], None, client.segment(0, bytes)))])?;
        client.put(0, &vec![0xff; bytes]);
        expect_status(&pair.client.completion_of(0, 2)?, &[CompletionStatus::Success])?;
        match pair.server.next_one() {
            Err(Deviation::Missing { .. }) => continue,
            found => expect_datagram(&found?, 1, bytes, None)?,
        }
        return match server.get(HEADER, bytes) == pattern(2, bytes) {
            true => Ok(()),
            false => Err(Deviation::broken("its bytes are those of after the post")),
        };
    }
    Err(Deviation::broken("none of 4 datagrams arrived"))
}

fn a_datagram_without_a_receive_is_dropped_in_silence<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(HEADER + 8)?);
    let (mut pair, to) = bench.datagrams(&receiving())?;
    pair.client.succeed(0, datagram(1, to[0], Some(1), client.segment(0, 8)))?;
    pair.server.silence()?;
    pair.server.try_post_receive(0, 5, Some(server.segment(0, HEADER + 8)))?;
    pair.server.silence()?;
    let found = deliver(&mut pair, datagram(2, to[0], Some(2), client.segment(0, 8)))?;
    expect_datagram(&found, 5, 8, Some(2))
}

/// The address of the server, changed.
fn reached_by<F: Fixture>(
    bench: &Bench<'_, F>,
    setup: &Setup,
    change: impl FnOnce(&mut EndpointAddress),
) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(HEADER + 8)?);
    let (mut pair, to) = bench.datagrams(setup)?;
    let (_, gid) = bench.gids()?;
    let mut address = pair.server.endpoint.address(gid);
    change(&mut address);
    let wrong = bench.destinations(&mut pair.client, &address, setup)?;
    pair.server.try_post_receive(0, 5, Some(server.segment(0, HEADER + 8)))?;
    pair.client.succeed(0, datagram(1, wrong[0], Some(1), client.segment(0, 8)))?;
    pair.server.silence()?;
    let found = deliver(&mut pair, datagram(2, to[0], Some(2), client.segment(0, 8)))?;
    expect_datagram(&found, 5, 8, Some(2))
}

fn a_datagram_with_another_key_never_arrives<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    reached_by(bench, &receiving(), |address| address.datagram_key ^= 1)
}

fn a_datagram_to_nobody_ends_in_success<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    // Far from the numbers that are given out one after another.
    reached_by(bench, &receiving(), |address| address.queue_pairs[0].number ^= 0x55_0000)
}

fn one_queue_pair_sends_datagrams_to_many<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let room = HEADER + 8;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(4 * room)?);
    let (mut pair, to) = bench.datagrams(&Setup { queue_pairs: 4, ..receiving() })?;
    for queue_pair in 0..4 {
        let buffer = server.segment(queue_pair * room, room);
        pair.server.try_post_receive(queue_pair, queue_pair as u64, Some(buffer))?;
    }
    for (queue_pair, &destination) in to.iter().enumerate() {
        let bits = Some(queue_pair as u32);
        let found = deliver(&mut pair, datagram(9, destination, bits, client.segment(0, 8)))?;
        expect_datagram(&found, queue_pair as u64, 8, bits)?;
        if found.queue_pair_number != pair.server.number(queue_pair) {
            return Err(Deviation::broken(format!("sent to queue pair {queue_pair}: {found:?}")));
        }
    }
    Ok(())
}

/// Datagrams to each of two, and what one of them takes in a receive request.
const TO_EACH: usize = 8;
const ROOM: usize = HEADER + 8;

/// One list of datagrams from a queue pair to the server and to one more endpoint, which is on this device. They
/// follow each other by twos, so that a way that loses each second one leaves some to both.
fn send_to_two<F: Fixture>(
    bench: &Bench<'_, F>,
    (device, gid): (&F::Transport, Option<GidEntry>),
    memory: &MemoryOf<F>,
) -> Verdict {
    let setup = Setup { service: Some(Service::UnreliableDatagram), ..receiving() };
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(TO_EACH * ROOM)?);
    let (mut pair, first) = bench.datagrams(&setup)?;
    let mut second = bench
        .endpoint(device, &setup)
        .map_err(|error| Deviation::set_up("create an endpoint")(error.into()))?;
    let address = second.endpoint.address(gid);
    let to = [first, bench.destinations(&mut pair.client, &address, &setup)?];
    for place in 0..TO_EACH {
        for (party, memory) in [(&mut pair.server, &server), (&mut second, memory)] {
            let buffer = memory.segment(place * ROOM, ROOM);
            party.try_post_receive(0, place as u64, Some(buffer))?;
        }
    }
    let whose = |index: usize| index / 2 % 2;
    let request = |index: usize| {
        datagram(index as u64, to[whose(index)][0], Some(index as u32), client.segment(0, 8))
    };
    let requests: Vec<_> = (0..2 * TO_EACH).map(request).collect();
    pair.client.post(0, &requests)?;
    for (completion, id) in pair.client.completions(requests.len())?.iter().zip(0..) {
        expect_status(completion, &[CompletionStatus::Success])?;
        if completion.id != id {
            return Err(Deviation::broken(format!("{id} was due: {completion:?}")));
        }
    }
    for (party, own) in [(&mut pair.server, 0), (&mut second, 1)] {
        let mut found = party.next()?;
        found.extend(party.rest()?);
        for completion in &found {
            let index = immediate_of(completion)?;
            expect_datagram(completion, completion.id, 8, Some(index))?;
            if whose(index as usize) != own {
                let what = format!("datagram {index} was for the other one: {found:?}");
                return Err(Deviation::broken(what));
            }
        }
    }
    Ok(())
}

/// Both are the server's.
fn datagrams_of_one_queue_pair_to_two_endpoints_reach_each_its_own<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let memory = bench.server_memory(TO_EACH * ROOM)?;
    send_to_two(bench, (&bench.server, bench.gids()?.1), &memory)
}

/// The server's and the sender's own.
fn datagrams_of_one_queue_pair_to_two_devices_reach_each_its_own<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let memory = bench.client_memory(TO_EACH * ROOM)?;
    send_to_two(bench, (&bench.client, bench.gids()?.0), &memory)
}

/// What the other endpoint calls by it is not known here, where it would be another peer's. Of a list what is
/// before it is sent, and the queue pair lives.
fn a_destination_of_another_endpoint_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let room = HEADER + 8;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(4 * room)?);
    let (mut pair, own) = bench.datagrams(&receiving())?;
    let (mut other, others) = bench.datagrams(&receiving())?;
    for (party, first) in [(&mut pair.server, 0), (&mut other.server, 2)] {
        for place in [first, first + 1] {
            let buffer = server.segment(place * room, room);
            party.try_post_receive(0, place as u64, Some(buffer))?;
        }
    }
    let to =
        |id: u32, destination| datagram(id.into(), destination, Some(id), client.segment(0, 8));
    match pair.client.try_post(0, &[to(1, own[0]), to(2, others[0]), to(3, own[0])]) {
        Err(PostError::UnknownDestination { queue_pair: 0, request: 1 }) => {}
        found => return Err(Deviation::broken(format!("it should be refused by name: {found:?}"))),
    }
    expect_status(&pair.client.completion_of(0, 1)?, &[CompletionStatus::Success])?;
    pair.client.silence()?;
    other.server.silence()?;
    // The first one of the list may have been lost.
    let found = pair.server.rest()?;
    if let Some(surplus) = found.iter().find(|found| !matches!(immediate_of(found), Ok(1))) {
        return Err(Deviation::Surplus { completion: *surplus });
    }
    let found = deliver(&mut pair, to(4, own[0]))?;
    expect_datagram(&found, found.id, 8, Some(4))?;
    let found = deliver(&mut other, to(5, others[0]))?;
    expect_datagram(&found, 2, 8, Some(5))
}

/// Each of the sender's queue pairs by its own number; a connection has one peer, which it does not name.
fn a_datagram_names_its_sender<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let room = HEADER + 5_000;
    let (client, server) = (bench.client_memory(5_000)?, bench.server_memory(room)?);
    let (mut pair, to) = bench.datagrams(&Setup { queue_pairs: 3, ..receiving() })?;
    let mtu = pair.path_mtu.bytes() as usize;
    for (queue_pair, length) in [(2, 8), (0, 0), (1, mtu), (2, 0)] {
        pair.server.try_post_receive(0, 5, Some(server.segment(0, room)))?;
        let request = datagram(9, to[0], None, client.segment(0, length));
        let found = deliver_by(&mut pair, queue_pair, request)?;
        expect_datagram(&found, 5, length, None)?;
        let sender = pair.client.number(queue_pair);
        if source_of(&found).map(NonZeroU32::get) != Some(sender) {
            return Err(Deviation::broken(format!("queue pair {sender} sent it: {found:?}")));
        }
    }
    let mut connected = bench.connect(&receiving())?;
    connected.server.try_post_receive(0, 5, Some(server.segment(0, room)))?;
    connected.client.succeed(0, send(1, None, client.segment(0, 8)))?;
    match connected.server.next_one()? {
        found if source_of(&found).is_none() => expect_receive(&found, 5, 8, None),
        found => Err(Deviation::broken(format!("a connection names a sender: {found:?}"))),
    }
}

/// Which arrive, and in which order, is left open.
fn datagrams_arrive_whole_and_at_most_once<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (count, bytes) = (64, 100);
    let room = HEADER + bytes;
    let (client, server) =
        (bench.client_memory(count * bytes)?, bench.server_memory(2 * count * room)?);
    let setup = Setup { receive_queue_depth: 2 * count as u32, ..Setup::default() };
    let (mut pair, to) = bench.datagrams(&setup)?;
    let sent = pattern(3, count * bytes);
    client.put(0, &sent);
    // Room for each twice.
    for place in 0..2 * count {
        let buffer = server.segment(place * room, room);
        pair.server.try_post_receive(0, place as u64, Some(buffer))?;
    }
    let request = |index: usize| {
        let local = client.segment(index * bytes, bytes);
        datagram(index as u64, to[0], Some(index as u32), local)
    };
    let requests: Vec<_> = (0..count).map(request).collect();
    for list in requests.chunks(16) {
        pair.client.post(0, list)?;
    }
    for completion in pair.client.completions(count)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    let mut found = pair.server.next()?;
    found.extend(pair.server.rest()?);
    let mut seen = BTreeSet::new();
    for completion in &found {
        let index = immediate_of(completion)?;
        let place = completion.id as usize;
        expect_datagram(completion, completion.id, bytes, Some(index))?;
        let whole = sent.get(index as usize * bytes..(index as usize + 1) * bytes);
        if whole != Some(&server.get(place * room + HEADER, bytes)[..]) {
            return Err(Deviation::broken(format!("datagram {index} is not what was sent")));
        }
        if !seen.insert(index) {
            return Err(Deviation::broken(format!("datagram {index} arrived twice")));
        }
    }
    Ok(())
}

fn a_datagram_above_the_active_mtu_is_refused_when_it_is_posted<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let mtu = bench.client.description().active_mtu.bytes() as usize;
    let (client, server) = (bench.client_memory(mtu + 1)?, bench.server_memory(HEADER + 8)?);
    let (mut pair, to) = bench.datagrams(&receiving())?;
    refused(&mut pair.client, datagram(1, to[0], None, client.segment(0, mtu + 1)))?;
    pair.server.try_post_receive(0, 5, Some(server.segment(0, HEADER + 8)))?;
    let found = deliver(&mut pair, datagram(2, to[0], Some(2), client.segment(0, 8)))?;
    expect_datagram(&found, 5, 8, Some(2))
}

/// It does not arrive, or puts the receiving queue pair in error, as on Soft-RoCE.
fn a_datagram_longer_than_its_receive_is_never_cut_short_in_silence<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let room = HEADER + 8;
    let (client, server) = (bench.client_memory(100)?, bench.server_memory(200)?);
    let (mut pair, to) = bench.datagrams(&receiving())?;
    client.put(0, &pattern(4, 100));
    pair.server.try_post_receive(0, 5, Some(server.segment(0, room)))?;
    pair.client.succeed(0, datagram(1, to[0], None, client.segment(0, 100)))?;
    let arrived = |status| status == CompletionStatus::Success;
    let found = pair.server.rest()?;
    if let Some(cut) = found.iter().find(|completion| arrived(completion.status)) {
        return Err(Deviation::broken(format!("100 bytes arrived in room for 8: {cut:?}")));
    }
    let mut expected = server.get(0, room);
    expected.resize(200, 0);
    server.expect(&expected)
}

fn a_receive_without_room_for_the_header_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(HEADER)?);
    let (mut pair, to) = bench.datagrams(&receiving())?;
    for buffer in [None, Some(server.segment(0, HEADER - 1))] {
        match pair.server.try_post_receive(0, 1, buffer) {
            Err(PostError::Invalid { .. }) => {}
            other => return Err(Deviation::broken(format!("{buffer:?} was taken: {other:?}"))),
        }
    }
    pair.server.try_post_receive(0, 2, Some(server.segment(0, HEADER)))?;
    let found = deliver(&mut pair, datagram(3, to[0], Some(4), client.segment(0, 0)))?;
    expect_datagram(&found, 2, 0, Some(4))
}

fn datagrams_have_no_connection_and_connections_no_destinations<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let refused = |found: Result<(), ConnectError>| match found {
        Err(ConnectError::NotOfService { .. }) => Ok(()),
        other => Err(Deviation::broken(format!("it should not be possible: {other:?}"))),
    };
    let (client_gid, server_gid) = bench.gids()?;
    let attributes = bench.attributes(&receiving(), client_gid)?;
    let (mut pair, _) = bench.datagrams(&receiving())?;
    let address = pair.server.endpoint.address(server_gid);
    refused(pair.client.endpoint.connect(&address, &attributes))?;
    let mut connected = bench.connect(&receiving())?;
    let address = connected.server.endpoint.address(server_gid);
    refused(connected.client.endpoint.destinations(&address, &attributes).map(drop))
}
