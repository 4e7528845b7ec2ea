//! A barrier: every node writes where it is to every other, and polls what they wrote to it
//! (004 §5.3).

use std::time::Instant;

use onesided_transport::{
    Access, ConnectionAttributes, Endpoint, EndpointAddress, GidEntry, Opcode, RemoteMemory,
    Transport,
};
use serde::{Deserialize, Serialize};

use crate::{
    atomic::Ordering,
    channel::PARTING,
    error::{BarrierError, ChannelError, SetUpError},
    line::LINE_BYTES,
    memory::{Memory, remote_line},
    opening::{VERSION, WRITE},
    requests::{Purpose, Requests, request},
    waiting::{Idle, Waiting},
};

/// What a node of a barrier tells each other one before they connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierInvitation {
    /// Of what travels between the nodes.
    pub version: u32,
    /// Where it is reached by that node.
    pub endpoint: EndpointAddress,
    /// A line for each node.
    pub flags: RemoteMemory,
}

/// A node as another one has it.
struct Peer<T: Transport> {
    requests: Requests<T::Endpoint>,
    /// Its lines.
    flags: RemoteMemory,
    /// The round that it was told of.
    told: u64,
}

/// What one node has of a barrier.
pub struct Barrier<T: Transport> {
    // First, so that nothing is under way when memory goes. Absent: this node, and those that were
    // left out.
    peers: Vec<Option<Peer<T>>>,
    /// A line for each node, that it writes the round to.
    flags: Memory<T::Region>,
    /// A line for each node: what it is being told.
    staging: Memory<T::Region>,
    own: usize,
    round: u64,
    waiting: Waiting,
}

/// A barrier that is not connected yet.
pub struct OpeningBarrier<T: Transport>(Barrier<T>, Vec<bool>);

impl<T: Transport> OpeningBarrier<T> {
    /// Node `own` of a barrier of so many nodes, on a device.
    ///
    /// # Errors
    /// When there is no such node, or the device refuses.
    pub fn new(transport: &T, own: usize, nodes: usize) -> Result<Self, SetUpError> {
        if own >= nodes {
            return Err(SetUpError::NoSuchNode { node: own, nodes });
        }
        let peer = |node: usize| {
            let flags = RemoteMemory { address: 0, length_bytes: 0, key: 0 };
            let peer = || Ok(Peer { requests: Requests::new(transport)?, flags, told: 0 });
            (node != own).then(peer).transpose()
        };
        let barrier = Barrier {
            peers: (0..nodes).map(peer).collect::<Result<_, SetUpError>>()?,
            flags: Memory::new(transport, nodes, WRITE)?,
            staging: Memory::new(transport, nodes, Access::LOCAL)?,
            own,
            round: 0,
            waiting: Waiting::default(),
        };
        Ok(Self(barrier, (0..nodes).map(|node| node == own).collect()))
    }

    /// What a node must know; `gid` is the entry chosen towards it.
    ///
    /// # Errors
    /// When there is no such other node.
    pub fn invitation(
        &self,
        node: usize,
        gid: Option<GidEntry>,
    ) -> Result<BarrierInvitation, SetUpError> {
        let nodes = self.0.peers.len();
        let peer = self.0.peers.get(node).and_then(Option::as_ref);
        let peer = peer.ok_or(SetUpError::NoSuchNode { node, nodes })?;
        let endpoint = peer.requests.endpoint.address(gid);
        Ok(BarrierInvitation { version: VERSION, endpoint, flags: self.0.flags.remote() })
    }

    /// Connects it to a node, by what that node tells this one.
    ///
    /// # Errors
    /// When there is no such other node, its invitation cannot be, or it cannot be reached.
    pub fn connect(
        &mut self,
        node: usize,
        invitation: &BarrierInvitation,
        attributes: &ConnectionAttributes,
    ) -> Result<(), SetUpError> {
        let nodes = self.0.peers.len();
        let peer = self.0.peers.get_mut(node).and_then(Option::as_mut);
        let peer = peer.ok_or(SetUpError::NoSuchNode { node, nodes })?;
        if invitation.version != VERSION
            || invitation.flags.length_bytes < (nodes * LINE_BYTES) as u64
        {
            let why = "it is of another version, or of a barrier of fewer nodes".to_owned();
            return Err(SetUpError::Invitation { why });
        }
        peer.requests.endpoint.connect(&invitation.endpoint, attributes)?;
        peer.flags = invitation.flags;
        self.1[node] = true;
        Ok(())
    }

    /// The barrier, when this node is connected to all others. They must be to this one, too, before
    /// it waits: how that is known is the program's affair, as are invitations.
    ///
    /// # Errors
    /// When one is not.
    pub fn finish(self) -> Result<Barrier<T>, SetUpError> {
        match self.1.iter().position(|is_connected| !is_connected) {
            Some(node) => Err(SetUpError::NotConnected { node }),
            None => Ok(self.0),
        }
    }
}

impl<T: Transport> Barrier<T> {
    /// Waits until every node has come to this round.
    ///
    /// What a node wrote to others before is seen by them afterwards, if it has waited for the
    /// completion of that: a barrier has queue pairs of its own.
    ///
    /// # Errors
    /// When a node will not come. The round is not over then: with [`Barrier::leave_out`] and
    /// another wait the others finish it.
    pub fn wait(&mut self) -> Result<(), BarrierError> {
        let round = self.round + 1;
        for node in 0..self.peers.len() {
            self.tell(node, round).map_err(|source| BarrierError::Lost { node, source })?;
        }
        for node in 0..self.peers.len() {
            self.wait_for(node, round).map_err(|source| BarrierError::Lost { node, source })?;
        }
        self.waiting.over();
        self.round = round;
        Ok(())
    }

    /// Goes on without a node.
    pub fn leave_out(&mut self, node: usize) {
        if let Some(peer) = self.peers.get_mut(node) {
            *peer = None;
        }
    }

    /// How often all have met.
    pub fn rounds(&self) -> u64 {
        self.round
    }

    fn has_come(&self, node: usize, round: u64) -> bool {
        self.flags.lines()[node].0[0].load(Ordering::Acquire) >= round
    }

    /// Tells a node of a round, once.
    fn tell(&mut self, node: usize, round: u64) -> Result<(), ChannelError> {
        loop {
            let Some(peer) = &self.peers[node] else { return Ok(()) };
            if peer.told == round {
                return Ok(());
            }
            // What it was told before is in the same line.
            if peer.requests.is_idle() {
                return self.write(node, round);
            }
            self.poll(node)?;
            self.pause(node)?;
        }
    }

    fn write(&mut self, node: usize, round: u64) -> Result<(), ChannelError> {
        let Some(peer) = &mut self.peers[node] else { return Ok(()) };
        let line = node as u64;
        // SAFETY: aligned, inside, and nothing is under way to the node.
        unsafe { self.staging.at(line).cast::<u64>().write(round) };
        let (local, remote) =
            (self.staging.segment(line, 8), remote_line(peer.flags, self.own as u64));
        // SAFETY: the word stays as it is until it is written.
        unsafe { peer.requests.post(&[request(Purpose::Word, Opcode::Write, local, remote)]) }?;
        peer.told = round;
        Ok(())
    }

    fn wait_for(&mut self, node: usize, round: u64) -> Result<(), ChannelError> {
        while self.peers[node].is_some() && !self.has_come(node, round) {
            // Writes to others get on, too; who of them is lost is told in its turn.
            for other in 0..self.peers.len() {
                match self.poll(other) {
                    // What it had written before it went counts.
                    Err(_) if other == node && self.has_come(node, round) => return Ok(()),
                    Err(lost) if other == node => return Err(lost),
                    _ => {}
                }
            }
            self.pause(node)?;
        }
        Ok(())
    }

    fn poll(&mut self, node: usize) -> Result<(), ChannelError> {
        self.peers[node].as_mut().map_or(Ok(()), |peer| peer.requests.tend(|_| ()))
    }

    /// Between two looks.
    fn pause(&mut self, node: usize) -> Result<(), ChannelError> {
        let is_idle = self.peers[node].as_ref().is_some_and(|peer| peer.requests.is_idle());
        match (self.waiting.next(), &self.peers[node]) {
            // The same once more: an operation shows whether it lives.
            (Idle::Ask, Some(peer)) if is_idle => self.write(node, peer.told),
            _ => Ok(()),
        }
    }
}

/// Waits until the others know that this node has come, unless they are gone.
impl<T: Transport> Drop for Barrier<T> {
    fn drop(&mut self) {
        let start = Instant::now();
        let is_busy =
            |peer: &mut Peer<T>| peer.requests.poll(|_| ()).is_ok() && !peer.requests.is_idle();
        while start.elapsed() < PARTING && self.peers.iter_mut().flatten().any(is_busy) {
            self.waiting.next();
        }
    }
}
