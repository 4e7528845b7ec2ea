//! Registered memory, by key.

use std::collections::{BTreeMap, btree_map::Entry};

use onesided_transport::{Access, LocalSegment, Opcode, RemoteSegment};

use super::memory::{Mapped, Part};

/// What the lowest 8 bits of every key are: those of a wrong key differ.
const TAG: u32 = 0x2a;

/// One region.
#[derive(Debug)]
pub(super) struct Registered {
    pub(super) host: usize,
    pub(super) access: Access,
    pub(super) mapped: Mapped,
    /// Where stations take it to begin.
    pub(super) place: u64,
}

/// The regions of all hosts.
#[derive(Debug, Default)]
pub(super) struct Regions {
    by_key: BTreeMap<u32, Registered>,
    made: u32,
}

/// Whether an operation needs a right that is not among these.
pub(super) fn lacks_right(access: Access, opcode: Opcode) -> bool {
    match opcode {
        Opcode::Read => !access.remote_read,
        Opcode::Write | Opcode::WriteWithImmediate { .. } => !access.remote_write,
        Opcode::CompareAndSwap { .. } | Opcode::FetchAndAdd { .. } => !access.remote_atomic,
        // The receiver says where its bytes go.
        Opcode::Send { .. } | Opcode::Datagram { .. } => false,
    }
}

impl Regions {
    /// Adds one; its key.
    pub(super) fn add(&mut self, region: Registered) -> u32 {
        loop {
            self.made = self.made.wrapping_add(1);
            let key = (self.made << 8) | TAG;
            if let Entry::Vacant(vacant) = self.by_key.entry(key) {
                vacant.insert(region);
                return key;
            }
        }
    }

    /// Ends one.
    pub(super) fn remove(&mut self, key: u32) {
        self.by_key.remove(&key);
    }

    /// A local segment of a host; none where no region of it covers the segment.
    pub(super) fn local(&self, host: usize, segment: LocalSegment) -> Option<Part<'_>> {
        let region = self.by_key.get(&segment.key).filter(|region| region.host == host)?;
        region.mapped.part(segment.address, segment.length)
    }

    /// The same, and its place.
    pub(super) fn local_place(
        &self,
        host: usize,
        segment: LocalSegment,
    ) -> Option<(Part<'_>, u64)> {
        let part = self.local(host, segment)?;
        let region = self.by_key.get(&segment.key)?;
        Some((part, region.place + (segment.address - region.mapped.start())))
    }

    /// What a peer asks for of a host, and its place; none where it may not.
    pub(super) fn remote(
        &self,
        host: usize,
        segment: RemoteSegment,
        length: u32,
        opcode: Opcode,
    ) -> Option<(Part<'_>, u64)> {
        let region = self.by_key.get(&segment.key)?;
        if region.host != host || lacks_right(region.access, opcode) {
            return None;
        }
        let part = region.mapped.part(segment.address, length)?;
        Some((part, region.place + (segment.address - region.mapped.start())))
    }
}
