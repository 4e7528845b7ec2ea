//! The server's own threads during a run, one an endpoint; most runs need none.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use onesided_control::PeerState;
use onesided_measure::{Clock, Ticks};
use onesided_placement::CpuSet;
use onesided_plan::ThreadShare;
use onesided_results::{RunConfiguration, vocabulary::Phase};
use onesided_transport::{
    CompletionKind, CompletionStatus, Endpoint, LocalSegment, ReceiveRequest, WorkCompletion,
};

use crate::{
    data_path::Watch,
    error::RunError,
    fault::DataPathFault,
    ping_pong::Slots,
    plan,
    thread::{Noted, SelfWatch, Task, answer, pin},
};

/// Longest wait for the completion of an answer that the client has already seen.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time that a message may be under way after the last one. Ours: long for a network, and for a card in
/// software on a busy host.
const SETTLING: Duration = Duration::from_millis(50);

/// Longest time that messages which still come are taken in, once the clients are done. Ours.
const LONGEST_SETTLING: Duration = Duration::from_secs(1);

/// Completions that one poll takes at most.
const POLLED: usize = 32;

/// What the server's threads do.
pub(super) enum Role {
    /// Answer each write by a write, each send by a send; one set of slots an endpoint.
    PingPong(Vec<Slots>),
    /// Keep receive requests posted.
    Replenish {
        /// Receive requests per queue pair.
        depth: u32,
        /// Of each queue pair of each endpoint what is posted again and again, named by the queue pair's index
        /// there. Its buffer is where what is sent lands; writes with immediate need none.
        receives: Vec<Vec<ReceiveRequest>>,
        /// Time without a message after which, the clients being done, no more are expected.
        settling: Duration,
    },
}

impl Role {
    /// Keeps as many posted as a run needs. Sends land at `landings`, one of each queue pair of the run;
    /// without these they are writes with immediate.
    pub(super) fn replenish(configuration: &RunConfiguration, landings: Vec<LocalSegment>) -> Self {
        let shares =
            ThreadShare::deal(configuration.queue_pairs as usize, configuration.threads as usize);
        let of = |share: ThreadShare| {
            let landing = |queue_pair| landings.get(queue_pair).copied();
            let receive = |(id, queue_pair)| ReceiveRequest { id, buffer: landing(queue_pair) };
            (0..).zip(share.queue_pairs).map(receive).collect()
        };
        let depth = plan::receives(configuration);
        // What a reliable connection has told its sender of has arrived.
        let settling = if configuration.service.is_reliable() { Duration::ZERO } else { SETTLING };
        Self::Replenish { depth, receives: shares.into_iter().map(of).collect(), settling }
    }
}

/// What one thread does.
enum Work {
    PingPong(Slots),
    /// With what is posted again and again to each of its queue pairs, and the time without a message after
    /// which, the clients being done, no more are expected.
    Replenish(Vec<ReceiveRequest>, Duration),
}

/// What a thread gives back: its endpoint, what it noted of itself, and how many messages it received.
type Ended<E> = Result<(E, Noted, u64), RunError>;

/// What threads that have ended give back.
pub(super) struct Stopped<E> {
    pub endpoints: Vec<E>,
    pub noted: Vec<Noted>,
    /// Messages that receive requests took.
    pub received: u64,
}

/// The threads, until they are stopped.
pub(super) struct Responder<E> {
    stop: Arc<AtomicBool>,
    /// Whether what is still under way is waited for: not of a run that is given up.
    settles: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Ended<E>>>,
}

impl<E: Endpoint + 'static> Responder<E> {
    /// Starts one thread an endpoint.
    pub(super) fn start(
        role: Role,
        endpoints: Vec<E>,
        pins: Vec<Option<CpuSet>>,
        clock: Clock,
        peer: PeerState,
    ) -> Result<Self, RunError> {
        // Made first: should a later thread not start, its drop ends the earlier ones.
        let (stop, settles) = (Arc::default(), Arc::default());
        let mut responder = Self { stop, settles, threads: Vec::new() };
        for (index, (mut endpoint, cpus)) in endpoints.into_iter().zip(pins).enumerate() {
            let work = match &role {
                Role::PingPong(slots) => {
                    // SAFETY: the slots are in the server's region, which outlives the run's threads, and are
                    // of this queue pair alone.
                    unsafe { slots[index].fill(&mut endpoint) }.map_err(|source| {
                        RunError::new(Phase::SetUp, "receive requests", source)
                    })?;
                    Work::PingPong(slots[index])
                }
                Role::Replenish { depth, receives, settling } => {
                    fill_receive_queues(&mut endpoint, *depth, &receives[index])?;
                    Work::Replenish(receives[index].clone(), *settling)
                }
            };
            let (stop, peer) = (Arc::clone(&responder.stop), peer.clone());
            let settles = Arc::clone(&responder.settles);
            let body = move || {
                let patience = clock.ticks_of(PATIENCE);
                let watch = Watch { stop: &stop, peer: &peer, patience };
                let task = Task { endpoint, cpus, lanes: Vec::new() };
                match work {
                    Work::PingPong(slots) => answer(task, slots, clock, &watch)
                        .map(|(endpoint, noted)| (endpoint, noted, 0)),
                    Work::Replenish(receives, settling) => {
                        let settling = (settling, &*settles);
                        replenish(task, &receives, settling, clock, &watch)
                    }
                }
            };
            let named = std::thread::Builder::new().name(format!("server-{index}"));
            let thread = named.spawn(body).map_err(|source| {
                RunError::new(Phase::SetUp, "cannot start a server thread", source)
            })?;
            responder.threads.push(thread);
        }
        Ok(responder)
    }

    /// Stops the threads; returns what they give back.
    pub(super) fn stop(mut self) -> Result<Stopped<E>, RunError> {
        self.settles.store(true, Ordering::Relaxed);
        // After it: a thread that sees this sees that, too.
        self.stop.store(true, Ordering::Release);
        // All of them have ended before the first failure is told: they use the run's memory.
        let ended: Vec<_> = self.threads.drain(..).map(JoinHandle::join).collect();
        let ended: Result<Vec<_>, RunError> = ended
            .into_iter()
            .map(|thread| thread.expect("a server thread does not panic"))
            .collect();
        let mut stopped = Stopped { endpoints: Vec::new(), noted: Vec::new(), received: 0 };
        for (endpoint, noted, received) in ended? {
            stopped.endpoints.push(endpoint);
            stopped.noted.push(noted);
            stopped.received += received;
        }
        Ok(stopped)
    }
}

impl<E> Drop for Responder<E> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // The run is given up: what its threads would say does not matter any more.
            let _ = thread.join();
        }
    }
}

fn fill_receive_queues<E: Endpoint>(
    endpoint: &mut E,
    depth: u32,
    receives: &[ReceiveRequest],
) -> Result<(), RunError> {
    for (queue_pair, receive) in receives.iter().enumerate() {
        // SAFETY: what is sent lands in the region of the run, which outlives its endpoints and which this
        // program looks at through no reference meanwhile.
        unsafe { endpoint.post_receives(queue_pair, &vec![*receive; depth as usize]) }
            .map_err(|source| RunError::new(Phase::SetUp, "receive requests", source))?;
    }
    Ok(())
}

/// Posts receive requests for those that were consumed, a list for each queue pair, until it is stopped; goes
/// on then until nothing has come for a moment, as what was sent last may still be on its way.
fn replenish<E: Endpoint>(
    mut task: Task<E>,
    receives: &[ReceiveRequest],
    (settling, settles): (Duration, &AtomicBool),
    clock: Clock,
    watch: &Watch<'_>,
) -> Ended<E> {
    pin(task.cpus.as_ref())?;
    let own = SelfWatch::begin(clock);
    let mut completions = [WorkCompletion::EMPTY; POLLED];
    let mut list = [ReceiveRequest { id: 0, buffer: None }; POLLED];
    // Of each queue pair, by the last poll.
    let mut consumed = vec![0; receives.len()];
    let failed = RunError::in_phase(Phase::Measure);
    let settling = clock.ticks_of(settling);
    let longest = clock.ticks_of(LONGEST_SETTLING);
    let mut received = 0;
    // When it was stopped, and since when nothing has come.
    let mut stopped = None::<(Ticks, Ticks)>;
    loop {
        // Before the poll: a thread that was not run for a while looks once more.
        let now = clock.now();
        let polled = task.endpoint.poll(&mut completions).map_err(|e| failed(e.into()))?;
        for completion in &completions[..polled] {
            if completion.status == CompletionStatus::Flushed {
                continue;
            }
            let is_receive = matches!(completion.kind, CompletionKind::Receive { .. });
            if completion.status != CompletionStatus::Success || !is_receive {
                return Err(failed(DataPathFault::Completion {
                    queue_pair: completion.id as usize,
                    sequence: 0,
                    status: completion.status,
                }));
            }
            // A message without bytes only closes a run.
            let is_message = matches!(completion.kind, CompletionKind::Receive { length: 1.., .. });
            received += u64::from(is_message);
            consumed[completion.id as usize] += 1;
        }
        for completion in &completions[..polled] {
            let queue_pair = completion.id as usize;
            let count = consumed.get_mut(queue_pair).map_or(0, mem::take);
            if count == 0 {
                // Posted with an earlier one, or flushed.
                continue;
            }
            let list = &mut list[..count];
            list.fill(receives[queue_pair]);
            // SAFETY: as when the queues were filled.
            unsafe { task.endpoint.post_receives(queue_pair, list) }
                .map_err(|error| failed(error.into()))?;
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
        let is_quiet = polled == 0 && passed(*quiet) >= settling;
        let waits = settling > 0 && is_alive && settles.load(Ordering::Relaxed);
        if !waits || is_quiet || passed(*since) >= longest {
            break;
        }
    }
    Ok((task.endpoint, own.end(), received))
}
