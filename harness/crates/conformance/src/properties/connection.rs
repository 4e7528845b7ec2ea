//! Every queue pair reaches its own peer, in both directions.

use std::collections::BTreeSet;

use onesided_transport::{CompletionQueues, Endpoint};

use super::{Property, connected};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    ledger::Ledger,
    pattern::pattern,
    requests::{read, write, write_with_immediate},
};

/// Queue pairs of the properties about many.
const MANY: usize = 128;

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(many_queue_pairs_on_one_completion_queue_all_work, UnreliableArrival),
        connected!(many_queue_pairs_on_as_many_completion_queues_all_work, UnreliableArrival),
        connected!(
            each_queue_pair_reaches_the_peers_of_the_same_index,
            WriteWithImmediate,
            UnreliableArrival
        ),
        connected!(both_ends_of_a_queue_pair_may_start_operations, UnreliableArrival),
        connected!(several_endpoints_of_a_device_do_not_disturb_each_other),
    ]
}

fn many_queue_pairs_on_one_completion_queue_all_work<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    use_many(bench, CompletionQueues::PerThread)
}

fn many_queue_pairs_on_as_many_completion_queues_all_work<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    use_many(bench, CompletionQueues::PerQueuePair)
}

/// A write, and a read where there is such, on each of many queue pairs, all outstanding at once.
fn use_many<F: Fixture>(bench: &Bench<'_, F>, completion_queues: CompletionQueues) -> Verdict {
    let length = 64 * MANY;
    let (source, target) = (bench.client_memory(length)?, bench.client_memory(length)?);
    let server = bench.server_memory(length)?;
    let content = pattern(29, length);
    source.put(0, &content);
    let setup =
        Setup { queue_pairs: MANY, send_queue_depth: 4, completion_queues, ..Setup::default() };
    let mut pair = bench.connect(&setup)?;
    let numbers = pair.client.endpoint.queue_pair_numbers();
    let distinct: BTreeSet<_> = numbers.iter().collect();
    if distinct.len() != MANY {
        let what = format!("{MANY} queue pairs have {} distinct numbers", distinct.len());
        return Err(Deviation::broken(what));
    }
    let mut ledger = Ledger::new(numbers);
    for queue_pair in 0..MANY {
        let (id, place) = (queue_pair as u64, 64 * queue_pair);
        let requests = [
            write(2 * id, source.segment(place, 64), server.at(place)),
            read(2 * id + 1, target.segment(place, 64), server.at(place)),
        ];
        let requests = &requests[..if bench.has_reads() { 2 } else { 1 }];
        pair.client.post(queue_pair, requests)?;
        ledger.posted(queue_pair, requests);
    }
    for completion in pair.client.completions(ledger.awaited())? {
        ledger.completed(&completion)?;
    }
    ledger.balance()?;
    pair.expect(&server, &content)?;
    if bench.has_reads() { target.expect(&content) } else { Ok(()) }
}

fn each_queue_pair_reaches_the_peers_of_the_same_index<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let queue_pairs = 16;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    for completion_queues in [CompletionQueues::PerThread, CompletionQueues::PerQueuePair] {
        let setup =
            Setup { queue_pairs, receive_queue_depth: 2, completion_queues, ..Setup::default() };
        let mut pair = bench.connect(&setup)?;
        for queue_pair in 0..queue_pairs {
            pair.server.try_post_receive(queue_pair, queue_pair as u64, None)?;
        }
        for queue_pair in (0..queue_pairs).rev() {
            let (local, remote) = (client.segment(0, 8), server.at(0));
            let request = write_with_immediate(1, queue_pair as u32, local, remote);
            pair.client.succeed(queue_pair, request)?;
            pair.server.completion_of(queue_pair, queue_pair as u64)?;
        }
    }
    Ok(())
}

fn both_ends_of_a_queue_pair_may_start_operations<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (count, piece) = (32, 1_100);
    let length = 2 * count * piece;
    let half = length / 2;
    let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
    let (out, back) = (pattern(30, half), pattern(31, half));
    client.put(0, &out);
    server.put(half, &back);
    let mut pair = bench.connect(&Setup::default())?;
    for index in 0..count {
        let (id, place) = (index as u64, index * piece);
        let there = write(id, client.segment(place, piece), server.at(place));
        let place = half + place;
        let here = write(id, server.segment(place, piece), client.at(place));
        pair.client.post(0, &[there])?;
        pair.server.post(0, &[here])?;
    }
    for party in [&mut pair.client, &mut pair.server] {
        let completions = party.completions(count)?;
        for (completion, id) in completions.iter().zip(0..) {
            if completion.id != id || completion.queue_pair_number != party.number(0) {
                return Err(Deviation::Surplus { completion: *completion });
            }
        }
    }
    let both = [out, back].concat();
    pair.expect(&client, &both)?;
    pair.expect(&server, &both)
}

fn several_endpoints_of_a_device_do_not_disturb_each_other<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let length = 64;
    let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
    let mut first = bench.connect(&Setup::default())?;
    let mut second = bench.connect(&Setup::default())?;
    for round in 0..32 {
        let of_first = [round, 100 + round].map(|id| write(id, client.segment(0, 8), server.at(0)));
        first.client.post(0, &of_first)?;
        // One completion stays behind while the other endpoint takes its own.
        let taken = first.client.next_one()?;
        second.client.succeed(0, write(200 + round, client.segment(8, 8), server.at(8)))?;
        let left = first.client.completion_of(0, 100 + round)?;
        if taken.id != round {
            return Err(Deviation::broken(format!("{taken:?} came before {left:?}")));
        }
    }
    drop(first);
    second.client.succeed(0, write(99, client.segment(0, 8), server.at(0)))?;
    second.client.silence()
}
