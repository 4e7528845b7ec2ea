//! The lines of a load: for the program that started it, and for people.

use std::io::{Write, stdout};

use onesided_access::threads::ThreadReport;
use onesided_placement::ResidencyVerdict;
use onesided_results::{
    load_report::{LoadLine, LoadProof, LoadReady, LoadReport, LoadThreadReport},
    record::CpuSample,
};
use onesided_runner::activity;

use super::plan::{Prepared, Proof};
use crate::printed::counted;

/// Says that every thread loads, and where the memory is.
pub fn ready(prepared: &Prepared, proof: &Proof) -> anyhow::Result<()> {
    let threads = prepared.threads.len();
    let asked = &proof.record.asked;
    say!("load: {} on a buffer asked for as {asked}", counted(threads, "thread"));
    let lost = if proof.verdict == ResidencyVerdict::Misplaced { ", not as asked" } else { "" };
    say!("load: buffer: {}{lost}", proof.residency);
    let placement = vec![proof.record.clone()];
    line(&LoadLine::Ready(LoadReady { placement, threads: threads as u32 }))
}

/// Says where the memory is while the load goes on.
pub fn proof(proof: &Proof) -> anyhow::Result<()> {
    line(&LoadLine::Proof(LoadProof { placement: vec![proof.record.clone()] }))
}

/// Says what every thread did.
pub fn report(
    prepared: &Prepared,
    started_raw_ns: u64,
    proof: &Proof,
    reports: &[ThreadReport],
) -> anyhow::Result<()> {
    let threads = reports.iter().zip(&prepared.threads).zip(0..);
    let threads = threads.map(|((report, thread), index)| LoadThreadReport {
        thread: index,
        asked: prepared.asked.to_string(),
        asked_cpus: thread.cpus.as_ref().map(ToString::to_string),
        resolved_node: thread.node.map(|node| node.0),
        seen: report
            .seen
            .iter()
            .map(|seen| CpuSample { cpu: seen.cpu.0, node: seen.node.0, samples: seen.samples })
            .collect(),
        activity: activity(
            report.scheduling.clone(),
            prepared.clock.nanoseconds(report.ended.0.saturating_sub(report.started.0)),
        ),
        accesses: report.accesses(),
        reads: report.reads,
        writes: report.writes,
        windows: report.windows.clone(),
    });
    let report = LoadReport {
        started_raw_ns,
        window_ns: prepared.plan().window.as_nanos() as u64,
        placement: vec![proof.record.clone()],
        threads: threads.collect(),
    };
    summary(prepared, reports);
    line(&LoadLine::Report(report))
}

/// One object a line, which its reader gets at once.
fn line(line: &LoadLine) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

fn summary(prepared: &Prepared, reports: &[ThreadReport]) {
    let rates: Vec<f64> = reports.iter().map(|report| rate(prepared, report)).collect();
    let total: f64 = rates.iter().sum();
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    let megabytes = total * f64::from(prepared.access_bytes()) / 1e6;
    say!(
        "load: {:.3e} accesses/s in all ({megabytes:.1} MB/s), {slowest:.3e} to {fastest:.3e} a \
         thread",
        total
    );
}

/// Accesses per second of a thread.
fn rate(prepared: &Prepared, report: &ThreadReport) -> f64 {
    let ticks = report.ended.checked_since(report.started).unwrap_or(0);
    let seconds = prepared.clock.nanoseconds(ticks).max(1) as f64 / 1e9;
    report.accesses() as f64 / seconds
}
