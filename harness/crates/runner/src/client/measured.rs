//! The measuring phases: threads started, warmed up, measured, drained, joined.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use onesided_control::{PeerState, message::Completed};
use onesided_load::{Generator, LoadPlan, Visitor, with_generator};
use onesided_measure::{Clock, RunCounts, Ticks};
use onesided_plan::{ThreadShare, requests};
use onesided_results::{
    record::PhaseTiming,
    vocabulary::{LoopShape, Moment, Phase},
};
use onesided_transport::{Endpoint, Transport};

use super::{
    common_start::CommonStart,
    opened::{LocalSide, OpenedRun},
};
use crate::{
    error::RunError,
    partial_record::PartialRecord,
    start::{Beginning, Start},
    thread::{Outcome, Shared, Task, measure, measure_ping_pong},
    totals::Totals,
};

/// Beyond what the device may spend on repeating a request, a thread waits this much longer for a
/// completion before it gives up. Ours: covers a second of scheduling trouble five times.
const PATIENCE_BEYOND_RETRIES: Duration = Duration::from_secs(5);

/// A run whose last request has completed; its memory is still there to be looked at.
pub(super) struct Measured<'r, T: Transport> {
    pub run: OpenedRun<'r, 'r, T>,
    pub counts: RunCounts,
    pub totals: Totals,
    pub outcomes: Vec<Outcome>,
    /// Start of the measured interval.
    pub t0: Ticks,
}

/// What a thread is about to do, once the type of its generators is known.
struct Drive<'a, 'b, E> {
    task: Task<E>,
    shared: &'a Shared<'b>,
}

impl<E: Endpoint> Visitor for Drive<'_, '_, E> {
    type Output = Result<(Outcome, E), RunError>;

    fn visit<G: Generator>(self, generators: Vec<G>) -> Self::Output {
        measure(self.task, generators, self.shared)
    }
}

/// One thread's work.
enum Work {
    Load(LoadPlan),
    PingPong(crate::ping_pong::Slots),
}

impl<'r, T: Transport + Sync> Measured<'r, T> {
    /// Runs the threads of `run` to their end.
    ///
    /// The run is handed on and dropped by the caller also when a thread failed, so that memory is
    /// released only after every thread has ended.
    pub(super) fn of(
        mut run: OpenedRun<'r, 'r, T>,
        peer: PeerState,
        together: Option<&CommonStart<'_>>,
        partial: &mut PartialRecord,
    ) -> Result<Self, RunError> {
        let LocalSide { configuration, site, .. } = run.own;
        let clock = site.clock;
        let warm_up = Duration::from_millis(configuration.warm_up_ms);
        let beginning = match together {
            Some(_) => Beginning::WhenTold,
            None => Beginning::WhenAllHaveMet,
        };
        let threads = run.own.part.shares.len();
        let start = Start::new(threads, clock.ticks_of(warm_up), beginning);
        let stop = AtomicBool::new(false);
        let shared = Shared {
            clock,
            start: &start,
            stop: &stop,
            peer: &peer,
            patience: clock.ticks_of(patience(configuration)),
            window_ns: configuration.window_ms * 1_000_000,
            windows: (configuration.duration_ms / configuration.window_ms) as usize,
            post_list: configuration.post_list as usize,
        };
        let work = works(&run)?;
        let endpoints = std::mem::take(&mut run.own.endpoints);
        let tasks: Vec<Task<T::Endpoint>> = endpoints
            .into_iter()
            .zip(&run.own.part.shares)
            .zip(&run.own.pins)
            .map(|((endpoint, share), pin)| Task {
                endpoint,
                cpus: pin.clone(),
                lanes: run.lanes(share),
            })
            .collect();
        let (mut proofs, mut looked) = (Vec::new(), None);
        let own = &run.own;
        let ended = play(tasks, work, &shared, together, || {
            proofs = own.prove(Moment::During);
            looked = Some(clock.now());
        });
        if looked.is_some_and(|looked| shared.was_over(looked)) {
            // This thread had no CPU in the middle: what it saw later is not of the run.
            proofs.clear();
        }
        let client =
            partial.client.as_mut().expect("a run that is connected has its client's side");
        client.placement.extend(proofs.into_iter().collect::<Result<Vec<_>, _>>()?);
        let (mut counts, mut totals) = (RunCounts::new(shared.window_ns, shared.windows), None);
        let mut outcomes = Vec::new();
        for ((outcome, endpoint), share) in ended?.into_iter().zip(&run.own.part.shares) {
            run.own.endpoints.push(endpoint);
            totals = Some(sum(totals, outcome.totals));
            let numbers: Vec<_> = share.queue_pairs.clone().collect();
            let merged = counts.add(outcome.counts.clone(), &numbers);
            merged.map_err(|source| RunError::new(Phase::Measure, "counts", source))?;
            outcomes.push(outcome);
        }
        note_phases(partial, configuration, &outcomes, clock);
        let totals = totals.unwrap_or_default();
        // All threads have the same; a run has at least one.
        let t0 = outcomes.first().map_or_else(|| clock.now(), |outcome| outcome.counts.t0);
        Ok(Self { run, counts, totals, outcomes, t0 })
    }
}

impl<T: Transport> Measured<'_, T> {
    /// What this host tells the server now that it is done. `connected` is when it knew that it was.
    pub(super) fn completed(&self, clock: Clock, connected: Ticks, late_ns: u64) -> Completed {
        let now = clock.now();
        let since = |then: Ticks| clock.nanoseconds(now.0.saturating_sub(then.0));
        Completed {
            operations: self.totals.completed,
            since_connected_ns: since(connected),
            since_start_ns: since(self.t0),
            late_ns,
        }
    }
}

fn patience(configuration: &onesided_results::RunConfiguration) -> Duration {
    // An unanswered request is repeated after up to four times its timeout (IB spec vol. 1,
    // 9.7.6.1.3), so this is the most that the device needs before it gives up itself.
    let timeout = Duration::from_nanos(4096).saturating_mul(1 << configuration.timeout_exponent);
    let by_device = timeout.saturating_mul(4 * (u32::from(configuration.retry_count) + 1));
    by_device + PATIENCE_BEYOND_RETRIES
}

fn works<T: Transport + Sync>(run: &OpenedRun<'_, '_, T>) -> Result<Vec<Work>, RunError> {
    let LocalSide { site, configuration, part, geometry, .. } = &run.own;
    let work = |share: &ThreadShare| {
        if configuration.loop_shape == LoopShape::PingPong {
            let queue_pair = share.queue_pairs.start;
            let own = (run.own.local(queue_pair), run.own.destination(queue_pair));
            let slots = geometry.ping(configuration, queue_pair, own, run.region);
            return Ok(Work::PingPong(slots));
        }
        let units = site.clock.description().frequency_hz;
        requests(configuration, share.queue_pairs.clone(), units)
            .map(Work::Load)
            .map_err(|source| RunError::new(Phase::Connect, "the load", source))
    };
    part.shares.iter().map(work).collect()
}

/// Has the threads do their work. What the server says meanwhile comes before what threads say, which
/// follows from it.
fn play<E: Endpoint>(
    tasks: Vec<Task<E>>,
    work: Vec<Work>,
    shared: &Shared<'_>,
    together: Option<&CommonStart<'_>>,
    in_the_middle: impl FnOnce(),
) -> Result<Vec<(Outcome, E)>, RunError> {
    let one = |task: Task<E>, work: Work| {
        shared.guard(|| match work {
            Work::PingPong(slots) => measure_ping_pong(task, slots, shared),
            Work::Load(plan) => with_generator(&plan, Drive { task, shared })
                .map_err(|source| RunError::new(Phase::SetUp, "the load", source))?,
        })
    };
    thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut ended = Vec::new();
        for (task, work) in tasks.into_iter().zip(work) {
            let named = thread::Builder::new().name("client".to_owned());
            match named.spawn_scoped(scope, move || one(task, work)) {
                Ok(thread) => threads.push(thread),
                Err(source) => {
                    // Those that have started wait for the others no longer.
                    shared.stop.store(true, Ordering::Relaxed);
                    let what = "cannot start a client thread (see `ulimit -u`)";
                    ended.push(Err(RunError::new(Phase::SetUp, what, source)));
                    break;
                }
            }
        }
        let has_ended = || threads.iter().all(|thread| thread.is_finished());
        let attended = attend(shared, together, has_ended, in_the_middle);
        let joined =
            threads.into_iter().map(|thread| thread.join().expect("no client thread panics"));
        ended.extend(joined);
        attended.and_then(|()| first_failure(ended))
    })
}

/// What is done beside the threads until they end, or nearly so.
fn attend(
    shared: &Shared<'_>,
    together: Option<&CommonStart<'_>>,
    has_ended: impl Fn() -> bool,
    in_the_middle: impl FnOnce(),
) -> Result<(), RunError> {
    match together {
        Some(together) => shared.guard(|| together.attend(shared, has_ended, in_the_middle)),
        None => {
            if shared.reaches_the_middle(has_ended) {
                in_the_middle();
            }
            Ok(())
        }
    }
}

/// Everything, or the failure that the others only echo.
fn first_failure<R>(ended: Vec<Result<R, RunError>>) -> Result<Vec<R>, RunError> {
    let mut all = Vec::new();
    let mut failure: Option<RunError> = None;
    for result in ended {
        match result {
            Ok(one) => all.push(one),
            Err(error) => match &failure {
                Some(first) if !first.is_echo() || error.is_echo() => {}
                _ => failure = Some(error),
            },
        }
    }
    failure.map_or(Ok(all), Err)
}

fn sum(so_far: Option<Totals>, more: Totals) -> Totals {
    let so_far = so_far.unwrap_or_default();
    Totals {
        posted: so_far.posted + more.posted,
        signaled: so_far.signaled + more.signaled,
        reported: so_far.reported + more.reported,
        completed: so_far.completed + more.completed,
    }
}

fn note_phases(
    partial: &mut PartialRecord,
    configuration: &onesided_results::RunConfiguration,
    outcomes: &[Outcome],
    clock: onesided_measure::Clock,
) {
    let since = |from: u64, to: u64| clock.nanoseconds(to.saturating_sub(from)) as f64 / 1e6;
    let longest = |spans: &mut dyn Iterator<Item = f64>| spans.fold(0.0, f64::max);
    let measure_ms = longest(&mut outcomes.iter().map(|o| since(o.counts.t0.0, o.ended_at.0)));
    let drain_ms = longest(&mut outcomes.iter().map(|o| since(o.ended_at.0, o.drained_at.0)));
    for (phase, took_ms) in [
        (Phase::WarmUp, configuration.warm_up_ms as f64),
        (Phase::Measure, measure_ms),
        (Phase::Drain, drain_ms),
    ] {
        partial.phases.push(PhaseTiming { phase, took_ms });
    }
}
