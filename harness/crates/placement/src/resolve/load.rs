//! From a place for the memory of a load to a memory policy of this machine.

use super::{Resolve, ResolveError};
use crate::device::DeviceLocality;
use crate::memory::MemoryPolicy;
use crate::place::{LoadMemoryPlace, MemoryPlace, NodeChoice, NodeId, NodeSet};
use crate::topology::Topology;

impl Resolve for LoadMemoryPlace {
    type Resolved = MemoryPolicy;

    /// The policy that is meant.
    ///
    /// # Errors
    /// As for a [`MemoryPlace`], for each of the nodes.
    fn resolve(
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
