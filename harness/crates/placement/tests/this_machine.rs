//! Topology and bound memory of the machine the tests run on, whichever it is.

use std::io::Write;
use std::path::Path;
use std::thread;

use onesided_placement::{
    BoundMemory, LibnumaError, LibnumaView, MemoryError, MemoryPolicy, NodeId, NodeSet, PageSize,
    ResidencyVerdict, Topology, TopologySource, bind_file, check_supply, current_cpu,
};

/// Written past libtest's capture, so that a skipped test is never taken for a passed one.
fn skipped(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}

#[test]
fn libnuma_and_sysfs_tell_the_same() {
    let view = match LibnumaView::open() {
        Ok(view) => view,
        Err(
            error @ (LibnumaError::NotLoadable { .. }
            | LibnumaError::Static
            | LibnumaError::NoNodesInSysfs
            | LibnumaError::NotAvailable),
        ) => return skipped(&format!("libnuma has no view here to compare: {error}")),
        Err(error) => panic!("{error}"),
    };
    let sysfs = Topology::from_sysfs(Path::new("/sys")).unwrap();
    let nodes: Vec<NodeId> = view.nodes.keys().copied().collect();
    assert_eq!(nodes, sysfs.node_ids().into_iter().collect::<Vec<_>>());
    for node in &sysfs.nodes {
        assert_eq!(view.nodes[&node.id].cpus, node.cpus, "CPUs of node {}", node.id);
        assert_eq!(view.nodes[&node.id].distances, node.distances, "distances of {}", node.id);
    }
    assert_eq!(Topology::discover().unwrap().source, TopologySource::Libnuma);
}

#[test]
fn a_file_is_bound_to_a_node_that_is_there_and_to_no_other() {
    let file = tempfile::tempfile_in("/dev/shm").unwrap();
    let (_, node) = current_cpu();
    bind_file(&file, 4096, 1 << 20, node).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 0, "it need not have the bytes");
    for absent in [NodeId(1000), NodeId(u32::MAX)] {
        let refused = bind_file(&file, 0, 4096, absent);
        assert!(matches!(refused, Err(MemoryError::NodeUnavailable { .. })), "{refused:?}");
        let refused = check_supply(4096, absent);
        assert!(matches!(refused, Err(MemoryError::NodeUnavailable { .. })), "{refused:?}");
    }
    let refused = check_supply(u64::MAX, node);
    assert!(matches!(refused, Err(MemoryError::NodeMemoryExhausted { .. })), "{refused:?}");
}

#[test]
fn the_topology_knows_the_cpu_this_test_runs_on() {
    let topology = Topology::discover().unwrap();
    let (cpu, node) = current_cpu();
    assert_eq!(topology.node_of_cpu(cpu), Some(node));
    assert!(topology.online_cpus.is_none_or(|online| online.contains(cpu)));
    let allowed = topology.allowed.unwrap();
    assert!(allowed.cpus.unwrap().contains(cpu));
    assert!(allowed.memory_nodes.unwrap().contains(&node));
}

#[test]
fn bound_memory_is_zeroed_whole_pages_and_crosses_threads() {
    let (_, node) = current_cpu();
    let memory = BoundMemory::allocate(10_000, PageSize::Base, Some(node)).unwrap();
    assert_eq!(memory.len() % memory.page_bytes(), 0);
    assert!(memory.len() >= 10_000);
    assert_eq!(memory.asked(), Some(node));
    let last = memory.len() - 1;
    thread::scope(|scope| {
        // SAFETY: within the memory; no other access at the same time.
        let write = || unsafe { memory.as_ptr().add(last).write_volatile(7) };
        scope.spawn(write).join().unwrap();
    });
    // SAFETY: within the memory, which nobody writes to any more.
    let (first, last) = unsafe { (*memory.as_ptr(), *memory.as_ptr().add(last)) };
    assert_eq!((first, last), (0, 7));
}

#[test]
fn memory_anywhere_is_proven_without_a_node_asked() {
    let memory = BoundMemory::allocate(1 << 20, PageSize::Base, None).unwrap();
    let residency = memory.residency().unwrap();
    assert_eq!(residency.unproven_pages, 0, "{residency}");
    assert_eq!(residency.verdict(), ResidencyVerdict::NothingAsked);
}

#[test]
fn more_than_the_node_has_is_refused_before_the_kernel_kills() {
    let (_, node) = current_cpu();
    let topology = Topology::discover().unwrap();
    let asked = topology.node(node).unwrap().memory_bytes * 2;
    let error = BoundMemory::allocate(asked as usize, PageSize::Base, Some(node)).unwrap_err();
    let MemoryError::NodeMemoryExhausted { node: named, asked_bytes, free_bytes } = error else {
        panic!("{error}");
    };
    assert_eq!((named, asked_bytes), (node, asked));
    assert!(free_bytes > 0 && free_bytes < asked);
}

#[test]
fn more_than_the_machine_has_is_refused() {
    let error = BoundMemory::allocate(1 << 46, PageSize::Base, None).unwrap_err();
    assert!(matches!(error, MemoryError::MachineMemoryExhausted { .. }), "{error}");
}

#[test]
fn more_huge_pages_than_the_pool_has_are_refused_before_the_bus_error() {
    let (_, node) = current_cpu();
    for asked_node in [Some(node), None] {
        let error = BoundMemory::allocate(1 << 46, PageSize::Huge2M, asked_node).unwrap_err();
        assert!(
            matches!(error, MemoryError::HugePagesExhausted { asked_pages: 0x200_0000, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("hugepages-2048kB/nr_hugepages"), "{error}");
    }
}

#[test]
fn a_node_that_does_not_exist_is_refused_by_name() {
    for page in [PageSize::Base, PageSize::Huge2M] {
        let error = BoundMemory::allocate(4096, page, Some(NodeId(1000))).unwrap_err();
        assert!(matches!(error, MemoryError::NodeUnavailable { node: NodeId(1000) }), "{error}");
    }
}

#[test]
fn a_length_that_no_memory_can_have_is_refused() {
    for bytes in [0, usize::MAX] {
        let error = BoundMemory::allocate(bytes, PageSize::Base, None).unwrap_err();
        assert!(matches!(error, MemoryError::ImpossibleLength { .. }), "{error}");
    }
}

#[test]
fn memory_left_to_the_first_touch_is_not_touched_by_who_allocates_it() {
    let memory =
        BoundMemory::allocate_by(64 << 12, PageSize::Base, MemoryPolicy::FirstTouch).unwrap();
    let before = memory.residency().unwrap();
    assert_eq!((before.pages, before.unproven_pages), (64, 64), "{before}");
    // SAFETY: within the memory, which nobody else uses.
    unsafe { memory.as_ptr().write_volatile(1) };
    assert_eq!(memory.residency().unwrap().unproven_pages, 63);
}

#[test]
fn every_policy_is_kept_on_a_node_of_this_machine() {
    let topology = Topology::discover().unwrap();
    let node = topology.nodes.iter().find(|node| node.memory_bytes > 0).unwrap().id;
    let set = NodeSet::of(node);
    for policy in [
        MemoryPolicy::Bind(set.clone()),
        MemoryPolicy::Interleave(set.clone()),
        MemoryPolicy::Preferred(node),
    ] {
        let memory = BoundMemory::allocate_by(9 << 12, PageSize::Base, policy.clone()).unwrap();
        let residency = memory.residency().unwrap();
        assert_eq!(policy.verdict(&residency), ResidencyVerdict::WhereAsked, "{residency}");
    }
    let nowhere = MemoryPolicy::Interleave("900".parse().unwrap());
    let error = BoundMemory::allocate_by(4096, PageSize::Base, nowhere).unwrap_err();
    assert!(matches!(error, MemoryError::NodeUnavailable { node: NodeId(900) }), "{error}");
}
