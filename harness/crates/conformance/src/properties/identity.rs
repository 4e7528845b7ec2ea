//! Completions are of what was posted, and of nothing else.

use onesided_random::SplitMix64;
use onesided_transport::{
    CompletionQueues, CompletionStatus, Endpoint, WorkCompletion, WorkRequest,
};

use super::{Property, connected};
use crate::{
    bench::{Bench, MemoryOf, PairOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::{Capability, Fixture},
    ledger::Ledger,
    pair::expect_status,
    requests::{compare_and_swap, fetch_and_add, inline, read, unsignaled, write},
};

/// Requests of each of the long properties.
const REQUESTS: usize = 10_000;
/// Queue pairs that they go through.
const QUEUE_PAIRS: usize = 8;
/// Depth of their send queues.
const DEPTH: usize = 64;
/// At the latest so many requests of a queue pair after a signaled one comes the next.
const UNSIGNALED_RUN: usize = 15;
/// Memory that belongs to one queue pair: the counter, then room for transfers.
const PIECE: usize = 2_048;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(every_completion_is_of_one_signaled_request_on_one_completion_queue),
        connected!(every_completion_is_of_one_signaled_request_on_many_completion_queues),
        connected!(a_poll_of_an_empty_queue_returns_nothing),
        connected!(a_poll_takes_no_more_than_fits_and_leaves_the_rest),
    ]
}

fn every_completion_is_of_one_signaled_request_on_one_completion_queue<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    mixed_load(bench, CompletionQueues::PerThread)
}

fn every_completion_is_of_one_signaled_request_on_many_completion_queues<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    mixed_load(bench, CompletionQueues::PerQueuePair)
}

/// Where requests come from.
struct Mix<'a, F: Fixture> {
    sequence: SplitMix64,
    made: usize,
    /// Since the last signaled one, by queue pair.
    unsignaled: [usize; QUEUE_PAIRS],
    /// What was added to the counter, by queue pair.
    added: [u64; QUEUE_PAIRS],
    has_reads: bool,
    has_atomics: bool,
    has_inline: bool,
    client: &'a MemoryOf<F>,
    server: &'a MemoryOf<F>,
}

impl<F: Fixture> Mix<'_, F> {
    /// A request of any kind whose id is unlike its neighbours'.
    fn request(&mut self, queue_pair: usize) -> WorkRequest {
        let start = queue_pair * PIECE;
        let length = [0, 1, 8, 32, 1_000][self.sequence.below(5)];
        let id = (self.made as u64) << 32 | self.sequence.next_bits() >> 32;
        self.made += 1;
        let word = (self.client.segment(start, 8), self.server.at(start));
        let short = self.client.segment(start + 16, length.min(32));
        let data = self.client.segment(start + 16, length);
        let place = self.server.at(start + 16);
        let request = match self.sequence.below(5) {
            0 if self.has_atomics => {
                let add = self.sequence.next_bits();
                self.added[queue_pair] = self.added[queue_pair].wrapping_add(add);
                fetch_and_add(id, add, word.0, word.1)
            }
            // Equal to what is expected, so that it changes nothing either way.
            1 if self.has_atomics => compare_and_swap(id, (7, 7), word.0, word.1),
            2 if self.has_inline => inline(write(id, short, place)),
            3 => write(id, data, place),
            _ if self.has_reads => read(id, data, place),
            _ => write(id, data, place),
        };
        let run = &mut self.unsignaled[queue_pair];
        if *run < UNSIGNALED_RUN && self.sequence.below(2) == 0 {
            *run += 1;
            return unsignaled(request);
        }
        *run = 0;
        request
    }
}

fn mixed_load<F: Fixture>(bench: &Bench<'_, F>, completion_queues: CompletionQueues) -> Verdict {
    let length = QUEUE_PAIRS * PIECE;
    let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
    let has_inline = bench.lacks(Capability::Inline).is_none();
    let mut pair = bench.connect(&Setup {
        queue_pairs: QUEUE_PAIRS,
        send_queue_depth: DEPTH as u32,
        inline_bytes: if has_inline { 32 } else { 0 },
        completion_queues,
        ..Setup::default()
    })?;
    let mut mix = Mix::<F> {
        sequence: SplitMix64::new(28),
        made: 0,
        unsignaled: [0; QUEUE_PAIRS],
        added: [0; QUEUE_PAIRS],
        has_reads: bench.has_reads(),
        has_atomics: bench.lacks(Capability::Atomics).is_none(),
        has_inline,
        client: &client,
        server: &server,
    };
    let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
    while mix.made < REQUESTS {
        post_some(&mut pair, &mut mix, &mut ledger)?;
        for completion in pair.client.poll()? {
            ledger.completed(&completion)?;
        }
    }
    drain(&mut pair, &mut mix, &mut ledger)?;
    for queue_pair in 0..QUEUE_PAIRS {
        let (added, found) = (mix.added[queue_pair], server.word(queue_pair * PIECE));
        if added != found {
            let what = format!("counter {queue_pair} is {found:#x}, but {added:#x} was added");
            return Err(Deviation::broken(what));
        }
    }
    Ok(())
}

/// Posts a list of random length where a random queue pair has room; polls until it has.
fn post_some<F: Fixture>(
    pair: &mut PairOf<F>,
    mix: &mut Mix<'_, F>,
    ledger: &mut Ledger,
) -> Verdict {
    let queue_pair = mix.sequence.below(QUEUE_PAIRS);
    let length = 1 + mix.sequence.below(8);
    while ledger.open(queue_pair) + length > DEPTH {
        for completion in pair.client.next()? {
            ledger.completed(&completion)?;
        }
    }
    let requests: Vec<_> = (0..length).map(|_| mix.request(queue_pair)).collect();
    pair.client.post(queue_pair, &requests)?;
    ledger.posted(queue_pair, &requests);
    Ok(())
}

/// Ends each queue pair with a signaled request and waits for everything.
fn drain<F: Fixture>(pair: &mut PairOf<F>, mix: &mut Mix<'_, F>, ledger: &mut Ledger) -> Verdict {
    for queue_pair in 0..QUEUE_PAIRS {
        while ledger.open(queue_pair) == DEPTH {
            for completion in pair.client.next()? {
                ledger.completed(&completion)?;
            }
        }
        let place = queue_pair * PIECE;
        let counter = (mix.client.segment(place, 8), mix.server.at(place));
        let last = match mix.has_reads {
            true => read(u64::MAX, counter.0, counter.1),
            // Connections without reads end with a write of the counter's own value, 0.
            false => write(u64::MAX, counter.0, counter.1),
        };
        pair.client.post(queue_pair, &[last])?;
        ledger.posted(queue_pair, &[last]);
    }
    for completion in pair.client.completions(ledger.awaited())? {
        ledger.completed(&completion)?;
    }
    pair.client.silence()?;
    ledger.balance()
}

/// Before anything was posted, and each time after all was taken: some providers have walked
/// over stale entries of a drained ring and reported each as a success.
fn a_poll_of_an_empty_queue_returns_nothing<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    for completion_queues in [CompletionQueues::PerThread, CompletionQueues::PerQueuePair] {
        let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
        let setup = Setup { queue_pairs: 2, completion_queues, ..Setup::default() };
        let mut pair = bench.connect(&setup)?;
        pair.client.silence()?;
        pair.server.silence()?;
        for round in 0..300 {
            let request = write(round, client.segment(0, 8), server.at(0));
            pair.client.succeed((round % 2) as usize, request)?;
            for _ in 0..4 {
                if let Some(&completion) = pair.client.poll()?.first() {
                    return Err(Deviation::Surplus { completion });
                }
            }
        }
        pair.server.silence()?;
    }
    Ok(())
}

fn a_poll_takes_no_more_than_fits_and_leaves_the_rest<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let count = 32;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&Setup::default())?;
    let request = |id| write(id, client.segment(0, 8), server.at(0));
    let requests: Vec<_> = (0..count).map(request).collect();
    for room in [1, 3, 7] {
        pair.client.post(0, &requests)?;
        let mut next = 0;
        // What comes after the last one is waited for by `completion_of` below.
        while next < count - room as u64 {
            let mut some = vec![WorkCompletion::EMPTY; room];
            let taken = pair.client.poll_into(&mut some)?;
            next = in_order(&some[..taken], next)?;
            if taken == 0 {
                next = in_order(&pair.client.next()?, next)?;
            }
        }
        let rest = pair.client.completions((count - next) as usize)?;
        in_order(&rest, next)?;
        if pair.client.poll_into(&mut [])? != 0 {
            return Err(Deviation::broken("a poll into no entries returned some"));
        }
        pair.client.silence()?;
    }
    Ok(())
}

/// Checks that ids count up from `next`; returns the next one.
fn in_order(completions: &[WorkCompletion], next: u64) -> Result<u64, Deviation> {
    for (completion, expected_id) in completions.iter().zip(next..) {
        expect_status(completion, &[CompletionStatus::Success])?;
        if completion.id != expected_id {
            let (found, expected_queue_pair_number) = (*completion, completion.queue_pair_number);
            return Err(Deviation::Identity { expected_id, expected_queue_pair_number, found });
        }
    }
    Ok(next + completions.len() as u64)
}
