//! Memory bound to nodes before its first touch.

mod error;
mod file;
mod policy;

use std::io;
use std::ptr::{self, NonNull};

pub use error::MemoryError;
pub use file::{bind_file, check_supply};
pub use onesided_vocabulary::PageSize;
pub use policy::MemoryPolicy;

use crate::place::{NodeId, NodeSet};
use crate::residency::{Residency, ResidencyError};
use crate::syscall::{self, NodeMask};

/// `MADV_POPULATE_WRITE` of `linux/mman.h`, since Linux 5.14.
const MADV_POPULATE_WRITE: std::ffi::c_int = 23;

/// The size of such a page in bytes.
pub fn bytes_of_page(page: PageSize) -> usize {
    match page {
        PageSize::Base => syscall::base_page_bytes(),
        PageSize::Huge2M => 2 << 20,
        PageSize::Huge1G => 1 << 30,
    }
}

/// Anonymous, zeroed memory in whole pages, with a policy set before its first touch, and then
/// touched page by page from the thread that allocated it, unless its policy is to leave that to
/// others.
///
/// Binding does not move a page that is already somewhere: `mbind` after the first touch succeeds
/// and changes nothing, and pages registered with a NIC cannot move at all. Hence the order.
/// Base pages are kept from becoming transparent huge pages (`MADV_NOHUGEPAGE`), so that the proof
/// of residency is exact to the page and the TLB reach is what was asked for.
///
/// Where free memory is checked first, the check and the touch are not one step: another process
/// can take the memory in between.
#[derive(Debug)]
pub struct BoundMemory {
    start: NonNull<u8>,
    length: usize,
    page: PageSize,
    policy: MemoryPolicy,
}

// SAFETY: the mapping belongs to this value and not to a thread, and is unmapped once, on drop.
unsafe impl Send for BoundMemory {}

// SAFETY: a shared reference gives out only a raw pointer; whoever reads or writes through it (a
// NIC and several threads at once, by design) answers for doing so with atomics or volatile access.
unsafe impl Sync for BoundMemory {}

impl BoundMemory {
    /// Memory of at least `bytes` bytes, rounded up to whole pages, on a node or, with `None`,
    /// wherever the kernel puts it.
    ///
    /// # Errors
    /// Too little memory or too few huge pages where they were asked for; a node that cannot be
    /// used; a call that is forbidden.
    pub fn allocate(
        bytes: usize,
        page: PageSize,
        node: Option<NodeId>,
    ) -> Result<Self, MemoryError> {
        let policy =
            node.map_or(MemoryPolicy::FirstTouch, |node| MemoryPolicy::Bind(NodeSet::of(node)));
        let memory = Self::placed(bytes, page, policy)?;
        memory.touch()?;
        Ok(memory)
    }

    /// Memory of at least `bytes` bytes, rounded up to whole pages, under a policy. By
    /// [`MemoryPolicy::FirstTouch`] no page is touched: each goes where the thread that touches it
    /// first runs.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    pub fn allocate_by(
        bytes: usize,
        page: PageSize,
        policy: MemoryPolicy,
    ) -> Result<Self, MemoryError> {
        let memory = Self::placed(bytes, page, policy)?;
        if memory.policy != MemoryPolicy::FirstTouch {
            memory.touch()?;
        }
        Ok(memory)
    }

    fn placed(bytes: usize, page: PageSize, policy: MemoryPolicy) -> Result<Self, MemoryError> {
        let length = bytes
            .checked_next_multiple_of(bytes_of_page(page))
            .filter(|length| *length > 0 && *length <= isize::MAX as usize)
            .ok_or(MemoryError::ImpossibleLength { asked_bytes: bytes })?;
        policy.check_supply(length as u64, page)?;
        let memory = Self::map(length, page, policy)?;
        set_policy(memory.start.as_ptr(), memory.length, &memory.policy)?;
        if page == PageSize::Base {
            // Fails only where the kernel has no transparent huge pages: then there is nothing
            // to switch off.
            drop(memory.advise(libc::MADV_NOHUGEPAGE));
        }
        Ok(memory)
    }

    fn map(length: usize, page: PageSize, policy: MemoryPolicy) -> Result<Self, MemoryError> {
        let huge = match page {
            PageSize::Base => 0,
            PageSize::Huge2M => libc::MAP_HUGETLB | libc::MAP_HUGE_2MB,
            PageSize::Huge1G => libc::MAP_HUGETLB | libc::MAP_HUGE_1GB,
        };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | huge;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing one.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, -1, 0) };
        let start = match start {
            libc::MAP_FAILED => None,
            start => NonNull::new(start.cast::<u8>()),
        };
        let Some(start) = start else {
            let source = io::Error::last_os_error();
            return Err(MemoryError::NotMapped { asked_bytes: length as u64, page, source });
        };
        Ok(Self { start, length, page, policy })
    }

    fn touch(&self) -> Result<(), MemoryError> {
        if self.page != PageSize::Base {
            self.populate()?;
        }
        for offset in (0..self.length).step_by(bytes_of_page(self.page)) {
            // SAFETY: within the mapping, which is writable and not yet shared. Volatile, because
            // writing a zero to zeroed memory is a side effect only to the kernel.
            unsafe { self.start.as_ptr().add(offset).write_volatile(0) };
        }
        Ok(())
    }

    /// Obtains huge pages by a call that reports a lack of them, where a touch would be a bus error.
    fn populate(&self) -> Result<(), MemoryError> {
        match self.advise(MADV_POPULATE_WRITE) {
            Ok(()) => Ok(()),
            // Before Linux 5.14: the check of the pool is all there is.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            Err(source) => {
                let asked_bytes = self.length as u64;
                Err(MemoryError::NotPopulated { asked_bytes, page: self.page, source })
            }
        }
    }

    fn advise(&self, advice: std::ffi::c_int) -> io::Result<()> {
        // SAFETY: both kinds of advice used keep the content of this value's own mapping.
        match unsafe { libc::madvise(self.start.as_ptr().cast(), self.length, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The first byte; valid for reads and writes of [`len`](Self::len) bytes while this value
    /// lives.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The length in bytes: whole pages, so possibly more than asked for.
    #[expect(clippy::len_without_is_empty, reason = "there is always at least one page")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// The size of its pages in bytes.
    pub fn page_bytes(&self) -> usize {
        bytes_of_page(self.page)
    }

    /// The one node asked for; `None` where it was several, or none.
    pub fn asked(&self) -> Option<NodeId> {
        self.policy.only_node()
    }

    /// The policy asked for. [`MemoryPolicy::verdict`] compares a residency with it.
    pub fn policy(&self) -> &MemoryPolicy {
        &self.policy
    }

    /// Where its pages are now. Ask before and after registering the memory with a NIC.
    ///
    /// # Errors
    /// As [`Residency::of`].
    pub fn residency(&self) -> Result<Residency, ResidencyError> {
        Residency::of(self.as_ptr(), self.length, self.page_bytes(), self.asked())
    }
}

impl Drop for BoundMemory {
    fn drop(&mut self) {
        // SAFETY: exactly the range that was mapped; nobody may use the pointer after this.
        let answer = unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        debug_assert_eq!(answer, 0, "munmap of an own mapping: {}", io::Error::last_os_error());
    }
}

/// Sets the policy of memory that is mapped and not touched yet.
fn set_policy(start: *mut u8, length: usize, policy: &MemoryPolicy) -> Result<(), MemoryError> {
    let Some((mode, nodes)) = policy.mode() else { return Ok(()) };
    let node = nodes.first();
    let mask = NodeMask::of_all(nodes.iter());
    let mask = mask.map_err(|node| MemoryError::NodeUnavailable { node })?;
    syscall::mbind(start, length, mode, &mask).map_err(|source| match source.raw_os_error() {
        Some(libc::EINVAL) => MemoryError::NodeUnavailable { node },
        _ => MemoryError::BindingRefused { node, source },
    })
}
