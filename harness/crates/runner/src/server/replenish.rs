//! What a thread of the server does that only keeps receive requests posted.

use std::{
    hint, mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use onesided_measure::{Clock, Ticks};
use onesided_results::vocabulary::Phase;
use onesided_transport::{
    CompletionKind, CompletionStatus, Endpoint, EndpointAttributes, LocalSegment, PostError,
    ReceiveQueues, ReceiveRequest, WorkCompletion,
};

use crate::{
    data_path::Watch,
    error::RunError,
    fault::DataPathFault,
    thread::{Noted, SelfWatch, Task, pin},
};

/// Longest time that messages which still come are taken in, once the clients are done. Ours.
const LONGEST_SETTLING: Duration = Duration::from_secs(1);

/// Completions that one poll takes at most.
const POLLED: usize = 32;

/// What a thread gives back: its endpoint, what it noted of itself, and what came.
pub(super) type Ended<E> = Result<(E, Noted, Received), RunError>;

/// How many messages came to an endpoint.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// Those of the run's clients, by queue pair.
    pub by_queue_pair: Vec<u64>,
    /// Datagrams of others.
    pub foreign: u64,
}

/// The receive requests of one endpoint.
#[derive(Clone, Debug)]
pub(super) struct Receives {
    /// Of each queue pair what is posted again and again, named by the queue pair's index. Its buffer is where what
    /// is sent lands; writes with immediate need none. In a queue that is shared they are for whichever queue pair
    /// gets a message, and lie there in turn.
    requests: Vec<ReceiveRequest>,
    /// How many a receive queue has.
    depth: usize,
    queues: ReceiveQueues,
    /// Numbers of the queue pairs whose datagrams are the run's, in order.
    senders: Arc<[u32]>,
}

impl Receives {
    /// Of an endpoint, with where messages land, for each queue pair.
    pub(super) fn of(
        attributes: &EndpointAttributes,
        landings: impl Iterator<Item = Option<LocalSegment>>,
    ) -> Self {
        let request = |(id, buffer)| ReceiveRequest { id, buffer };
        Self {
            requests: (0..).zip(landings).map(request).collect(),
            depth: attributes.receive_queue_depth as usize,
            queues: attributes.receive_queues,
            senders: Arc::default(),
        }
    }

    /// The same, of datagrams that these queue pairs send, in order.
    pub(super) fn sent_by(self, senders: &Arc<[u32]>) -> Self {
        Self { senders: Arc::clone(senders), ..self }
    }

    /// Whether a datagram is of a queue pair that takes no part in the run.
    fn is_foreign(&self, completion: &WorkCompletion) -> bool {
        let CompletionKind::Receive { source: Some(source), .. } = completion.kind else {
            return false;
        };
        self.senders.binary_search(&source.get()).is_err()
    }

    /// Fills the receive queues, before the first message.
    pub(super) fn fill<E: Endpoint>(&self, endpoint: &mut E) -> Result<(), RunError> {
        let mut post = |queue_pair, list: &[ReceiveRequest]| {
            // SAFETY: what is sent lands in the region of the run, which outlives its endpoints and which this
            // program looks at through no reference meanwhile.
            unsafe { endpoint.post_receives(queue_pair, list) }
                .map_err(|source| RunError::new(Phase::SetUp, "receive requests", source))
        };
        match self.queues {
            ReceiveQueues::PerQueuePair => {
                let mut each = self.requests.iter().enumerate();
                each.try_for_each(|(queue_pair, request)| {
                    post(queue_pair, &vec![*request; self.depth])
                })
            }
            ReceiveQueues::Shared => {
                let in_turn: Vec<_> =
                    self.requests.iter().copied().cycle().take(self.depth).collect();
                post(0, &in_turn)
            }
        }
    }
}

/// What came to one endpoint, and what is to be posted for it.
struct Replenisher {
    receives: Receives,
    /// Numbers of the queue pairs, in order, each with its index: whose a message is that took a request of a
    /// shared queue, only its completion says.
    numbers: Vec<(u32, usize)>,
    received: Received,
    /// Of each queue pair, requests that were consumed, by the last poll.
    consumed: Vec<usize>,
    list: [ReceiveRequest; POLLED],
}

impl Replenisher {
    fn of(receives: Receives, numbers: &[u32]) -> Self {
        let queue_pairs = receives.requests.len();
        let mut numbers: Vec<_> = numbers.iter().copied().zip(0..).collect();
        numbers.sort_unstable();
        Self {
            receives,
            numbers,
            received: Received { by_queue_pair: vec![0; queue_pairs], foreign: 0 },
            consumed: vec![0; queue_pairs],
            list: [ReceiveRequest { id: 0, buffer: None }; POLLED],
        }
    }

    /// Whose message it is, by index: absent if it is nobody's here.
    fn queue_pair(&self, completion: &WorkCompletion) -> Option<usize> {
        match self.receives.queues {
            ReceiveQueues::PerQueuePair => Some(completion.id as usize),
            ReceiveQueues::Shared => {
                let number = completion.queue_pair_number;
                let at = self.numbers.binary_search_by_key(&number, |(number, _)| *number).ok()?;
                Some(self.numbers[at].1)
            }
        }
    }

    /// Counts what has come.
    fn count(&mut self, completion: &WorkCompletion) -> Result<(), DataPathFault> {
        if completion.status == CompletionStatus::Flushed {
            return Ok(());
        }
        let stale = || DataPathFault::Stale { id: completion.id };
        let index = usize::try_from(completion.id).ok().filter(|&id| id < self.consumed.len());
        let index = index.ok_or_else(stale)?;
        let queue_pair = self.queue_pair(completion).ok_or_else(stale)?;
        let is_receive = matches!(completion.kind, CompletionKind::Receive { .. });
        if completion.status != CompletionStatus::Success || !is_receive {
            let status = completion.status;
            return Err(DataPathFault::Completion { queue_pair, sequence: 0, status });
        }
        // Without bytes and with an immediate it only closes a run: a write with immediate has bytes.
        let closes = matches!(
            completion.kind,
            CompletionKind::Receive { length: 0, immediate: Some(_), .. }
        );
        match self.receives.is_foreign(completion) {
            true => self.received.foreign += 1,
            false => self.received.by_queue_pair[queue_pair] += u64::from(!closes),
        }
        self.consumed[index] += 1;
        Ok(())
    }

    /// Posts a request for each that `completions` consumed, which were counted before: a list for each receive
    /// queue.
    fn post<E: Endpoint>(
        &mut self,
        endpoint: &mut E,
        completions: &[WorkCompletion],
    ) -> Result<(), PostError> {
        let is_shared = self.receives.queues == ReceiveQueues::Shared;
        let mut filled = 0;
        for completion in completions {
            let index = completion.id as usize;
            let count = self.consumed.get_mut(index).map_or(0, mem::take);
            if count == 0 {
                // Posted with an earlier one, or flushed.
                continue;
            }
            self.list[filled..filled + count].fill(self.receives.requests[index]);
            filled += count;
            if !is_shared {
                // SAFETY: as when the queues were filled.
                unsafe { endpoint.post_receives(index, &self.list[..filled])? };
                filled = 0;
            }
        }
        if filled > 0 {
            // SAFETY: as above. Any queue pair names the queue that is shared.
            unsafe { endpoint.post_receives(0, &self.list[..filled])? };
        }
        Ok(())
    }
}

/// Posts receive requests for those that were consumed, a list for each receive queue, until it is stopped; goes
/// on then until nothing has come for a moment, as what was sent last may still be on its way.
pub(super) fn replenish<E: Endpoint>(
    mut task: Task<E>,
    receives: Receives,
    (settling, settles): (Duration, &AtomicBool),
    clock: Clock,
    watch: &Watch<'_>,
) -> Ended<E> {
    pin(task.cpus.as_ref())?;
    let own = SelfWatch::begin(clock);
    let mut completions = [WorkCompletion::EMPTY; POLLED];
    let mut replenisher = Replenisher::of(receives, task.endpoint.queue_pair_numbers());
    let failed = RunError::in_phase(Phase::Measure);
    let settling = clock.ticks_of(settling);
    let longest = clock.ticks_of(LONGEST_SETTLING);
    // When it was stopped, and since when nothing has come.
    let mut stopped = None::<(Ticks, Ticks)>;
    loop {
        // Before the poll: a thread that was not run for a while looks once more.
        let now = clock.now();
        let polled = task.endpoint.poll(&mut completions).map_err(|e| failed(e.into()))?;
        let new = &completions[..polled];
        new.iter().try_for_each(|completion| replenisher.count(completion)).map_err(&failed)?;
        replenisher.post(&mut task.endpoint, new).map_err(|error| failed(error.into()))?;
        if polled == 0 {
            // Without a pause, empty polls slow down whoever writes the completions. Soft-RoCE runs on the
            // sender's CPU: senders then sent 5 % less over UC and UD.
            hint::spin_loop();
        }
        let is_alive = watch.peer.is_alive();
        if !watch.stop.load(Ordering::Acquire) && is_alive {
            continue;
        }
        let (since, quiet) = stopped.get_or_insert((now, now));
        if polled > 0 {
            *quiet = now;
        }
        let passed = |since: Ticks| now.0.saturating_sub(since.0);
        // Longer than not at all: a poll that began before it was stopped may have missed the last.
        let is_quiet = polled == 0 && passed(*quiet) > settling;
        let waits = is_alive && settles.load(Ordering::Relaxed);
        if !waits || is_quiet || passed(*since) >= longest {
            break;
        }
    }
    Ok((task.endpoint, own.end(), replenisher.received))
}

#[cfg(test)]
mod tests;
