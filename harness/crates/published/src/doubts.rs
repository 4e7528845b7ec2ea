//! What speaks against a run, as words of the column `doubts`.

use onesided_estimate::conditions::{FAST_FROM, MIXED_ABOVE};
use onesided_results::{
    Doubt,
    vocabulary::{CodeGeneration, LoadKind, RawStatus},
};

use crate::{
    factors::{Content, Factors, Testbed},
    oddities::{self, Oddity},
};

/// How far the recovered clock may be from closing. Ours, because: 98 % of the runs of at most
/// eight queue pairs are within 2 %, and the loss of each last partial epoch alone explains 1 %.
const CLOSURE_WITHIN: f64 = 0.05;

/// Rate above which a queue pair's writes are fast. Ours, because: it is the geometric mean of the
/// two speeds, 0.76 and 2.2 million a second.
pub const FAST_MICRO_OPS: u64 = 1_300_000_000_000;

/// What speaks against a run of `factors` before its file is read.
pub fn of_factors(factors: &Factors) -> Vec<Doubt> {
    let closed_loop = factors.content == Content::Latencies;
    let threads = factors.threads().unwrap_or(0) as usize;
    // Unbound threads have the CPUs of both nodes.
    let nodes = if factors.client_locality.is_none() { 2 } else { 1 };
    let one_at_a_time = closed_loop && factors.generation == Some(CodeGeneration::V1);
    let sized = factors.access_label.is_some();
    let load = factors.load;
    let cpus = (nodes * factors.testbed.node_cpus()) as usize;
    let oversubscribed = Doubt::Oversubscribed { of: "the client".to_owned(), threads, cpus };
    let conditions = [
        (one_at_a_time, Doubt::OneAtATime),
        (!one_at_a_time && threads > cpus, oversubscribed),
        (oddities::of_labels(factors).is_some(), Doubt::LabelCorrected),
        (factors.testbed == Testbed::Apt && !sized, Doubt::SizeAssumed),
        (load.kind() != LoadKind::None && load.bytes.is_none(), Doubt::LoadSizeUnknown),
        (factors.client_locality.is_none(), Doubt::ClientPlaceUnknown),
        (is_inferred(factors), Doubt::TestbedInferred),
    ];
    conditions.into_iter().filter_map(|(there, doubt)| there.then_some(doubt)).collect()
}

/// Folders whose machines nothing names.
fn is_inferred(factors: &Factors) -> bool {
    factors.testbed == Testbed::Apt || matches!(factors.experiment, "ddio-off" | "memcached")
}

/// What speaks against it for what its file is.
pub fn of_file(status: RawStatus, oddity: Option<Oddity>) -> Vec<Doubt> {
    let misfiled = (oddity == Some(Oddity::Misfiled)).then_some(Doubt::Misfiled);
    let status = match status {
        RawStatus::Ok => None,
        RawStatus::Empty => Some(Doubt::Empty),
        RawStatus::AllZero => Some(Doubt::AllZero),
    };
    status.into_iter().chain(misfiled).collect()
}

/// What speaks against the robust estimate of a run.
pub fn of_estimate(closure: f64, estimated: bool, fast: Option<f64>) -> Vec<Doubt> {
    let fast = fast.unwrap_or(0.0);
    let conditions = [
        ((closure - 1.0).abs() > CLOSURE_WITHIN, Doubt::ClockNotClosed),
        (!estimated, Doubt::NoCommonWindow),
        (fast > MIXED_ABOVE && fast < FAST_FROM, Doubt::RegimeMixed),
        (fast >= FAST_FROM, Doubt::RegimeFast),
    ];
    conditions.into_iter().filter_map(|(there, doubt)| there.then_some(doubt)).collect()
}

/// The words, in the order of their declaration.
pub fn words(mut doubts: Vec<Doubt>) -> String {
    doubts.sort_by_key(Doubt::place);
    doubts.dedup();
    doubts.iter().map(Doubt::name).collect::<Vec<_>>().join(" ")
}

/// Whether a run with these may be used: not without numbers, nor twice.
pub fn is_valid(doubts: &[Doubt]) -> bool {
    !doubts.iter().any(Doubt::invalidates)
}
