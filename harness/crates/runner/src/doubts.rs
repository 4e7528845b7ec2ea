//! Which doubts a run that came to its end raises.

mod card;
mod hosts;
mod time;

pub use time::cpu_stolen;

use std::num::NonZeroU32;

use onesided_measure::RunCounts;
use onesided_placement::{CpuId, CpuSet};
use onesided_results::{
    Doubt, RunConfiguration,
    record::{PlacementProof, SideRecord},
    vocabulary::{MemorySpread, Moment, PlacedMemory, PlacementMethod, Side},
};
use onesided_transport::Transport;

use crate::{partial_record::PartialRecord, site::Site, thread::Outcome};

/// Beyond this the clock itself is a suspect. Ours: 200 ppm is ten times what an undisciplined
/// crystal drifts, and still below a thousandth of any ratio that is reported.
const CLOCK_TOLERANCE_PPM: f64 = 200.0;

/// How far the clock is from the kernel's since it was calibrated; absent if it cannot be told.
pub(crate) fn drift_ppm<T>(site: &Site<'_, T>) -> Option<f64> {
    let drift = site.clock.drift_since_calibration().ok()?;
    // Within its own uncertainty a drift is no drift.
    let certain = drift.parts_per_million.abs() > drift.uncertainty_parts_per_million;
    Some(if certain { drift.parts_per_million } else { 0.0 })
}

/// Share of messages that may be lost without a doubt. Ours: as much as a rate may be off.
const LOST_TOLERANCE: f64 = 0.01;

/// What is said of lost messages where none were to be lost, and where some were.
const LOST_BY_SERVICE: &str = "as an unreliable service may lose them: rates are of what was sent; fewer in \
                               flight (--window) or more threads that receive lose fewer";
const LOST_ON_PURPOSE: &str = "some or all of them lost on purpose (--drop-every; the sender's counter requester_lost has how many): rates \
     are of what was sent";

/// Adds the doubt that messages of an unreliable service raise, of which so many were `received`.
pub(crate) fn of_messages(received: Option<u64>, sent: u64, partial: &mut PartialRecord) {
    let Some(received) = received else { return };
    if received == 0 && sent > 0 {
        partial.doubts.push(Doubt::NothingArrived { of: sent });
        return;
    }
    let lost = sent.saturating_sub(received);
    if lost as f64 > sent as f64 * LOST_TOLERANCE {
        let further = partial.further_clients.iter().map(|further| &further.side);
        let mut sides = partial.client.iter().chain(&partial.server).chain(further);
        let why = match sides.any(|side| loses_every(side).is_some()) {
            true => LOST_ON_PURPOSE,
            false => LOST_BY_SERVICE,
        };
        partial.doubts.push(Doubt::MessagesLost { lost, of: sent, why: why.to_owned() });
    }
}

/// Every how many messages a side's device was asked to lose one; absent if it was not.
fn loses_every(side: &SideRecord) -> Option<NonZeroU32> {
    side.device.as_ref()?.fabric_drop_every
}

/// Adds the doubt that datagrams raise which no client of the run sent.
pub(crate) fn of_foreign(datagrams: u64, doubts: &mut Vec<Doubt>) {
    if datagrams > 0 {
        doubts.push(Doubt::ForeignDatagrams { datagrams });
    }
}

/// Adds the doubts that the finished run raises to its record.
pub(crate) fn raise<T: Transport>(
    partial: &mut PartialRecord,
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    outcomes: &[Outcome],
    counts: &RunCounts,
) {
    let mut doubts = Vec::new();
    let sides = [(Side::Client, &partial.client), (Side::Server, &partial.server)];
    for (side, record) in sides {
        let Some(record) = record else { continue };
        record.placement.iter().for_each(|proof| of_placement(proof, &mut doubts));
        // A load that was done may have ended before the middle.
        if configuration.operations_per_queue_pair.is_none() {
            of_moments(side, record, &mut doubts);
        }
        of_threads(record, &mut doubts);
        time::of_waiting(side, configuration, record, &mut doubts);
        if let Some(whose) = record.measured_beside.clone() {
            doubts.push(Doubt::AnotherMeasurement { side, whose });
        }
        time::of_counters(side, configuration, &record.counters, &mut doubts);
        hosts::of_machine(side, record, &mut doubts);
        hosts::of_settings(side, record, &mut doubts);
        of_device(side, record, &mut doubts);
        of_losses(side, configuration, record, &mut doubts);
        card::of_counters(side, &record.counters, &mut doubts);
        hosts::of_host_load(configuration, record, &mut doubts);
    }
    hosts::of_spinning(partial.client.as_ref(), partial.server.as_ref(), &mut doubts);
    if let Some(client) = &partial.client {
        let windows = counts.windows();
        let until = windows_until_done(site, counts, outcomes).min(windows.len());
        let by_network = doubts.iter().any(|doubt| matches!(doubt, Doubt::LinkTrouble { .. }));
        let median_ns = counts.latency().quantile_ns(0.5);
        time::of_gaps(client, median_ns, &windows[..until], by_network, &mut doubts);
    }
    of_clock(site, partial.drift_ppm, &mut doubts);
    of_outcomes(site, configuration, outcomes, counts, &mut doubts);
    doubts.dedup();
    partial.doubts.extend(doubts);
}

/// How many windows had begun when the last thread's load was done, or the interval was over.
fn windows_until_done<T>(site: &Site<'_, T>, counts: &RunCounts, outcomes: &[Outcome]) -> usize {
    let spans =
        outcomes.iter().map(|outcome| outcome.ended_at.0.saturating_sub(outcome.counts.t0.0));
    let span_ns = site.clock.nanoseconds(spans.max().unwrap_or(0));
    span_ns.div_ceil(counts.window_ns().max(1)) as usize
}

fn of_placement(proof: &PlacementProof, doubts: &mut Vec<Doubt>) {
    let nodes = || {
        let nodes = proof.by_node.iter().map(|(node, pages)| format!("{pages} on node {node}"));
        nodes.collect::<Vec<_>>().join(", ")
    };
    let what = || proof.what.to_string();
    match proof.spread {
        MemorySpread::NotAsked | MemorySpread::AsAsked => {}
        MemorySpread::NotFollowed => {
            let asked = proof.asked.clone();
            doubts.push(Doubt::PreferenceNotFollowed { what: what(), asked, found: nodes() });
        }
        MemorySpread::Otherwise => {
            let pages =
                format!("{} the run: pages {}, asked: {}", proof.when, nodes(), proof.asked);
            doubts.push(Doubt::PagesMisplaced { what: what(), pages });
        }
        MemorySpread::Unproven => {
            let (pages, of) = (proof.unproven_pages, proof.pages);
            doubts.push(Doubt::PagesUnproven { what: what(), pages, of });
        }
    }
    // What is not looked up in any run of a back end is no doubt about one of them.
    if proof.resolved_node.is_none() || proof.method == PlacementMethod::Fabric {
        return;
    }
    if !proof.misplaced.is_empty() {
        let asked = proof.resolved_node.unwrap_or_default();
        let runs = proof.misplaced.iter().map(|run| {
            let last = run.first_page + run.pages - 1;
            format!("pages {}-{last} of {} are on node {}", run.first_page, proof.pages, run.node)
        });
        let pages = runs.collect::<Vec<_>>().join(", ");
        let pages = format!("{} the run: {pages}, asked: node {asked}", proof.when);
        doubts.push(Doubt::PagesMisplaced { what: proof.what.to_string(), pages });
    }
    // Rings are found by what was in memory when they were made, so a page that no longer is was
    // none. A library may take them from memory that it had mapped before: then none is found.
    let rings = matches!(proof.what, PlacedMemory::ClientRings | PlacedMemory::ServerRings);
    let proven = proof.pages - proof.unproven_pages;
    if if rings { proven == 0 } else { proof.unproven_pages > 0 } {
        let (pages, of) = (proof.unproven_pages, proof.pages);
        doubts.push(Doubt::PagesUnproven { what: proof.what.to_string(), pages, of });
    }
}

/// Memory that was asked for on a node and looked up before the run, but not in its middle.
fn of_moments(side: Side, record: &SideRecord, doubts: &mut Vec<Doubt>) {
    let proven =
        |what, when| record.placement.iter().any(|proof| proof.what == what && proof.when == when);
    for proof in record.placement.iter().filter(|proof| proof.when == Moment::Before) {
        let placed = proof.resolved_node.is_some() || proof.spread != MemorySpread::NotAsked;
        if placed && !proven(proof.what, Moment::During) {
            doubts.push(Doubt::NotProvenDuring { side, what: proof.what.to_string() });
        }
    }
}

fn of_threads(record: &SideRecord, doubts: &mut Vec<Doubt>) {
    for thread in &record.threads {
        let Some(asked) = &thread.asked_cpus else { continue };
        let Ok(cpus) = asked.parse::<CpuSet>() else { continue };
        for seen in &thread.seen {
            if !cpus.contains(CpuId(seen.cpu)) {
                let (thread, cpu) = (format!("{} thread {}", thread.role, thread.thread), seen.cpu);
                doubts.push(Doubt::ThreadMoved { thread, cpu, asked: asked.clone() });
            }
        }
    }
}

fn of_device(side: Side, record: &SideRecord, doubts: &mut Vec<Doubt>) {
    if let Some(device) = &record.device {
        if device.node.is_none() {
            let why = device.node_evidence.clone();
            doubts.push(Doubt::DeviceNodeUnknown { side, why });
        }
        if let Some(driver) = device.driver.as_ref().filter(|driver| driver.as_str() == "rdma_rxe")
        {
            let known = doubts.iter().any(|doubt| matches!(doubt, Doubt::SoftwareDevice { .. }));
            if !known {
                doubts.push(Doubt::SoftwareDevice { driver: driver.clone() });
            }
        }
    }
}

fn of_losses(
    side: Side,
    configuration: &RunConfiguration,
    record: &SideRecord,
    doubts: &mut Vec<Doubt>,
) {
    // A reliable service loses nothing, whatever was asked.
    if let Some(every) = loses_every(record).filter(|_| !configuration.service.is_reliable()) {
        doubts.push(Doubt::LossesAsked { side, every });
    }
}

fn of_clock<T>(site: &Site<'_, T>, drift_ppm: Option<f64>, doubts: &mut Vec<Doubt>) {
    if !site.clock.description().invariant {
        doubts.push(Doubt::ClockNotInvariant);
    }
    if let Some(parts_per_million) = drift_ppm.filter(|ppm| ppm.abs() > CLOCK_TOLERANCE_PPM) {
        doubts.push(Doubt::ClockDrifted { parts_per_million });
    }
}

fn of_outcomes<T: Transport>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    outcomes: &[Outcome],
    counts: &RunCounts,
    doubts: &mut Vec<Doubt>,
) {
    let late_ticks = outcomes.iter().map(|outcome| outcome.late_ticks).max().unwrap_or(0);
    let late_ns = site.clock.nanoseconds(late_ticks);
    if late_ns > 0 {
        doubts.push(Doubt::LateStart { late_ns });
    }
    let behind = outcomes.iter().filter_map(|outcome| outcome.backlog_ticks).max();
    let behind_ns = site.clock.nanoseconds(behind.unwrap_or(0));
    // Up to one window behind is a momentary queue, which an open loop is meant to see.
    if behind_ns > configuration.window_ms * 1_000_000 {
        doubts.push(Doubt::BehindSchedule { behind_ns });
    }
    let samples = counts.latency().saturated;
    if samples > 0 {
        doubts.push(Doubt::LatencySaturated { samples });
    }
    if counts.operations_in_windows() == 0 {
        doubts.push(Doubt::NothingMeasured);
    } else {
        let idle = counts.queue_pairs().filter(|(_, counts)| counts.operations_in_windows() == 0);
        let (idle, of) = (idle.count(), counts.queue_pairs().len());
        if idle > 0 {
            doubts.push(Doubt::QueuePairsIdle { idle, of });
        }
    }
    if let Some(each) = configuration.operations_per_queue_pair {
        let asked = each.saturating_mul(counts.queue_pairs().len() as u64);
        // The limit is of the load, which begins with the warm-up.
        let operations = outcomes.iter().map(|outcome| outcome.totals.completed).sum();
        if operations < asked {
            doubts.push(Doubt::EndedByTime { operations, asked });
        }
    }
}
