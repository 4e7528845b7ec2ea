//! What the test of a back end supplies so that the suite can be run on it.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use onesided_transport::Transport;

/// Why an end could not be opened.
pub type FixtureError = Box<dyn std::error::Error + Send + Sync>;

/// A back end under test.
///
/// The two ends may be the same device opened twice, or two devices that reach each other. Both
/// live in this process, so that the suite can look at the memory of either; or the server's lives
/// in another one ([`crate::far`]), which then has a [`Fixture::reach`].
pub trait Fixture: Send + Sync + 'static {
    /// The back end.
    type Transport: Transport;

    /// Opens the end that starts most operations. Called once for each property.
    ///
    /// # Errors
    /// Why it cannot be opened; the property then fails.
    fn client(&self) -> Result<Self::Transport, FixtureError>;

    /// Opens the end whose memory most operations reach.
    ///
    /// # Errors
    /// As [`Fixture::client`].
    fn server(&self) -> Result<Self::Transport, FixtureError>;

    /// How to look at the server's memory where it is another process's.
    fn reach(&self) -> Option<Arc<dyn Reach>> {
        None
    }

    /// How long to poll for what must come.
    fn patience(&self) -> Patience;

    /// How long to poll for what must not come. Added to many properties: keep it short.
    fn settling(&self) -> Patience;

    /// By when a property must have ended, by the wall clock, whatever its waits do: the bound on
    /// a call of the back end that never returns.
    fn time_limit(&self) -> Duration {
        Duration::from_secs(30)
    }

    /// The reason why the back end does not offer a capability; `None` where it does. Atomics,
    /// services and shared receive queues that the device's description denies need not be said here.
    fn lacks(&self, capability: Capability) -> Option<String> {
        let _ = capability;
        None
    }

    /// Whether messages of unreliable services may get lost now and then though nobody asks for it. Only then is
    /// a property that needs them to arrive tried again where a loss explains what it saw.
    fn may_lose_messages(&self) -> bool {
        false
    }

    /// Known defects below the back end; each skips one property, over one kind of connections.
    fn quirks(&self) -> Vec<Quirk> {
        Vec::new()
    }

    /// The GID table index to use on both ends; `None` lets [`onesided_transport::gid::choose`]
    /// do it.
    fn gid_index(&self) -> Option<u32> {
        None
    }
}

/// Memory of another process, named by places in this one: by the addresses that were handed to
/// [`Transport::register`], and those of the margin of [`crate::MARGIN_BYTES`] on either side.
pub trait Reach: Send + Sync {
    /// Writes there, as that process's CPU does.
    fn put(&self, place: u64, bytes: &[u8]);

    /// Reads there, as that process's CPU does.
    fn get(&self, place: u64, length: usize) -> Vec<u8>;

    /// The address there.
    fn address(&self, place: u64) -> u64;
}

/// What a back end may lack without breaking the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// Compare-and-swap and fetch-and-add.
    Atomics,
    /// Writes that hand 32 bits to a receive request.
    WriteWithImmediate,
    /// Sends into the buffers of receive requests.
    Send,
    /// Queue pairs of unreliable connections.
    UnreliableConnection,
    /// Queue pairs of unreliable datagrams.
    UnreliableDatagram,
    /// Datagrams of one endpoint to the queue pairs of several devices.
    DatagramsToSeveralDevices,
    /// One receive queue of several reliable connections.
    SharedReceives,
    /// One receive queue of several unreliable connections.
    SharedReceivesOfUnreliableConnections,
    /// One receive queue of several queue pairs of datagrams.
    SharedReceivesOfDatagrams,
    /// Payloads that the post itself copies.
    Inline,
    /// Endpoints that several threads drive at the same time.
    Threads,
    /// A peer that goes away, noticed by retries that run out.
    PeerLoss,
    /// Messages of unreliable services that arrive, but for one now and then: none is lost on purpose.
    UnreliableArrival,
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Atomics => "atomics",
            Self::WriteWithImmediate => "write with immediate",
            Self::Send => "send",
            Self::UnreliableConnection => "unreliable connections",
            Self::UnreliableDatagram => "unreliable datagrams",
            Self::DatagramsToSeveralDevices => "datagrams to several devices",
            Self::SharedReceives => "shared receive queues",
            Self::SharedReceivesOfUnreliableConnections => {
                "shared receive queues of unreliable connections"
            }
            Self::SharedReceivesOfDatagrams => "shared receive queues of datagrams",
            Self::Inline => "inline payloads",
            Self::Threads => "several threads",
            Self::PeerLoss => "loss of the peer",
            Self::UnreliableArrival => "arrival of unreliable messages",
        })
    }
}

/// A defect below the back end, in a kernel, a provider or a device, that breaks one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quirk {
    /// A short name to refer to it.
    pub name: &'static str,
    /// The property that cannot hold, by its full name: over unreliable connections it has another one.
    pub property: &'static str,
    /// What is seen instead, and where the defect is.
    pub reason: String,
}

/// How long a wait lasts before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Until this much time has passed: back ends that work by themselves.
    WallClock(Duration),
    /// For this many polls: back ends whose polls advance a time of their own. The suite polls the
    /// end that posted before it polls the other.
    Steps(u64),
}

impl Patience {
    /// Starts a wait.
    pub(crate) fn start(self) -> Wait {
        match self {
            Self::WallClock(limit) => Wait::Until(Instant::now() + limit),
            Self::Steps(left) => Wait::Steps(left),
        }
    }
}

/// Whether a wait goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Poll again.
    On,
    /// Give up.
    Over,
}

/// A wait in progress.
pub(crate) enum Wait {
    Until(Instant),
    Steps(u64),
}

impl Wait {
    /// Called after each poll that found nothing. Yields, because a back end in software may
    /// need this very CPU to get on.
    pub(crate) fn after_empty_poll(&mut self) -> Waiting {
        match self {
            Self::Until(end) if Instant::now() >= *end => Waiting::Over,
            Self::Steps(0) => Waiting::Over,
            Self::Until(_) => {
                std::thread::yield_now();
                Waiting::On
            }
            Self::Steps(left) => {
                *left -= 1;
                Waiting::On
            }
        }
    }
}
