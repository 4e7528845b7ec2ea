//! What an endpoint sees of the segments of its peer's node, to copy from them.

use std::{fs::File, hint, io};

use crate::{
    keys::index_of,
    shared::{
        layout::{LoneVersion, NodeMemory, SEGMENTS_OFFSET},
        line,
        mapping::FileMapping,
        region::{Part, SharedRegion},
        ring::LINE_BYTES,
    },
};

/// Copies of all bytes at once before it goes by lines: a node that stores all the time lets none
/// of many lines through.
const AT_ONCE: u32 = 4;

/// Lines that the cache fetches of a copy while the one before is accounted for. Ours: of 0, 8, 16 and 32 the fastest.
const AHEAD: usize = 32;

/// Copies of one line before it is left for later: whoever is storing there was interrupted, or
/// stores all the time.
const OF_A_LINE: u32 = 64;

/// The segments of a node, as far as they are mapped.
#[derive(Default)]
pub struct Window(Option<FileMapping>);

/// How a copy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// All is there.
    All,
    /// The region is not there any more.
    Gone,
    /// Something is being stored there, and has been for long.
    NotYet,
}

/// Some bytes of a peer's region.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The region's key.
    pub key: u32,
    /// Where they are there.
    pub address: u64,
    /// How many.
    pub length: usize,
}

fn region_of(memory: &NodeMemory, key: u32) -> Option<&SharedRegion> {
    memory.regions.get(index_of(key)?)
}

fn part_of(memory: &NodeMemory, Wanted { key, address, length }: Wanted) -> Option<Part> {
    region_of(memory, key)?.part(key, address, length as u64)
}

impl Window {
    /// Whether bytes of a region can be copied from; maps what is not yet.
    #[inline]
    pub fn prepare(&mut self, memory: &NodeMemory, file: &File, wanted: Wanted) -> bool {
        let Some(part) = part_of(memory, wanted) else { return false };
        self.place(part).is_some() || self.widen(file, part).is_ok()
    }

    /// Has the cache fetch the first lines of what is copied next, once [`Window::prepare`] said that it can be done;
    /// none of a copy of fewer than [`AHEAD`].
    #[inline]
    pub fn fetch_ahead(&self, memory: &NodeMemory, wanted: Wanted) {
        if wanted.length < AHEAD * LINE_BYTES {
            return;
        }
        if let Some(from) = part_of(memory, wanted).and_then(|part| self.place(part)) {
            line::fetch_ahead::<AHEAD>(from);
        }
    }

    /// Where a part is mapped.
    #[inline]
    fn place(&self, Part { offset, end, .. }: Part) -> Option<u64> {
        let mapping = self.0.as_ref()?;
        let (start, last) = (offset.checked_sub(SEGMENTS_OFFSET)?, end - SEGMENTS_OFFSET);
        (last <= mapping.length() as u64).then(|| mapping.start().as_ptr() as u64 + start)
    }

    /// Maps all that the file has by now.
    #[cold]
    fn widen(&mut self, file: &File, part: Part) -> io::Result<()> {
        let length = file.metadata()?.len().saturating_sub(SEGMENTS_OFFSET);
        self.0 = Some(FileMapping::new(file, SEGMENTS_OFFSET, length as usize)?);
        self.place(part).map(|_| ()).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Copies bytes of a region, once [`Window::prepare`] said that it can be done; each line is of one time.
    ///
    /// # Safety
    /// `to` has room for them, and nobody else accesses it.
    #[inline]
    pub unsafe fn copy(&self, memory: &NodeMemory, wanted: Wanted, to: *mut u8) -> Copied {
        // SAFETY: the caller's.
        match unsafe { self.try_copy(memory, wanted, to, AT_ONCE) } {
            // SAFETY: the caller's.
            Copied::NotYet => unsafe { self.copy_by_lines(memory, wanted, to) },
            copied => copied,
        }
    }

    /// # Safety
    /// As [`Window::copy`].
    #[cold]
    unsafe fn copy_by_lines(&self, memory: &NodeMemory, wanted: Wanted, to: *mut u8) -> Copied {
        let mut done = 0;
        while done < wanted.length {
            let address = wanted.address + done as u64;
            let length = LINE_BYTES - address as usize % LINE_BYTES;
            let length = length.min(wanted.length - done);
            let line = Wanted { address, length, ..wanted };
            // SAFETY: the caller's.
            match unsafe { self.try_copy(memory, line, to.add(done), OF_A_LINE) } {
                Copied::All => done += length,
                stopped => return stopped,
            }
        }
        Copied::All
    }

    /// # Safety
    /// As [`Window::copy`].
    #[inline]
    unsafe fn try_copy(
        &self,
        memory: &NodeMemory,
        wanted: Wanted,
        to: *mut u8,
        times: u32,
    ) -> Copied {
        for _ in 0..times {
            // SAFETY: the caller's.
            match unsafe { self.attempt(memory, wanted, to) } {
                Copied::NotYet => hint::spin_loop(),
                ended => return ended,
            }
        }
        Copied::NotYet
    }

    /// Copies them once; not yet where something was stored meanwhile.
    ///
    /// # Safety
    /// As [`Window::copy`].
    #[inline(always)]
    pub unsafe fn attempt(&self, memory: &NodeMemory, wanted: Wanted, to: *mut u8) -> Copied {
        let Wanted { key, address, length } = wanted;
        let Some(region) = region_of(memory, key) else { return Copied::Gone };
        let part = region.part(key, address, length as u64);
        let Some(Part { version, .. }) = part else { return Copied::Gone };
        let place = part.and_then(|part| self.place(part));
        let (Some(from), Some(LoneVersion(version))) =
            (place, memory.versions.get(version as usize))
        else {
            return Copied::Gone;
        };
        // SAFETY: mapped just there; the rest is the caller's.
        if version.unchanged(|| unsafe { line::copy(from, length, to) }).is_none() {
            return Copied::NotYet;
        }
        // After the version, and so after the copy.
        if region.is_of(key) { Copied::All } else { Copied::Gone }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
