//! Shared memory in a file, bound to a node.

use std::{fs::File, io, os::fd::AsRawFd, ptr};

use super::{MemoryError, MemoryPolicy, NodeSet, PageSize, set_policy};
use crate::{place::NodeId, supply};

/// Has the pages of a part of a file in memory (tmpfs) come from a node, whoever touches them first and
/// by whatever mapping: the kernel keeps such a policy with the file (`numa_memory_policy.rst`, "Shared
/// Policy"). Pages that are there already stay where they are.
///
/// The offset is one of whole pages; the part may be beyond the file's end, as long as it is not touched.
///
/// # Errors
/// A node that cannot be used; a call that is forbidden.
pub fn bind_file(file: &File, offset: u64, length: usize, node: NodeId) -> Result<(), MemoryError> {
    let (descriptor, offset) = (file.as_raw_fd(), offset as libc::off_t);
    // SAFETY: a new mapping at an address of the kernel's choice, whose bytes nobody can touch.
    let start = unsafe {
        libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, libc::MAP_SHARED, descriptor, offset)
    };
    if start == libc::MAP_FAILED {
        let (asked_bytes, source) = (length as u64, io::Error::last_os_error());
        return Err(MemoryError::NotMapped { asked_bytes, page: PageSize::Base, source });
    }
    let bound = set_policy(start.cast(), length, &MemoryPolicy::Bind(NodeSet::of(node)));
    // SAFETY: mapped above, with this length, and known to nobody else.
    unsafe { libc::munmap(start, length) };
    bound
}

/// Refuses more than a node can give. Without this the kernel ends the process that touches what is not
/// there (`set_mempolicy(2)`, MPOL_BIND).
///
/// # Errors
/// The node has too little memory left, or there is no such node.
pub fn check_supply(bytes: u64, node: NodeId) -> Result<(), MemoryError> {
    supply::check(bytes, PageSize::Base, Some(node))
}
