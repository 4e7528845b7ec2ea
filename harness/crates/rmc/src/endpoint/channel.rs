//! An endpoint's channel to the node of its peer.

use std::{
    io,
    ptr::NonNull,
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use onesided_placement::{NodeId, check_supply};

use super::window::{Copied, Wanted, Window};
use crate::{
    fabric::PeerNode,
    local::LocalNode,
    shared::{
        delay::Hop,
        layout::{CHANNELS, ChannelState, Rings, rings_offset, state},
        packet::{REPLY_WORDS, REQUEST_WORDS},
        ring::{Receiver, Sender},
        sleep,
    },
};

/// Longest wait for a living peer to let go of a channel. Ours: a responder that is run at all
/// answers within a time slice; one that was stopped must not stop us.
const LETTING_GO: Duration = Duration::from_secs(2);

/// Time between two looks whether it has.
const LOOK_AGAIN: Duration = Duration::from_micros(20);

/// Two lanes to a node, and the node.
pub struct Channel {
    /// The first virtual lane.
    pub requests: Sender<REQUEST_WORDS>,
    /// The second.
    pub replies: Receiver<REPLY_WORDS>,
    /// Where both are.
    pub peer: Arc<PeerNode>,
    /// How long packets take there, and back.
    pub hop: Hop,
    window: Window,
    index: usize,
}

/// Refuses rings for which the NUMA node that the peer's memory comes from has no memory left: the kernel
/// would end a process for them.
fn has_room(peer: &PeerNode) -> io::Result<()> {
    match peer.memory.head.memory_node.load(Ordering::Relaxed).checked_sub(1) {
        None => Ok(()),
        Some(node) => {
            check_supply(size_of::<Rings>() as u64, NodeId(node)).map_err(io::Error::other)
        }
    }
}

impl Channel {
    /// Takes a free channel of a node.
    ///
    /// # Errors
    /// As [`PeerNode::open`]; the peer has another delay, no channel is free, or no room for one.
    pub fn take(local: &LocalNode, number: u16, instance: u32) -> io::Result<Self> {
        let peer = Arc::new(PeerNode::open(&local.context, number, instance)?);
        let (own, theirs) =
            (local.delay.nanoseconds(), peer.memory.head.hop_ns.load(Ordering::Relaxed));
        if own != theirs {
            let what = format!(
                "the peer emulates {theirs} ns a hop, this side {own} ns: a fabric has one delay"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let index = claim(&peer.memory.channels).ok_or_else(|| {
            let what = format!("all {CHANNELS} channels of node {number} are in use");
            io::Error::new(io::ErrorKind::QuotaExceeded, what)
        })?;
        let owner = &peer.memory.channels[index];
        owner.node.store(local.own.number.into(), Ordering::Relaxed);
        let tenths = local.tenths_to(peer.memory.head.memory_node.load(Ordering::Relaxed));
        owner.tenths.store(tenths, Ordering::Relaxed);
        // What follows from it, `node` does, too.
        owner.instance.store(local.own.instance(), Ordering::Release);
        let reserved = has_room(&peer)
            .and_then(|()| peer.memory.reserve(rings_offset(index), size_of::<Rings>()));
        if let Err(error) = reserved {
            owner.instance.store(0, Ordering::Relaxed);
            owner.state.store(state::FREE, Ordering::Release);
            return Err(error);
        }
        let rings = &peer.memory.rings[index];
        rings.requests.clear();
        rings.replies.clear();
        // SAFETY: the rings are mapped as long as `peer`, which drops after both; the channel is
        // ours, so there is one end of each here and the other is the responder's.
        let (requests, replies) = unsafe {
            (
                Sender::new(NonNull::from(&rings.requests)),
                Receiver::new(NonNull::from(&rings.replies)),
            )
        };
        owner.state.store(state::READY, Ordering::Release);
        let hop = local.delay.hop(tenths);
        let channel = Self { requests, replies, peer, hop, window: Window::default(), index };
        channel.notice();
        Ok(channel)
    }

    /// Whether bytes of the peer can be copied from, with its leave.
    #[inline]
    pub fn can_copy(&mut self, wanted: Wanted) -> bool {
        self.window.prepare(&self.peer.memory, self.peer.memory.file(), wanted)
    }

    /// Has the cache fetch bytes of the peer that are copied next.
    #[inline]
    pub fn fetch_ahead(&self, wanted: Wanted) {
        self.window.fetch_ahead(&self.peer.memory, wanted);
    }

    /// Copies bytes of the peer, with its leave, once [`Channel::can_copy`] said so.
    ///
    /// # Safety
    /// `to` has room for them, and nobody else accesses it.
    #[inline]
    pub unsafe fn copy(&self, wanted: Wanted, to: *mut u8) -> Copied {
        // SAFETY: the caller's.
        unsafe { self.window.copy(&self.peer.memory, wanted, to) }
    }

    /// Tries the copy once; whether all bytes were copied.
    ///
    /// # Safety
    /// As [`Channel::copy`].
    #[inline]
    pub unsafe fn copy_at_once(&self, wanted: Wanted, to: *mut u8) -> bool {
        // SAFETY: the caller's.
        unsafe { self.window.attempt(&self.peer.memory, wanted, to) == Copied::All }
    }

    /// Wakes the responder if it sleeps.
    #[inline]
    pub fn wake(&self) {
        sleep::wake(&self.peer.memory.asleep.0);
    }

    fn notice(&self) {
        self.peer.memory.changes.0.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }
}

/// Waits until the peer executes nothing of it any more, unless it is gone or stopped.
impl Drop for Channel {
    fn drop(&mut self) {
        let owner = &self.peer.memory.channels[self.index];
        let instance = owner.instance.load(Ordering::Relaxed);
        owner.state.store(state::CLOSING, Ordering::Release);
        let start = Instant::now();
        self.notice();
        // Another may take it as soon as it is free.
        let closing = || {
            owner.state.load(Ordering::Acquire) == state::CLOSING
                && owner.instance.load(Ordering::Relaxed) == instance
        };
        while closing() && self.peer.is_alive() && start.elapsed() < LETTING_GO {
            self.wake();
            thread::sleep(LOOK_AGAIN);
        }
    }
}

fn claim(channels: &[ChannelState; CHANNELS]) -> Option<usize> {
    channels.iter().position(|owner| {
        let (free, taken) = (state::FREE, state::TAKEN);
        owner.state.compare_exchange(free, taken, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    })
}
