//! After the last completion: proofs again, what buffers hold, what one host's numbers amount to.

use onesided_control::message::Verification;
use onesided_measure::RunCounts;
use onesided_placement::CpuSet;
use onesided_results::{
    RunConfiguration,
    record::{QueuePairTotals, RunTotals, ThreadProof},
    vocabulary::{Moment, ThreadRole},
};
use onesided_transport::Transport;

use super::{measured::Measured, opened::LocalSide};
use crate::{
    doubts, error::RunError, partial_record::PartialRecord, places::thread_proof, site::Site,
    thread::Outcome, totals::Totals, turn::Turn,
};

/// What one client host brings back from a run.
pub(super) struct Settled {
    pub counts: RunCounts,
    pub totals: Totals,
    pub outcomes: Vec<Outcome>,
    pub measured_ns: u64,
    /// What the buffers hold.
    pub verification: Verification,
}

impl Settled {
    /// As it is written down.
    /// `received` is how many messages the server's receive requests took, where it counts them.
    pub(super) fn run_totals(&self, received: Option<u64>) -> RunTotals {
        let totals = run_totals(self.measured_ns, self.totals, &self.counts);
        let messages_sent = received.map(|_| self.totals.completed);
        RunTotals { messages_sent, messages_received: received, ..totals }
    }
}

/// Completes this host's side of the record, and releases what it had.
pub(super) fn settle<T: Transport + Sync>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    measured: Measured<'_, T>,
    turn: Option<&Turn>,
    partial: &mut PartialRecord,
) -> Result<Settled, RunError> {
    let Measured { run, counts, totals, outcomes, .. } = measured;
    let mut run = run.own;
    let client = partial.client.as_mut().expect("a run that was set up has its client's side");
    site.counting_ends(&mut client.counters);
    for proof in run.prove(Moment::After) {
        client.placement.push(proof?);
    }
    client.threads = thread_proofs(&run, &outcomes);
    client.measured_beside = turn.and_then(Turn::others);
    let measured_ns = measured_ns(site, configuration, &outcomes);
    partial.drift_ppm = doubts::drift_ppm(site);
    let content = run.content();
    drop(std::mem::take(&mut run.endpoints));
    let (plan, offsets) = (run.plan, offsets(&run, &counts));
    let used = counts.queue_pairs().zip(offsets).flat_map(|((_, counts), offset)| {
        (0..plan.used(counts.operations())).map(move |slot| offset + slot * plan.stride)
    });
    // SAFETY: the queue pairs are gone, so no request is in flight.
    let verification = content.check_buffer(unsafe { run.buffer.bytes() }, used);
    Ok(Settled { counts, totals, outcomes, measured_ns, verification })
}

/// Where the slots of each queue pair that was counted begin.
fn offsets<T: Transport + Sync>(run: &LocalSide<'_, '_, T>, counts: &RunCounts) -> Vec<usize> {
    counts.queue_pairs().map(|(queue_pair, _)| run.offset(queue_pair)).collect()
}

fn thread_proofs<T: Transport>(
    run: &LocalSide<'_, '_, T>,
    outcomes: &[Outcome],
) -> Vec<ThreadProof> {
    let proof = |((thread, outcome), pin): ((usize, &Outcome), &Option<CpuSet>)| {
        let pin = pin.as_ref();
        let node = pin.and_then(|cpus| run.site.topology.node_of_cpu(cpus.first()));
        let node = node.map(|node| node.0);
        let asked = &run.configuration.client_threads;
        thread_proof(ThreadRole::Client, thread, asked, pin, node, &outcome.noted)
    };
    run.part.threads().zip(outcomes).zip(&run.pins).map(proof).collect()
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

fn run_totals(measured_ns: u64, totals: Totals, counts: &RunCounts) -> RunTotals {
    let latency = counts.latency();
    let after_end: u64 = counts.queue_pairs().map(|(_, counts)| counts.after_end).sum();
    RunTotals {
        operations: counts.operations_in_windows(),
        operations_after_end: after_end,
        signaled: totals.signaled,
        completions: totals.reported,
        messages_sent: None,
        messages_received: None,
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
