//! The start and the middle of a run of several client hosts, seen from one of them.

use std::{cell::Cell, sync::atomic::Ordering, thread, time::Duration};

use onesided_control::message::{ClientMessage, ServerMessage};
use onesided_measure::Ticks;
use onesided_results::vocabulary::Phase;

use super::line::{Line, unexpected};
use crate::{error::RunError, thread::Shared};

/// Between two looks at whether this host's threads have met. Ours: short beside the time that the
/// server leaves before the start.
const LOOK_FOR_THREADS: Duration = Duration::from_millis(1);

/// Between two looks at whether this host's threads have ended; what the server says wakes at once.
/// Ours: no work for a CPU.
const LOOK_FOR_THE_END: Duration = Duration::from_millis(20);

/// What a client host does beside its measuring threads, where others measure along with it.
pub(super) struct CommonStart<'l> {
    line: &'l Line<'l>,
    late_ns: Cell<u64>,
}

impl<'l> CommonStart<'l> {
    /// Once the server has read all clocks.
    pub(super) fn gathered(line: &'l Line<'l>) -> Result<Self, RunError> {
        match line.answer(Phase::Connect)? {
            ServerMessage::Gather => Ok(Self { line, late_ns: Cell::new(0) }),
            other => Err(unexpected(Phase::Connect, "the word to start threads", &other)),
        }
    }

    /// By how much the warm-up began after the instant that the server had named.
    pub(super) fn late_ns(&self) -> u64 {
        self.late_ns.get()
    }

    /// Has the threads start when the server says, calls `in_the_middle` then, and stops waiting for
    /// them when the server gives the run up.
    pub(super) fn attend(
        &self,
        shared: &Shared<'_>,
        has_ended: impl Fn() -> bool,
        in_the_middle: impl FnOnce(),
    ) -> Result<(), RunError> {
        self.start(shared, &has_ended)?;
        let mut in_the_middle = Some(in_the_middle);
        loop {
            // Asked first: what was said before the threads ended is heard after.
            let ended = has_ended();
            if !ended
                && shared.is_beyond_the_middle()
                && let Some(act) = in_the_middle.take()
            {
                act();
            }
            let within = if ended { Duration::ZERO } else { LOOK_FOR_THE_END };
            match self.line.listen(within, Phase::Measure)? {
                Some(other) => return Err(unexpected(Phase::Measure, "the end of it", &other)),
                None if ended => return Ok(()),
                None => {}
            }
        }
    }

    fn start(&self, shared: &Shared<'_>, has_ended: &impl Fn() -> bool) -> Result<(), RunError> {
        let given_up = || shared.stop.load(Ordering::Relaxed) || has_ended();
        while !shared.start.all_have_met() {
            if given_up() {
                return Ok(());
            }
            thread::sleep(LOOK_FOR_THREADS);
        }
        self.line.tell(&ClientMessage::Met, Phase::SetUp)?;
        while !given_up() {
            match self.line.listen(LOOK_FOR_THE_END, Phase::SetUp)? {
                Some(ServerMessage::Start { at_raw_ns }) => return self.begin(shared, at_raw_ns),
                Some(other) => return Err(unexpected(Phase::SetUp, "the start", &other)),
                None => {}
            }
        }
        Ok(())
    }

    fn begin(&self, shared: &Shared<'_>, at_raw_ns: u64) -> Result<(), RunError> {
        let clock = self.line.clock();
        let now = clock.now();
        let raw_ns = clock.raw_ns_at(now);
        let raw_ns = raw_ns.map_err(|source| RunError::new(Phase::SetUp, "the clock", source))?;
        let ticks = |ns| clock.ticks_of(Duration::from_nanos(ns));
        let begin = match at_raw_ns.checked_sub(raw_ns) {
            Some(left_ns) => now.0 + ticks(left_ns),
            None => now.0.saturating_sub(ticks(raw_ns - at_raw_ns)),
        };
        shared.start.begin_at(Ticks(begin));
        self.late_ns.set(clock.nanoseconds(clock.now().0.saturating_sub(begin)));
        Ok(())
    }
}
