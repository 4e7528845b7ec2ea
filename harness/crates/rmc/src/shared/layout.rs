//! What a node's file holds: a head, and the channels of those who send to the node.
//!
//! ```text
//!   head      who the node is; words that others change to be noticed
//!   channels  CHANNELS x { state and owner }
//!   regions   REGIONS x { key, place, which version }   of those in segments
//!   versions  SEGMENTS x { version }
//!   rings     CHANNELS x { requests, replies }    reserved when the channel is taken
//!   segments  memory that the node's process registers, and that peers may copy from
//! ```
//! Each channel belongs to one endpoint of one node. All numbers are of this machine.

use std::{
    mem::offset_of,
    sync::atomic::{AtomicU32, AtomicU64},
};

use super::{
    packet::{REPLY_WORDS, REQUEST_WORDS},
    region::SharedRegion,
    ring::Lane,
    version::Version,
};

/// First word of a node's file: "onesided" in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"onesided");

/// Version of this layout and of the packets.
pub const VERSION: u32 = 6;

/// Channels of a node: endpoints that may send to it at a time.
pub const CHANNELS: usize = 256;

/// Regions of a node. Ours: as many as a run could want, and a table of 256 KiB.
pub const REGIONS: usize = 4096;

/// Segments of a node. Ours: a version each, 64 KiB in all.
pub const SEGMENTS: usize = 1024;

/// States of a channel.
pub mod state {
    /// Nobody's.
    pub const FREE: u32 = 0;
    /// Taken, being made ready by its requester.
    pub const TAKEN: u32 = 1;
    /// In use.
    pub const READY: u32 = 2;
    /// Given up by its requester; the responder frees it.
    pub const CLOSING: u32 = 3;
}

/// What a node says about itself.
#[repr(C, align(64))]
pub struct Head {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// The owner's process.
    pub process: AtomicU32,
    /// Tells this opening of the node from all others.
    pub instance: AtomicU64,
    /// Delay of a hop, in nanoseconds.
    pub hop_ns: AtomicU64,
    /// The NUMA node that its memory was asked from, and one more; 0 where the kernel chose.
    pub memory_node: AtomicU32,
}

/// A version on a cache line of its own.
#[repr(C, align(64))]
pub struct LoneVersion(pub Version);

/// A word on a cache line of its own.
#[repr(C, align(64))]
pub struct LoneWord(pub AtomicU32);

/// Who a channel belongs to.
#[repr(C, align(64))]
pub struct ChannelState {
    /// One of [`state`].
    pub state: AtomicU32,
    /// The requester's node.
    pub node: AtomicU32,
    /// The opening of that node.
    pub instance: AtomicU64,
    /// How long packets take between the two, in tenths of a delay.
    pub tenths: AtomicU32,
}

/// The two virtual lanes of a channel.
#[repr(C, align(4096))]
pub struct Rings {
    /// From the requester.
    pub requests: Lane<REQUEST_WORDS>,
    /// To the requester.
    pub replies: Lane<REPLY_WORDS>,
}

/// The part of a node's file that has a place for everything. All zeroes is a node that is not there yet.
#[repr(C, align(4096))]
pub struct NodeMemory {
    /// Who the node is.
    pub head: Head,
    /// Counts what the responder is to look at: channels, its own process's wishes.
    pub changes: LoneWord,
    /// 1 while the responder sleeps; a futex.
    pub asleep: LoneWord,
    /// Owners of channels.
    pub channels: [ChannelState; CHANNELS],
    /// What peers know of regions in segments, by the index of the key.
    pub regions: [SharedRegion; REGIONS],
    /// Versions of segments.
    pub versions: [LoneVersion; SEGMENTS],
    /// Their rings.
    pub rings: [Rings; CHANNELS],
}

/// Where the rings of a channel are in the file.
pub const fn rings_offset(channel: usize) -> usize {
    offset_of!(NodeMemory, rings) + channel * size_of::<Rings>()
}

/// Where segments begin in the file, and how long it is without any.
pub const SEGMENTS_OFFSET: u64 = size_of::<NodeMemory>() as u64;

/// Bytes that are reserved when the node is made: all but the rings.
pub const RESERVED: usize = offset_of!(NodeMemory, rings);
