//! Bytes arrive where they should, and nowhere else.

use onesided_transport::{CompletionStatus, LocalSegment, PathMtu, PostError};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, MemoryOf, PairOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    memory::HostBytes,
    pair::expect_status,
    pattern::pattern,
    requests::{inline, read, write},
};

/// Bytes inside the region on either side of what is transferred, which must stay as they are.
const GUARD: usize = 4096;

/// Inline payload that every provider with inline payloads at all can give, in bytes.
const INLINE_BYTES: u32 = 64;

/// Longest message of an unreliable connection, in bytes: it is lost with any of its packets.
const LONGEST_UNRELIABLY: usize = 64 << 10;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(a_region_tells_peers_the_memory_that_was_registered),
        connected!(a_write_puts_exactly_its_bytes_and_touches_nothing_else, UnreliableArrival),
        property!(a_read_takes_exactly_its_bytes_and_touches_nothing_else),
        connected!(writes_and_reads_between_unaligned_addresses_are_exact, UnreliableArrival),
        connected!(every_path_mtu_that_the_ports_carry_moves_the_same_bytes, UnreliableArrival),
        connected!(a_zero_length_write_and_read_succeed_and_touch_nothing, UnreliableArrival),
        connected!(an_inline_write_takes_its_bytes_when_it_is_posted, Inline, UnreliableArrival),
        connected!(an_inline_write_needs_no_registered_memory, Inline, UnreliableArrival),
        connected!(
            an_inline_payload_above_what_was_asked_is_refused_or_carried_whole,
            Inline,
            UnreliableArrival
        ),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Write,
    Read,
}

/// Those that connections of the bench have.
fn directions<F: Fixture>(bench: &Bench<'_, F>) -> &'static [Direction] {
    if bench.has_reads() { &[Direction::Write, Direction::Read] } else { &[Direction::Write] }
}

/// One transfer between two fresh regions.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    direction: Direction,
    length: usize,
    /// Bytes beyond [`GUARD`] at which the client's piece starts.
    client_skew: usize,
    server_skew: usize,
}

/// Lengths around those where packets, cache lines and pages end.
fn lengths(mtu: PathMtu) -> Vec<usize> {
    let mtu = mtu.bytes() as usize;
    let fixed = [1, 7, 8, 63, 64, 65, 255, 256, 257, 4096, 64 << 10, (1 << 20) + 1];
    let mut lengths = [&fixed[..], &[mtu - 1, mtu, mtu + 1]].concat();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Does one after the other, and looks at what each wrote as soon as it is there; then, where there may be more
/// of it under way, once more at all.
fn transfers<F: Fixture>(
    bench: &Bench<'_, F>,
    pair: &mut PairOf<F>,
    all: impl IntoIterator<Item = Transfer>,
) -> Verdict {
    let mut done = Vec::new();
    for what in all {
        let case = Deviation::case(format!("{what:?}"));
        let (server, expected) = transfer(bench, pair, what).map_err(case)?;
        if !pair.service.is_reliable() {
            done.push((what, server, expected));
        }
    }
    pair.settle()?;
    for (what, server, expected) in &done {
        server.expect(expected).map_err(Deviation::case(format!("{what:?}, later")))?;
    }
    Ok(())
}

/// Does one; the server's memory, and what it holds from then on.
fn transfer<F: Fixture>(
    bench: &Bench<'_, F>,
    pair: &mut PairOf<F>,
    what: Transfer,
) -> Result<(MemoryOf<F>, Vec<u8>), Deviation> {
    let Transfer { direction, length, client_skew, server_skew } = what;
    let size = 2 * GUARD + length + client_skew.max(server_skew);
    let (client, server) = (bench.client_memory(size)?, bench.server_memory(size)?);
    let mut at_client = pattern(1, size);
    let mut at_server = pattern(2, size);
    client.put(0, &at_client);
    server.put(0, &at_server);
    let (here, there) = (GUARD + client_skew, GUARD + server_skew);
    let (local, remote) = (client.segment(here, length), server.at(there));
    let (here, there) = (here..here + length, there..there + length);
    let request = match direction {
        Direction::Write => {
            at_server[there].copy_from_slice(&at_client[here]);
            write(length as u64, local, remote)
        }
        Direction::Read => {
            at_client[here].copy_from_slice(&at_server[there]);
            read(length as u64, local, remote)
        }
    };
    pair.client.succeed(0, request)?;
    client.expect(&at_client)?;
    pair.arrived(&server, &at_server)?;
    Ok((server, at_server))
}

fn transfers_of_all_lengths<F: Fixture>(bench: &Bench<'_, F>, direction: Direction) -> Verdict {
    let mut pair = bench.connect(&Setup::default())?;
    let most = if bench.service.is_reliable() { usize::MAX } else { LONGEST_UNRELIABLY };
    let lengths = lengths(pair.path_mtu).into_iter().filter(|&length| length <= most);
    let all = lengths.map(|length| Transfer { direction, length, client_skew: 0, server_skew: 0 });
    transfers(bench, &mut pair, all)
}

fn a_region_tells_peers_the_memory_that_was_registered<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let memory = bench.server_memory(12_345)?;
    let told = memory.remote();
    if (told.address, told.length_bytes) == (memory.address(), 12_345) {
        return Ok(());
    }
    let address = memory.address();
    Err(Deviation::broken(format!("12345 bytes at {address:#x} are told to peers as {told:?}")))
}

fn a_write_puts_exactly_its_bytes_and_touches_nothing_else<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    transfers_of_all_lengths(bench, Direction::Write)
}

fn a_read_takes_exactly_its_bytes_and_touches_nothing_else<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    transfers_of_all_lengths(bench, Direction::Read)
}

fn writes_and_reads_between_unaligned_addresses_are_exact<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let mut pair = bench.connect(&Setup::default())?;
    let mtu = pair.path_mtu.bytes() as usize;
    let mut all = Vec::new();
    for (client_skew, server_skew) in [(1, 0), (0, 1), (3, 5), (63, 7), (GUARD - 1, 1)] {
        for length in [1, 8, 64, mtu, 3 * mtu + 1] {
            let of = |&direction| Transfer { direction, length, client_skew, server_skew };
            all.extend(directions(bench).iter().map(of));
        }
    }
    transfers(bench, &mut pair, all)
}

fn every_path_mtu_that_the_ports_carry_moves_the_same_bytes<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    for path_mtu in PathMtu::ALL.into_iter().filter(|&mtu| mtu <= bench.largest_mtu()) {
        let mut pair = bench.connect(&Setup { path_mtu, ..Setup::default() })?;
        let mtu = path_mtu.bytes() as usize;
        let mut all = Vec::new();
        for length in [1, mtu - 1, mtu, mtu + 1, 7 * mtu + 3] {
            let of = |&direction| Transfer { direction, length, client_skew: 0, server_skew: 0 };
            all.extend(directions(bench).iter().map(of));
        }
        transfers(bench, &mut pair, all)?;
    }
    Ok(())
}

fn a_zero_length_write_and_read_succeed_and_touch_nothing<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let mut pair = bench.connect(&Setup::default())?;
    let nothing = |&direction| Transfer { direction, length: 0, client_skew: 0, server_skew: 0 };
    transfers(bench, &mut pair, directions(bench).iter().map(nothing))?;
    pair.client.silence()
}

fn an_inline_write_takes_its_bytes_when_it_is_posted<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let length = INLINE_BYTES as usize;
    let rounds = 32;
    let (client, server) = (bench.client_memory(length)?, bench.server_memory(rounds * length)?);
    let mut pair = bench.connect(&Setup { inline_bytes: INLINE_BYTES, ..Setup::default() })?;
    for round in 0..rounds {
        client.put(0, &pattern(round as u64, length));
        let request = write(round as u64, client.segment(0, length), server.at(round * length));
        pair.client.post(0, &[inline(request)])?;
        client.put(0, &vec![0xff; length]);
    }
    for completion in pair.client.completions(rounds)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    let expected: Vec<_> = (0..rounds).map(|round| pattern(round as u64, length)).collect();
    pair.expect(&server, &expected.concat())
}

fn an_inline_write_needs_no_registered_memory<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let length = INLINE_BYTES as usize;
    let server = bench.server_memory(length)?;
    let mut pair = bench.connect(&Setup { inline_bytes: INLINE_BYTES, ..Setup::default() })?;
    let bytes = HostBytes::of_heap(length);
    bytes.put(0, &pattern(3, length));
    let address = bytes.pointer(0) as u64;
    let local = LocalSegment { address, length: INLINE_BYTES, key: 0 };
    pair.client.succeed(0, inline(write(1, local, server.at(0))))?;
    pair.expect(&server, &pattern(3, length))
}

fn an_inline_payload_above_what_was_asked_is_refused_or_carried_whole<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    // Providers round up what was asked, so that more may be accepted; but never cut.
    let lengths = [INLINE_BYTES as usize + 1, 512, 64 << 10];
    for length in lengths {
        let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
        let mut pair = bench.connect(&Setup { inline_bytes: INLINE_BYTES, ..Setup::default() })?;
        client.put(0, &pattern(4, length));
        let request = inline(write(1, client.segment(0, length), server.at(0)));
        match pair.client.try_post(0, &[request]) {
            Ok(()) => {
                let completion = pair.client.completion_of(0, 1)?;
                check_whole::<F>(&mut pair, (&client, &server), length, completion.status)?;
            }
            Err(PostError::Invalid { request: 0, .. }) => server.expect(&vec![0; length])?,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

fn check_whole<F: Fixture>(
    pair: &mut PairOf<F>,
    (client, server): (&MemoryOf<F>, &MemoryOf<F>),
    length: usize,
    status: CompletionStatus,
) -> Verdict {
    match status {
        CompletionStatus::Success => pair.expect(server, &client.get(0, length)),
        _ => server.expect(&vec![0; length]),
    }
}
