//! Atomics act on eight bytes at once, return what was there, and lose nothing.

use std::thread;

use onesided_random::SplitMix64;
use onesided_transport::{
    CompletionStatus, Opcode, PostError, RemoteSegment, WorkCompletion, WorkRequest,
};

use super::{Property, property};
use crate::{
    bench::{Bench, EndpointOf, MemoryOf, PairOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::{Pair, expect_status},
    pattern::pattern,
    requests::{compare_and_swap, fetch_and_add, request},
};

/// Threads of the properties about concurrency.
const THREADS: usize = 3;
/// Queue pairs of each thread.
const QUEUE_PAIRS: usize = 4;
/// Fetch-and-adds of each queue pair.
const ADDS: usize = 128;
/// Increments by compare-and-swap of each queue pair.
const INCREMENTS: u64 = 24;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(fetch_and_add_returns_the_previous_value_and_adds_to_eight_bytes, Atomics),
        property!(compare_and_swap_swaps_on_equality_only_and_returns_the_previous_value, Atomics),
        property!(fetch_and_adds_of_many_queue_pairs_lose_nothing, Atomics),
        property!(fetch_and_adds_of_several_threads_lose_nothing, Atomics, Threads),
        property!(increments_by_compare_and_swap_lose_nothing, Atomics, Threads),
        property!(a_misaligned_atomic_is_refused_and_changes_nothing, Atomics),
    ]
}

/// Where the word is in the regions of the single-threaded properties.
const WORD: usize = 64;
/// Length of those regions.
const LENGTH: usize = 136;

/// Runs one atomic on a word of two patterned regions and checks every byte of both.
fn atomic_on<F: Fixture>(
    bench: &Bench<'_, F>,
    pair: &mut PairOf<F>,
    opcode: Opcode,
    (before, after): (u64, u64),
) -> Verdict {
    let (client, server) = (bench.client_memory(LENGTH)?, bench.server_memory(LENGTH)?);
    let mut at_client = pattern(6, LENGTH);
    let mut at_server = pattern(7, LENGTH);
    client.put(0, &at_client);
    server.put(0, &at_server);
    server.put_word(WORD, before);
    pair.client.succeed(0, request(1, opcode, client.segment(WORD, 8), server.at(WORD)))?;
    at_client[WORD..WORD + 8].copy_from_slice(&before.to_ne_bytes());
    at_server[WORD..WORD + 8].copy_from_slice(&after.to_ne_bytes());
    client.expect(&at_client)?;
    server.expect(&at_server)
}

fn fetch_and_add_returns_the_previous_value_and_adds_to_eight_bytes<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let mut pair = bench.connect(&Setup::default())?;
    let words = [(0, 1), (0x0102_0304_0506_0708, 0x1111), (u64::from(u32::MAX), 1)];
    // The sum is modulo 2^64, and adding 0 reads.
    for (before, add) in words.into_iter().chain([(u64::MAX, 3), (42, u64::MAX), (42, 0)]) {
        let words = (before, before.wrapping_add(add));
        atomic_on(bench, &mut pair, Opcode::FetchAndAdd { add }, words)?;
    }
    Ok(())
}

fn compare_and_swap_swaps_on_equality_only_and_returns_the_previous_value<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let mut pair = bench.connect(&Setup::default())?;
    let before = 0x8102_0304_0506_0708;
    let swap = 0x1122_3344_5566_7788;
    // Each byte of the word is compared.
    let others = (0..8).map(|byte| before ^ (1_u64 << (8 * byte)));
    for compare in [before].into_iter().chain(others) {
        let after = if compare == before { swap } else { before };
        let opcode = Opcode::CompareAndSwap { compare, swap };
        atomic_on(bench, &mut pair, opcode, (before, after))?;
    }
    Ok(())
}

/// Adds 1 to `word` [`ADDS`] times from each queue pair and returns the previous values.
fn add_up<F: Fixture>(
    pair: &mut PairOf<F>,
    memory: &MemoryOf<F>,
    word: RemoteSegment,
) -> Result<Vec<u64>, Deviation> {
    let window = 16;
    let slot = |queue_pair, add| 8 * (queue_pair * ADDS + add);
    for start in (0..ADDS).step_by(window) {
        for queue_pair in 0..QUEUE_PAIRS {
            let requests: Vec<_> = (start..start + window)
                .map(|add| {
                    let id = slot(queue_pair, add);
                    fetch_and_add(id as u64, 1, memory.segment(id, 8), word)
                })
                .collect();
            pair.client.post(queue_pair, &requests)?;
        }
        for completion in pair.client.completions(QUEUE_PAIRS * window)? {
            expect_status(&completion, &[CompletionStatus::Success])?;
        }
    }
    Ok((0..QUEUE_PAIRS * ADDS).map(|index| memory.word(8 * index)).collect())
}

/// Checks that `returned` is each number from 0 on once, as many as the word says.
fn nothing_lost(mut returned: Vec<u64>, word: u64) -> Verdict {
    let adds = returned.len();
    returned.sort_unstable();
    let twice = returned.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(pair) = twice {
        let what = format!("two of {adds} fetch-and-adds returned the same value {}", pair[0]);
        return Err(Deviation::broken(what));
    }
    let all = (0..adds as u64).eq(returned.iter().copied());
    if all && word == adds as u64 {
        return Ok(());
    }
    Err(Deviation::broken(format!(
        "after {adds} fetch-and-adds of 1 the word is {word}, the values returned end with {:?}",
        returned.last()
    )))
}

fn fetch_and_adds_of_many_queue_pairs_lose_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let memory = bench.client_memory(8 * QUEUE_PAIRS * ADDS)?;
    let server = bench.server_memory(8)?;
    let mut pair = bench.connect(&Setup { queue_pairs: QUEUE_PAIRS, ..Setup::default() })?;
    let returned = add_up::<F>(&mut pair, &memory, server.at(0))?;
    nothing_lost(returned, server.word(0))
}

fn fetch_and_adds_of_several_threads_lose_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let server = bench.server_memory(8)?;
    let word = server.at(0);
    let returned =
        on_threads(bench, 8 * QUEUE_PAIRS * ADDS, |pair, memory| add_up::<F>(pair, memory, word))?;
    nothing_lost(returned.concat(), server.word(0))
}

/// Runs `work` on [`THREADS`] threads at once, each with connected endpoints and memory of its
/// own.
fn on_threads<F: Fixture, R: Send>(
    bench: &Bench<'_, F>,
    memory_length: usize,
    work: impl Fn(&mut Pair<EndpointOf<F>>, &MemoryOf<F>) -> Result<R, Deviation> + Sync,
) -> Result<Vec<R>, Deviation> {
    let setup = Setup { queue_pairs: QUEUE_PAIRS, ..Setup::default() };
    let mut outfits = Vec::new();
    for _ in 0..THREADS {
        outfits.push((bench.client_memory(memory_length)?, bench.connect(&setup)?));
    }
    let work = &work;
    thread::scope(|scope| {
        let start = |(memory, mut pair): (MemoryOf<F>, PairOf<F>)| {
            scope.spawn(move || work(&mut pair, &memory))
        };
        let running: Vec<_> = outfits.into_iter().map(start).collect();
        let end = |thread: thread::ScopedJoinHandle<'_, Result<R, Deviation>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        running.into_iter().map(end).collect()
    })
}

fn increments_by_compare_and_swap_lose_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let server = bench.server_memory(8)?;
    let word = server.at(0);
    on_threads(bench, 8 * QUEUE_PAIRS, |pair, memory| increment::<F>(pair, memory, word))?;
    let (expected, found) = ((THREADS * QUEUE_PAIRS) as u64 * INCREMENTS, server.word(0));
    if found == expected {
        return Ok(());
    }
    Err(Deviation::broken(format!("{expected} increments gave {found}")))
}

/// Increments `word` [`INCREMENTS`] times from each queue pair, all of them competing.
fn increment<F: Fixture>(
    pair: &mut PairOf<F>,
    memory: &MemoryOf<F>,
    word: RemoteSegment,
) -> Verdict {
    // A queue pair's index is its request's id: one compare-and-swap is outstanding on each.
    let attempt = |queue_pair: usize, guess: u64| -> WorkRequest {
        let local = memory.segment(8 * queue_pair, 8);
        compare_and_swap(queue_pair as u64, (guess, guess + 1), local, word)
    };
    let mut guesses = [0; QUEUE_PAIRS];
    let mut left = [INCREMENTS; QUEUE_PAIRS];
    for queue_pair in 0..QUEUE_PAIRS {
        pair.client.post(queue_pair, &[attempt(queue_pair, 0)])?;
    }
    while left.iter().any(|&left| left > 0) {
        for completion in pair.client.next()? {
            expect_status(&completion, &[CompletionStatus::Success])?;
            let queue_pair = completion.id as usize;
            let previous = memory.word(8 * queue_pair);
            let swapped = previous == guesses[queue_pair];
            left[queue_pair] -= u64::from(swapped);
            guesses[queue_pair] = previous + u64::from(swapped);
            if left[queue_pair] > 0 {
                pair.client.post(queue_pair, &[attempt(queue_pair, guesses[queue_pair])])?;
            }
        }
    }
    Ok(())
}

/// IB spec vol. 1, 9.4.5: the address shall be naturally aligned. Where it is noticed differs:
/// by the post, by the requester or by the responder.
fn a_misaligned_atomic_is_refused_and_changes_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let mut sequence = SplitMix64::new(8);
    for skew in [1, 4, 7] {
        let (client, server) = (bench.client_memory(LENGTH)?, bench.server_memory(LENGTH)?);
        let content = pattern(sequence.next_bits(), LENGTH);
        server.put(0, &content);
        let mut pair = bench.connect(&Setup::default())?;
        let request = fetch_and_add(1, 1, client.segment(0, 8), server.at(WORD + skew));
        match pair.client.try_post(0, &[request]) {
            Err(PostError::Invalid { .. }) => {}
            Err(other) => return Err(other.into()),
            Ok(()) => refused_later(&pair.client.completion_of(0, 1)?)?,
        }
        server.expect(&content)?;
        client.expect(&[0; LENGTH])?;
    }
    Ok(())
}

fn refused_later(completion: &WorkCompletion) -> Verdict {
    use CompletionStatus as Status;
    expect_status(
        completion,
        &[
            Status::LocalQueuePairOperationError,
            Status::RemoteInvalidRequest,
            Status::RemoteAccessError,
        ],
    )
}
