//! What remote accesses leave in memory, beside a sequential model and beside each other.

mod direct;
mod node;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use onesided_rmc::RmcOptions;
use onesided_transport::{CompletionStatus, Opcode, RemoteSegment};
use proptest::prelude::*;

use node::{Fabric, Lies, Link, Memory};

/// Bytes of the memory under test: more than two trains of lines.
const BYTES: usize = 5_120;

/// Longest access, of more than one train.
const LONGEST: usize = 2_500;

/// One operation of the model.
#[derive(Clone, Debug)]
enum Operation {
    Read { from: usize, to: usize, length: usize },
    Write { from: usize, to: usize, length: usize },
    Add { word: usize, add: u64 },
    Swap { word: usize, right: bool, swap: u64 },
}

fn operation() -> impl Strategy<Value = Operation> {
    let place = || (0..BYTES, 0..BYTES, 0..LONGEST);
    let cut = |(from, to, length): (usize, usize, usize)| {
        (from, to, length.min(BYTES - from).min(BYTES - to))
    };
    prop_oneof![
        place().prop_map(cut).prop_map(|(from, to, length)| Operation::Read { from, to, length }),
        place().prop_map(cut).prop_map(|(from, to, length)| Operation::Write { from, to, length }),
        (0..BYTES / 8, any::<u64>()).prop_map(|(word, add)| Operation::Add { word, add }),
        (0..BYTES / 8, any::<bool>(), any::<u64>())
            .prop_map(|(word, right, swap)| Operation::Swap { word, right, swap }),
    ]
}

fn word_of(bytes: &[u8], word: usize) -> u64 {
    u64::from_ne_bytes(bytes[8 * word..8 * word + 8].try_into().expect("eight bytes"))
}

#[test]
fn a_hop_to_memory_that_is_further_away_takes_as_many_times_longer() {
    const DELAY: Duration = Duration::from_micros(100);
    let fabric = Fabric::new();
    let (_, own) = onesided_placement::current_cpu();
    for (hop_distances, times) in [(BTreeMap::new(), 1), (BTreeMap::from([(own, 40)]), 4)] {
        let options = || RmcOptions {
            memory_node: Some(own),
            hop_delay: DELAY,
            hop_distances: hop_distances.clone(),
            ..RmcOptions::default()
        };
        let [here, there] = [(); 2].map(|()| fabric.open_as(options()));
        let (target, landing) =
            (Memory::of(&there, 1, Lies::OnTheHeap), Memory::of(&here, 1, Lies::OnTheHeap));
        let mut link = Link::between(&here, &there);
        for _ in 0..5 {
            let start = Instant::now();
            link.succeed(&[(Opcode::Read, landing.segment(0, 8), target.at(0))]);
            // There and back. A clock that was calibrated on a busy host is off by a hundredth at most.
            let (least, took) = (2 * times * DELAY, start.elapsed());
            assert!(took >= least.mul_f64(0.98), "{took:?} of {least:?}");
        }
    }
}

#[test]
fn what_is_posted_behind_an_immediate_that_waits_for_a_receive_does_not_overtake_it() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let target = Memory::of(&there, 2, Lies::OnTheHeap);
    let source = Memory::of(&here, 2, Lies::OnTheHeap);
    source.word(0).store(1, Ordering::Relaxed);
    let mut link = Link::between(&here, &there);
    let told = (Opcode::WriteWithImmediate { immediate: 9 }, source.segment(0, 8), target.at(0));
    let behind = (Opcode::Write, source.segment(0, 8), target.at(64));
    link.post(&[told, behind]);
    // It is sent again several times meanwhile.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(5) {
        assert_eq!(link.poll(), [], "nothing of it is done");
        assert_eq!(target.word(8).load(Ordering::Relaxed), 0, "the write is behind");
    }
    link.receive(None);
    let mut ended = Vec::new();
    let start = Instant::now();
    while ended.len() < 2 {
        ended.extend(link.poll());
        assert!(start.elapsed().as_secs() < 30, "only {ended:?}");
    }
    assert_eq!(ended, [CompletionStatus::Success; 2]);
    assert_eq!(target.word(8).load(Ordering::Relaxed), 1);
}

#[test]
fn sends_of_several_packets_wait_for_their_receives_and_nothing_overtakes_them() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    // Each of 5000 bytes, in 80 lines: three packets.
    let target = Memory::of(&there, 2 * 80 + 1, Lies::OnTheHeap);
    let source = Memory::of(&here, 2 * 80, Lies::OnTheHeap);
    for word in 0..2 * 80 * 8 {
        source.word(word).store(word as u64 + 1, Ordering::Relaxed);
    }
    let mut link = Link::between(&here, &there);
    let send = Opcode::Send { immediate: None };
    let [first, second] = [0, 80 * 64].map(|offset| source.segment(offset, 5_000));
    let behind = (Opcode::Write, source.segment(0, 8), target.at(160 * 64));
    link.post(&[(send, first, RemoteSegment::NONE), (send, second, RemoteSegment::NONE), behind]);
    let mut ended = Vec::new();
    for (done, offset) in [(0, 0), (1, 80 * 64)] {
        // What waits is sent again several times meanwhile.
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(3) || ended.len() < done {
            ended.extend(link.poll());
            assert!(ended.len() <= done, "its receive request is not there: {ended:?}");
            assert_eq!(target.word(160 * 8).load(Ordering::Relaxed), 0, "the write is behind");
            assert!(start.elapsed().as_secs() < 30, "only {ended:?}");
        }
        link.receive(Some(target.segment(offset, 5_000)));
    }
    let start = Instant::now();
    while ended.len() < 3 {
        ended.extend(link.poll());
        assert!(start.elapsed().as_secs() < 30, "only {ended:?}");
    }
    assert_eq!(ended, [CompletionStatus::Success; 3]);
    for word in (0..625).chain(640..640 + 625) {
        assert_eq!(target.word(word).load(Ordering::Relaxed), word as u64 + 1);
    }
    assert_eq!(target.word(625).load(Ordering::Relaxed), 0, "what is behind a message stays");
    assert_eq!(target.word(160 * 8).load(Ordering::Relaxed), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Posted at once on one queue pair; writes come from memory that no read lands in.
    #[test]
    fn any_operations_in_a_row_leave_what_they_leave_one_after_the_other(
        operations in prop::collection::vec(operation(), 1..48),
        seed in any::<u8>(),
        lies in prop_oneof![Just(Lies::OnTheHeap), Just(Lies::InASegment)],
    ) {
        let fabric = Fabric::new();
        let (here, there) = (fabric.open(), fabric.open());
        let [source, target] =
            [0; 2].map(|_| Memory::of(&here, BYTES / 64, Lies::OnTheHeap));
        let found = Memory::of(&here, 48, Lies::OnTheHeap);
        let remote = Memory::of(&there, BYTES / 64, lies);
        let fill = |step: u8| -> Vec<u8> {
            (0..BYTES).map(|index| (index as u8).wrapping_mul(step).wrapping_add(seed)).collect()
        };
        let (given, mut landed, mut there_now) = (fill(7), vec![0; BYTES], fill(13));
        source.put(0, &given);
        remote.put(0, &there_now);
        let mut posted = Vec::new();
        let mut expected = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            let word_here = found.segment(64 * index, 8);
            posted.push(match *operation {
                Operation::Read { from, to, length } => {
                    landed[to..to + length].copy_from_slice(&there_now[from..from + length]);
                    (Opcode::Read, target.segment(to, length), remote.at(from))
                }
                Operation::Write { from, to, length } => {
                    there_now[to..to + length].copy_from_slice(&given[from..from + length]);
                    (Opcode::Write, source.segment(from, length), remote.at(to))
                }
                Operation::Add { word, add } => {
                    let before = word_of(&there_now, word);
                    expected.push((index, before));
                    let after = before.wrapping_add(add).to_ne_bytes();
                    there_now[8 * word..8 * word + 8].copy_from_slice(&after);
                    (Opcode::FetchAndAdd { add }, word_here, remote.at(8 * word))
                }
                Operation::Swap { word, right, swap } => {
                    let before = word_of(&there_now, word);
                    expected.push((index, before));
                    let compare = if right { before } else { !before };
                    if right {
                        there_now[8 * word..8 * word + 8].copy_from_slice(&swap.to_ne_bytes());
                    }
                    (Opcode::CompareAndSwap { compare, swap }, word_here, remote.at(8 * word))
                }
            });
        }
        Link::between(&here, &there).succeed(&posted);
        prop_assert_eq!(remote.get(0, BYTES), there_now);
        prop_assert_eq!(target.get(0, BYTES), landed);
        for (index, before) in expected {
            prop_assert_eq!(found.word(8 * index).load(Ordering::Relaxed), before);
        }
    }
}

/// Beyond the contract, and what an adapter does not promise (004 §4.1): of two nodes that write
/// whole lines of one value each, no reader ever sees a line of both.
#[test]
fn whole_cache_lines_are_never_seen_half_written_by_another_node() {
    for (lies, lines) in [(Lies::OnTheHeap, 4), (Lies::InASegment, 4), (Lies::InASegment, 16)] {
        read_while_two_write(lies, lines);
    }
}

fn read_while_two_write(lies: Lies, lines: usize) {
    let rounds = 400;
    let fabric = Fabric::new();
    let owner = fabric.open();
    let shared = &Memory::of(&owner, lines, lies);
    let over = &AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (1..=2_u8)
            .map(|value| {
                let (device, owner) = (fabric.open(), &owner);
                scope.spawn(move || {
                    let own = Memory::of(&device, lines, Lies::OnTheHeap);
                    own.put(0, &vec![value; 64 * lines]);
                    let mut link = Link::between(&device, owner);
                    let write = (Opcode::Write, own.segment(0, 64 * lines), shared.at(0));
                    (0..rounds).for_each(|_| link.succeed(&[write; 8]));
                })
            })
            .collect();
        let device = fabric.open();
        let own = Memory::of(&device, lines, Lies::OnTheHeap);
        let mut link = Link::between(&device, &owner);
        let mut seen = [0_u64; 3];
        while !over.load(Ordering::Relaxed) {
            link.succeed(&[(Opcode::Read, own.segment(0, 64 * lines), shared.at(0))]);
            for line in own.get(0, 64 * lines).chunks(64) {
                assert!(line.iter().all(|byte| *byte == line[0]), "a torn line: {line:?}");
                seen[usize::from(line[0])] += 1;
            }
            over.store(
                writers.iter().all(thread::ScopedJoinHandle::is_finished),
                Ordering::Relaxed,
            );
        }
        link.succeed(&[(Opcode::Read, own.segment(0, 64), shared.at(0))]);
        seen[usize::from(own.get(0, 1)[0])] += 1;
        assert!(seen[1] + seen[2] > 0, "nothing was seen while it was written: {lies:?}");
    });
}

/// Global atomicity: a remote and a local processor add to one word, and nothing is lost.
#[test]
fn remote_and_local_atomics_on_one_word_lose_nothing() {
    let adds = 20_000_u64;
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let own = Memory::of(&here, 16, Lies::OnTheHeap);
    let shared = Memory::of(&there, 1, Lies::InASegment);
    let mut link = Link::between(&here, &there);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..adds {
                shared.word(0).fetch_add(1, Ordering::Relaxed);
            }
        });
        let add = (Opcode::FetchAndAdd { add: 1 }, own.segment(0, 8), shared.at(0));
        (0..adds / 16).for_each(|_| link.succeed(&[add; 16]));
    });
    assert_eq!(shared.word(0).load(Ordering::Relaxed), adds + adds / 16 * 16);
}

/// What is copied by leave is as it was when the read's turn came: what the same queue pair stores
/// or adds afterwards waits for it.
#[test]
fn what_is_posted_behind_a_read_of_a_segment_does_not_overtake_it() {
    let (lines, rounds) = (2_048, 50);
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let [old, new, landed] = [0; 3].map(|_| Memory::of(&here, lines, Lies::OnTheHeap));
    let remote = Memory::of(&there, lines, Lies::InASegment);
    new.put(0, &vec![1; 64 * lines]);
    let mut link = Link::between(&here, &there);
    for _ in 0..rounds {
        let all = 64 * lines;
        link.succeed(&[
            (Opcode::Write, old.segment(0, all), remote.at(0)),
            (Opcode::Read, landed.segment(0, all), remote.at(0)),
            (Opcode::Write, new.segment(0, all), remote.at(0)),
        ]);
        assert!(landed.get(0, all).iter().all(|byte| *byte == 0), "the second write overtook");
        assert!(remote.get(0, all).iter().all(|byte| *byte == 1));
        let last = all - 8;
        link.succeed(&[
            (Opcode::Read, landed.segment(0, all), remote.at(0)),
            (Opcode::FetchAndAdd { add: 1 }, old.segment(0, 8), remote.at(last)),
        ]);
        assert!(landed.get(0, all).iter().all(|byte| *byte == 1), "the addition overtook");
        old.word(0).store(0, Ordering::Relaxed);
    }
}

/// A region that goes while another node reads from it: what was read was there, and then the read
/// is refused, whatever the memory is used for by then.
#[test]
fn a_read_of_a_segment_that_goes_is_whole_or_refused() {
    let lines = 64;
    let fabric = Fabric::new();
    let owner = fabric.open();
    for _ in 0..40 {
        let shared = Memory::of(&owner, lines, Lies::InASegment);
        shared.put(0, &vec![7; 64 * lines]);
        let (device, owner) = (fabric.open(), &owner);
        let own = Memory::of(&device, lines, Lies::OnTheHeap);
        let mut link = Link::between(&device, owner);
        let read = (Opcode::Read, own.segment(0, 64 * lines), shared.at(0));
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::yield_now();
                drop(shared);
                let next = Memory::of(owner, lines, Lies::InASegment);
                next.put(0, &vec![9; 64 * lines]);
            });
            let refused = loop {
                match link.try_one(read) {
                    Ok(()) => {}
                    Err(refused) => break refused,
                }
                assert!(own.get(0, 64 * lines).iter().all(|byte| *byte == 7), "not of the region");
            };
            assert_eq!(refused, CompletionStatus::RemoteAccessError);
        });
        assert_eq!(link.try_one(read), Err(CompletionStatus::Flushed), "it is in error");
    }
}

/// A read is as old as its place in the queue says, whichever way it is made: of what its owner
/// stores in one order, one queue pair does not see a later part first.
#[test]
fn a_short_read_behind_a_long_one_is_not_older() {
    let (lines, rounds) = (1_024, 300);
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let landed = Memory::of(&here, lines, Lies::OnTheHeap);
    let long = &Memory::of(&there, lines, Lies::InASegment);
    for lies in [Lies::InASegment, Lies::OnTheHeap] {
        let short = &Memory::of(&there, 1, lies);
        let mut link = Link::between(&here, &there);
        let over = &AtomicBool::new(false);
        let last = 8 * lines - 1;
        long.word(last).store(0, Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut round = 0;
                while !over.load(Ordering::Relaxed) {
                    round += 1;
                    short.word(0).store(round, Ordering::Release);
                    long.word(last).store(round, Ordering::Release);
                }
            });
            let mut read = || {
                link.succeed(&[
                    (Opcode::Read, landed.segment(0, 64 * lines), long.at(0)),
                    (Opcode::Read, landed.segment(0, 8), short.at(0)),
                ]);
                [0, last].map(|word| landed.word(word).load(Ordering::Relaxed))
            };
            let all: Vec<_> = (0..rounds).map(|_| read()).collect();
            // Before anything may fail: the thread is waited for.
            over.store(true, Ordering::Relaxed);
            let wrong = all.iter().find(|[short, long]| short < long);
            assert!(wrong.is_none(), "{wrong:?}: {lies:?}");
        });
    }
}
