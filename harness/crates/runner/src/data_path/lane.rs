//! One queue pair of a thread: what it posts next, and what it has in flight.

use onesided_load::{Generator, Instant, Next, Post, PostedOperation};
use onesided_measure::Ticks;
use onesided_transport::{Destination, Opcode, Signal, WorkRequest};

/// Bits of a work request's id that hold its sequence number; the lane is above them.
const SEQUENCE_BITS: u32 = 48;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// What the datagram hands over that closes a run. That it hands over anything is what counts.
const CLOSING_IMMEDIATE: u32 = 0;

/// The lane and the sequence number of a work request, from its id.
#[inline]
pub(super) fn origin(id: u64) -> (usize, u64) {
    ((id >> SEQUENCE_BITS) as usize, id & SEQUENCE_MASK)
}

/// Where the operands of one queue pair are, and how it signals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlan {
    /// The first local slot, the keys, the remote base, the payload; opcode and id are set on
    /// each post.
    pub template: WorkRequest,
    /// Requests that may be in flight, at least; a power of two. Each has a local slot.
    pub slots: u64,
    /// Bytes from one local slot to the next; none where they are the same.
    pub slot_stride: u64,
    /// Every so many requests one is signaled.
    pub signal_every: u32,
    /// Operations of this queue pair in all; absent without a limit. The last one is signaled, too.
    pub limit: Option<u64>,
    /// Of datagrams: where they go.
    pub destination: Option<Destination>,
    /// What closes the run.
    pub closing: PostedOperation,
}

/// The generator of one queue pair, its requests and what is in flight.
pub(super) struct Lane<G> {
    pub(super) generator: G,
    /// Number of its queue pair, in a completion.
    queue_pair_number: u32,
    signal_every: u32,
    /// Operations of this queue pair in all.
    limit: u64,
    /// Requests from the last signal to the next: fewer than `signal_every` at the end of the load.
    signal_interval: u32,
    /// How many of these are still to be posted.
    until_signal: u32,
    /// Low bits of a sequence number that choose the slot: local slots are used in turn.
    slot_mask: u64,
    slot_stride: u64,
    /// Address of the first local slot, and of the remote region.
    local: u64,
    remote: u64,
    destination: Option<Destination>,
    closed_by: PostedOperation,
    /// Id of the request of sequence number 0.
    first_id: u64,
    pub(super) posted: u64,
    pub(super) completed: u64,
    pub(super) signaled: u64,
    pub(super) reported: u64,
    /// Requests that only close the run, and are no operations of the load.
    pub(super) closing: u64,
    pub(super) finished: bool,
    /// When the latency of a request counts from, by its slot. Of a load that follows its
    /// completions only signaled requests have one: no other is ever asked for.
    intended: Box<[Instant]>,
    /// Requests behind one doorbell. What no request varies is filled in once.
    list: Box<[WorkRequest]>,
}

/// The next list of a lane.
#[derive(Clone, Copy)]
pub(super) struct Filled {
    /// Requests in it.
    pub requests: usize,
    /// Whether any of them is signaled.
    pub signaled: bool,
    /// Whether there was room for more, but the generator wanted no more.
    pub is_partial: bool,
}

impl<G: Generator> Lane<G> {
    /// The lane of this index in its thread.
    pub(super) fn new(
        generator: G,
        plan: &LanePlan,
        index: usize,
        queue_pair_number: u32,
        post_list: usize,
    ) -> Self {
        assert!(plan.slots.is_power_of_two(), "slots are addressed by the low bits of a sequence");
        let limit = plan.limit.unwrap_or(u64::MAX);
        let signal_interval = next_interval(plan.signal_every, limit);
        Self {
            generator,
            queue_pair_number,
            signal_every: plan.signal_every,
            limit,
            signal_interval,
            until_signal: signal_interval,
            slot_mask: plan.slots - 1,
            slot_stride: plan.slot_stride,
            local: plan.template.local.address,
            remote: plan.template.remote.address,
            destination: plan.destination,
            closed_by: plan.closing,
            first_id: (index as u64) << SEQUENCE_BITS,
            posted: 0,
            completed: 0,
            signaled: 0,
            reported: 0,
            closing: 0,
            finished: false,
            intended: vec![Instant(0); plan.slots as usize].into_boxed_slice(),
            list: vec![plan.template; post_list].into_boxed_slice(),
        }
    }

    /// Fills the list with what the generator wants at `now`.
    #[inline]
    pub(super) fn fill(&mut self, now: Instant) -> Filled {
        let signaled = self.signaled;
        let mut requests = 0;
        while requests < self.list.len() {
            match self.generator.next(now) {
                Next::Post(post) => self.put(requests, post),
                Next::Finished => {
                    self.finished = true;
                    break;
                }
                Next::WaitUntil(_) | Next::WaitForCompletion => break,
            }
            requests += 1;
        }
        let is_partial = requests < self.list.len();
        Filled { requests, signaled: self.signaled != signaled, is_partial }
    }

    /// The first `requests` of the list, as they were filled in.
    #[inline]
    pub(super) fn list(&self, requests: usize) -> &[WorkRequest] {
        &self.list[..requests]
    }

    /// A list of one signaled request that touches no memory and closes the run.
    pub(super) fn fill_closing(&mut self, now: Instant) -> &[WorkRequest] {
        self.until_signal = 1;
        self.closing += 1;
        // What has the slot may be in flight, and keeps its time.
        let slot = (self.posted & self.slot_mask) as usize;
        let intended = self.intended[slot];
        self.put(0, Post { operation: self.closed_by, remote_offset: 0, intended: now });
        self.intended[slot] = intended;
        self.list[0].local.length = 0;
        if let Opcode::Datagram { immediate, .. } = &mut self.list[0].opcode {
            // Who receives it tells it apart from an empty message.
            *immediate = Some(CLOSING_IMMEDIATE);
        }
        &self.list[..1]
    }

    /// The latencies of the last `requests` requests count from `now`.
    #[inline]
    pub(super) fn intend(&mut self, requests: usize, now: Instant) {
        for sequence in self.posted - requests as u64..self.posted {
            self.intended[(sequence & self.slot_mask) as usize] = now;
        }
    }

    /// When the latency of a request in flight counts from.
    #[inline]
    pub(super) fn intended(&self, sequence: u64) -> Instant {
        self.intended[(sequence & self.slot_mask) as usize]
    }

    /// How long a request that is reported at `now` took, in ticks; absent for what is no operation
    /// of the load.
    pub(super) fn latency(&self, sequence: u64, now: Ticks) -> Option<u64> {
        let is_closing = sequence >= self.posted - self.closing;
        (!is_closing).then(|| now.0.saturating_sub(self.intended(sequence).0))
    }

    /// From when the latency of the oldest request counts that is signaled and not reported.
    pub(super) fn awaited_since(&self) -> Option<Instant> {
        // What is complete ends with a signaled request.
        let left = self.limit.saturating_sub(self.completed);
        let oldest = self.completed + u64::from(next_interval(self.signal_every, left)) - 1;
        (oldest < self.posted).then(|| self.intended(oldest))
    }

    /// Whether the last request is not known complete by a signal of its own.
    pub(super) fn has_unsignaled_tail(&self) -> bool {
        self.until_signal != self.signal_interval && self.posted != self.completed
    }

    /// Notes the completion of a request. Returns the operations that it proves complete; absent
    /// where no such request was in flight on this queue pair.
    #[inline]
    pub(super) fn settle(&mut self, sequence: u64, queue_pair_number: u32) -> Option<u32> {
        let in_flight = sequence >= self.completed && sequence < self.posted;
        if !in_flight || queue_pair_number != self.queue_pair_number {
            return None;
        }
        let operations = (sequence + 1 - self.completed) as u32;
        self.completed = sequence + 1;
        self.reported += 1;
        Some(operations)
    }

    /// Makes the next request, at a place of the list.
    #[inline]
    fn put(&mut self, place: usize, post: Post) {
        let sequence = self.posted;
        let slot = sequence & self.slot_mask;
        self.posted += 1;
        if G::TIMED {
            self.intended[slot as usize] = post.intended;
        }
        self.until_signal -= 1;
        let request = &mut self.list[place];
        request.signal = if self.until_signal == 0 {
            let left = self.limit.saturating_sub(self.posted);
            self.signal_interval = next_interval(self.signal_every, left);
            self.until_signal = self.signal_interval;
            self.signaled += 1;
            Signal::Signaled
        } else {
            Signal::Unsignaled
        };
        request.id = self.first_id | sequence;
        request.local.address = self.local + slot * self.slot_stride;
        request.remote.address = self.remote + post.remote_offset;
        request.opcode = opcode(post.operation, sequence, self.destination);
    }
}

/// How many requests the next signal is for, where `left` are left of the load. Where none is, any number
/// but 0 will do: nothing more is posted.
#[inline]
fn next_interval(signal_every: u32, left: u64) -> u32 {
    match left {
        0 => signal_every,
        left => u64::from(signal_every).min(left) as u32,
    }
}

/// The opcode of the request with a sequence number, with its operands.
#[inline]
fn opcode(operation: PostedOperation, sequence: u64, destination: Option<Destination>) -> Opcode {
    match operation {
        PostedOperation::Read => Opcode::Read,
        PostedOperation::Write => Opcode::Write,
        PostedOperation::WriteWithImmediate => {
            Opcode::WriteWithImmediate { immediate: sequence as u32 }
        }
        PostedOperation::Send => match destination {
            None => Opcode::Send { immediate: None },
            Some(destination) => Opcode::Datagram { destination, immediate: None },
        },
        // On an own word the n-th swap finds n and leaves n + 1: every one succeeds, and the word
        // counts them.
        PostedOperation::CompareAndSwap => {
            Opcode::CompareAndSwap { compare: sequence, swap: sequence + 1 }
        }
        PostedOperation::FetchAndAdd => Opcode::FetchAndAdd { add: 1 },
    }
}
