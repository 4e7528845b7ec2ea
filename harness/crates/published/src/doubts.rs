//! What speaks against a run, as words of the column `doubts`.

use onesided_estimate::printed::{EPOCH_NS, Steady};
use onesided_results::{
    Doubt,
    vocabulary::{CodeGeneration, LoadKind, Locality, Operation, RawStatus},
};

use crate::{
    factors::{Content, Factors, Testbed},
    oddities::{self, Oddity},
};

/// How far the recovered clock may be from closing. Ours, because: 98 % of the runs of at most
/// eight queue pairs are within 2 %, and the loss of each last partial epoch alone explains 1 %.
const CLOSURE_WITHIN: f64 = 0.05;

/// Rate above which a queue pair's writes are fast, in millionths a second. Ours, because: on ConnectX-3
/// it is the geometric mean of the two speeds, 0.76 and 2.2 million a second; on ConnectX-4 it is between
/// the slow one, 0.88 to 0.99, and the slowest queue pairs of runs that are fast, 1.2.
pub fn fast_micro_ops(testbed: Testbed) -> u64 {
    match testbed {
        Testbed::ConnectX4 => 1_100_000_000_000,
        _ => 1_300_000_000_000,
    }
}

/// Share of time above which a run is in both regimes.
const MIXED_ABOVE: f64 = 0.02;

/// Share of time from which on a run is in the regime that is not the usual one.
const OTHER_FROM: f64 = 0.85;

/// Share of time from which on a run that stopped is no replicate of one that did not. Ours, because: it
/// is what runs differ by (2.0 % of reads on ConnectX-3).
const STALLED_ABOVE: f64 = 0.02;

/// The speed that most runs have, where writes have two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// Below [`fast_micro_ops`].
    Slow,
    /// Above it.
    Fast,
}

/// Whether writes of such runs have two speeds: of eight queue pairs, and of the second program on
/// ConnectX-4, whose first one shares CPUs.
pub fn has_two_speeds(factors: &Factors) -> bool {
    let first = factors.generation != Some(CodeGeneration::V2);
    let on_few_cpus = factors.testbed == Testbed::ConnectX4 && first;
    factors.operation == Operation::Write && factors.queue_pairs == 8 && !on_few_cpus
}

/// Which of two speeds is the usual one of such runs; absent where there is one speed, or none can be
/// told: beside workers on the same node ConnectX-4 writes at any speed, the more workers the slower.
pub fn usual_speed(factors: &Factors) -> Option<Speed> {
    let slowed = factors.workers > 0 && factors.locality == Locality::RdmaLocal;
    match factors.testbed {
        _ if !has_two_speeds(factors) => None,
        Testbed::ConnectX4 => (!slowed).then_some(Speed::Fast),
        _ => Some(Speed::Slow),
    }
}

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

/// What speaks against the robust estimate of a run, by its closure and whether there was a throughput.
/// `speeds`: the usual one of two, and the share of time that was fast.
pub fn of_estimate(closure: f64, has_window: bool, speeds: Option<(Speed, f64)>) -> Vec<Doubt> {
    let other = match speeds {
        Some((Speed::Slow, fast)) => fast,
        Some((Speed::Fast, fast)) => 1.0 - fast,
        None => 0.0,
    };
    let is_other = other >= OTHER_FROM;
    let is_fast = speeds.is_some_and(|(usual, _)| usual == Speed::Slow);
    let conditions = [
        ((closure - 1.0).abs() > CLOSURE_WITHIN, Doubt::ClockNotClosed),
        (!has_window, Doubt::NoCommonWindow),
        (is_other && !is_fast, Doubt::RegimeSlow),
        (other > MIXED_ABOVE && !is_other, Doubt::RegimeMixed),
        (is_other && is_fast, Doubt::RegimeFast),
    ];
    conditions.into_iter().filter_map(|(there, doubt)| there.then_some(doubt)).collect()
}

/// Whether a run stopped.
pub fn of_stalls(steady: &Steady, queue_pairs: u32) -> Option<Doubt> {
    if steady.throughput.is_none() || steady.stalled_fraction() <= STALLED_ABOVE {
        return None;
    }
    let (threads, longest_ns) = (queue_pairs as usize, u64::from(steady.longest_stall) * EPOCH_NS);
    Some(Doubt::Stalled { threads, of: threads, longest_ms: longest_ns as f64 / 1e6 })
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
