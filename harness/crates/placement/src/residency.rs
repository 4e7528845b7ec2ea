//! The proof of where memory is, page by page.

mod numa_maps;
mod runs;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fmt;
use std::io;

use onesided_vocabulary::PlacementMethod;
use serde::Serialize;

pub use runs::PageRun;

use crate::place::NodeId;
use crate::syscall;
use runs::Runs;

/// Pages asked about in one system call, which keeps its arrays small (ours).
const PAGES_PER_CALL: usize = 4096;

/// How many pages are on each NUMA node.
pub type PagesByNode = BTreeMap<NodeId, u64>;

/// How many pages of both are on each node.
#[must_use]
pub fn sum_by_node(mut one: PagesByNode, other: PagesByNode) -> PagesByNode {
    for (node, pages) in other {
        *one.entry(node).or_default() += pages;
    }
    one
}

/// What a [`Residency`] comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResidencyVerdict {
    /// Every page is proven to be on the node asked for.
    WhereAsked,
    /// At least one page is proven to be on another node.
    Misplaced,
    /// No page is known to be elsewhere, but not every page could be looked up.
    Unproven,
    /// No node was asked for.
    NothingAsked,
}

/// On which nodes the pages of a range are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Residency {
    /// How many pages the range has.
    pub pages: u64,
    /// The size of a page in bytes.
    pub page_bytes: u64,
    /// Pages proven to be on each node.
    pub by_node: PagesByNode,
    /// Pages about which the kernel does not tell: never touched, or a device's mapping.
    pub unproven_pages: u64,
    /// The node asked for, if any.
    pub asked: Option<NodeId>,
    /// Pages on another node than asked for, ascending, neighbours joined; the first 64 runs.
    pub misplaced: Vec<PageRun>,
    /// How many more runs there are than `misplaced` lists.
    pub misplaced_runs_cut: u64,
    /// How it was found out.
    pub method: PlacementMethod,
}

/// Why residency could not be asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResidencyError {
    /// The page size is not a power of two, or nothing was to be looked up.
    #[error(
        "cannot look up {length} bytes in pages of {page_bytes}: expected at least 1 byte and a power of two"
    )]
    ImpossibleRange {
        /// The length asked about.
        length: usize,
        /// The page size asked about.
        page_bytes: usize,
    },
    /// `move_pages` failed in a way that is neither a refusal nor an answer.
    #[error("move_pages failed for {pages} pages from address {address:#x}")]
    MovePages {
        /// The first address asked about.
        address: usize,
        /// The pages asked about.
        pages: usize,
        /// What it answered.
        source: io::Error,
    },
}

/// A range in whole pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageRange {
    start: usize,
    pages: usize,
    page_bytes: usize,
}

impl Residency {
    /// Looks up every page that the range touches; it is neither read nor moved. The address may
    /// be any: pages that are not mapped, not yet touched, or a device's, count as unproven.
    ///
    /// # Errors
    /// An impossible range; `move_pages` failing for another reason than being forbidden.
    pub fn of(
        address: *const u8,
        length: usize,
        page_bytes: usize,
        asked: Option<NodeId>,
    ) -> Result<Self, ResidencyError> {
        let range = PageRange::covering(address.addr(), length, page_bytes)?;
        match by_move_pages(range, asked) {
            Err(ResidencyError::MovePages { source, .. }) if is_refusal(&source) => {
                Ok(numa_maps::look_up(range, asked))
            }
            answer => answer,
        }
    }

    /// Pages proven to be on another node than asked for; 0 when no node was asked for.
    pub fn misplaced_pages(&self) -> u64 {
        let Some(asked) = self.asked else { return 0 };
        self.by_node.iter().filter(|(node, _)| **node != asked).map(|(_, pages)| pages).sum()
    }

    /// What it comes to.
    pub fn verdict(&self) -> ResidencyVerdict {
        match (self.asked, self.misplaced_pages(), self.unproven_pages) {
            (None, _, _) => ResidencyVerdict::NothingAsked,
            (Some(_), 0, 0) => ResidencyVerdict::WhereAsked,
            (Some(_), 0, _) => ResidencyVerdict::Unproven,
            (Some(_), _, _) => ResidencyVerdict::Misplaced,
        }
    }
}

impl PageRange {
    fn covering(address: usize, length: usize, page_bytes: usize) -> Result<Self, ResidencyError> {
        let impossible = ResidencyError::ImpossibleRange { length, page_bytes };
        if length == 0 || !page_bytes.is_power_of_two() {
            return Err(impossible);
        }
        let start = address & !(page_bytes - 1);
        let Some(end) = address.checked_add(length) else { return Err(impossible) };
        Ok(Self { start, pages: (end - start).div_ceil(page_bytes), page_bytes })
    }

    fn end(&self) -> usize {
        self.start + self.pages * self.page_bytes
    }

    fn page(&self, index: usize) -> *const u8 {
        std::ptr::without_provenance(self.start + index * self.page_bytes)
    }
}

/// Forbidden by a container's system call filter, or a kernel without NUMA.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS))
}

fn by_move_pages(range: PageRange, asked: Option<NodeId>) -> Result<Residency, ResidencyError> {
    let mut found = Runs::new(asked);
    for first in (0..range.pages).step_by(PAGES_PER_CALL) {
        let last = range.pages.min(first + PAGES_PER_CALL);
        let pages: Vec<*const u8> = (first..last).map(|index| range.page(index)).collect();
        // A negative status is "not told", so that a page the kernel skips is not taken as proven.
        let mut statuses: Vec<c_int> = vec![-libc::ENOENT; pages.len()];
        syscall::query_pages(&pages, &mut statuses).map_err(|source| {
            ResidencyError::MovePages { address: pages[0].addr(), pages: pages.len(), source }
        })?;
        for (page, status) in (first..).zip(&statuses) {
            // Untouched pages and device mappings: -ENOENT or -EFAULT, by kernel version.
            if let Ok(node) = u32::try_from(*status) {
                found.add(page as u64, 1, NodeId(node));
            }
        }
    }
    Ok(found.into_residency(range, PlacementMethod::MovePages))
}

/// How many runs a sentence names before it says how many more there are.
const RUNS_IN_A_SENTENCE: usize = 4;

impl fmt::Display for Residency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.asked, self.verdict()) {
            (Some(asked), ResidencyVerdict::WhereAsked) => {
                write!(out, "all {} pages are on node {asked}, as asked", self.pages)
            }
            (Some(asked), ResidencyVerdict::Misplaced) => {
                self.write_misplaced(out)?;
                write!(out, ", asked: node {asked}")
            }
            (asked, _) => {
                self.write_counts(out, |_| true)?;
                asked.map_or(Ok(()), |asked| write!(out, ", asked: node {asked}"))
            }
        }?;
        match self.unproven_pages {
            0 => Ok(()),
            unproven => write!(out, "; {unproven} pages unproven"),
        }
    }
}

impl Residency {
    fn write_misplaced(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed: u64 = self.misplaced.iter().map(|run| run.pages).sum();
        if listed < self.misplaced_pages() && self.misplaced_runs_cut == 0 {
            self.write_counts(out, |node| Some(node) != self.asked)?;
            return out.write_str(" at unknown positions");
        }
        for (index, run) in self.misplaced.iter().take(RUNS_IN_A_SENTENCE).enumerate() {
            match index {
                0 => run.write_of(out, self.pages)?,
                _ => write!(out, ", {run}")?,
            }
        }
        let named = self.misplaced.len().min(RUNS_IN_A_SENTENCE) as u64;
        match self.misplaced.len() as u64 + self.misplaced_runs_cut - named {
            0 => Ok(()),
            more => write!(
                out,
                ", and {more} more runs ({} pages misplaced in all)",
                self.misplaced_pages()
            ),
        }
    }

    fn write_counts(
        &self,
        out: &mut fmt::Formatter<'_>,
        wanted: impl Fn(NodeId) -> bool,
    ) -> fmt::Result {
        write!(out, "of {} pages", self.pages)?;
        let mut none = true;
        for (node, pages) in self.by_node.iter().filter(|(node, _)| wanted(**node)) {
            write!(out, ", {pages} are on node {node}")?;
            none = false;
        }
        match none {
            true => out.write_str(", none is proven to be on any node"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
