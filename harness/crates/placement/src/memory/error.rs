//! Why memory could not be had, in terms of what the machine has.

use std::io;

use super::{NodeSet, PageSize, bytes_of_page};
use crate::kernel_file::KernelFileError;
use crate::place::NodeId;

/// Why memory could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Nothing, or more than an address can span, was asked for.
    #[error(
        "cannot allocate {asked_bytes} bytes: expected at least 1 and at most half the address \
         space"
    )]
    ImpossibleLength {
        /// What was asked for.
        asked_bytes: usize,
    },
    /// The node has too little memory left; binding beyond it gets the process killed.
    #[error(
        "node {node} has {free_bytes} bytes to give, asked: {asked_bytes}; ask for less or free \
         memory there"
    )]
    NodeMemoryExhausted {
        /// The node asked for.
        node: NodeId,
        /// What was asked for, in whole pages.
        asked_bytes: u64,
        /// What may be taken from the node.
        free_bytes: u64,
    },
    /// Several nodes together have too little memory left.
    #[error(
        "nodes {nodes} together have {free_bytes} bytes to give, asked: {asked_bytes}; ask for \
         less or free memory there"
    )]
    NodesMemoryExhausted {
        /// The nodes asked for.
        nodes: NodeSet,
        /// What was asked for, in whole pages.
        asked_bytes: u64,
        /// What may be taken from them.
        free_bytes: u64,
    },
    /// The machine has too little memory left.
    #[error("this machine has {free_bytes} bytes to give, asked: {asked_bytes}")]
    MachineMemoryExhausted {
        /// What was asked for, in whole pages.
        asked_bytes: u64,
        /// `MemAvailable` of `proc_meminfo(5)`.
        free_bytes: u64,
    },
    /// Too few huge pages in the pool; touching beyond it is a bus error.
    #[error(
        "{} has {free_pages} free {page} pages, asked: {asked_pages}; raise nr_hugepages{}",
        holder(*node), path_hint(*node, *page)
    )]
    HugePagesExhausted {
        /// The node asked for, or `None` for the whole machine.
        node: Option<NodeId>,
        /// The page size asked for.
        page: PageSize,
        /// How many pages were asked for.
        asked_pages: u64,
        /// How many there are.
        free_pages: u64,
    },
    /// The node does not exist, has no memory, or this process may not use it.
    #[error("node {node} cannot be bound to: no such node, no memory on it, or not allowed")]
    NodeUnavailable {
        /// The node asked for.
        node: NodeId,
    },
    /// `mbind` is forbidden (containers often do so) or this kernel has no NUMA.
    #[error(
        "the kernel refuses to bind memory to node {node}; a container may need `--cap-add \
         SYS_NICE`"
    )]
    BindingRefused {
        /// The node asked for.
        node: NodeId,
        /// What it answered.
        source: io::Error,
    },
    /// `mmap` failed.
    #[error("cannot map {asked_bytes} bytes of {page} pages")]
    NotMapped {
        /// What was asked for, in whole pages.
        asked_bytes: u64,
        /// The page size asked for.
        page: PageSize,
        /// What the kernel answered.
        source: io::Error,
    },
    /// The pages could not be obtained although there seemed to be enough.
    #[error(
        "cannot obtain the {page} pages of {asked_bytes} bytes: another process took them first?"
    )]
    NotPopulated {
        /// What was asked for, in whole pages.
        asked_bytes: u64,
        /// The page size asked for.
        page: PageSize,
        /// What the kernel answered.
        source: io::Error,
    },
    /// A kernel file is unreadable or malformed.
    #[error("cannot find out how much memory is free")]
    KernelFile {
        /// Which file and why.
        #[from]
        source: KernelFileError,
    },
}

fn holder(node: Option<NodeId>) -> String {
    node.map_or_else(|| "this machine".to_owned(), |node| format!("node {node}"))
}

fn path_hint(node: Option<NodeId>, page: PageSize) -> String {
    let kibibytes = bytes_of_page(page) / 1024;
    let folder = match node {
        Some(node) => format!("/sys/devices/system/node/node{node}/hugepages"),
        None => "/sys/kernel/mm/hugepages".to_owned(),
    };
    format!(" ({folder}/hugepages-{kibibytes}kB/nr_hugepages)")
}
