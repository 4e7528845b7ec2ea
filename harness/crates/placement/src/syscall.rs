//! The memory policy system calls, which the C library does not wrap.
//!
//! libnuma wraps them but hides failures: it returns memory of another node for one that does not
//! exist. Sources: `mbind(2)`, `set_mempolicy(2)`, `get_mempolicy(2)`, `move_pages(2)`.

use std::ffi::{c_int, c_long, c_uint, c_ulong};
use std::io;
use std::ptr;

use crate::place::NodeId;

const WORD_BITS: usize = c_ulong::BITS as usize;

/// Room for the most nodes any Linux is built for (`CONFIG_NODES_SHIFT` is at most 10).
const MASK_BITS: usize = 1024;

/// The kernel takes one off the bit count it is given.
const MASK_BITS_ARGUMENT: c_ulong = MASK_BITS as c_ulong + 1;

/// `MPOL_MF_STRICT` of `linux/mempolicy.h`: fail when a page is already elsewhere.
const MPOL_MF_STRICT: c_uint = 1;

/// Not remapped when the cpuset changes: a node asked for stays the node asked for.
const BIND: c_int = libc::MPOL_BIND | libc::MPOL_F_STATIC_NODES;

/// A set of nodes as the kernel takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeMask([c_ulong; MASK_BITS / WORD_BITS]);

impl NodeMask {
    pub(crate) const EMPTY: Self = Self([0; MASK_BITS / WORD_BITS]);

    /// The mask of some nodes; an error names one beyond any Linux.
    pub(crate) fn of_all(nodes: impl Iterator<Item = NodeId>) -> Result<Self, NodeId> {
        let mut all = Self::EMPTY;
        for node in nodes {
            let one = Self::of(node).ok_or(node)?;
            for (word, more) in all.0.iter_mut().zip(one.0) {
                *word |= more;
            }
        }
        Ok(all)
    }

    /// The mask of one node; `None` for a number beyond any Linux.
    pub(crate) fn of(node: NodeId) -> Option<Self> {
        let mut mask = Self::EMPTY;
        *mask.0.get_mut(node.0 as usize / WORD_BITS)? |= 1 << (node.0 as usize % WORD_BITS);
        Some(mask)
    }
}

/// A thread's memory policy as the kernel keeps it: mode with its flags, and nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadPolicy {
    pub(crate) mode: c_int,
    pub(crate) nodes: NodeMask,
}

/// `MPOL_DEFAULT`, that of a thread which never asked for one.
impl Default for ThreadPolicy {
    fn default() -> Self {
        Self { mode: libc::MPOL_DEFAULT, nodes: NodeMask::EMPTY }
    }
}

impl ThreadPolicy {
    pub(crate) fn bind(node: NodeId) -> Option<Self> {
        Some(Self { mode: BIND, nodes: NodeMask::of(node)? })
    }
}

/// What the nodes of a policy mean (`mbind(2)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Bind,
    Interleave,
    Preferred,
}

/// Sets the policy of pages of a range that are not yet touched.
pub(crate) fn mbind(start: *mut u8, length: usize, mode: Mode, nodes: &NodeMask) -> io::Result<()> {
    let mode = match mode {
        Mode::Bind => BIND,
        Mode::Interleave => libc::MPOL_INTERLEAVE | libc::MPOL_F_STATIC_NODES,
        Mode::Preferred => libc::MPOL_PREFERRED | libc::MPOL_F_STATIC_NODES,
    };
    // SAFETY: the kernel reads the mask, and changes how pages of the range are obtained later;
    // a range that is not mapped is refused with EFAULT.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            start,
            length,
            c_long::from(mode),
            nodes.0.as_ptr(),
            MASK_BITS_ARGUMENT,
            MPOL_MF_STRICT,
        )
    };
    outcome(answer)
}

pub(crate) fn set_thread_policy(policy: &ThreadPolicy) -> io::Result<()> {
    let mode = c_long::from(policy.mode);
    // SAFETY: the kernel only reads the mask.
    let answer = unsafe {
        libc::syscall(libc::SYS_set_mempolicy, mode, policy.nodes.0.as_ptr(), MASK_BITS_ARGUMENT)
    };
    outcome(answer)
}

pub(crate) fn thread_policy() -> io::Result<ThreadPolicy> {
    let mut policy = ThreadPolicy { mode: 0, nodes: NodeMask::EMPTY };
    // SAFETY: the kernel writes one int and at most MASK_BITS bits.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut policy.mode,
            policy.nodes.0.as_mut_ptr(),
            MASK_BITS_ARGUMENT,
            ptr::null::<u8>(),
            0 as c_ulong,
        )
    };
    outcome(answer).map(|()| policy)
}

/// Asks on which node each page is, moving none; `statuses` gets a node or a negative errno for
/// every page.
///
/// # Panics
/// When the two slices differ in length.
pub(crate) fn query_pages(pages: &[*const u8], statuses: &mut [c_int]) -> io::Result<()> {
    assert_eq!(pages.len(), statuses.len(), "one status for each page");
    // SAFETY: with no nodes given the kernel moves nothing; it reads the addresses without
    // following them and writes one status each. Process 0 is the calling one.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0 as c_long,
            pages.len() as c_ulong,
            pages.as_ptr(),
            ptr::null::<c_int>(),
            statuses.as_mut_ptr(),
            0 as c_long,
        )
    };
    outcome(answer)
}

fn outcome(answer: c_long) -> io::Result<()> {
    match answer {
        0 => Ok(()),
        _ if answer < 0 => Err(io::Error::last_os_error()),
        // move_pages(2): pages that were not migrated; a query migrates none.
        _ => Err(io::Error::other(format!("the kernel answered {answer}, expected 0"))),
    }
}

/// The size of a page that is not huge, in bytes.
pub(crate) fn base_page_bytes() -> usize {
    // SAFETY: takes no pointer.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).expect("POSIX requires every system to know its page size")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_the_bit_of_each_node_that_linux_can_have_and_no_other() {
        for node in 0..MASK_BITS {
            let mask = NodeMask::of(NodeId(node as u32)).expect("Linux can have it");
            let is_set = |bit: usize| mask.0[bit / WORD_BITS] >> (bit % WORD_BITS) & 1 == 1;
            assert_eq!((0..MASK_BITS).filter(|bit| is_set(*bit)).collect::<Vec<_>>(), [node]);
        }
        assert_eq!(NodeMask::of(NodeId(MASK_BITS as u32)), None);
    }

    #[test]
    fn a_mask_of_some_nodes_has_all_of_them_and_one_too_many_is_named() {
        let all = |nodes: &[u32]| NodeMask::of_all(nodes.iter().map(|node| NodeId(*node)));
        let mask = all(&[0, 3, 64]).expect("Linux can have them");
        assert_eq!((mask.0[0], mask.0[1]), (0b1001, 1));
        assert_eq!(all(&[1, 5000]), Err(NodeId(5000)));
    }
}
