//! What is written down about a simulated run.

use onesided_measure::{QueuePairCounts, RunCounts};
use onesided_results::{
    Doubt, RunConfiguration, RunRecord,
    record::{
        NegotiatedRecord, Outcome, PhaseTiming, QueuePairTotals, RunTotals, SimulationRecord,
    },
    version,
    vocabulary::{Phase, Source},
};

use super::{
    SimulatedMachine,
    recorders::Observed,
    share::Extent,
    side::{NAME, Sides},
};
use crate::covered::Covered;

/// When every simulated run started: virtual time has no date, and the same run has the same bytes.
const STARTED_AT: &str = "1970-01-01T00:00:00.000Z";

/// The record of a run of which nothing is known yet but what was asked.
pub(super) fn empty(configuration: &RunConfiguration, simulation: SimulationRecord) -> RunRecord {
    RunRecord {
        schema_version: version::RECORD.written,
        configuration: configuration.clone(),
        source: Source::Simulated,
        back_end: NAME.to_owned(),
        started_at: STARTED_AT.to_owned(),
        outcome: Outcome::Valid,
        doubts: Vec::new(),
        negotiated: None,
        client: None,
        further_clients: Vec::new(),
        client_clocks: Vec::new(),
        server: None,
        clock: None,
        phases: Vec::new(),
        totals: None,
        verification: Vec::new(),
        simulation: Some(simulation),
    }
}

/// Adds what is known after the run.
pub(super) fn complete(
    record: &mut RunRecord,
    machine: &SimulatedMachine,
    covered: &Covered,
    extent: Extent,
    counts: &RunCounts,
    observed: &Observed,
) {
    let configuration = &record.configuration;
    let sides = Sides { machine, configuration, covered };
    let (client, server) = (sides.client(), sides.server());
    let further_clients = sides.further_clients();
    let doubts = doubts(configuration, covered, extent, counts, observed);
    record.negotiated = Some(NegotiatedRecord {
        mtu_bytes: configuration.mtu_bytes,
        max_rd_atomic: configuration.max_rd_atomic,
    });
    record.totals = Some(totals(configuration, extent, counts, observed));
    (record.client, record.server) = (Some(client), Some(server));
    record.further_clients = further_clients;
    record.doubts = doubts.iter().map(Doubt::record).collect();
    record.outcome = Outcome::of_doubts(&record.doubts);
    let took = |phase, ns: u64| PhaseTiming { phase, took_ms: ns as f64 / 1e6 };
    record.phases =
        vec![took(Phase::WarmUp, extent.warm_up_ns), took(Phase::Measure, extent.measured_ns())];
}

/// The measured interval is as long as was to be simulated, but for a load that was done before.
fn measured_ns(configuration: &RunConfiguration, extent: Extent, observed: &Observed) -> u64 {
    match configuration.operations_per_queue_pair {
        Some(_) => observed.last_ns.clamp(1, extent.measured_ns()),
        None => extent.measured_ns(),
    }
}

/// Virtual time stops at the end of the interval: nothing is drained, and every operation that was
/// seen to be posted had completed.
fn totals(
    configuration: &RunConfiguration,
    extent: Extent,
    counts: &RunCounts,
    observed: &Observed,
) -> RunTotals {
    let latency = counts.latency();
    let measured_ns = measured_ns(configuration, extent, observed);
    let each = counts.queue_pairs().map(|(number, counts)| of_one(number, counts, measured_ns));
    RunTotals {
        operations: counts.operations_in_windows(),
        operations_after_end: observed.after_end,
        signaled: observed.completions,
        completions: observed.completions,
        messages_sent: None,
        messages_received: None,
        samples: latency.samples,
        saturated_samples: latency.saturated,
        measured_ns,
        queue_pairs: each.collect(),
    }
}

fn of_one(queue_pair: usize, counts: &QueuePairCounts, measured_ns: u64) -> QueuePairTotals {
    let (operations, latency) = (counts.operations_in_windows(), &counts.latency);
    QueuePairTotals {
        queue_pair: queue_pair as u32,
        operations,
        rate_ops: operations as f64 * 1e9 / measured_ns as f64,
        samples: latency.samples,
        latency_min_ns: latency.min_ns,
        latency_max_ns: latency.max_ns,
        latency_mean_ns: latency.mean_ns(),
        latency_population_sd_ns: latency.population_sd_ns(),
        latency_standard_error_ns: latency.standard_error_ns(),
    }
}

fn doubts(
    configuration: &RunConfiguration,
    covered: &Covered,
    extent: Extent,
    counts: &RunCounts,
    observed: &Observed,
) -> Vec<Doubt> {
    let mut doubts = covered.assumptions.clone();
    let (measured_ns, asked_ns) = (extent.measured_ns(), configuration.duration_ms * 1_000_000);
    let fewer = extent.operations_per_queue_pair < configuration.operations_per_queue_pair;
    if measured_ns < asked_ns || fewer {
        doubts.push(Doubt::ShareOnly { measured_ns, asked_ns });
    }
    let samples = counts.latency().saturated;
    if samples > 0 {
        doubts.push(Doubt::LatencySaturated { samples });
    }
    // Up to one window behind is a momentary queue, which an open loop is meant to see.
    if let Some(behind_ns) = observed.behind_ns.filter(|behind| *behind > extent.window_ns) {
        doubts.push(Doubt::BehindSchedule { behind_ns });
    }
    doubts.extend(idle(counts));
    if let Some(each) = extent.operations_per_queue_pair {
        let (operations, of) = (observed.completions, u64::from(configuration.queue_pairs));
        let asked = each.saturating_mul(of);
        if operations < asked {
            doubts.push(Doubt::EndedByTime { operations, asked });
        }
    }
    doubts
}

fn idle(counts: &RunCounts) -> Option<Doubt> {
    if counts.operations_in_windows() == 0 {
        return Some(Doubt::NothingMeasured);
    }
    let idle = counts.queue_pairs().filter(|(_, counts)| counts.operations_in_windows() == 0);
    let (idle, of) = (idle.count(), counts.queue_pairs().len());
    (idle > 0).then_some(Doubt::QueuePairsIdle { idle, of })
}
