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

use onesided_results::{
    RunConfiguration,
    record::{CounterRecord, PlacementProof, SideRecord, ThreadProof, VerificationRecord},
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
}

/// A run to be made ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Preparation {
    /// The whole configuration; the server checks it as the client did.
    pub configuration: RunConfiguration,
    /// The client's device, with its limits and GID table.
    pub device: DeviceDescription,
}

/// The client's ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Connection {
    /// One a thread.
    pub endpoints: Vec<EndpointAddress>,
    /// Where a ping-pong's server writes to; absent for other loops.
    pub arrivals: Option<RemoteMemory>,
}

/// What the client counted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Completed {
    /// Operations of the load that completed on the region, warm-up and drain included.
    pub operations: u64,
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
}

/// The server's side of a run that is ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The region.
    pub region: RemoteMemory,
    /// Where the server's own queue pairs are, one endpoint a client thread.
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
    /// What the region's content says.
    pub verification: Verification,
}

impl Finished {
    /// Completes the server's side of the record.
    pub fn complete(self, side: &mut SideRecord) -> Verification {
        side.placement.extend(self.placement);
        side.threads = self.threads;
        side.counters = self.counters;
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
