//! A peer that is gone is noticed, in bounded time.

use onesided_transport::CompletionStatus;

use super::{Property, connected, property};
use crate::{
    bench::{Bench, EndpointOf, PairOf, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::{Party, expect_status},
    pattern::pattern,
    requests::{read, write},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        property!(a_request_to_a_lost_peer_ends_with_an_error, PeerLoss),
        property!(requests_under_way_when_the_peer_is_lost_all_end, PeerLoss),
        connected!(
            an_endpoint_dropped_with_requests_under_way_leaves_the_device_usable,
            UnreliableArrival
        ),
    ]
}

/// Notices a loss in tens of milliseconds: 4 ms, twice.
fn impatient() -> Setup {
    Setup { timeout_exponent: 10, retry_count: 1, ..Setup::default() }
}

/// A queue pair that no longer exists does not answer; some responders still say that they
/// cannot.
const LOST: [CompletionStatus; 2] =
    [CompletionStatus::RetryExceeded, CompletionStatus::RemoteOperationError];

fn a_request_to_a_lost_peer_ends_with_an_error<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    for round in 0..2 {
        let pair = bench.connect(&impatient())?;
        let mut survivor = lose_server::<F>(pair);
        let request = match round {
            0 => read(1, client.segment(0, 8), server.at(0)),
            _ => write(1, client.segment(0, 8), server.at(0)),
        };
        survivor.end_with(0, request, &LOST)?;
        if survivor.try_post(0, &[write(2, client.segment(0, 8), server.at(0))]).is_ok() {
            let completion = survivor.completion_of(0, 2)?;
            expect_status(&completion, &[CompletionStatus::Flushed])?;
        }
    }
    Ok(())
}

fn lose_server<F: Fixture>(pair: PairOf<F>) -> Party<EndpointOf<F>> {
    drop(pair.server);
    pair.client
}

/// Each either succeeded before, met the loss, or was flushed behind the one that met it; and in
/// this order.
fn requests_under_way_when_the_peer_is_lost_all_end<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (count, piece) = (32, 16 << 10);
    let (client, server) = (bench.client_memory(piece)?, bench.server_memory(piece)?);
    let mut pair = bench.connect(&impatient())?;
    let request = |id| write(id, client.segment(0, piece), server.at(0));
    let requests: Vec<_> = (0..count).map(request).collect();
    pair.client.post(0, &requests)?;
    let mut survivor = lose_server::<F>(pair);
    let completions = survivor.completions(count as usize)?;
    let mut over = false;
    for (completion, id) in completions.iter().zip(0..) {
        if completion.id != id {
            return Err(Deviation::Surplus { completion: *completion });
        }
        match completion.status {
            CompletionStatus::Success if !over => {}
            CompletionStatus::Flushed if over => {}
            _ => {
                expect_status(completion, if over { &[CompletionStatus::Flushed] } else { &LOST })?;
                over = true;
            }
        }
    }
    survivor.silence()
}

fn an_endpoint_dropped_with_requests_under_way_leaves_the_device_usable<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let length = 64 << 10;
    let server = bench.server_memory(length)?;
    for round in 0..4 {
        let client = bench.client_memory(length)?;
        let mut pair = bench.connect(&Setup::default())?;
        let put = |id| write(id, client.segment(0, length), server.at(0));
        let get = |id| read(id, client.segment(0, length), server.at(0));
        let puts = |id| id % 2 == 0 || !bench.has_reads();
        let requests: Vec<_> = (0..16).map(|id| if puts(id) { put(id) } else { get(id) }).collect();
        pair.client.post(0, &requests)?;
        server.holds_in_between(&vec![0; length]);
        drop(pair);
        drop(client);
        let content = pattern(32 + round, length);
        let client = bench.client_memory(length)?;
        client.put(0, &content);
        let mut pair = bench.connect(&Setup::default())?;
        pair.client.succeed(0, write(1, client.segment(0, length), server.at(0)))?;
        pair.expect(&server, &content)?;
    }
    Ok(())
}
