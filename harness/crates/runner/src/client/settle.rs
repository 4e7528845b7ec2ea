//! After the last completion: proofs again, verification, doubts, the record's last parts.

use onesided_control::message::Finished;
use onesided_measure::RunCounts;
use onesided_results::{
    RunConfiguration,
    record::{QueuePairTotals, RunTotals},
    vocabulary::{Moment, Side, ThreadRole},
};
use onesided_transport::Transport;

use super::{Story, measured::Measured};
use crate::{
    data_path::Totals, doubts, error::RunError, places::thread_proof, site::Site, thread::Outcome,
};

/// Completes the story; returns the counts. `await_finished` is asked for the server's part once
/// this side's is done.
pub(super) fn settle<T: Transport + Sync>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    measured: Measured<'_, T>,
    story: &mut Story,
    await_finished: impl FnOnce() -> Result<Finished, RunError>,
) -> Result<RunCounts, RunError> {
    let Measured { run, counts, totals, outcomes, .. } = measured;
    let mut run = run.taken;
    let client = story.client.as_mut().expect("a run that was set up has its client's side");
    client.counters.after = site.transport.counters();
    for proof in run.prove(Moment::After) {
        client.placement.push(proof?);
    }
    client.threads = outcomes
        .iter()
        .enumerate()
        .map(|(thread, outcome)| {
            let pin = run.pins[thread].as_ref();
            let node = pin.and_then(|cpus| site.topology.node_of_cpu(cpus.first()));
            let node = node.map(|node| node.0);
            let asked = &configuration.client_threads;
            thread_proof(ThreadRole::Client, thread, asked, pin, node, &outcome.seen)
        })
        .collect();
    let drained = outcomes.iter().map(|outcome| outcome.drained).sum();
    let measured_ns = measured_ns(site, configuration, &outcomes);
    story.totals = Some(run_totals(measured_ns, totals, drained, &counts));
    story.drift_ppm = doubts::drift_ppm(site);
    let content = run.content();
    drop(std::mem::take(&mut run.endpoints));
    let plan = run.plan;
    let used = counts.queue_pairs().flat_map(|(queue_pair, counts)| {
        let slots = (counts.operations() as usize).min(configuration.window as usize);
        (0..slots).map(move |slot| queue_pair * plan.lane_bytes() + slot * plan.stride)
    });
    // SAFETY: the queue pairs are gone, so no request is in flight.
    let own = content.check_buffer(unsafe { run.buffer.bytes() }, used);
    let mut finished = await_finished()?;
    story.load = std::mem::take(&mut finished.load_series);
    let server = story.server.as_mut().expect("a run that was set up has its server's side");
    let theirs = finished.complete(server);
    story.verify(Side::Server, theirs);
    story.verify(Side::Client, own);
    doubts::raise(story, site, configuration, &outcomes, &counts);
    Ok(counts)
}

/// The measured interval: as long as was asked for, but for a load that was done before.
fn measured_ns<T>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    outcomes: &[Outcome],
) -> u64 {
    let asked_ns = configuration.duration_ms * 1_000_000;
    if configuration.operations_per_queue_pair.is_none() {
        return asked_ns;
    }
    let spans = outcomes.iter().map(|o| o.ended_at.0.saturating_sub(o.counts.t0.0));
    site.clock.nanoseconds(spans.max().unwrap_or(0)).clamp(1, asked_ns)
}

fn run_totals(measured_ns: u64, totals: Totals, drained: u64, counts: &RunCounts) -> RunTotals {
    let latency = counts.latency();
    let after_end: u64 = counts.queue_pairs().map(|(_, counts)| counts.after_end).sum();
    RunTotals {
        operations: counts.operations_in_windows(),
        operations_after_end: after_end + drained,
        signaled: totals.signaled,
        completions: totals.reported,
        samples: latency.samples,
        saturated_samples: latency.saturated,
        measured_ns,
        queue_pairs: counts
            .queue_pairs()
            .map(|(queue_pair, counts)| {
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
            })
            .collect(),
    }
}
