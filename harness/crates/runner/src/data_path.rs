//! The data path of one thread: poll, record, ask the generators, post.
//!
//! Everything that is configured was decided before: the load by the type of the generators, the
//! payload and keys by templates, recording by the type of the recorder. What is left per
//! operation is a copy of the template, one clock read per doorbell and one per poll.

use std::sync::atomic::{AtomicBool, Ordering};

use onesided_control::PeerState;
use onesided_load::{Generator, Instant, Next, Post, PostedOperation};
use onesided_measure::{Clock, Record, Ticks};
use onesided_transport::{CompletionStatus, Endpoint, Opcode, Signal, WorkCompletion, WorkRequest};

use crate::fault::DataPathFault;

/// Completions taken by one poll at the most. Ours: two cache lines of ids on the way in, small
/// enough that a completion is not older than the handling of 31 others when it is recorded.
const POLL_BATCH: usize = 32;

/// Bits of a work request's id that hold its sequence number; the lane is above them.
const SEQUENCE_BITS: u32 = 48;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// What one queue pair needs: its generator, its templates and what is in flight.
pub(crate) struct Lane<G> {
    generator: G,
    template: WorkRequest,
    /// Local slots are used in turn; a power of two.
    slots: u64,
    slot_stride: u64,
    signal_every: u32,
    until_signal: u32,
    posted: u64,
    completed: u64,
    signaled: u64,
    reported: u64,
    /// Requests that only close the run, and are no operations of the load.
    closing: u64,
    /// When the latency of the request with a sequence number counts from, by its low bits.
    intended: Box<[Instant]>,
    finished: bool,
}

/// Where the operands of one queue pair are, and how it signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlan {
    /// The first local slot, the keys, the remote base, the payload; opcode and id are set on
    /// each post.
    pub template: WorkRequest,
    /// Local slots; a power of two, at least as many as requests may be in flight.
    pub slots: u64,
    /// Bytes from one local slot to the next.
    pub slot_stride: u64,
    /// Every so many requests one is signaled.
    pub signal_every: u32,
}

/// What a thread's queue pairs did, counted for the check against the completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Work requests posted.
    pub posted: u64,
    /// Of these, signaled.
    pub signaled: u64,
    /// Completions reported by the completion queue.
    pub reported: u64,
    /// Operations of the load known to be complete.
    pub completed: u64,
}

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
    list: Vec<WorkRequest>,
    post_list: usize,
    completions: [WorkCompletion; POLL_BATCH],
    clock: Clock,
    active: usize,
    started: bool,
}

impl<E: Endpoint, G: Generator> DataPath<E, G> {
    /// Puts generators and plans together, one of each a queue pair.
    ///
    /// # Panics
    /// When the counts differ: the caller makes all three from one plan.
    pub(crate) fn new(
        endpoint: E,
        generators: Vec<G>,
        plans: &[LanePlan],
        post_list: usize,
        clock: Clock,
    ) -> Self {
        assert_eq!(generators.len(), plans.len(), "one generator a queue pair");
        assert_eq!(endpoint.queue_pair_numbers().len(), plans.len(), "one plan a queue pair");
        let lanes: Vec<_> = generators
            .into_iter()
            .zip(plans)
            .map(|(generator, plan)| Lane::new(generator, plan))
            .collect();
        Self {
            active: lanes.len(),
            endpoint,
            lanes,
            list: Vec::with_capacity(post_list),
            post_list,
            completions: [WorkCompletion::EMPTY; POLL_BATCH],
            clock,
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
            self.refill_all(self.clock.now())?;
        }
        let mut progress = self.clock.now();
        while self.active > 0 {
            let polled = self.endpoint.poll(&mut self.completions)?;
            let now = self.clock.now();
            record.advance(now);
            if polled > 0 {
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

    /// Waits for what is in flight, without posting more than it takes to be told.
    ///
    /// # Errors
    /// A fault, or requests that do not complete within the watch's patience.
    pub(crate) fn drain(&mut self, watch: &Watch<'_>) -> Result<Totals, DataPathFault> {
        for lane in 0..self.lanes.len() {
            self.signal_the_last(lane)?;
        }
        let mut progress = self.clock.now();
        while self.lanes.iter().any(|lane| lane.completed < lane.posted) {
            let polled = self.endpoint.poll(&mut self.completions)?;
            let now = self.clock.now();
            if polled > 0 {
                progress = now;
            }
            for index in 0..polled {
                self.settle(self.completions[index])?;
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
        let intended = lane.intended[(sequence & (lane.slots - 1)) as usize];
        record.completed(index, operations);
        record.latency(index, now.0.saturating_sub(intended.0));
        lane.generator.completed(operations, Instant(now.0));
        Ok(index)
    }

    /// Checks one completion against what was posted. Returns its lane, its sequence number and
    /// the operations that it proves complete.
    #[inline]
    fn settle(&mut self, completion: WorkCompletion) -> Result<(usize, u64, u32), DataPathFault> {
        let index = (completion.id >> SEQUENCE_BITS) as usize;
        let sequence = completion.id & SEQUENCE_MASK;
        let Some(lane) = self.lanes.get_mut(index) else {
            return Err(DataPathFault::Stale { id: completion.id });
        };
        if completion.status != CompletionStatus::Success {
            let status = completion.status;
            return Err(DataPathFault::Completion { queue_pair: index, sequence, status });
        }
        let known = sequence >= lane.completed && sequence < lane.posted;
        if !known || self.endpoint.queue_pair_numbers()[index] != completion.queue_pair_number {
            return Err(DataPathFault::Stale { id: completion.id });
        }
        let operations = (sequence + 1 - lane.completed) as u32;
        lane.completed = sequence + 1;
        lane.reported += 1;
        Ok((index, sequence, operations))
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
        loop {
            self.list.clear();
            let first = lane.posted;
            let now = Instant(if G::TIMED { self.clock.now().0 } else { polled_at.0 });
            let full = loop {
                match lane.generator.next(now) {
                    Next::Post(post) => self.list.push(lane.request(index, post)),
                    Next::Finished => {
                        self.active -= usize::from(!lane.finished);
                        lane.finished = true;
                        break false;
                    }
                    Next::WaitUntil(_) | Next::WaitForCompletion => break false,
                }
                if self.list.len() == self.post_list {
                    break true;
                }
            };
            if !self.list.is_empty() {
                if !G::TIMED {
                    lane.intend_from(first, Instant(self.clock.now().0));
                }
                // SAFETY: the templates point into memory that the run registered and keeps until
                // the endpoint is drained; nothing else touches a slot while it is in flight,
                // because there are at least as many slots as the window allows.
                unsafe { self.endpoint.post(index, &self.list)? };
            }
            if !full {
                return Ok(());
            }
        }
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
        let unsignaled_tail = lane.signal_every > 1 && lane.until_signal != lane.signal_every;
        if lane.posted == lane.completed || !unsignaled_tail {
            return Ok(());
        }
        lane.until_signal = 1;
        lane.closing += 1;
        let post = Post {
            operation: PostedOperation::Read,
            remote_offset: 0,
            intended: Instant(self.clock.now().0),
        };
        let mut request = lane.request(index, post);
        request.local.length = 0;
        // The send queue has one place more than the load uses.
        // SAFETY: a request of length zero touches no memory.
        unsafe { self.endpoint.post(index, &[request])? };
        Ok(())
    }

    #[cold]
    fn stalled(&self, watch: &Watch<'_>) -> DataPathFault {
        let outstanding = self.lanes.iter().map(|lane| lane.posted - lane.completed).sum();
        let waited_ns = self.clock.nanoseconds(watch.patience);
        DataPathFault::Stalled { outstanding, waited_ns }
    }
}

impl<G: Generator> Lane<G> {
    fn new(generator: G, plan: &LanePlan) -> Self {
        assert!(plan.slots.is_power_of_two(), "slots are addressed by the low bits of a sequence");
        Self {
            generator,
            template: plan.template,
            slots: plan.slots,
            slot_stride: plan.slot_stride,
            signal_every: plan.signal_every,
            until_signal: plan.signal_every,
            posted: 0,
            completed: 0,
            signaled: 0,
            reported: 0,
            closing: 0,
            intended: vec![Instant(0); plan.slots as usize].into_boxed_slice(),
            finished: false,
        }
    }

    /// From when the latency of the oldest request counts that is signaled and not reported.
    fn awaited_since(&self) -> Option<Instant> {
        // What is complete ends with a signaled request.
        let oldest = self.completed + u64::from(self.signal_every) - 1;
        (oldest < self.posted).then(|| self.intended[(oldest & (self.slots - 1)) as usize])
    }

    /// The requests from `first` on are posted at `now`.
    #[inline]
    fn intend_from(&mut self, first: u64, now: Instant) {
        for sequence in first..self.posted {
            self.intended[(sequence & (self.slots - 1)) as usize] = now;
        }
    }

    #[inline]
    fn request(&mut self, index: usize, post: Post) -> WorkRequest {
        let sequence = self.posted;
        let slot = sequence & (self.slots - 1);
        self.posted += 1;
        if G::TIMED {
            self.intended[slot as usize] = post.intended;
        }
        self.until_signal -= 1;
        let mut request = self.template;
        request.signal = if self.until_signal == 0 {
            self.until_signal = self.signal_every;
            self.signaled += 1;
            Signal::Signaled
        } else {
            Signal::Unsignaled
        };
        request.id = (index as u64) << SEQUENCE_BITS | sequence;
        request.local.address += slot * self.slot_stride;
        request.remote.address += post.remote_offset;
        request.opcode = match post.operation {
            PostedOperation::Read => Opcode::Read,
            PostedOperation::Write => Opcode::Write,
            PostedOperation::WriteWithImmediate => {
                Opcode::WriteWithImmediate { immediate: sequence as u32 }
            }
            // On an own word the n-th swap finds n and leaves n + 1: every one succeeds, and the
            // word counts them.
            PostedOperation::CompareAndSwap => {
                Opcode::CompareAndSwap { compare: sequence, swap: sequence + 1 }
            }
            PostedOperation::FetchAndAdd => Opcode::FetchAndAdd { add: 1 },
        };
        request
    }
}

#[cfg(test)]
mod tests;
