//! Doubts about time that was taken from a run: nothing completed, or a thread had no CPU.

use onesided_results::{
    Doubt, RunConfiguration,
    record::{CounterRecord, SideRecord, ThreadActivity},
    vocabulary::{Side, ThreadRole},
};

/// A gap is a stall from so many median latencies on, and from a counting window on. Ours: a request
/// that the network lost is repeated after some 10 to 100 times its latency, and counters tell that;
/// what is slow throughout has long gaps and long latencies alike.
const STALL_IN_MEDIANS: u64 = 100;

/// A run is invalid if nothing completed in so large a part of its windows, one after another. Ours: then
/// less than half of it is what was asked for. Shorter stalls, however many, are a doubt.
const STANDSTILL: f64 = 0.5;

/// The share of its time from which on a thread was too long without a CPU, if it is a counting window
/// at least. Ours: p99 may then be of that; and in a run of 100 ms on a quiet machine it is one or two
/// slices of time, up to 5 ms.
const WITHOUT_CPU: f64 = 0.01;

/// The least time that a machine's steal time tells of: two ticks of the clock that it is counted by.
const STOLEN_MS: u64 = 20;

/// The doubt about a measurement within whose `around_ms` the hypervisor took so much, if that is such a share of it.
#[must_use]
pub fn cpu_stolen(side: Side, stolen_ms: u64, around_ms: u64, share: f64) -> Option<Doubt> {
    let is_long = stolen_ms >= STOLEN_MS && stolen_ms as f64 >= share * around_ms as f64;
    is_long.then_some(Doubt::CpuStolen { side, stolen_ms, around_ms })
}

/// How often a responder slept, at the least and as a share of the requests. Ours: it sleeps some times
/// before the first request and after the last; and from a twentieth on p95 is of waking it.
const SLEPT: (u64, f64) = (32, 0.05);

/// Client threads for which nothing completed for long. `windows` are those of the run until its load
/// was done. One thread of several may stand still because it has no CPU; that of all is another thing,
/// unless it is `by_network`: then it is what was measured.
pub(super) fn of_gaps(
    client: &SideRecord,
    median_ns: Option<u64>,
    windows: &[u64],
    by_network: bool,
    doubts: &mut Vec<Doubt>,
) {
    let activities = || activities(client).filter(|(role, ..)| *role == ThreadRole::Client);
    let of = activities().count();
    let least_ns = STALL_IN_MEDIANS.saturating_mul(median_ns.unwrap_or(0));
    let stalled = activities().filter_map(|(_, _, activity)| {
        let (longest_ns, stalled_ns) = (activity.longest_gap_ns?, activity.stalled_ns?);
        // What is shorter than a window is in no sum.
        (stalled_ns > 0 && longest_ns >= least_ns).then_some(longest_ns)
    });
    let stalled: Vec<_> = stalled.collect();
    let threads = stalled.len();
    let Some(longest_ns) = stalled.into_iter().max() else { return };
    let longest_ms = longest_ns as f64 / 1e6;
    let empty = windows.chunk_by(|one, next| (*one == 0) == (*next == 0));
    let empty = empty.filter(|chunk| chunk[0] == 0).map(<[u64]>::len).max().unwrap_or(0);
    doubts.push(if !by_network && empty as f64 >= STANDSTILL * windows.len().max(1) as f64 {
        Doubt::Standstill { empty, windows: windows.len(), longest_ms }
    } else {
        Doubt::Stalled { threads, of, longest_ms }
    });
}

/// The share of `elapsed_ns` that `without_ns` are, if it is too much.
fn too_much(without_ns: u64, elapsed_ns: u64, configuration: &RunConfiguration) -> Option<f64> {
    let share = without_ns as f64 / elapsed_ns.max(1) as f64;
    (share >= WITHOUT_CPU && without_ns >= configuration.window_ms * 1_000_000)
        .then_some(share.min(1.0))
}

/// Threads that had no CPU: others had it, or they were stopped, or slept because others wanted it
/// (`rmc`). Of threads that spin all time without one counts. Workers and load may pause on purpose: of
/// them that which they waited for one counts.
pub(super) fn of_waiting(
    side: Side,
    configuration: &RunConfiguration,
    record: &SideRecord,
    doubts: &mut Vec<Doubt>,
) {
    let waited = activities(record).filter_map(|(role, thread, activity)| {
        let without_ns = match role {
            ThreadRole::Worker | ThreadRole::Load => activity.waited_ns.unwrap_or(0),
            _ => activity.elapsed_ns.saturating_sub(activity.ran_ns),
        };
        let share = too_much(without_ns, activity.elapsed_ns, configuration)?;
        Some((share, format!("{role} thread {thread}")))
    });
    let waited: Vec<_> = waited.collect();
    let threads = waited.len();
    let longest = waited.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, thread)) = longest {
        let of = activities(record).count();
        let percent = 100.0 * share;
        doubts.push(Doubt::Preempted { side, thread, percent, threads, of });
    }
}

/// What the machine and the thread that executes requests for others counted, where there are such
/// counters (`rmc`).
pub(super) fn of_counters(
    side: Side,
    configuration: &RunConfiguration,
    counters: &CounterRecord,
    doubts: &mut Vec<Doubt>,
) {
    let rise = |name: &str| {
        let (before, after) = (counters.before.get(name)?, counters.after.get(name)?);
        Some(after.saturating_sub(*before))
    };
    // Counted from before the warm-up to after the last completion.
    let around_ms = configuration.warm_up_ms + configuration.duration_ms;
    let stolen_ms = rise("machine/stolen_ms");
    doubts.extend(
        stolen_ms.and_then(|stolen_ms| cpu_stolen(side, stolen_ms, around_ms, WITHOUT_CPU)),
    );
    let requests = rise("responder_requests").filter(|requests| *requests > 0);
    let Some(requests) = requests else { return };
    if let Some(sleeps) = rise("responder_sleeps")
        && sleeps >= SLEPT.0
        && sleeps as f64 >= SLEPT.1 * requests as f64
    {
        doubts.push(Doubt::ResponderSlept { side, sleeps, requests });
    }
    if let Some(waited_ns) = rise("responder_wait_ns")
        && let Some(share) = too_much(waited_ns, around_ms * 1_000_000, configuration)
    {
        let (thread, percent) = ("the node's responder".to_owned(), 100.0 * share);
        doubts.push(Doubt::Preempted { side, thread, percent, threads: 1, of: 1 });
    }
}

fn activities(record: &SideRecord) -> impl Iterator<Item = (ThreadRole, u32, &ThreadActivity)> {
    record.threads.iter().filter_map(|thread| {
        let activity = thread.activity.as_ref()?;
        Some((thread.role, thread.thread, activity))
    })
}

#[cfg(test)]
mod tests;
