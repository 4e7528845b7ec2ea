//! Memory spread over nodes: what passing lets us claim is that pages are on the nodes, and in the
//! shares, that a policy says, whichever node's thread touches them.
//!
//! On a machine of one node every test says SKIPPED on standard error; `ci/lab` runs this on two.

use std::io::Write;
use std::thread;

use onesided_placement::{
    BoundMemory, MemoryError, MemoryPolicy, NodeId, NodeSet, PageSize, ResidencyVerdict, Topology,
    pin_current_thread,
};

const BYTES: usize = 4 << 20;
const PAGES: u64 = 1024;

/// The first two nodes with CPUs and memory; says so if there are none.
fn two_nodes() -> Option<(Topology, [NodeId; 2])> {
    let topology = Topology::discover().unwrap();
    let usable = topology.nodes.iter().filter(|node| node.cpus.is_some() && node.memory_bytes > 0);
    let ids: Vec<NodeId> = usable.map(|node| node.id).collect();
    let [first, second, ..] = ids[..] else {
        let line = "SKIPPED: this machine has fewer than 2 NUMA nodes; ci/lab runs this on two\n";
        std::io::stderr().write_all(line.as_bytes()).expect("standard error");
        return None;
    };
    Some((topology, [first, second]))
}

fn on<T: Send>(topology: &Topology, node: NodeId, work: impl FnOnce() -> T + Send) -> T {
    let cpus = topology.node(node).unwrap().cpus.clone().unwrap();
    let pinned = move || {
        pin_current_thread(&cpus).unwrap();
        work()
    };
    thread::scope(|scope| scope.spawn(pinned).join()).unwrap()
}

fn by(policy: MemoryPolicy) -> BoundMemory {
    BoundMemory::allocate_by(BYTES, PageSize::Base, policy).unwrap()
}

#[test]
fn interleaved_memory_is_half_on_each_of_two_nodes() {
    let Some((topology, nodes)) = two_nodes() else { return };
    for run in nodes {
        let policy = MemoryPolicy::Interleave(NodeSet::new(nodes).unwrap());
        let memory = on(&topology, run, || by(policy.clone()));
        let residency = memory.residency().unwrap();
        assert_eq!(policy.verdict(&residency), ResidencyVerdict::WhereAsked, "{residency}");
        for node in nodes {
            assert_eq!(residency.by_node.get(&node), Some(&(PAGES / 2)), "{residency}");
        }
    }
}

#[test]
fn memory_on_one_node_does_not_pass_for_interleaved() {
    let Some((topology, nodes)) = two_nodes() else { return };
    let memory = on(&topology, nodes[0], || by(MemoryPolicy::Bind(NodeSet::of(nodes[0]))));
    let interleaved = MemoryPolicy::Interleave(NodeSet::new(nodes).unwrap());
    let residency = memory.residency().unwrap();
    assert_eq!(interleaved.verdict(&residency), ResidencyVerdict::Misplaced, "{residency}");
}

#[test]
fn preferred_and_bound_memory_is_on_its_node_whichever_thread_touches_it() {
    let Some((topology, [first, second])) = two_nodes() else { return };
    for (run, place) in [(first, second), (second, first)] {
        for policy in [MemoryPolicy::Preferred(place), MemoryPolicy::Bind(NodeSet::of(place))] {
            let memory = on(&topology, run, || by(policy.clone()));
            let residency = memory.residency().unwrap();
            assert_eq!(policy.verdict(&residency), ResidencyVerdict::WhereAsked, "{residency}");
            assert_eq!(residency.by_node.get(&place), Some(&PAGES), "{residency}");
        }
    }
}

#[test]
fn memory_left_to_the_first_touch_is_untouched_and_then_where_it_is_touched() {
    let Some((topology, [first, second])) = two_nodes() else { return };
    let memory = on(&topology, first, || by(MemoryPolicy::FirstTouch));
    assert_eq!(memory.residency().unwrap().unproven_pages, PAGES);
    on(&topology, second, || {
        for offset in (0..memory.len()).step_by(4096) {
            // SAFETY: within the memory, which nobody else uses.
            unsafe { memory.as_ptr().add(offset).write_volatile(1) };
        }
    });
    let residency = memory.residency().unwrap();
    assert_eq!(residency.by_node.get(&second), Some(&PAGES), "{residency}");
}

#[test]
fn more_than_its_nodes_have_together_or_in_shares_is_refused_with_numbers() {
    let Some((topology, nodes)) = two_nodes() else { return };
    let bytes = |node| topology.node(node).unwrap().memory_bytes as usize;
    let all: usize = nodes.into_iter().map(bytes).sum();
    let set = NodeSet::new(nodes).unwrap();
    let bind = MemoryPolicy::Bind(set.clone());
    let error = BoundMemory::allocate_by(all, PageSize::Base, bind).unwrap_err();
    assert!(matches!(error, MemoryError::NodesMemoryExhausted { .. }), "{error}");
    let interleave = MemoryPolicy::Interleave(set);
    let error = BoundMemory::allocate_by(all, PageSize::Base, interleave).unwrap_err();
    assert!(matches!(error, MemoryError::NodeMemoryExhausted { .. }), "{error}");
}
