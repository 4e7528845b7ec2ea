//! How memory is spread over nodes, and whether it is.

use std::fmt;

use crate::memory::{MemoryError, PageSize, bytes_of_page};
use crate::place::{NodeId, NodeSet};
use crate::residency::{Residency, ResidencyVerdict};
use crate::supply;
use crate::syscall::Mode;

/// Where the pages of some memory are to come from (`mbind(2)`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// From the node of the thread that touches a page first.
    FirstTouch,
    /// From these nodes only.
    Bind(NodeSet),
    /// From these nodes in turn, page by page.
    Interleave(NodeSet),
    /// From this node as long as it has any.
    Preferred(NodeId),
}

/// Pages that one of so many may be away from its place before an interleaved mapping counts as
/// uneven: the kernel takes another node's page where the node in turn has none. Ours.
const UNEVEN_SHARE: u64 = 100;

impl MemoryPolicy {
    /// What a proof of residency comes to under this policy.
    ///
    /// Interleaved memory is where asked if it is on no other node and each node has an equal
    /// share, to within a page and a hundredth. Preferred memory is misplaced if the kernel could
    /// not follow the preference.
    pub fn verdict(&self, residency: &Residency) -> ResidencyVerdict {
        let all_on = |nodes: &NodeSet| residency.by_node.keys().all(|node| nodes.contains(*node));
        let kept = match self {
            Self::FirstTouch => return ResidencyVerdict::NothingAsked,
            Self::Bind(nodes) => all_on(nodes),
            Self::Interleave(nodes) => all_on(nodes) && is_even(residency, nodes),
            Self::Preferred(node) => all_on(&NodeSet::of(*node)),
        };
        match (kept, residency.unproven_pages) {
            (true, 0) => ResidencyVerdict::WhereAsked,
            // What is missing may be why the shares differ.
            (false, unproven) if unproven > 0 && self.may_be_kept(residency) => {
                ResidencyVerdict::Unproven
            }
            (true, _) => ResidencyVerdict::Unproven,
            (false, _) => ResidencyVerdict::Misplaced,
        }
    }

    fn may_be_kept(&self, residency: &Residency) -> bool {
        matches!(self, Self::Interleave(nodes)
            if residency.by_node.keys().all(|node| nodes.contains(*node)))
    }

    /// The one node that all pages are to be on.
    pub(super) fn only_node(&self) -> Option<NodeId> {
        match self {
            Self::Bind(nodes) if nodes.count() == 1 => Some(nodes.first()),
            _ => None,
        }
    }

    /// What the kernel is told; `None` where it is left alone.
    pub(super) fn mode(&self) -> Option<(Mode, NodeSet)> {
        match self {
            Self::FirstTouch => None,
            Self::Bind(nodes) => Some((Mode::Bind, nodes.clone())),
            Self::Interleave(nodes) => Some((Mode::Interleave, nodes.clone())),
            Self::Preferred(node) => Some((Mode::Preferred, NodeSet::of(*node))),
        }
    }

    /// Refuses what the nodes, or the machine, cannot give.
    pub(super) fn check_supply(&self, bytes: u64, page: PageSize) -> Result<(), MemoryError> {
        let page_bytes = bytes_of_page(page) as u64;
        match self {
            Self::FirstTouch => supply::check(bytes, page, None),
            Self::Bind(nodes) if nodes.count() == 1 => {
                supply::check(bytes, page, Some(nodes.first()))
            }
            Self::Bind(nodes) => together(nodes, bytes, page),
            Self::Interleave(nodes) => {
                let pages = (bytes / page_bytes).div_ceil(nodes.count() as u64);
                let share = |node| supply::check(pages * page_bytes, page, Some(node));
                nodes.iter().try_for_each(share)
            }
            Self::Preferred(node) => {
                supply::check(page_bytes, page, Some(*node))?;
                supply::check(bytes, page, None)
            }
        }
    }
}

/// Whether several nodes together have enough.
fn together(nodes: &NodeSet, asked_bytes: u64, page: PageSize) -> Result<(), MemoryError> {
    let mut free_bytes = 0;
    for node in nodes.iter() {
        match supply::check(asked_bytes, page, Some(node)) {
            Ok(()) => return Ok(()),
            Err(MemoryError::NodeMemoryExhausted { free_bytes: free, .. }) => free_bytes += free,
            Err(MemoryError::HugePagesExhausted { free_pages, .. }) => {
                free_bytes += free_pages * bytes_of_page(page) as u64;
            }
            Err(error) => return Err(error),
        }
    }
    match free_bytes >= asked_bytes {
        true => Ok(()),
        false => {
            let nodes = nodes.clone();
            Err(MemoryError::NodesMemoryExhausted { nodes, asked_bytes, free_bytes })
        }
    }
}

fn is_even(residency: &Residency, nodes: &NodeSet) -> bool {
    let share = residency.pages / nodes.count() as u64;
    let allowed = 1 + residency.pages / UNEVEN_SHARE;
    let on = |node| residency.by_node.get(&node).copied().unwrap_or(0);
    nodes.iter().all(|node| on(node).abs_diff(share) <= allowed)
}

impl fmt::Display for MemoryPolicy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstTouch => out.pad("first-touch"),
            Self::Bind(nodes) => write!(out, "bind:{nodes}"),
            Self::Interleave(nodes) => write!(out, "interleave:{nodes}"),
            Self::Preferred(node) => write!(out, "preferred:{node}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use onesided_vocabulary::PlacementMethod;

    fn found(by_node: &[(u32, u64)], unproven_pages: u64) -> Residency {
        let by_node: BTreeMap<_, _> =
            by_node.iter().map(|(node, pages)| (NodeId(*node), *pages)).collect();
        Residency {
            pages: by_node.values().sum::<u64>() + unproven_pages,
            page_bytes: 4096,
            by_node,
            unproven_pages,
            asked: None,
            misplaced: Vec::new(),
            misplaced_runs_cut: 0,
            method: PlacementMethod::MovePages,
        }
    }

    fn nodes(list: &str) -> NodeSet {
        list.parse().unwrap()
    }

    #[test]
    fn bound_memory_is_where_asked_on_any_of_its_nodes_and_on_no_other() {
        let policy = MemoryPolicy::Bind(nodes("0,2"));
        assert_eq!(policy.verdict(&found(&[(0, 3), (2, 500)], 0)), ResidencyVerdict::WhereAsked);
        assert_eq!(policy.verdict(&found(&[(0, 3), (1, 1)], 0)), ResidencyVerdict::Misplaced);
        assert_eq!(policy.verdict(&found(&[(0, 3), (1, 1)], 9)), ResidencyVerdict::Misplaced);
        assert_eq!(policy.verdict(&found(&[(0, 3)], 1)), ResidencyVerdict::Unproven);
    }

    #[test]
    fn interleaved_memory_is_where_asked_only_in_equal_shares() {
        let policy = MemoryPolicy::Interleave(nodes("0-1"));
        let of = |here, there| policy.verdict(&found(&[(0, here), (1, there)], 0));
        assert_eq!(of(500, 500), ResidencyVerdict::WhereAsked);
        assert_eq!(of(2, 1), ResidencyVerdict::WhereAsked);
        assert_eq!(of(520, 480), ResidencyVerdict::Misplaced);
        assert_eq!(policy.verdict(&found(&[(0, 1000)], 0)), ResidencyVerdict::Misplaced);
        assert_eq!(policy.verdict(&found(&[(0, 50)], 50)), ResidencyVerdict::Unproven);
        assert_eq!(policy.verdict(&found(&[(0, 50), (2, 1)], 50)), ResidencyVerdict::Misplaced);
    }

    #[test]
    fn a_preference_that_was_not_followed_is_told_and_first_touch_asks_for_nothing() {
        let policy = MemoryPolicy::Preferred(NodeId(1));
        assert_eq!(policy.verdict(&found(&[(1, 7)], 0)), ResidencyVerdict::WhereAsked);
        assert_eq!(policy.verdict(&found(&[(1, 7), (0, 1)], 0)), ResidencyVerdict::Misplaced);
        let anywhere = MemoryPolicy::FirstTouch.verdict(&found(&[(0, 1)], 0));
        assert_eq!(anywhere, ResidencyVerdict::NothingAsked);
    }
}
