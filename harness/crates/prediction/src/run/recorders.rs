//! What completes in virtual time, into the recorders of the other back ends.

use onesided_load::ShapePlan;
use onesided_measure::{Record as _, Recorder, RecorderPlan, RunCounts, TickRate, Ticks};
use onesided_sim::{Completed, Moment, Observer, Scenario};

use super::share::Extent;

/// A recorder for each client thread: within one, completions come in the order of their time,
/// which is what a recorder needs; those of several threads do not.
pub(super) struct Recorders {
    threads: Vec<Recorder>,
    lanes: Vec<Lane>,
    from: Moment,
    until: Moment,
    completions: u64,
    after_end: u64,
    last: Moment,
    plan: RecorderPlan,
}

/// A queue pair's place.
#[derive(Clone, Copy)]
struct Lane {
    thread: u32,
    /// Among the thread's queue pairs.
    index: u32,
    /// Latency of what completed last, in ps.
    last_latency: u64,
}

/// What was seen beside the counts.
pub(super) struct Observed {
    /// Completions in all, warm-up included.
    pub completions: u64,
    /// Those after the measured interval.
    pub after_end: u64,
    /// From the start of the measured interval to the last completion in it.
    pub last_ns: u64,
    /// How late the last operation of a queue pair was against its schedule, of the latest one;
    /// absent where there is no schedule.
    pub behind_ns: Option<u64>,
}

impl Recorders {
    pub(super) fn new(scenario: &Scenario, extent: Extent) -> Self {
        let (queue_pairs, threads) = (scenario.load.run_queue_pairs, scenario.threads);
        let first = |thread: usize| thread * queue_pairs / threads.max(1);
        let lanes = (0..threads).flat_map(|thread| {
            let of = first(thread)..first(thread + 1);
            of.enumerate().map(move |(index, _)| Lane {
                thread: thread as u32,
                index: index as u32,
                last_latency: 0,
            })
        });
        let plan = RecorderPlan {
            t0: Ticks(extent.warm_up_ns),
            window_ns: extent.window_ns,
            windows: extent.windows,
            queue_pairs: 0,
        };
        let recorder = |thread| {
            let queue_pairs = first(thread + 1) - first(thread);
            Recorder::new(TickRate::NANOSECONDS, RecorderPlan { queue_pairs, ..plan })
        };
        Self {
            threads: (0..threads).map(recorder).collect(),
            lanes: lanes.collect(),
            from: extent.from(),
            until: extent.until(),
            completions: 0,
            after_end: 0,
            last: extent.from(),
            plan,
        }
    }

    pub(super) fn finish(self, shape: ShapePlan) -> (RunCounts, Observed) {
        let Self { threads, lanes, plan, .. } = self;
        let scheduled = matches!(shape, ShapePlan::OpenLoop { .. });
        let latest = lanes.iter().map(|lane| lane.last_latency / PS_PER_NS).max();
        let observed = Observed {
            completions: self.completions,
            after_end: self.after_end,
            last_ns: self.last.since(self.from).0 / PS_PER_NS,
            behind_ns: latest.filter(|_| scheduled),
        };
        let mut counts = RunCounts::new(plan.window_ns, plan.windows);
        let mut first = 0;
        for recorder in threads {
            let thread = recorder.finish();
            let numbers: Vec<_> = (first..first + thread.queue_pairs.len()).collect();
            first += numbers.len();
            counts.add(thread, &numbers).expect("threads have neighbouring queue pairs each");
        }
        (counts, observed)
    }
}

const PS_PER_NS: u64 = 1_000;

impl Observer for Recorders {
    /// A completion is in the window of its nanosecond; a latency is rounded to the nearest.
    #[inline]
    fn completed(&mut self, completed: Completed) {
        let Completed { queue_pair, intended, at } = completed;
        self.completions += 1;
        if at < self.from {
            return;
        }
        if at >= self.until {
            self.after_end += 1;
            return;
        }
        let lane = &mut self.lanes[queue_pair];
        let latency = at.since(intended).0;
        lane.last_latency = latency;
        let recorder = &mut self.threads[lane.thread as usize];
        recorder.advance(Ticks(at.ns()));
        recorder.completed(lane.index as usize, 1);
        recorder.latency(lane.index as usize, (latency + PS_PER_NS / 2) / PS_PER_NS);
        self.last = self.last.max(at);
    }
}
