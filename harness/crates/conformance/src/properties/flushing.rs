//! A request that fails ends its queue pair, and only that.

use std::collections::BTreeMap;

use onesided_transport::{CompletionQueues, CompletionStatus, RemoteSegment};

use super::{Property, property};
use crate::{
    bench::{Bench, EndpointOf, MemoryOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::{Party, expect_status},
    pattern::pattern,
    requests::{unsignaled, write},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(after_an_error_the_queue_pair_executes_nothing_more),
        property!(requests_behind_a_failing_one_are_flushed_in_order),
        property!(an_unsignaled_request_that_fails_completes_with_its_error),
        property!(other_queue_pairs_go_on_after_an_error),
        property!(receive_requests_of_a_queue_pair_in_error_end_flushed_or_never),
    ]
}

/// A place that no peer may access.
fn forbidden<F: Fixture>(server: &MemoryOf<F>) -> RemoteSegment {
    RemoteSegment { key: server.at(0).key ^ 0x5a5a_5a5a, ..server.at(0) }
}

/// A post to a queue pair in error is refused, or completes as flushed.
fn flushes<F: Fixture>(
    party: &mut Party<EndpointOf<F>>,
    client: &MemoryOf<F>,
    server: &MemoryOf<F>,
) -> Verdict {
    let requests = [70, 71].map(|id| write(id, client.segment(0, 8), server.at(0)));
    for request in requests {
        if party.try_post(0, &[request]).is_ok() {
            let completion = party.completion_of(0, request.id)?;
            expect_status(&completion, &[CompletionStatus::Flushed])?;
        }
    }
    Ok(())
}

fn after_an_error_the_queue_pair_executes_nothing_more<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    client.put(0, &pattern(21, 8));
    let mut pair = bench.connect(&Setup::default())?;
    let trespass = write(1, client.segment(0, 8), forbidden::<F>(&server));
    pair.client.end_with(0, trespass, &[CompletionStatus::RemoteAccessError])?;
    flushes::<F>(&mut pair.client, &client, &server)?;
    pair.client.silence()?;
    server.expect(&[0; 8])
}

fn requests_behind_a_failing_one_are_flushed_in_order<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(16)?, bench.server_memory(16)?);
    client.put(0, &pattern(22, 16));
    let mut pair = bench.connect(&Setup::default())?;
    let good = |id| write(id, client.segment(8, 8), server.at(8));
    let bad = write(2, client.segment(0, 8), forbidden::<F>(&server));
    // Unsignaled ones are flushed with a completion, too: only success is silent.
    let list = [write(1, client.segment(0, 8), server.at(0)), bad, good(3), unsignaled(good(4))];
    pair.client.post(0, &list)?;
    let completions = pair.client.completions(4)?;
    use CompletionStatus as Status;
    let statuses = [Status::Success, Status::RemoteAccessError, Status::Flushed, Status::Flushed];
    for ((completion, status), id) in completions.iter().zip(statuses).zip(1..) {
        if completion.id != id {
            let expected_queue_pair_number = pair.client.number(0);
            let found = *completion;
            return Err(Deviation::Identity { expected_id: id, expected_queue_pair_number, found });
        }
        expect_status(completion, &[status])?;
    }
    pair.client.silence()?;
    server.expect(&[pattern(22, 8), vec![0; 8]].concat())
}

fn an_unsignaled_request_that_fails_completes_with_its_error<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&Setup::default())?;
    let trespass = unsignaled(write(1, client.segment(0, 8), forbidden::<F>(&server)));
    pair.client.end_with(0, trespass, &[CompletionStatus::RemoteAccessError])
}

fn other_queue_pairs_go_on_after_an_error<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    for completion_queues in [CompletionQueues::PerThread, CompletionQueues::PerQueuePair] {
        let queue_pairs = 4;
        let length = 8 * queue_pairs;
        let (client, server) = (bench.client_memory(length)?, bench.server_memory(length)?);
        let content = pattern(23, length);
        client.put(0, &content);
        let mut pair =
            bench.connect(&Setup { queue_pairs, completion_queues, ..Setup::default() })?;
        let trespass = write(1, client.segment(0, 8), forbidden::<F>(&server));
        pair.client.end_with(0, trespass, &[CompletionStatus::RemoteAccessError])?;
        for queue_pair in 1..queue_pairs {
            let place = 8 * queue_pair;
            let request = write(place as u64, client.segment(place, 8), server.at(place));
            pair.client.succeed(queue_pair, request)?;
        }
        server.expect(&[&[0; 8], &content[8..]].concat())?;
    }
    Ok(())
}

/// No message has come for them.
fn receive_requests_of_a_queue_pair_in_error_end_flushed_or_never<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(24)?, bench.server_memory(8)?);
    let held = pattern(23, 24);
    client.put(0, &held);
    let mut pair = bench.connect(&Setup { receive_queue_depth: 8, ..Setup::default() })?;
    for id in [1, 2] {
        let buffer = client.segment(8 * id as usize, 8);
        pair.client.try_post_receive(0, id, Some(buffer))?;
    }
    pair.client.post(0, &[write(3, client.segment(0, 8), forbidden::<F>(&server))])?;
    let mut found = pair.client.next()?;
    found.extend(pair.client.rest()?);
    let mut due = BTreeMap::from([
        (1, CompletionStatus::Flushed),
        (2, CompletionStatus::Flushed),
        (3, CompletionStatus::RemoteAccessError),
    ]);
    for completion in found {
        let Some(status) = due.remove(&completion.id) else {
            return Err(Deviation::Surplus { completion });
        };
        expect_status(&completion, &[status])?;
    }
    if due.contains_key(&3) {
        return Err(Deviation::broken("the write that must fail has no completion".to_owned()));
    }
    client.expect(&held)
}
