//! Where the memory of a load is asked to be.

use std::fmt;
use std::str::FromStr;

use super::{MemoryPlace, NodeChoice, ParsePlaceError, refused};
use crate::device::DeviceLocality;
use crate::memory::{MemoryPolicy, NodeSet};
use crate::node::NodeId;
use crate::resolve::ResolveError;
use crate::topology::Topology;

/// Where the memory of a load is to be: what [`MemoryPlace`] says, and ways to spread it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadMemoryPlace {
    /// On the node of the thread that touches it first; written `any`.
    Anywhere,
    /// On one node only.
    On(NodeChoice),
    /// On these nodes only, the kernel chooses among them; written `bind:0,1`.
    Bind(NodeSet),
    /// On all nodes with memory in turn, page by page; written `interleave`.
    InterleaveAll,
    /// On these nodes in turn, page by page; written `interleave:0,1`.
    Interleave(NodeSet),
    /// On one node as long as it has any; written `preferred:0`.
    Preferred(NodeChoice),
}

const LOAD_FORMS: &str = "`any` (first touch), `interleave`, `interleave:0,1`, `preferred:0`, \
     `preferred:rdma-local`, `bind:0,1`, `rdma-local`, `rdma-remote`, or a node such as `0` or \
     `node:0`";

impl FromStr for LoadMemoryPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let wrong = || refused(value, LOAD_FORMS);
        match value.split_once(':') {
            Some(("interleave", nodes)) => nodes.parse().map(Self::Interleave).map_err(|_| wrong()),
            Some(("bind", nodes)) => nodes.parse().map(Self::Bind).map_err(|_| wrong()),
            Some(("preferred", node)) => node.parse().map(Self::Preferred).map_err(|_| wrong()),
            _ if value == "interleave" => Ok(Self::InterleaveAll),
            _ => match value.parse().map_err(|_| wrong())? {
                MemoryPlace::Anywhere => Ok(Self::Anywhere),
                MemoryPlace::On(choice) => Ok(Self::On(choice)),
            },
        }
    }
}

impl fmt::Display for LoadMemoryPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anywhere => out.pad("any"),
            Self::On(choice) => choice.fmt(out),
            Self::Bind(nodes) => write!(out, "bind:{nodes}"),
            Self::InterleaveAll => out.pad("interleave"),
            Self::Interleave(nodes) => write!(out, "interleave:{nodes}"),
            Self::Preferred(NodeChoice::Node(node)) => write!(out, "preferred:{node}"),
            Self::Preferred(choice) => write!(out, "preferred:{choice}"),
        }
    }
}

impl LoadMemoryPlace {
    /// The policy that is meant on this machine.
    ///
    /// # Errors
    /// As [`MemoryPlace::resolve`], for each of the nodes.
    pub fn resolve(
        &self,
        topology: &Topology,
        locality: &DeviceLocality,
    ) -> Result<MemoryPolicy, ResolveError> {
        let one = |choice: NodeChoice| -> Result<NodeId, ResolveError> {
            let node = MemoryPlace::On(choice).resolve(topology, locality)?;
            Ok(node.expect("a place on a node resolves to a node"))
        };
        let all = |nodes: &NodeSet| -> Result<NodeSet, ResolveError> {
            nodes.iter().try_for_each(|node| one(NodeChoice::Node(node)).map(|_| ()))?;
            Ok(nodes.clone())
        };
        Ok(match self {
            Self::Anywhere => MemoryPolicy::FirstTouch,
            Self::On(choice) => MemoryPolicy::Bind(NodeSet::of(one(*choice)?)),
            Self::Bind(nodes) => MemoryPolicy::Bind(all(nodes)?),
            Self::Interleave(nodes) => MemoryPolicy::Interleave(all(nodes)?),
            Self::Preferred(choice) => MemoryPolicy::Preferred(one(*choice)?),
            Self::InterleaveAll => {
                let usable = topology.nodes.iter().map(|node| node.id);
                let usable = usable.filter(|node| one(NodeChoice::Node(*node)).is_ok());
                let Some(nodes) = NodeSet::new(usable) else {
                    // The first one's reason is as good as any.
                    let first = topology.nodes.first().map_or(NodeId(0), |node| node.id);
                    return Err(one(NodeChoice::Node(first)).expect_err("no node can be used"));
                };
                MemoryPolicy::Interleave(nodes)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back_in_its_full_form() {
        for (word, full) in [
            ("any", "any"),
            ("0", "node:0"),
            ("node:3", "node:3"),
            ("rdma-remote", "rdma-remote"),
            ("interleave", "interleave"),
            ("interleave:1,0", "interleave:0-1"),
            ("bind:0,2", "bind:0,2"),
            ("preferred:1", "preferred:1"),
            ("preferred:node:1", "preferred:1"),
            ("preferred:rdma-local", "preferred:rdma-local"),
        ] {
            let place: LoadMemoryPlace = word.parse().unwrap();
            assert_eq!(place.to_string(), full);
            assert_eq!(full.parse(), Ok(place));
        }
    }

    #[test]
    fn a_wrong_form_is_named_with_what_is_allowed() {
        for value in ["interleaved", "interleave:", "bind:x", "preferred:any", "cpus:0", "", "1-2"]
        {
            let error = value.parse::<LoadMemoryPlace>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{value}` names no place")), "{error}");
            assert!(error.contains("`interleave:0,1`"), "{error}");
        }
    }

    #[test]
    fn places_resolve_to_policies_of_this_machine_and_missing_nodes_are_named() {
        let topology = Topology::discover().unwrap();
        let node = topology.nodes.iter().find(|node| node.memory_bytes > 0).unwrap().id;
        let device = DeviceLocality::given("rxe0", node);
        let resolve =
            |word: &str| word.parse::<LoadMemoryPlace>().unwrap().resolve(&topology, &device);
        assert_eq!(resolve("any"), Ok(MemoryPolicy::FirstTouch));
        assert_eq!(resolve("rdma-local"), Ok(MemoryPolicy::Bind(NodeSet::of(node))));
        assert_eq!(resolve("preferred:rdma-local"), Ok(MemoryPolicy::Preferred(node)));
        let MemoryPolicy::Interleave(nodes) = resolve("interleave").unwrap() else {
            panic!("interleave resolves to another policy")
        };
        assert!(nodes.contains(node));
        for word in ["interleave:900", "bind:0,900", "preferred:900", "900"] {
            let error = resolve(word).unwrap_err();
            assert!(matches!(error, ResolveError::NoSuchNode { node: NodeId(900), .. }), "{error}");
        }
    }
}
