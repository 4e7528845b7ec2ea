//! The server's own threads during a run, one an endpoint; most runs need none.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use onesided_control::PeerState;
use onesided_measure::Clock;
use onesided_placement::CpuSet;
use onesided_plan::ThreadShare;
use onesided_results::{RunConfiguration, vocabulary::Phase};
use onesided_transport::{Endpoint, LocalSegment};

use super::replenish::{Ended, Received, Receives, replenish};
use crate::{
    data_path::Watch,
    error::RunError,
    ping_pong::Slots,
    plan,
    thread::{Noted, Task, answer},
};

/// Longest wait for the completion of an answer that the client has already seen.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time that a message may be under way after the last one. Ours: long for a network, and for a card in
/// software on a busy host.
const SETTLING: Duration = Duration::from_millis(50);

/// What the server's threads do.
pub(super) enum Role {
    /// Answer each write by a write, each send by a send; one set of slots an endpoint.
    PingPong(Vec<Slots>),
    /// Keep receive requests posted, those of each endpoint.
    Replenish {
        /// Of each endpoint.
        receives: Vec<Receives>,
        /// Time without a message after which, the clients being done, no more are expected.
        settling: Duration,
    },
}

impl Role {
    /// Keeps as many posted as a run needs. Sends land at `landings`, one of each queue pair of the run;
    /// without these they are writes with immediate.
    /// Datagrams of the run are those of `senders`.
    pub(super) fn replenish(
        configuration: &RunConfiguration,
        landings: Vec<LocalSegment>,
        mut senders: Vec<u32>,
    ) -> Self {
        senders.sort_unstable();
        let senders = Arc::from(senders);
        let shares =
            ThreadShare::deal(configuration.queue_pairs as usize, configuration.threads as usize);
        let of = |share: ThreadShare| {
            let landing = |queue_pair| landings.get(queue_pair).copied();
            let attributes = plan::server_endpoint(configuration, share.queue_pairs.len());
            Receives::of(&attributes, share.queue_pairs.map(landing)).sent_by(&senders)
        };
        // What a reliable connection has told its sender of has arrived.
        let settling = if configuration.service.is_reliable() { Duration::ZERO } else { SETTLING };
        Self::Replenish { receives: shares.into_iter().map(of).collect(), settling }
    }
}

/// What one thread does.
enum Work {
    PingPong(Slots),
    /// With what it keeps posted, and the time without a message after which, the clients being done, no more
    /// are expected.
    Replenish(Receives, Duration),
}

/// What threads that have ended give back.
pub(super) struct Stopped<E> {
    pub endpoints: Vec<E>,
    pub noted: Vec<Noted>,
    /// Messages that receive requests took, by queue pair; none of ping-pongs.
    pub received: Received,
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
                Role::Replenish { receives, settling } => {
                    receives[index].fill(&mut endpoint)?;
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
                        .map(|(endpoint, noted)| (endpoint, noted, Received::default())),
                    Work::Replenish(receives, settling) => {
                        let settling = (settling, &*settles);
                        replenish(task, receives, settling, clock, &watch)
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
        let mut stopped =
            Stopped { endpoints: Vec::new(), noted: Vec::new(), received: Received::default() };
        for (endpoint, noted, received) in ended? {
            stopped.endpoints.push(endpoint);
            stopped.noted.push(noted);
            stopped.received.by_queue_pair.extend(received.by_queue_pair);
            stopped.received.foreign += received.foreign;
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
