//! One client thread: pinned, warmed up, measured, drained.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use onesided_control::PeerState;
use onesided_load::Generator;
use onesided_measure::{Clock, Discard, Recorder, RecorderPlan, ThreadCounts, Ticks};
use onesided_placement::{CpuSet, current_cpu, own_file_table, pin_current_thread};
use onesided_results::vocabulary::Phase;
use onesided_transport::Endpoint;

use crate::{
    data_path::{DataPath, LanePlan, Watch},
    error::RunError,
    fault::DataPathFault,
    ping_pong::{Side, Slots},
    start::Start,
    totals::Totals,
};

/// Moments at which a client thread looks where it is: before the warm-up, at t0, in the middle of
/// the measured interval, at its end.
const MOMENTS: usize = 4;

/// Between two looks at whether a run has reached its middle. Ours: short beside any run, and no
/// work for a CPU.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

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

/// Where a thread was at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub cpu: u32,
    pub node: u32,
}

/// What one thread brings back.
pub(crate) struct Outcome {
    pub counts: ThreadCounts,
    pub totals: Totals,
    /// CPU and node it was seen on, at each of the [`MOMENTS`].
    pub seen: Vec<Seen>,
    /// By how much it missed t0: time that was lost from the measured interval.
    pub late_ticks: u64,
    /// By how much an open loop was behind its schedule at the end; absent for other loops.
    pub backlog_ticks: Option<u64>,
    /// Operations that completed only while draining.
    pub drained: u64,
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

    fn end(&self, t0: Ticks) -> Ticks {
        Ticks(t0.0 + self.span_ticks())
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
                left => thread::sleep(left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN)),
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
    let mut path = DataPath::new(task.endpoint, generators, &task.lanes, shared.post_list, clock);
    let recorder = shared.recorder(queue_pairs);
    let t0 = shared.meet()?;
    let mut recorder = recorder.starting_at(t0);
    let late_ticks = clock.now().0.saturating_sub(t0.0);
    let mut seen = Vec::with_capacity(MOMENTS);
    seen.push(where_now());
    let watch = shared.watch();
    path.drive(t0, &mut Discard, &watch).map_err(RunError::in_phase(Phase::WarmUp))?;
    seen.push(where_now());
    for until in [shared.middle(t0), shared.end(t0)] {
        path.drive(until, &mut recorder, &watch).map_err(RunError::in_phase(Phase::Measure))?;
        seen.push(where_now());
    }
    let ended_at = clock.now();
    let backlog_ticks = path.backlog(ended_at);
    let completed = path.totals().completed;
    let totals = path.drain(&watch).map_err(RunError::in_phase(Phase::Drain))?;
    let drained_at = clock.now();
    let outcome = Outcome {
        counts: recorder.finish(),
        totals,
        seen,
        late_ticks,
        backlog_ticks,
        drained: totals.completed - completed,
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
    let mut side = unsafe { Side::new(task.endpoint, slots) };
    let recorder = shared.recorder(1);
    let t0 = shared.meet()?;
    let mut recorder = recorder.starting_at(t0);
    let late_ticks = clock.now().0.saturating_sub(t0.0);
    let mut seen = Vec::with_capacity(MOMENTS);
    seen.push(where_now());
    let watch = shared.watch();
    side.ping(clock, t0, &mut Discard, &watch).map_err(RunError::in_phase(Phase::WarmUp))?;
    seen.push(where_now());
    for until in [shared.middle(t0), shared.end(t0)] {
        side.ping(clock, until, &mut recorder, &watch)
            .map_err(RunError::in_phase(Phase::Measure))?;
        seen.push(where_now());
    }
    let (totals, drained_at) = (side.totals(), clock.now());
    let outcome = Outcome {
        counts: recorder.finish(),
        totals,
        seen,
        late_ticks,
        backlog_ticks: None,
        // Each answer was awaited.
        drained: 0,
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
) -> Result<(E, Vec<Seen>), RunError> {
    settle_in(task.cpus.as_ref())?;
    let mut seen = vec![where_now()];
    // SAFETY: the slots are in the server's region, which outlives the run's threads, and are of
    // this queue pair alone.
    let mut side = unsafe { Side::new(task.endpoint, slots) };
    side.pong(clock, watch).map_err(RunError::in_phase(Phase::Measure))?;
    seen.push(where_now());
    Ok((side.into_endpoint(), seen))
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

/// CPU and node of the calling thread at this moment.
pub(crate) fn where_now() -> Seen {
    let (cpu, node) = current_cpu();
    Seen { cpu: cpu.0, node: node.0 }
}

#[cfg(test)]
mod tests;
