//! Pages gathered into counts for each node and runs of misplaced neighbours.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::{PageRange, PlacementMethod, Residency};
use crate::place::NodeId;

/// Runs that a record lists; beyond it they are counted (ours: enough to see a pattern).
const LISTED: usize = 64;

/// Neighbouring pages that are on one node; pages are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PageRun {
    /// The first of them.
    pub first_page: u64,
    /// How many they are.
    pub pages: u64,
    /// The node they are on.
    pub node: NodeId,
}

impl PageRun {
    fn next_page(&self) -> u64 {
        self.first_page + self.pages
    }

    /// Writes `pages 3-7 of 512 are on node 0`.
    pub(super) fn write_of(&self, out: &mut fmt::Formatter<'_>, all: u64) -> fmt::Result {
        match self.pages {
            1 => write!(out, "page {} of {all} is on node {}", self.first_page, self.node),
            _ => {
                let last = self.next_page() - 1;
                write!(out, "pages {}-{last} of {all} are on node {}", self.first_page, self.node)
            }
        }
    }
}

impl fmt::Display for PageRun {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pages {
            1 => write!(out, "page {} is on node {}", self.first_page, self.node),
            _ => {
                let last = self.next_page() - 1;
                write!(out, "pages {}-{last} are on node {}", self.first_page, self.node)
            }
        }
    }
}

/// Pages seen so far.
pub(super) struct Runs {
    asked: Option<NodeId>,
    by_node: BTreeMap<NodeId, u64>,
    misplaced: Vec<PageRun>,
    cut: u64,
    /// The run being extended, listed or not.
    last: Option<PageRun>,
}

impl Runs {
    pub(super) fn new(asked: Option<NodeId>) -> Self {
        Self { asked, by_node: BTreeMap::new(), misplaced: Vec::new(), cut: 0, last: None }
    }

    /// Pages, ascending from call to call, whose position and node are known.
    pub(super) fn add(&mut self, first_page: u64, pages: u64, node: NodeId) {
        self.add_count(pages, node);
        if self.asked.is_none_or(|asked| asked == node) {
            return;
        }
        self.last = match self.last.take() {
            Some(run) if run.next_page() == first_page && run.node == node => {
                Some(PageRun { pages: run.pages + pages, ..run })
            }
            ended => {
                self.close(ended);
                Some(PageRun { first_page, pages, node })
            }
        };
    }

    /// Pages of which only the count is known.
    pub(super) fn add_count(&mut self, pages: u64, node: NodeId) {
        *self.by_node.entry(node).or_default() += pages;
    }

    fn close(&mut self, ended: Option<PageRun>) {
        match ended {
            Some(run) if self.misplaced.len() < LISTED => self.misplaced.push(run),
            Some(_) => self.cut += 1,
            None => {}
        }
    }

    pub(super) fn into_residency(mut self, range: PageRange, method: PlacementMethod) -> Residency {
        let last = self.last.take();
        self.close(last);
        let pages = range.pages as u64;
        let proven: u64 = self.by_node.values().sum();
        Residency {
            pages,
            page_bytes: range.page_bytes as u64,
            by_node: self.by_node,
            unproven_pages: pages.saturating_sub(proven),
            asked: self.asked,
            misplaced: self.misplaced,
            misplaced_runs_cut: self.cut,
            method,
        }
    }
}
