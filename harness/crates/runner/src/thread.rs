//! One client thread: pinned, warmed up, measured, drained.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use onesided_control::PeerState;
use onesided_load::Generator;
use onesided_measure::{Clock, Discard, Recorder, RecorderPlan, ThreadCounts, Ticks};
use onesided_placement::{
    CpuSet, Scheduling, SchedulingWatch, current_cpu, own_file_table, pin_current_thread,
};
use onesided_results::{
    record::{CpuSample, ThreadActivity},
    vocabulary::Phase,
};
use onesided_transport::Endpoint;

use crate::{
    data_path::{DataPath, Gaps, LanePlan, Watch},
    error::RunError,
    fault::DataPathFault,
    ping_pong::{Side, Slots},
    start::Start,
    totals::Totals,
};

/// CPUs for which there is room from the start in what a thread notes of where it was.
const USUAL_CPUS: usize = 16;

/// Between two looks at whether a run has begun. Ours: short beside any run.
const LOOK_FOR_THE_START: Duration = Duration::from_millis(5);

/// Between two looks at whether it has ended before its middle. Ours: only one that failed has, and each look wakes a
/// CPU, which an emulated card of that CPU would feel.
const LOOK_FOR_THE_END: Duration = Duration::from_millis(50);

/// What every thread of a run shares.
pub(crate) struct Shared<'a> {
    pub clock: Clock,
    pub start: &'a Start,
    pub stop: &'a AtomicBool,
    pub peer: &'a PeerState,
    /// Ticks without progress after which a thread gives up.
    pub patience: u64,
    pub window_ns: u64,
    pub windows: usize,
    pub post_list: usize,
}

/// What one thread is given.
pub(crate) struct Task<E> {
    pub endpoint: E,
    pub cpus: Option<CpuSet>,
    pub lanes: Vec<LanePlan>,
}

/// Where a thread was, whenever it looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen(Vec<CpuSample>);

impl Seen {
    pub(crate) fn nowhere() -> Self {
        Self(Vec::with_capacity(USUAL_CPUS))
    }

    /// Notes CPU and node of the calling thread at this moment.
    fn look(&mut self) {
        let (cpu, node) = current_cpu();
        let (cpu, node) = (cpu.0, node.0);
        match self.0.iter_mut().find(|sample| sample.cpu == cpu) {
            Some(sample) => sample.samples += 1,
            None => self.0.push(CpuSample { cpu, node, samples: 1 }),
        }
    }

    /// As it is written down.
    pub(crate) fn samples(&self) -> &[CpuSample] {
        &self.0
    }
}

/// What a thread that measures, or serves one that does, notes of itself.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    pub seen: Seen,
    pub activity: ThreadActivity,
}

/// Looks at the calling thread from its beginning to its end.
pub(crate) struct SelfWatch {
    clock: Clock,
    seen: Seen,
    since: Ticks,
    scheduling: SchedulingWatch,
}

impl SelfWatch {
    /// From now on.
    pub(crate) fn begin(clock: Clock) -> Self {
        let mut seen = Seen::nowhere();
        seen.look();
        Self { clock, seen, since: clock.now(), scheduling: SchedulingWatch::begin() }
    }

    /// What it had of its CPUs is looked at from now on only.
    fn begin_again(&mut self) {
        self.seen.look();
        self.scheduling.restart();
        self.since = self.clock.now();
    }

    /// Until now.
    pub(crate) fn end(mut self) -> Noted {
        self.seen.look();
        let elapsed = self.clock.now().0.saturating_sub(self.since.0);
        let activity = activity(self.scheduling.end(), self.clock.nanoseconds(elapsed));
        Noted { seen: self.seen, activity }
    }
}

/// What a thread had of its CPUs in `elapsed_ns`, as it is written down; it waits for no completions.
pub fn activity(scheduling: Scheduling, elapsed_ns: u64) -> ThreadActivity {
    let (waited_ns, waited_note) = match scheduling.waited_ns {
        Ok(waited_ns) => (Some(waited_ns), None),
        Err(why) => (None, Some(why)),
    };
    ThreadActivity {
        elapsed_ns,
        ran_ns: scheduling.ran_ns,
        waited_ns,
        waited_note,
        preemptions: scheduling.preemptions,
        longest_gap_ns: None,
        stalled_ns: None,
    }
}

impl Noted {
    /// Adds what nothing completed in, of a thread that waits for completions.
    fn add(&mut self, gaps: Gaps, clock: Clock) {
        self.activity.longest_gap_ns = Some(clock.nanoseconds(gaps.longest));
        self.activity.stalled_ns = Some(clock.nanoseconds(gaps.stalled));
    }
}

/// What one thread brings back.
pub(crate) struct Outcome {
    pub counts: ThreadCounts,
    pub totals: Totals,
    /// Where it was seen, and what it had of its CPUs.
    pub noted: Noted,
    /// By how much it missed t0: time that was lost from the measured interval.
    pub late_ticks: u64,
    /// By how much an open loop was behind its schedule at the end; absent for other loops.
    pub backlog_ticks: Option<u64>,
    /// When it stopped recording: at the end of the interval, or when its load was done.
    pub ended_at: Ticks,
    /// When nothing was in flight any more.
    pub drained_at: Ticks,
}

impl Shared<'_> {
    fn watch(&self) -> Watch<'_> {
        Watch { stop: self.stop, peer: self.peer, patience: self.patience }
    }

    /// Meets the other threads; an error when one of them failed before.
    fn meet(&self) -> Result<Ticks, RunError> {
        let stopped = || RunError::in_phase(Phase::SetUp)(DataPathFault::Stopped);
        self.start.meet(self.clock, self.stop).ok_or_else(stopped)
    }

    /// The end of each window, by turns.
    fn window_ends(&self, t0: Ticks) -> impl Iterator<Item = Ticks> {
        let (clock, window_ns) = (self.clock, self.window_ns);
        let end =
            move |window| Ticks(t0.0 + clock.ticks_of(Duration::from_nanos(window * window_ns)));
        (1..=self.windows as u64).map(end)
    }

    /// Ticks without a completion from which on a thread has stalled: a window in which nothing is
    /// counted.
    fn stall(&self) -> u64 {
        self.clock.ticks_of(Duration::from_nanos(self.window_ns))
    }

    /// The middle of the measured interval.
    pub(crate) fn middle(&self, t0: Ticks) -> Ticks {
        Ticks(t0.0 + self.span_ticks() / 2)
    }

    fn span_ticks(&self) -> u64 {
        let span_ns = self.window_ns * self.windows as u64;
        self.clock.ticks_of(Duration::from_nanos(span_ns))
    }

    /// A recorder, its memory mapped; it is told t0 when that is agreed. Mapping takes longer than
    /// a short warm-up where there are many queue pairs.
    fn recorder(&self, queue_pairs: usize) -> Recorder {
        let (t0, window_ns, windows) = (self.clock.now(), self.window_ns, self.windows);
        Recorder::new(self.clock, RecorderPlan { t0, window_ns, windows, queue_pairs })
    }

    /// Whether the measured interval is half over.
    pub(crate) fn is_beyond_the_middle(&self) -> bool {
        self.start.t0().is_some_and(|t0| self.clock.now() >= self.middle(t0))
    }

    /// Whether the measured interval was over at `time`.
    pub(crate) fn was_over(&self, time: Ticks) -> bool {
        self.start.t0().is_some_and(|t0| time.0 >= t0.0 + self.span_ticks())
    }

    /// Waits for the middle of the measured interval; false when the run has ended before.
    pub(crate) fn reaches_the_middle(&self, has_ended: impl Fn() -> bool) -> bool {
        loop {
            if self.stop.load(Ordering::Relaxed) || has_ended() {
                return false;
            }
            let left =
                self.start.t0().map(|t0| self.middle(t0).0.saturating_sub(self.clock.now().0));
            match left.map(|ticks| Duration::from_nanos(self.clock.nanoseconds(ticks))) {
                Some(Duration::ZERO) => return true,
                Some(left) => thread::sleep(left.min(LOOK_FOR_THE_END)),
                None => thread::sleep(LOOK_FOR_THE_START),
            }
        }
    }

    /// Runs `body`; a failure stops the other threads.
    pub(crate) fn guard<R>(
        &self,
        body: impl FnOnce() -> Result<R, RunError>,
    ) -> Result<R, RunError> {
        let result = body();
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        result
    }
}

/// Plays one thread of a run whose load comes from generators.
pub(crate) fn measure<E: Endpoint, G: Generator>(
    task: Task<E>,
    generators: Vec<G>,
    shared: &Shared<'_>,
) -> Result<(Outcome, E), RunError> {
    let queue_pairs = task.lanes.len();
    settle_in(task.cpus.as_ref())?;
    let clock = shared.clock;
    let (post_list, stall) = (shared.post_list, shared.stall());
    let mut path = DataPath::new(task.endpoint, generators, &task.lanes, post_list, clock, stall);
    let recorder = shared.recorder(queue_pairs);
    let t0 = shared.meet()?;
    let mut recorder = recorder.starting_at(t0);
    let late_ticks = clock.now().0.saturating_sub(t0.0);
    let mut own = SelfWatch::begin(clock);
    let watch = shared.watch();
    path.drive(t0, &mut Discard, &watch).map_err(RunError::in_phase(Phase::WarmUp))?;
    own.begin_again();
    path.begin_gaps();
    for until in shared.window_ends(t0) {
        path.drive(until, &mut recorder, &watch).map_err(RunError::in_phase(Phase::Measure))?;
        own.seen.look();
    }
    let ended_at = clock.now();
    let mut noted = own.end();
    let backlog_ticks = path.backlog(ended_at);
    let totals = path.drain(&mut recorder, &watch).map_err(RunError::in_phase(Phase::Drain))?;
    let drained_at = clock.now();
    noted.add(path.gaps(), clock);
    let outcome = Outcome {
        counts: recorder.finish(),
        totals,
        noted,
        late_ticks,
        backlog_ticks,
        ended_at,
        drained_at,
    };
    Ok((outcome, path.into_endpoint()))
}

/// Plays one thread of a ping-pong.
pub(crate) fn measure_ping_pong<E: Endpoint>(
    task: Task<E>,
    slots: Slots,
    shared: &Shared<'_>,
) -> Result<(Outcome, E), RunError> {
    settle_in(task.cpus.as_ref())?;
    let clock = shared.clock;
    // SAFETY: the slots are in the client's buffer, which outlives the run's threads, and are of
    // this queue pair alone.
    let mut side = unsafe {
        let mut endpoint = task.endpoint;
        slots
            .fill(&mut endpoint)
            .map_err(|source| RunError::new(Phase::SetUp, "receive requests", source))?;
        Side::new(endpoint, slots)
    };
    let recorder = shared.recorder(1);
    let t0 = shared.meet()?;
    let mut recorder = recorder.starting_at(t0);
    let late_ticks = clock.now().0.saturating_sub(t0.0);
    let mut own = SelfWatch::begin(clock);
    let mut gaps = Gaps::new(clock.now(), shared.stall());
    let watch = shared.watch();
    side.ping(clock, t0, &mut Discard, &mut gaps, &watch)
        .map_err(RunError::in_phase(Phase::WarmUp))?;
    own.begin_again();
    gaps.begin_again();
    for until in shared.window_ends(t0) {
        side.ping(clock, until, &mut recorder, &mut gaps, &watch)
            .map_err(RunError::in_phase(Phase::Measure))?;
        own.seen.look();
    }
    let mut noted = own.end();
    noted.add(gaps, clock);
    let (totals, drained_at) = (side.totals(), clock.now());
    let outcome = Outcome {
        counts: recorder.finish(),
        totals,
        noted,
        late_ticks,
        backlog_ticks: None,
        ended_at: drained_at,
        drained_at,
    };
    Ok((outcome, side.into_endpoint()))
}

/// Plays one server thread of a ping-pong until it is stopped.
pub(crate) fn answer<E: Endpoint>(
    task: Task<E>,
    slots: Slots,
    clock: Clock,
    watch: &Watch<'_>,
) -> Result<(E, Noted), RunError> {
    settle_in(task.cpus.as_ref())?;
    let own = SelfWatch::begin(clock);
    // SAFETY: the slots are in the server's region, which outlives the run's threads, and are of
    // this queue pair alone.
    let mut side = unsafe { Side::new(task.endpoint, slots) };
    side.pong(clock, watch).map_err(RunError::in_phase(Phase::Measure))?;
    Ok((side.into_endpoint(), own.end()))
}

/// Pins a thread that posts, and keeps what other threads share out of its way.
fn settle_in(cpus: Option<&CpuSet>) -> Result<(), RunError> {
    pin(cpus)?;
    // An economy only: containers forbid unshare(2) by default, and posts work without.
    let _ = own_file_table();
    Ok(())
}

pub(crate) fn pin(cpus: Option<&CpuSet>) -> Result<(), RunError> {
    let Some(cpus) = cpus else { return Ok(()) };
    pin_current_thread(cpus).map_err(|source| {
        RunError::new(Phase::SetUp, format!("cannot pin a thread to CPUs {cpus}"), source)
    })
}

#[cfg(test)]
mod tests;
