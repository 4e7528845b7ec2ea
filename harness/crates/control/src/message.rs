//! What server and client say to each other about a run, in the order in which they say it.
//!
//! ```text
//!   client                                            server
//!     | -- Prepare: configuration, device, limits -->   |  allocates, registers, proves
//!     | <-- Prepared: region, addresses, proofs ------  |
//!     | -- Connect: addresses, buffers ------------->   |  connects, starts its threads
//!     | <-- Connected --------------------------------  |
//!     |          ( one-sided operations )               |
//!     | -- Finish: operations done ------------------>  |  stops, proves again, verifies
//!     | <-- Finished: proofs, counters, verification -- |
//! ```
//!
//! Instead of any answer the server may say [`ServerMessage::Failed`]; instead of any request the
//! client may say [`ClientMessage::Abandon`]. Both leave the channel usable for the next run: the
//! client abandons what failed, too, and waits for [`ServerMessage::Abandoned`], because an answer to
//! the failed run may still be on its way.
//!
//! Where several client hosts take part, more is said in between: see [`Participation`] and what is
//! around it.

mod further;

pub use further::{CountedQueuePair, Joining, PartFinished, Participation, TogetherFinished};

use onesided_results::{
    RunConfiguration,
    record::{
        CacheRecord, CounterRecord, DirectIoRecord, HostLoadRecord, PlacementProof, SideRecord,
        ThreadProof, VerificationRecord,
    },
    series::LoadCount,
    vocabulary::ThreadRole,
};
use onesided_transport::{DeviceDescription, EndpointAddress, Negotiated, RemoteMemory};
use serde::{Deserialize, Serialize};

/// What a client says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientMessage {
    /// Make ready for a run.
    Prepare(Box<Preparation>),
    /// Connect to these.
    Connect(Connection),
    /// The client is done; verify and release.
    Finish(Completed),
    /// The run failed on the client's side; release.
    Abandon {
        /// Why, for the server's log.
        reason: String,
    },
    /// This is a further client host: it takes part in runs that another client asks for.
    Join(Box<Joining>),
    /// Of a further client host: what its threads of this run are pinned to.
    Pinned(PinnedClient),
    /// What this host's clock shows.
    Clock {
        /// `CLOCK_MONOTONIC_RAW` (clock_gettime(2)).
        raw_ns: u64,
    },
    /// Every thread of this host is pinned and waits for the start.
    Met,
    /// Of a further client host: it is done, and this is what it did.
    PartFinished(Box<PartFinished>),
    /// Of a further client host, after [`Self::PartFinished`] and for each of its queue pairs.
    Counted(Box<CountedQueuePair>),
    /// Of a further client host: it cannot go on with the run.
    PartFailed {
        /// The phase it failed in.
        phase: String,
        /// Why, and what to do.
        message: String,
    },
    /// Of a further client host: the run that was abandoned holds nothing any more.
    PartAbandoned,
}

impl ClientMessage {
    /// Its kind, for messages about it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Prepare(_) => "prepare",
            Self::Connect(_) => "connect",
            Self::Finish(_) => "finish",
            Self::Abandon { .. } => "abandon",
            Self::Join(_) => "join",
            Self::Pinned(_) => "pinned",
            Self::Clock { .. } => "clock",
            Self::Met => "met",
            Self::PartFinished(_) => "part-finished",
            Self::Counted(_) => "counted",
            Self::PartFailed { .. } => "part-failed",
            Self::PartAbandoned => "part-abandoned",
        }
    }
}

/// A run to be made ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Preparation {
    /// The whole configuration; the server checks it as the client did.
    pub configuration: RunConfiguration,
    /// The client machine's name.
    pub host: String,
    /// The client's device, with its limits and GID table.
    pub device: DeviceDescription,
    /// Which machine the client is on, and what its threads there are pinned to.
    pub pinned: PinnedClient,
    /// What the run is a part of; absent where the client keeps no other measurement out.
    pub measurement: Option<Measurement>,
}

/// Everything that a client asks for, from its start to its end: on each host it is the only one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// Who measures, in words that are no other measurement's.
    pub words: String,
    /// Whether it is measured beside whatever else is, and runs are marked.
    pub beside: bool,
}

/// Where a client's threads are pinned, so that a server or another client host on the same machine
/// pins elsewhere.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PinnedClient {
    /// The machine's name for this boot (`/proc/sys/kernel/random/boot_id`); absent if it does not
    /// tell.
    pub boot_id: Option<String>,
    /// CPUs that threads are pinned to, by number.
    pub cpus: Vec<u32>,
}

/// The client's ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Connection {
    /// One a thread of this client host.
    pub endpoints: Vec<EndpointAddress>,
    /// Where a ping-pong's server writes to, unused by one that sends; absent for other loops.
    pub arrivals: Option<RemoteMemory>,
}

/// What the client counted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Completed {
    /// Operations of the load that completed on the region, warm-up and drain included.
    pub operations: u64,
    /// Time from the arrival of [`ServerMessage::Connected`] to the sending of this message.
    pub since_connected_ns: u64,
    /// Time from the start of the measured interval to the sending of this message.
    pub since_start_ns: u64,
    /// By how much the warm-up began after the instant that was named; 0 where none was.
    pub late_ns: u64,
}

/// What a server says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerMessage {
    /// The region is there and proven.
    Prepared(Box<Prepared>),
    /// Every queue pair is connected.
    Connected,
    /// The run is over and its resources are released.
    Finished(Box<Finished>),
    /// It could not be done.
    Failed {
        /// The phase it failed in.
        phase: String,
        /// Why, and what to do.
        message: String,
    },
    /// The client gave the run up and its resources are released. What was said before this was
    /// about that run.
    Abandoned,
    /// To a further client host: take this part of a run.
    Participate(Box<Participation>),
    /// What does your clock show?
    ReadClock,
    /// The clocks have been read: start the threads and let them meet.
    Gather,
    /// The warm-up begins at this instant.
    Start {
        /// By the receiver's own `CLOCK_MONOTONIC_RAW` (clock_gettime(2)).
        at_raw_ns: u64,
    },
    /// Operations of a further client host's queue pair, before [`Self::Finished`].
    Counted(Box<CountedQueuePair>),
    /// To a further client host: the run is given up; release, and say so.
    AbandonPart {
        /// Why.
        reason: String,
    },
    /// To a further client host: the run is over.
    PartOver,
}

/// The server's side of a run that is ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The region.
    pub region: RemoteMemory,
    /// Where the server's own queue pairs are, one endpoint a thread of this client host.
    pub endpoints: Vec<EndpointAddress>,
    /// What the connection will use.
    pub negotiated: Negotiated,
    /// The server's device, with its limits and GID table.
    pub device: DeviceDescription,
    /// The server's side so far: machine, device, choices, where its pages are now.
    pub side: SideRecord,
}

/// What the server's side of a run that is over adds to what [`Prepared`] told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finished {
    /// Where its pages are now.
    pub placement: Vec<PlacementProof>,
    /// Where its threads were seen.
    pub threads: Vec<ThreadProof>,
    /// The device's counters around the run.
    pub counters: CounterRecord,
    /// Who else measured on the server's machine meanwhile; absent if nobody did.
    pub measured_beside: Option<String>,
    /// What the region's content says.
    pub verification: Verification,
    /// What becomes `messages_received` of the record.
    pub received: Option<u64>,
    /// Datagrams that took receive requests, too, and that no client of the run sent.
    pub foreign_datagrams: u64,
    /// What the server's own threads did to memory; absent without any.
    pub load: Option<HostLoadRecord>,
    /// The same, window by window.
    pub load_series: Vec<LoadSeries>,
    /// What was done to the caches; absent if nothing was.
    pub caches: Option<CacheRecord>,
    /// Whether the card wrote into the cache.
    pub direct_io: Option<DirectIoRecord>,
    /// What the other client hosts did; absent without any.
    pub together: Option<TogetherFinished>,
}

/// Accesses of one of the server's own threads, window by window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadSeries {
    /// What the thread is for.
    pub role: ThreadRole,
    /// Index among the threads of its role.
    pub thread: u32,
    /// Start of its first window, counted from the start of the measured interval.
    pub starts_ns: i64,
    /// Length of its windows.
    pub window_ns: u64,
    /// Accesses in each.
    pub accesses: Vec<u64>,
}

impl LoadSeries {
    /// The rows that are written down.
    pub fn rows(&self) -> impl Iterator<Item = LoadCount> {
        self.accesses.iter().zip(0..).map(|(&accesses, window)| LoadCount {
            role: self.role,
            worker: self.thread,
            window,
            start_ns: self
                .starts_ns
                .saturating_add(i64::from(window).saturating_mul(self.window_ns as i64)),
            accesses,
        })
    }
}

impl Finished {
    /// Completes the server's side of the record.
    pub fn complete(self, side: &mut SideRecord) -> Verification {
        side.placement.extend(self.placement);
        side.threads = self.threads;
        side.counters = self.counters;
        side.measured_beside = self.measured_beside;
        side.load = self.load;
        side.caches = self.caches;
        side.direct_io = self.direct_io;
        self.verification
    }
}

/// Whether memory holds what the operations should have left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// It was compared.
    Checked(VerificationRecord),
    /// The content does not tell for this operation and pattern.
    NotApplicable {
        /// Why.
        why: String,
    },
}
