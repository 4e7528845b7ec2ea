//! How a channel is made.

use onesided_transport::{
    Access, ConnectionAttributes, Endpoint, EndpointAddress, GidEntry, RemoteMemory, Transport,
};
use serde::{Deserialize, Serialize};

use crate::{
    channel::Channel, credits::Credits, error::SetUpError, line::LINE_BYTES, memory::Memory,
    receiving::Receiving, requests::Requests, sending::Sending, settings::Settings,
    waiting::Waiting,
};

/// Version of what travels between two ends.
pub(crate) const VERSION: u32 = 1;

const READ: Access = Access { remote_read: true, ..Access::LOCAL };
pub(crate) const WRITE: Access = Access { remote_write: true, ..Access::LOCAL };

/// What one end of a channel tells the other before they connect. How it gets there is the
/// program's affair; it can be serialised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Of what travels between the ends.
    pub version: u32,
    /// The choices of this end.
    pub settings: Settings,
    /// Where it is reached.
    pub endpoint: EndpointAddress,
    /// Where the peer writes: the ring, and a line for what it tells.
    pub mailbox: RemoteMemory,
    /// Where the peer pulls messages from.
    pub outbox: RemoteMemory,
}

/// An end of a channel that is not connected yet.
pub struct Opening<T: Transport> {
    requests: Requests<T::Endpoint>,
    mailbox: Memory<T::Region>,
    outbox: Memory<T::Region>,
    settings: Settings,
}

impl<T: Transport> Opening<T> {
    /// Makes one on a device.
    ///
    /// # Errors
    /// When the settings cannot be, or the device refuses.
    pub fn new(transport: &T, settings: &Settings) -> Result<Self, SetUpError> {
        settings.check()?;
        let (ring, outbox) = (settings.ring_lines as usize, settings.outbox_lines() as usize);
        Ok(Self {
            requests: Requests::new(transport)?,
            mailbox: Memory::new(transport, ring + 1, WRITE)?,
            outbox: Memory::new(transport, outbox, READ)?,
            settings: *settings,
        })
    }

    /// What the peer must know; `gid` is the entry chosen towards it.
    pub fn invitation(&self, gid: Option<GidEntry>) -> Invitation {
        Invitation {
            version: VERSION,
            settings: self.settings,
            endpoint: self.requests.endpoint.address(gid),
            mailbox: self.mailbox.remote(),
            outbox: self.outbox.remote(),
        }
    }

    /// Connects it to the end that the invitation is of. Before either end sends or waits, both must
    /// be connected: how that is known is the program's affair, as is the invitation.
    ///
    /// # Errors
    /// When the invitation cannot be, or the peer cannot be reached.
    pub fn connect(
        mut self,
        transport: &T,
        peer: &Invitation,
        attributes: &ConnectionAttributes,
    ) -> Result<Channel<T>, SetUpError> {
        peer.check()?;
        let (ring, inbox) = (peer.settings.ring_lines, peer.settings.outbox_lines() as usize);
        let staging = Memory::new(transport, ring as usize + 1, Access::LOCAL)?;
        let inbox = Memory::new(transport, inbox, Access::LOCAL)?;
        self.requests.endpoint.connect(&peer.endpoint, attributes)?;
        let longest = self.settings.longest_pushed_to();
        let sending = Sending {
            mailbox: peer.mailbox,
            lines: ring.into(),
            staging,
            outbox: self.outbox,
            outbox_lines: self.settings.outbox_lines(),
            threshold_bytes: self.settings.threshold_bytes,
            heard: Credits::default(),
            posted: 0,
            written: 0,
            taken: 0,
            is_telling: false,
        };
        let receiving = Receiving::new(self.mailbox, inbox, peer.outbox, longest);
        Ok(Channel { requests: self.requests, sending, receiving, waiting: Waiting::default() })
    }
}

impl Invitation {
    fn check(&self) -> Result<(), SetUpError> {
        let refused = |why: String| Err(SetUpError::Invitation { why });
        if self.version != VERSION {
            return refused(format!("it is of version {}, this end of {VERSION}", self.version));
        }
        if let Err(error) = self.settings.check() {
            return refused(error.to_string());
        }
        let lines = |memory: RemoteMemory| memory.length_bytes / LINE_BYTES as u64;
        if lines(self.mailbox) <= u64::from(self.settings.ring_lines)
            || lines(self.outbox) < self.settings.outbox_lines()
        {
            return refused("its memory is shorter than its settings say".to_owned());
        }
        Ok(())
    }
}
