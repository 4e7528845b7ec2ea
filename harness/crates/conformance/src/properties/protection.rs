//! What a peer may not touch is refused, and stays as it was.
//!
//! Each trespass has a queue pair of its own, because a refusal ends the queue pair.

use onesided_transport::{Access, CompletionStatus, LocalSegment, RemoteSegment, WorkRequest};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, MemoryOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::{Capability, Fixture},
    pair::expect_status,
    pattern::pattern,
    requests::{compare_and_swap, fetch_and_add, read, write},
};

/// Length of the regions under attack: not a multiple of a page or of a packet.
const LENGTH: usize = 5_000;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(the_remote_key_of_another_region_is_refused),
        property!(a_garbage_remote_key_is_refused),
        property!(an_access_that_starts_before_the_region_is_refused),
        property!(an_access_that_ends_after_the_region_is_refused),
        property!(an_access_that_wraps_around_the_address_space_is_refused),
        property!(a_read_of_a_region_without_the_right_is_refused),
        property!(a_write_to_a_region_without_the_right_is_refused),
        property!(an_atomic_on_a_region_without_the_right_is_refused, Atomics),
        property!(an_operation_that_the_queue_pair_does_not_allow_is_refused),
        property!(a_deregistered_region_is_refused),
        connected!(a_wrong_local_key_is_a_local_error_and_changes_nothing),
        connected!(a_local_segment_beyond_its_region_is_a_local_error_and_changes_nothing),
    ]
}

/// Makes the forbidden requests of a case.
type Trespasses<'a> = &'a dyn Fn(LocalSegment) -> Vec<WorkRequest>;

/// A read and a write at a place, of the local segment's length.
fn both(place: RemoteSegment, local: LocalSegment) -> Vec<WorkRequest> {
    vec![read(1, local, place), write(1, local, place)]
}

/// Posts each trespass on a fresh queue pair and checks that it is refused with one of
/// `statuses` and that the memory of both sides stays as it is.
fn refused<F: Fixture>(
    bench: &Bench<'_, F>,
    setup: &Setup,
    server: &MemoryOf<F>,
    (lengths, trespasses): (&[usize], Trespasses<'_>),
    statuses: &[CompletionStatus],
) -> Verdict {
    let at_server = pattern(16, LENGTH);
    server.put(0, &at_server);
    for &length in lengths {
        let client = bench.client_memory(LENGTH)?;
        let at_client = pattern(17, LENGTH);
        client.put(0, &at_client);
        for request in trespasses(client.segment(0, length)) {
            let mut pair = bench.connect(setup)?;
            pair.client
                .end_with(0, request, statuses)
                .and_then(|()| server.expect(&at_server))
                .and_then(|()| client.expect(&at_client))
                .map_err(Deviation::case(format!("{request:?}")))?;
        }
    }
    Ok(())
}

/// Of eight bytes, and of more than one packet.
const LENGTHS: [usize; 2] = [8, 2_100];

const ACCESS_ERROR: [CompletionStatus; 1] = [CompletionStatus::RemoteAccessError];

/// A right key, but of a region elsewhere.
fn the_remote_key_of_another_region_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (server, other) = (bench.server_memory(LENGTH)?, bench.server_memory(LENGTH)?);
    if server.at(0).key == other.at(0).key {
        return Err(Deviation::broken("two regions have the same remote key"));
    }
    let place = RemoteSegment { key: other.at(0).key, ..server.at(0) };
    let cases = (&LENGTHS[..], &(|local| both(place, local)) as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn a_garbage_remote_key_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let server = bench.server_memory(LENGTH)?;
    let right = server.at(0);
    let garbage = |flip: u32| RemoteSegment { key: right.key ^ flip, ..right };
    // Bits of either part: the lowest 8 are a tag, the others an index (`ib_update_fast_reg_key`
    // of the kernel).
    let places = [0x1, 0x80, 0x0040_0000, 0x8000_0000, 0x5a5a_5a5a].map(garbage);
    let trespasses = |local| places.iter().flat_map(|&place| both(place, local)).collect();
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn an_access_that_starts_before_the_region_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let server = bench.server_memory(LENGTH)?;
    let before =
        |bytes: u64| RemoteSegment { address: server.at(0).address - bytes, ..server.at(0) };
    // By one byte, by the whole of a short access, by a page.
    let places = [1, 8, 4096].map(before);
    let trespasses = |local| places.iter().flat_map(|&place| both(place, local)).collect();
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn an_access_that_ends_after_the_region_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let server = bench.server_memory(LENGTH)?;
    let trespasses = |local: LocalSegment| {
        let length = local.length as usize;
        let places = [LENGTH - length + 1, LENGTH - 1, LENGTH];
        places.iter().flat_map(|&place| both(server.at(place), local)).collect()
    };
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn an_access_that_wraps_around_the_address_space_is_refused<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let server = bench.server_memory(LENGTH)?;
    let trespasses = |local: LocalSegment| {
        // Past the last address there is, by all bytes but one, by some, and by one.
        let places = [u64::MAX, u64::MAX - 3, u64::MAX - u64::from(local.length) + 2];
        let at = |address| RemoteSegment { address, ..server.at(0) };
        places.into_iter().flat_map(|address| both(at(address), local)).collect()
    };
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn a_read_of_a_region_without_the_right_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let access = Access { remote_read: false, ..Access::REMOTE };
    let server = bench.server_memory_for(LENGTH, access)?;
    let trespasses = |local| vec![read(1, local, server.at(0))];
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn a_write_to_a_region_without_the_right_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let access = Access { remote_write: false, ..Access::REMOTE };
    let server = bench.server_memory_for(LENGTH, access)?;
    let trespasses = |local| vec![write(1, local, server.at(0))];
    let cases = (&LENGTHS[..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

fn an_atomic_on_a_region_without_the_right_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let access = Access { remote_atomic: false, ..Access::REMOTE };
    let server = bench.server_memory_for(LENGTH, access)?;
    let word = u64::from_ne_bytes(pattern(16, 8).try_into().expect("eight bytes were asked"));
    let trespasses = |local| {
        let swap = compare_and_swap(1, (word, !word), local, server.at(0));
        vec![fetch_and_add(1, 1, local, server.at(0)), swap]
    };
    let cases = (&[8][..], &trespasses as Trespasses<'_>);
    refused(bench, &Setup::default(), &server, cases, &ACCESS_ERROR)
}

/// The region allows all; the queue pair does not. Two statuses are right: responders may take
/// this for an invalid request or for an access violation (IB spec vol. 1, 9.7.5.2).
fn an_operation_that_the_queue_pair_does_not_allow_is_refused<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let statuses = [CompletionStatus::RemoteAccessError, CompletionStatus::RemoteInvalidRequest];
    let server = bench.server_memory(LENGTH)?;
    let all = Access::REMOTE;
    let refuse = |access: Access, trespasses: Trespasses<'_>| {
        let setup = Setup { access, ..Setup::default() };
        refused(bench, &setup, &server, (&[8], trespasses), &statuses)
    };
    refuse(Access { remote_read: false, ..all }, &|local| vec![read(1, local, server.at(0))])?;
    refuse(Access { remote_write: false, ..all }, &|local| vec![write(1, local, server.at(0))])?;
    if bench.lacks(Capability::Atomics).is_some() {
        return Ok(());
    }
    let access = Access { remote_atomic: false, ..all };
    refuse(access, &|local| vec![fetch_and_add(1, 1, local, server.at(0))])
}

fn a_deregistered_region_is_refused<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let mut server = bench.server_memory(LENGTH)?;
    let (client, content) = (bench.client_memory(8)?, pattern(18, LENGTH));
    server.put(0, &content);
    let mut pair = bench.connect(&Setup::default())?;
    pair.client.succeed(0, read(1, client.segment(0, 8), server.at(0)))?;
    server.deregister();
    pair.client.end_with(0, read(2, client.segment(0, 8), server.at(8)), &ACCESS_ERROR)?;
    client.expect(&content[..8])?;
    let mut pair = bench.connect(&Setup::default())?;
    pair.client.end_with(0, write(3, client.segment(0, 8), server.at(8)), &ACCESS_ERROR)?;
    server.expect(&content)
}

/// Which status it is differs between devices, and between reads and writes of one.
fn local_error<F: Fixture>(
    bench: &Bench<'_, F>,
    spoil: impl Fn(LocalSegment) -> LocalSegment,
) -> Verdict {
    use CompletionStatus as Status;
    let (at_client, at_server) = (pattern(19, LENGTH), pattern(20, LENGTH));
    let (client, server) = (bench.client_memory(LENGTH)?, bench.server_memory(LENGTH)?);
    client.put(0, &at_client);
    server.put(0, &at_server);
    let local = spoil(client.segment(0, 8));
    let both = both(server.at(0), local);
    for request in both.into_iter().filter(|request| request.opcode.is_of(bench.service)) {
        let mut pair = bench.connect(&Setup { queue_pairs: 2, ..Setup::default() })?;
        if pair.client.try_post(0, &[request]).is_ok() {
            let completion = pair.client.completion_of(0, 1)?;
            expect_status(
                &completion,
                &[
                    Status::LocalProtectionError,
                    Status::LocalQueuePairOperationError,
                    Status::LocalLengthError,
                    Status::LocalAccessError,
                ],
            )?;
        }
        pair.settle()?;
        client.expect(&at_client)?;
        server.expect(&at_server)?;
        let neighbour = bench.client_memory(8)?;
        if !bench.has_reads() {
            pair.client.succeed(1, write(2, neighbour.segment(0, 8), server.at(0)))?;
            continue;
        }
        pair.client.succeed(1, read(2, neighbour.segment(0, 8), server.at(0)))?;
        neighbour.expect(&at_server[..8])?;
    }
    Ok(())
}

fn a_wrong_local_key_is_a_local_error_and_changes_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    local_error(bench, |right| LocalSegment { key: right.key ^ 0x5a5a_5a5a, ..right })
}

fn a_local_segment_beyond_its_region_is_a_local_error_and_changes_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let end = LENGTH as u64;
    local_error(bench, |right| LocalSegment { address: right.address + end - 7, ..right })?;
    local_error(bench, |right| LocalSegment { address: right.address - 1, ..right })
}
