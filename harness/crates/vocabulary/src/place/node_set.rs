//! Sets of nodes that memory is spread over.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::NodeId;
use super::number_list::{self, NumberListError};

/// An ordered set of at least one node, written as the kernel does: `0-1,3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeSet(BTreeSet<NodeId>);

impl NodeSet {
    /// The set of these nodes; `None` when there are none.
    pub fn new(nodes: impl IntoIterator<Item = NodeId>) -> Option<Self> {
        let nodes: BTreeSet<NodeId> = nodes.into_iter().collect();
        (!nodes.is_empty()).then_some(Self(nodes))
    }

    /// The set of one node.
    pub fn of(node: NodeId) -> Self {
        Self(BTreeSet::from([node]))
    }

    /// How many nodes are in it: 1 or more.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether the node is in it.
    pub fn contains(&self, node: NodeId) -> bool {
        self.0.contains(&node)
    }

    /// The nodes, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        self.0.iter().copied()
    }

    /// The lowest node.
    pub fn first(&self) -> NodeId {
        *self.0.first().expect("a NodeSet holds at least one node by construction")
    }
}

impl FromStr for NodeSet {
    type Err = NumberListError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Ok(Self(number_list::parse(list)?.into_iter().map(NodeId).collect()))
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        number_list::write(self.0.iter().map(|node| node.0), out)
    }
}
