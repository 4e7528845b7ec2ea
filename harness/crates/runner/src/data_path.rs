//! The data path of one thread: poll, record, ask the generators, post.
//!
//! Everything that is configured was decided before: the load by the type of the generators, the
//! payload and keys by requests that are filled in beforehand, recording by the type of the
//! recorder. What is left per operation is what varies in its request, one clock read per doorbell
//! with a signaled request behind it, and one per poll that found completions.

mod gaps;
mod lane;

use std::sync::atomic::{AtomicBool, Ordering};

use onesided_control::PeerState;
use onesided_load::{Generator, Instant};
use onesided_measure::{Clock, Record, Ticks};
use onesided_transport::{CompletionStatus, Endpoint, WorkCompletion};

use self::lane::{Lane, origin};
pub(crate) use self::{gaps::Gaps, lane::LanePlan};
use crate::{fault::DataPathFault, totals::Totals};

/// Completions taken by one poll at the most. Ours: two cache lines of ids on the way in, small
/// enough that a completion is not older than the handling of 31 others when it is recorded.
const POLL_BATCH: usize = 32;

/// Polls that find nothing before a thread looks at the clock, the schedule and the other side.
/// Ours: about a microsecond, so that ending is prompt, and a completion is hardly ever kept
/// waiting by those looks. A load on a schedule looks after each.
const EMPTY_POLLS: u32 = 16;

/// Whether a thread's run goes on, seen from outside the data path.
pub(crate) struct Watch<'a> {
    /// Set when another thread failed.
    pub stop: &'a AtomicBool,
    /// The other side, as its control channel sees it.
    pub peer: &'a PeerState,
    /// Ticks without any completion, while some are due, after which a thread gives up.
    pub patience: u64,
}

/// The data path of one thread.
pub(crate) struct DataPath<E, G> {
    endpoint: E,
    lanes: Vec<Lane<G>>,
    completions: [WorkCompletion; POLL_BATCH],
    clock: Clock,
    gaps: Gaps,
    active: usize,
    started: bool,
}

impl<E: Endpoint, G: Generator> DataPath<E, G> {
    /// Puts generators and plans together, one of each a queue pair. From `stall` ticks on a time
    /// without completions is a stall.
    ///
    /// # Panics
    /// When the counts differ: the caller makes all three from one plan.
    pub(crate) fn new(
        endpoint: E,
        generators: Vec<G>,
        plans: &[LanePlan],
        post_list: usize,
        clock: Clock,
        stall: u64,
    ) -> Self {
        assert_eq!(generators.len(), plans.len(), "one generator a queue pair");
        assert_eq!(endpoint.queue_pair_numbers().len(), plans.len(), "one plan a queue pair");
        let numbers = endpoint.queue_pair_numbers().to_vec();
        let lanes: Vec<_> = generators
            .into_iter()
            .zip(plans)
            .zip(numbers)
            .enumerate()
            .map(|(index, ((generator, plan), number))| {
                Lane::new(generator, plan, index, number, post_list)
            })
            .collect();
        Self {
            active: lanes.len(),
            endpoint,
            lanes,
            completions: [WorkCompletion::EMPTY; POLL_BATCH],
            clock,
            gaps: Gaps::new(clock.now(), stall),
            started: false,
        }
    }

    /// Drives the queue pairs until the clock shows `until` or every generator has finished.
    /// Requests in flight stay in flight.
    ///
    /// # Errors
    /// The first fault of any queue pair.
    pub(crate) fn drive<R: Record>(
        &mut self,
        until: Ticks,
        record: &mut R,
        watch: &Watch<'_>,
    ) -> Result<(), DataPathFault> {
        if !self.started {
            self.started = true;
            let now = self.clock.now();
            self.gaps = self.gaps.starting_at(now);
            self.refill_all(now)?;
        }
        // Until when nothing is overdue.
        let mut progress = self.gaps.last();
        while self.active > 0 {
            let polled = self.poll()?;
            let now = self.clock.now();
            record.advance(now);
            if polled > 0 {
                self.note_gap(polled, now);
                progress = now;
                for index in 0..polled {
                    let lane = self.complete(self.completions[index], now, record)?;
                    self.refill(lane, now)?;
                }
            } else {
                self.idle(now, &mut progress, watch)?;
            }
            if watch.stop.load(Ordering::Relaxed) {
                return Err(DataPathFault::Stopped);
            }
            if now >= until {
                break;
            }
        }
        Ok(())
    }

    /// Waits for what is in flight, without posting more than it takes to be told. It is recorded as of
    /// after the last window, with its latencies: an operation that hung is not lost with the interval
    /// that it hung in.
    ///
    /// # Errors
    /// A fault, or requests that do not complete within the watch's patience.
    pub(crate) fn drain<R: Record>(
        &mut self,
        record: &mut R,
        watch: &Watch<'_>,
    ) -> Result<Totals, DataPathFault> {
        for lane in 0..self.lanes.len() {
            self.signal_the_last(lane)?;
        }
        record.advance(Ticks(u64::MAX));
        let mut progress = self.clock.now();
        while self.lanes.iter().any(|lane| lane.completed < lane.posted) {
            let polled = self.endpoint.poll(&mut self.completions)?;
            let now = self.clock.now();
            if polled > 0 {
                self.note_gap(polled, now);
                progress = now;
            }
            for index in 0..polled {
                let (lane, sequence, operations) = self.settle(self.completions[index])?;
                let latency = self.lanes[lane].latency(sequence, now);
                // What closes the run is none of them.
                record.completed(lane, operations - u32::from(latency.is_none()));
                latency.into_iter().for_each(|latency| record.latency(lane, latency));
            }
            if now.0.saturating_sub(progress.0) > watch.patience {
                return Err(self.stalled(watch));
            }
        }
        let totals = self.totals();
        if totals.signaled == totals.reported {
            Ok(totals)
        } else {
            Err(DataPathFault::Count(totals))
        }
    }

    /// By how many ticks the queue pair that is furthest behind its schedule is behind it; absent
    /// where there is no schedule.
    pub(crate) fn backlog(&self, now: Ticks) -> Option<u64> {
        self.lanes.iter().filter_map(|lane| lane.generator.backlog(Instant(now.0))).max()
    }

    /// What nothing completed in, since [`Self::begin_gaps`].
    pub(crate) fn gaps(&self) -> Gaps {
        self.gaps
    }

    /// What nothing completed in is counted from here on.
    pub(crate) fn begin_gaps(&mut self) {
        self.gaps.begin_again();
    }

    /// Hands the endpoint back, for what follows the run.
    pub(crate) fn into_endpoint(self) -> E {
        self.endpoint
    }

    /// What was posted and completed so far.
    pub(crate) fn totals(&self) -> Totals {
        self.lanes.iter().fold(Totals::default(), |sum, lane| Totals {
            posted: sum.posted + lane.posted,
            signaled: sum.signaled + lane.signaled,
            reported: sum.reported + lane.reported,
            completed: sum.completed + lane.completed - lane.closing,
        })
    }

    /// Records one completion. Returns its lane.
    #[inline]
    fn complete<R: Record>(
        &mut self,
        completion: WorkCompletion,
        now: Ticks,
        record: &mut R,
    ) -> Result<usize, DataPathFault> {
        let (index, sequence, operations) = self.settle(completion)?;
        let lane = &mut self.lanes[index];
        record.completed(index, operations);
        record.latency(index, now.0.saturating_sub(lane.intended(sequence).0));
        lane.generator.completed(operations, Instant(now.0));
        Ok(index)
    }

    /// Checks one completion against what was posted. Returns its lane, its sequence number and
    /// the operations that it proves complete.
    #[inline]
    fn settle(&mut self, completion: WorkCompletion) -> Result<(usize, u64, u32), DataPathFault> {
        let (index, sequence) = origin(completion.id);
        let Some(lane) = self.lanes.get_mut(index) else {
            return Err(DataPathFault::Stale { id: completion.id });
        };
        if completion.status != CompletionStatus::Success {
            let status = completion.status;
            return Err(DataPathFault::Completion { queue_pair: index, sequence, status });
        }
        let operations = lane
            .settle(sequence, completion.queue_pair_number)
            .ok_or(DataPathFault::Stale { id: completion.id })?;
        Ok((index, sequence, operations))
    }

    /// Something has completed: how long nothing had.
    #[inline]
    fn note_gap(&mut self, polled: usize, now: Ticks) {
        let Self { gaps, lanes, completions, .. } = self;
        let latency = |completion: &WorkCompletion| {
            let (lane, sequence) = origin(completion.id);
            lanes.get(lane)?.latency(sequence, now)
        };
        gaps.completed(now, || completions[..polled].iter().filter_map(latency).max().unwrap_or(0));
    }

    /// Takes completions, if need be by several polls.
    #[inline]
    fn poll(&mut self) -> Result<usize, DataPathFault> {
        for _ in 0..if G::TIMED { 1 } else { EMPTY_POLLS } {
            let polled = self.endpoint.poll(&mut self.completions)?;
            if polled > 0 {
                return Ok(polled);
            }
        }
        Ok(0)
    }

    fn refill_all(&mut self, now: Ticks) -> Result<(), DataPathFault> {
        (0..self.lanes.len()).try_for_each(|lane| self.refill(lane, now))
    }

    /// Posts what the generator of one queue pair wants now, a list behind each doorbell.
    ///
    /// A load that follows its completions counts latency from the doorbell, not from the moment
    /// at which its requests began to be made; one on a schedule counts from the schedule.
    #[inline]
    fn refill(&mut self, index: usize, polled_at: Ticks) -> Result<(), DataPathFault> {
        let lane = &mut self.lanes[index];
        let finished = lane.finished;
        loop {
            let now = if G::TIMED { self.clock.now() } else { polled_at };
            let filled = lane.fill(Instant(now.0));
            if filled.requests == 0 {
                break;
            }
            if !G::TIMED && filled.signaled {
                lane.intend(filled.requests, Instant(self.clock.now().0));
            }
            // SAFETY: the requests point into memory that the run registered and keeps until the
            // endpoint is drained; nothing else of this program touches a slot while it is in
            // flight, because there are as many as the window allows, or none is looked at before
            // the run's end.
            unsafe { self.endpoint.post(index, lane.list(filled.requests))? };
            if filled.is_partial {
                break;
            }
        }
        self.active -= usize::from(lane.finished && !finished);
        Ok(())
    }

    /// Nothing had completed: look at the schedule, at the other side, and at the time.
    #[inline]
    fn idle(
        &mut self,
        now: Ticks,
        progress: &mut Ticks,
        watch: &Watch<'_>,
    ) -> Result<(), DataPathFault> {
        if G::TIMED {
            self.refill_all(now)?;
        }
        if !watch.peer.is_alive() {
            return Err(DataPathFault::PeerLost);
        }
        if now.0.saturating_sub(progress.0) > watch.patience {
            // A load may be slow, and what is not signaled is not reported: only a signaled request
            // can be overdue.
            let awaited = self.lanes.iter().filter_map(Lane::awaited_since).min();
            let since = awaited.map_or(now, |since| Ticks(since.0));
            if now.0.saturating_sub(since.0) > watch.patience {
                return Err(self.stalled(watch));
            }
            *progress = since;
        }
        Ok(())
    }

    /// The unsignaled tail of a queue pair is only known complete by a later signaled request.
    fn signal_the_last(&mut self, index: usize) -> Result<(), DataPathFault> {
        let lane = &mut self.lanes[index];
        if lane.has_unsignaled_tail() {
            let closing = lane.fill_closing(Instant(self.clock.now().0));
            // The send queue has one place more than the load uses.
            // SAFETY: a request of length zero touches no memory.
            unsafe { self.endpoint.post(index, closing)? };
        }
        Ok(())
    }

    #[cold]
    fn stalled(&self, watch: &Watch<'_>) -> DataPathFault {
        let outstanding = self.lanes.iter().map(|lane| lane.posted - lane.completed).sum();
        let waited_ns = self.clock.nanoseconds(watch.patience);
        DataPathFault::Stalled { outstanding, waited_ns }
    }
}

#[cfg(test)]
mod tests;
