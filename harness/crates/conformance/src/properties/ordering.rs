//! Requests of one queue pair take effect in order, and completions say so.

use std::slice;

use onesided_random::SplitMix64;
use onesided_transport::{CompletionStatus, Endpoint, Signal, WorkRequest};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, MemoryOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    ledger::Ledger,
    pair::expect_status,
    pattern::pattern,
    requests::{read, unsignaled, write},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(writes_of_one_queue_pair_are_placed_in_order, UnreliableArrival),
        property!(a_read_posted_after_writes_sees_them),
        connected!(completions_of_one_queue_pair_come_in_post_order),
        connected!(only_signaled_requests_complete),
        property!(a_signaled_completion_implies_the_requests_before_it),
        connected!(a_post_list_does_what_single_posts_do, UnreliableArrival),
    ]
}

/// Overlapping writes: of each byte the last writer wins (IB spec vol. 1, 9.5: a responder
/// executes requests in the order of their arrival).
fn writes_of_one_queue_pair_are_placed_in_order<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let length = 4096;
    let mut sequence = SplitMix64::new(9);
    let (client, server) = (bench.client_memory(64 * length)?, bench.server_memory(length)?);
    let content = pattern(10, 64 * length);
    client.put(0, &content);
    let mut pair = bench.connect(&Setup::default())?;
    let mut expected = vec![0; length];
    for _ in 0..16 {
        let requests: Vec<_> = (0..64)
            .map(|index| {
                let start = sequence.below(length - 1);
                // Mostly short ones, some of several packets.
                let most = if index % 8 == 0 { length - start } else { 16.min(length - start) };
                let count = 1 + sequence.below(most);
                let from = index * length;
                expected[start..start + count].copy_from_slice(&content[from..from + count]);
                server.holds_in_between(&expected);
                let request = write(index as u64, client.segment(from, count), server.at(start));
                if index == 63 { request } else { unsignaled(request) }
            })
            .collect();
        pair.client.post(0, &requests)?;
        pair.client.completion_of(0, 63)?;
        pair.arrived(&server, &expected)?;
    }
    pair.expect(&server, &expected)
}

fn a_read_posted_after_writes_sees_them<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let length = 2_500;
    let (client, server) = (bench.client_memory(2 * length)?, bench.server_memory(length)?);
    let mut pair = bench.connect(&Setup::default())?;
    for round in 0..64 {
        let content = pattern(100 + round, length);
        client.put(0, &content);
        let put = unsignaled(write(1, client.segment(0, length), server.at(0)));
        let get = read(2, client.segment(length, length), server.at(0));
        pair.client.post(0, &[put, get])?;
        expect_status(&pair.client.completion_of(0, 2)?, &[CompletionStatus::Success])?;
        client.expect(&[&content[..], &content[..]].concat())?;
    }
    Ok(())
}

/// A mix of reads, where there are any, and writes whose length is not that of their neighbours, so that a back end
/// that lets short ones overtake is seen.
fn mixed<F: Fixture>(
    id: u64,
    (sequence, has_reads): (&mut SplitMix64, bool),
    client: &MemoryOf<F>,
    server: &MemoryOf<F>,
) -> WorkRequest {
    let length = [0, 8, 64, 3_000][sequence.below(4)];
    match sequence.below(2) {
        0 if has_reads => read(id, client.segment(0, length), server.at(0)),
        _ => write(id, client.segment(4096, length), server.at(4096)),
    }
}

fn completions_of_one_queue_pair_come_in_post_order<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let queue_pairs = 4;
    let mut sequence = SplitMix64::new(11);
    let (client, server) = (bench.client_memory(8192)?, bench.server_memory(8192)?);
    let mut pair = bench.connect(&Setup { queue_pairs, ..Setup::default() })?;
    let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
    for round in 0..4 {
        for index in 0..64 {
            for queue_pair in 0..queue_pairs {
                let id = round << 32 | index << 8 | queue_pair as u64;
                let request = mixed::<F>(id, (&mut sequence, bench.has_reads()), &client, &server);
                pair.client.post(queue_pair, &[request])?;
                ledger.posted(queue_pair, &[request]);
            }
        }
        for completion in pair.client.completions(64 * queue_pairs)? {
            ledger.completed(&completion)?;
        }
    }
    ledger.balance()
}

fn only_signaled_requests_complete<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let mut sequence = SplitMix64::new(12);
    let (client, server) = (bench.client_memory(8192)?, bench.server_memory(8192)?);
    let mut pair = bench.connect(&Setup::default())?;
    let mut ledger = Ledger::new(pair.client.endpoint.queue_pair_numbers());
    for round in 0..8 {
        let requests: Vec<_> = (0..50)
            .map(|index| {
                let id = 50 * round + index;
                let from = (&mut sequence, bench.has_reads());
                let request = mixed::<F>(id, from, &client, &server);
                if index % 7 == 0 { request } else { unsignaled(request) }
            })
            .collect();
        pair.client.post(0, &requests)?;
        ledger.posted(0, &requests);
        for completion in pair.client.completions(ledger.awaited())? {
            ledger.completed(&completion)?;
        }
        pair.client.silence()?;
    }
    ledger.balance()
}

fn a_signaled_completion_implies_the_requests_before_it<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (piece, count) = (1_500, 16);
    let length = piece * count;
    let (source, target) = (bench.client_memory(length)?, bench.client_memory(length)?);
    let (written, given) = (bench.server_memory(length)?, bench.server_memory(length)?);
    let mut pair = bench.connect(&Setup::default())?;
    for round in 0..8 {
        let (out, back) = (pattern(200 + round, length), pattern(300 + round, length));
        source.put(0, &out);
        given.put(0, &back);
        let mut requests = Vec::new();
        for start in (0..length).step_by(piece) {
            let put = write(1, source.segment(start, piece), written.at(start));
            let get = read(2, target.segment(start, piece), given.at(start));
            requests.extend([unsignaled(put), unsignaled(get)]);
        }
        // The shortest request that there is carries the signal for all.
        requests.push(write(3, source.segment(0, 0), written.at(0)));
        pair.client.post(0, &requests)?;
        expect_status(&pair.client.completion_of(0, 3)?, &[CompletionStatus::Success])?;
        written.expect(&out)?;
        target.expect(&back)?;
    }
    Ok(())
}

/// The same requests, posted in lists of several sizes.
fn a_post_list_does_what_single_posts_do<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let singly = effects(bench, 1)?;
    for list in [2, 5, 16, 64] {
        if effects(bench, list)? != singly {
            return Err(Deviation::broken(format!(
                "lists of {list} do otherwise than single posts"
            )));
        }
    }
    Ok(())
}

/// Memory of both sides, and ids in the order of their completions.
#[derive(PartialEq)]
struct Effects {
    client: Vec<u8>,
    server: Vec<u8>,
    completed: Vec<u64>,
}

fn effects<F: Fixture>(bench: &Bench<'_, F>, list: usize) -> Result<Effects, Deviation> {
    let (length, count) = (4096, 64);
    let mut sequence = SplitMix64::new(13);
    let (client, server) = (bench.client_memory(2 * length)?, bench.server_memory(length)?);
    client.put(0, &pattern(14, 2 * length));
    let mut written = pattern(15, length);
    server.put(0, &written);
    let mut pair = bench.connect(&Setup::default())?;
    let requests: Vec<_> = (0..count)
        .map(|id| {
            let (from, to) = (sequence.below(length - 64), sequence.below(length - 64));
            let size = sequence.below(64);
            // Reads land in the half of the client's memory that no write takes from.
            let request = match sequence.below(2) {
                0 if bench.has_reads() => {
                    read(id, client.segment(length + to, size), server.at(from))
                }
                _ => {
                    written[to..to + size].copy_from_slice(&client.get(from, size));
                    server.holds_in_between(&written);
                    write(id, client.segment(from, size), server.at(to))
                }
            };
            if id % 3 == 0 || id + 1 == count { request } else { unsignaled(request) }
        })
        .collect();
    for requests in requests.chunks(list) {
        match requests {
            [one] => pair.client.post(0, slice::from_ref(one))?,
            several => pair.client.post(0, several)?,
        }
    }
    let signaled = |request: &&WorkRequest| request.signal == Signal::Signaled;
    let completions = pair.client.completions(requests.iter().filter(signaled).count())?;
    for completion in &completions {
        expect_status(completion, &[CompletionStatus::Success])?;
    }
    pair.expect(&server, &written)?;
    let completed = completions.iter().map(|completion| completion.id).collect();
    Ok(Effects { client: client.get(0, 2 * length), server: server.get(0, length), completed })
}
