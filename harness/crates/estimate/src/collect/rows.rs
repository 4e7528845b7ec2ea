//! A record and its counts as rows of the tidy tables.

use onesided_results::{
    RunRecord, RunRow,
    factors::{Factors, Seen},
    record::{Outcome, SideRecord, ThreadProof},
    row::ClientRow,
    series::LatencyBucket,
    version,
    vocabulary::{LoadKind, LoadNode, Locality, PlacedMemory, ThreadRole},
};

use super::run::Counts;
use crate::{
    latency::{Latencies, LatencyError},
    throughput::{published, robust},
    windows::Windows,
};

/// The run's row; without counts, without estimates.
pub(super) fn run_row(record: &RunRecord, counts: Option<&Counts>) -> RunRow {
    let configuration = &record.configuration;
    let throughput =
        counts.and_then(|c| robust(&c.windows, c.interval.clone(), configuration.seed));
    let interval = throughput.and_then(|throughput| throughput.interval);
    let latencies = counts.map(|counts| &counts.latencies);
    let server = record.server.as_ref();
    let load = server.and_then(|server| server.load.as_ref());
    // What a run that failed has counted is not all.
    let totals = record.totals.as_ref().filter(|_| counts.is_some());
    RunRow {
        back_end: record.back_end.clone(),
        profile: configuration.profile.clone(),
        nic: server.and_then(|server| server.device.as_ref()?.nic.clone()),
        experiment: configuration.experiment.clone(),
        run_id: configuration.run_id.clone(),
        replicate: Some(configuration.replicate),
        operations: counts.map(|counts| counts.windows.operations()),
        throughput_published_ops: counts.and_then(|counts| published(&counts.windows)),
        throughput_ops: throughput.map(|throughput| throughput.ops),
        throughput_low_ops: interval.map(|interval| interval.low),
        throughput_high_ops: interval.map(|interval| interval.high),
        latency_mean_ns: latencies.and_then(Latencies::mean_ns),
        latency_sd_ns: latencies.and_then(Latencies::population_sd_ns),
        latency_p50_ns: latencies.and_then(|latencies| latencies.quantile_ns(500)),
        latency_p99_ns: latencies.and_then(|latencies| latencies.quantile_ns(990)),
        latency_p999_ns: latencies.and_then(|latencies| latencies.quantile_ns(999)),
        samples: latencies.map(Latencies::samples),
        valid: record.outcome.is_valid(),
        doubts: doubts(record),
        worker_accesses_per_second: load.and_then(|load| load.rate_of(ThreadRole::Worker)),
        load_accesses_per_second: load.and_then(|load| load.rate_of(ThreadRole::Load)),
        messages_sent: totals.and_then(|totals| totals.messages_sent),
        messages_received: totals.and_then(|totals| totals.messages_received),
        ..RunRow::with(record.source, Factors::of(configuration, seen(record)))
    }
}

/// What came of the configuration.
fn seen(record: &RunRecord) -> Seen {
    let server = record.server.as_ref();
    Seen {
        mtu_bytes: record.negotiated.as_ref().map(|negotiated| negotiated.mtu_bytes),
        max_rd_atomic: record.negotiated.as_ref().map(|n| n.max_rd_atomic.into()),
        locality: memory_locality(server, PlacedMemory::ServerRegion),
        server_ring_locality: asked_locality(server, PlacedMemory::ServerRings),
        client_memory_locality: of_all(clients(record), |side| {
            asked_locality(Some(side), PlacedMemory::ClientBuffers)
        }),
        client_locality: of_all(clients(record), |side| thread_locality(side, ThreadRole::Client)),
        client_ring_locality: of_all(clients(record), |side| {
            asked_locality(Some(side), PlacedMemory::ClientRings)
        }),
        worker_locality: worker_locality(server),
        load_node: load_node(record.configuration.load_kind, server),
    }
}

/// A row for each queue pair.
pub(super) fn client_rows(
    record: &RunRecord,
    windows: &Windows,
    buckets: &[LatencyBucket],
) -> Result<Vec<ClientRow>, LatencyError> {
    let configuration = &record.configuration;
    let client = |(queue_pair, counts): (u32, &[u64])| {
        let own = buckets.iter().filter(|bucket| bucket.queue_pair == queue_pair);
        let latencies = Latencies::of(own)?;
        Ok(ClientRow {
            schema_version: version::CLIENTS.written,
            source: record.source,
            profile: configuration.profile.clone(),
            experiment: configuration.experiment.clone(),
            run_id: configuration.run_id.clone(),
            queue_pair,
            operations: counts.iter().sum(),
            samples: Some(latencies.samples()),
            latency_mean_ns: latencies.mean_ns(),
            latency_sd_ns: latencies.population_sd_ns(),
            latency_p1_ns: latencies.quantile_ns(10),
            latency_p5_ns: latencies.quantile_ns(50),
            latency_p25_ns: latencies.quantile_ns(250),
            latency_p50_ns: latencies.quantile_ns(500),
            latency_p75_ns: latencies.quantile_ns(750),
            latency_p95_ns: latencies.quantile_ns(950),
            latency_p99_ns: latencies.quantile_ns(990),
        })
    };
    (0..).zip(windows.queue_pairs()).map(client).collect()
}

/// Whether some memory of a side was on its card's node: the node that was asked for, or, where any
/// would do, the one that it was found on.
fn memory_locality(side: Option<&SideRecord>, what: PlacedMemory) -> Option<Locality> {
    let side = side?;
    let proofs = || side.placement.iter().filter(|proof| proof.what == what);
    let asked = proofs().find_map(|proof| proof.resolved_node);
    let node = asked.or_else(|| only(proofs().map(|proof| proof.proven_node()))?)?;
    locality(side, node)
}

/// Whether some memory of a side was asked to be on its card's node. What was left to the kernel is
/// of no node, wherever it was found: that is chance, and no factor that parts runs.
fn asked_locality(side: Option<&SideRecord>, what: PlacedMemory) -> Option<Locality> {
    let side = side?;
    let mut proofs = side.placement.iter().filter(|proof| proof.what == what);
    locality(side, proofs.find_map(|proof| proof.resolved_node)?)
}

/// Every client host's end.
fn clients(record: &RunRecord) -> impl Iterator<Item = &SideRecord> {
    record.client.iter().chain(record.further_clients.iter().map(|further| &further.side))
}

/// The locality that all sides have; absent where they differ.
fn of_all<'r>(
    sides: impl Iterator<Item = &'r SideRecord>,
    locality: impl Fn(&SideRecord) -> Option<Locality>,
) -> Option<Locality> {
    only(sides.map(locality))?
}

/// Whether a side's threads of `role` ran on its card's node: the node that was asked for, or, where
/// any would do, the one that they were seen on.
fn thread_locality(side: &SideRecord, role: ThreadRole) -> Option<Locality> {
    let node = |thread: &ThreadProof| {
        thread.resolved_node.or_else(|| only(thread.seen.iter().map(|sample| sample.node)))
    };
    let of_role = side.threads.iter().filter(|thread| thread.role == role);
    locality(side, only(of_role.map(node))??)
}

/// Whether the workers were asked to run on the card's node. Those that were left to the scheduler
/// are of no node, wherever it put them: it may move them any time, and a design that compares the
/// two means that.
fn worker_locality(server: Option<&SideRecord>) -> Option<Locality> {
    let server = server?;
    let workers = server.threads.iter().filter(|thread| thread.role == ThreadRole::Worker);
    locality(server, only(workers.map(|worker| worker.resolved_node))??)
}

/// Where the load ran: on its memory's node if that was asked for, on its threads' else. Where
/// neither was asked for, it minds no node.
fn load_node(kind: LoadKind, server: Option<&SideRecord>) -> LoadNode {
    if kind == LoadKind::None {
        return LoadNode::None;
    }
    let asked = server.and_then(|server| {
        let memory = server.placement.iter().filter(|proof| proof.what == PlacedMemory::LoadBuffer);
        let threads = server.threads.iter().filter(|thread| thread.role == ThreadRole::Load);
        let node = memory.filter_map(|proof| proof.resolved_node).next();
        let node = node.or_else(|| only(threads.map(|thread| thread.resolved_node))?)?;
        locality(server, node)
    });
    match asked {
        None => LoadNode::Agnostic,
        Some(Locality::RdmaLocal) => LoadNode::RdmaLocal,
        Some(Locality::RdmaRemote) => LoadNode::RdmaRemote,
    }
}

/// Where `node` is, seen from the side's card; absent if the card's own node is unknown.
fn locality(side: &SideRecord, node: u32) -> Option<Locality> {
    let card = side.device.as_ref()?.node?;
    Some(if node == card { Locality::RdmaLocal } else { Locality::RdmaRemote })
}

/// The value that all have; absent if they differ or there is none.
fn only<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Names of the doubts, each once, separated by spaces; a failure is one.
fn doubts(record: &RunRecord) -> String {
    let failed = match &record.outcome {
        Outcome::Failed { phase, .. } => Some(format!("failed-in-{phase}")),
        _ => None,
    };
    let names = record.doubts.iter().map(|doubt| doubt.doubt.clone());
    let mut each: Vec<String> = Vec::new();
    for name in failed.into_iter().chain(names) {
        // Both sides may raise the same one.
        if !each.contains(&name) {
            each.push(name);
        }
    }
    each.join(" ")
}

#[cfg(test)]
mod tests;
