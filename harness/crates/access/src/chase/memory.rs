//! Memory for a chase, with pages whose size is known.

use std::{fs, io};

use onesided_placement::{BoundMemory, MemoryError, NodeId, PageSize, Residency};

use super::{Pages, error::ChaseError};

/// What transparent huge pages are made of on x86-64 and on ARM with pages of 4 KiB; where the
/// kernel's are larger, the proof below fails and base pages are taken.
const TRANSPARENT_BYTES: usize = 2 << 20;

/// Memory bound to a node, touched, with pages of one known size.
#[derive(Debug)]
pub struct ChaseMemory {
    bound: BoundMemory,
    /// Bytes before the first whole page.
    skipped: usize,
    length: usize,
    pages: Pages,
    page_bytes: usize,
}

impl ChaseMemory {
    /// At least `bytes` on a node or, with `None`, wherever the kernel puts it. Without a choice
    /// of pages the largest are taken that translation hardly matters with: 2 MiB of the pool,
    /// else transparent ones, else base pages.
    ///
    /// # Errors
    /// Too little memory, too few huge pages where they were asked for, a node that cannot be
    /// used.
    pub fn allocate(
        bytes: u64,
        pages: Option<Pages>,
        node: Option<NodeId>,
    ) -> Result<Self, ChaseError> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        match pages {
            Some(Pages::Base) => Self::of(bytes, Pages::Base, PageSize::Base, node),
            Some(Pages::Huge2M) => Self::of(bytes, Pages::Huge2M, PageSize::Huge2M, node),
            Some(Pages::Huge1G) => Self::of(bytes, Pages::Huge1G, PageSize::Huge1G, node),
            Some(Pages::TransparentHuge) => Self::transparent(bytes, node),
            None => Self::largest_pages(bytes, node),
        }
    }

    fn largest_pages(bytes: usize, node: Option<NodeId>) -> Result<Self, ChaseError> {
        match Self::of(bytes, Pages::Huge2M, PageSize::Huge2M, node) {
            Err(ChaseError::Memory {
                source:
                    MemoryError::HugePagesExhausted { .. }
                    | MemoryError::NotMapped { .. }
                    | MemoryError::NotPopulated { .. },
            }) => {}
            other => return other,
        }
        match Self::transparent(bytes, node) {
            Err(ChaseError::NotTransparentHuge { .. } | ChaseError::PagesUnknown { .. }) => {
                Self::of(bytes, Pages::Base, PageSize::Base, node)
            }
            other => other,
        }
    }

    fn of(
        bytes: usize,
        pages: Pages,
        size: PageSize,
        node: Option<NodeId>,
    ) -> Result<Self, ChaseError> {
        let bound = BoundMemory::allocate(bytes, size, node)?;
        let (length, page_bytes) = (bound.len(), bound.page_bytes());
        Ok(Self { bound, skipped: 0, length, pages, page_bytes })
    }

    /// Base pages given back and touched again as huge ones: the binding belongs to the mapping
    /// and stays.
    fn transparent(bytes: usize, node: Option<NodeId>) -> Result<Self, ChaseError> {
        let length = bytes.checked_next_multiple_of(TRANSPARENT_BYTES);
        let with_room = length.and_then(|length| length.checked_add(TRANSPARENT_BYTES));
        let bound = BoundMemory::allocate(with_room.unwrap_or(usize::MAX), PageSize::Base, node)?;
        let skipped = bound.as_ptr().align_offset(TRANSPARENT_BYTES);
        let length = bound.len() - TRANSPARENT_BYTES;
        let memory = Self {
            bound,
            skipped,
            length,
            pages: Pages::TransparentHuge,
            page_bytes: TRANSPARENT_BYTES,
        };
        memory.advise(libc::MADV_HUGEPAGE);
        memory.advise(libc::MADV_DONTNEED);
        for offset in (0..length).step_by(memory.bound.page_bytes()) {
            // SAFETY: within the mapping, which nobody else knows yet. Volatile, because writing a
            // zero to zeroed memory is a side effect only to the kernel.
            unsafe { memory.as_ptr().add(offset).write_volatile(0) };
        }
        let huge_bytes = transparent_bytes_at(memory.as_ptr().addr())
            .map_err(|source| ChaseError::PagesUnknown { source })?;
        let asked_bytes = length as u64;
        if huge_bytes < asked_bytes {
            return Err(ChaseError::NotTransparentHuge { asked_bytes, huge_bytes });
        }
        Ok(memory)
    }

    /// Whether the advice was followed is found out by looking, not by the answer.
    fn advise(&self, advice: std::ffi::c_int) {
        // SAFETY: whole pages of this value's own private mapping, whose content is zeros and may
        // be thrown away.
        unsafe { libc::madvise(self.as_ptr().cast(), self.length, advice) };
    }

    pub(super) fn as_ptr(&self) -> *mut u8 {
        // SAFETY: less than a huge page of the one that was allocated beyond the length.
        unsafe { self.bound.as_ptr().add(self.skipped) }
    }

    /// The usable length in bytes: whole pages.
    pub fn bytes(&self) -> u64 {
        self.length as u64
    }

    /// What its pages are.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// The size of its pages in bytes.
    pub fn page_bytes(&self) -> u64 {
        self.page_bytes as u64
    }

    /// Where its pages are now. Of transparent huge pages every base page is looked up.
    ///
    /// # Errors
    /// As [`Residency::of`].
    pub fn residency(&self) -> Result<Residency, ChaseError> {
        let page_bytes = self.bound.page_bytes();
        Ok(Residency::of(self.as_ptr(), self.length, page_bytes, self.bound.asked())?)
    }
}

/// Bytes in transparent huge pages of the mapping that holds an address: `AnonHugePages` of
/// `proc_pid_smaps(5)`.
fn transparent_bytes_at(address: usize) -> io::Result<u64> {
    Ok(transparent_bytes(&fs::read_to_string("/proc/self/smaps")?, address).unwrap_or(0))
}

fn transparent_bytes(smaps: &str, address: usize) -> Option<u64> {
    let range = |line: &str| {
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some(number(start)?..number(end)?)
    };
    let mut lines = smaps.lines();
    lines.by_ref().find(|line| range(line).is_some_and(|range| range.contains(&address)))?;
    let kibibytes = lines
        .take_while(|line| range(line).is_none())
        .find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    kibibytes.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|number| number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \nSize: 4096 kB\n\
        AnonHugePages:      2048 kB\nVmFlags: rd wr\n7f0000400000-7f0000800000 rw-p 00000000 \
        00:00 0\nAnonHugePages:      4096 kB\n7f0000900000-7f0000a00000 rw-p 0 00:00 0\nSize: 1 kB\n";

    #[test]
    fn huge_bytes_are_those_of_the_mapping_that_holds_the_address() {
        assert_eq!(transparent_bytes(SMAPS, 0x7f00_0000_0000), Some(2 << 20));
        assert_eq!(transparent_bytes(SMAPS, 0x7f00_003f_ffff), Some(2 << 20));
        assert_eq!(transparent_bytes(SMAPS, 0x7f00_0040_0000), Some(4 << 20));
        assert_eq!(transparent_bytes(SMAPS, 0x7f00_0080_0000), None, "between two mappings");
        assert_eq!(transparent_bytes(SMAPS, 0x7f00_0090_0000), None, "the kernel does not say");
    }
}
