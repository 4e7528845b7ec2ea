//! Topologies told by made-up sysfs trees, and what places resolve to on them.

use std::collections::BTreeSet;

use onesided_placement::{
    Allowed, CpuId, DeviceLocality, MemoryPlace, NodeId, Resolve, ResolveError, ThreadPlace,
    Topology, TopologySource,
};

use crate::tree::SysfsTree;

/// Node number, CPU list, memory in kB, distances.
type NodeText<'text> = (u32, &'text str, u64, &'text str);

/// Four sockets in a square, two CPUs each, CPU 5 offline; node 4 has only memory and is nearest
/// to node 3.
const SERVER: [NodeText<'static>; 5] = [
    (0, "0-1\n", 4096, "10 21 21 31 41\n"),
    (1, "2-3\n", 4096, "21 10 31 21 41\n"),
    (2, "4\n", 4096, "21 31 10 21 41\n"),
    (3, "6-7\n", 4096, "31 21 21 10 17\n"),
    (4, "\n", 8192, "41 41 41 17 10\n"),
];

fn tree(nodes: &[NodeText<'_>], online_nodes: &str, online_cpus: &str) -> SysfsTree {
    let tree = SysfsTree::new();
    tree.file("devices/system/node/online", online_nodes);
    tree.file("devices/system/cpu/online", online_cpus);
    for (id, cpus, kibibytes, distances) in nodes {
        let node = format!("devices/system/node/node{id}");
        let meminfo =
            format!("\nNode {id} MemTotal: {kibibytes} kB\nNode {id} MemFree:    1024 kB\n");
        tree.file(&format!("{node}/meminfo"), &meminfo)
            .file(&format!("{node}/cpulist"), cpus)
            .file(&format!("{node}/distance"), distances)
            .file(&format!("{node}/hugepages/hugepages-2048kB/free_hugepages"), &format!("{id}\n"));
    }
    tree
}

fn server() -> Topology {
    let tree = tree(&SERVER, "0-4\n", "0-4,6-7\n");
    for core in [[0u32, 1], [2, 3], [6, 7]] {
        for cpu in core {
            let path = format!("devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            tree.file(&path, &format!("{}-{}\n", core[0], core[1]));
        }
    }
    Topology::from_sysfs(tree.root()).unwrap()
}

fn on(node: u32) -> DeviceLocality {
    DeviceLocality::given("rxe0", NodeId(node))
}

fn nowhere() -> DeviceLocality {
    DeviceLocality::of_at(SysfsTree::new().root(), "rxe0")
}

fn memory(place: &str, topology: &Topology, device: &DeviceLocality) -> Result<u32, ResolveError> {
    let place: MemoryPlace = place.parse().unwrap();
    place.resolve(topology, device).map(|node| node.expect("a node was asked for").0)
}

fn threads(
    place: &str,
    topology: &Topology,
    device: &DeviceLocality,
) -> Result<String, ResolveError> {
    let place: ThreadPlace = place.parse().unwrap();
    place.resolve(topology, device).map(|cpus| cpus.expect("CPUs were asked for").to_string())
}

#[test]
fn a_server_of_four_sockets_and_a_memory_only_node_is_read() {
    let topology = server();
    assert_eq!(topology.source, TopologySource::Sysfs);
    assert_eq!(topology.nodes.len(), 5);
    let two = topology.node(NodeId(2)).unwrap();
    assert_eq!(two.cpus.as_ref().unwrap().to_string(), "4");
    assert_eq!((two.memory_bytes, two.free_bytes), (4 << 20, 1 << 20));
    assert_eq!(two.free_huge_pages[&(2 << 20)], 2);
    assert_eq!(two.distances[&NodeId(1)], 31);
    assert_eq!(topology.node(NodeId(4)).unwrap().cpus, None);
    assert_eq!(topology.node(NodeId(5)), None);
    assert_eq!(topology.node_of_cpu(CpuId(6)), Some(NodeId(3)));
    assert_eq!(topology.node_of_cpu(CpuId(5)), None, "CPU 5 is offline");
    assert_eq!(topology.siblings_of(CpuId(7)).unwrap().to_string(), "6-7");
    assert_eq!(topology.cores.len(), 3);
}

#[test]
fn node_numbers_with_gaps_keep_their_distances() {
    let nodes = [(0, "0\n", 1, "10 40\n"), (8, "1\n", 1, "40 10\n")];
    let topology = Topology::from_sysfs(tree(&nodes, "0,8\n", "0-1\n").root()).unwrap();
    let distances = &topology.node(NodeId(8)).unwrap().distances;
    assert_eq!((distances[&NodeId(0)], distances[&NodeId(8)]), (40, 10));
    assert_eq!(memory("rdma-remote", &topology, &on(8)), Ok(0));
}

#[test]
fn a_malformed_or_missing_file_is_named_with_what_was_expected() {
    let error = |tree: &SysfsTree| {
        let error = Topology::from_sysfs(tree.root()).unwrap_err();
        std::error::Error::source(&error).unwrap().to_string()
    };
    assert!(error(&SysfsTree::new()).contains("node/online is not there"));
    let short = error(&tree(&[(0, "0\n", 1, "10 21\n")], "0\n", "0\n"));
    assert!(short.contains("distance says `10 21`; expected one distance"), "{short}");
    let cpus = error(&tree(&[(0, "zero\n", 1, "10\n")], "0\n", "0\n"));
    assert!(cpus.contains("cpulist says `zero`"), "{cpus}");
}

#[test]
fn rdma_remote_is_the_nearest_other_node_with_memory_and_ties_go_to_the_lowest() {
    let topology = server();
    assert_eq!(memory("rdma-local", &topology, &on(0)), Ok(0));
    assert_eq!(memory("rdma-remote", &topology, &on(0)), Ok(1), "1 and 2 are equally near");
    assert_eq!(memory("rdma-remote", &topology, &on(1)), Ok(0));
    assert_eq!(memory("rdma-remote", &topology, &on(3)), Ok(4), "a node without CPUs has memory");
    let mut without_memory = topology;
    without_memory.nodes[1].memory_bytes = 0;
    assert_eq!(memory("rdma-remote", &without_memory, &on(0)), Ok(2));
}

#[test]
fn anywhere_resolves_to_no_node_and_no_cpus() {
    assert_eq!(MemoryPlace::Anywhere.resolve(&server(), &nowhere()), Ok(None));
    assert_eq!(ThreadPlace::Anywhere.resolve(&server(), &nowhere()), Ok(None));
}

#[test]
fn a_node_that_does_not_exist_is_refused_with_those_that_do() {
    let error = memory("node:7", &server(), &on(0)).unwrap_err();
    assert_eq!(error.to_string(), "there is no node 7 on this machine; there are: 0-4");
    let error = memory("rdma-local", &server(), &on(9)).unwrap_err().to_string();
    assert_eq!(
        error,
        "rxe0 is on node 9: given by the user, but there is no such node; there are: 0-4"
    );
}

#[test]
fn an_unknown_device_node_says_what_to_do() {
    for choice in ["rdma-local", "rdma-remote"] {
        let error = memory(choice, &server(), &nowhere()).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "`{choice}` cannot be resolved because the node of rxe0 is not known: there is no \
                 RDMA device on this machine; name a node by number (`node:0`), or state the \
                 device's node with `--device-node`"
            )
        );
    }
    assert_eq!(memory("node:0", &server(), &nowhere()), Ok(0), "a number needs no device");
}

#[test]
fn a_machine_of_one_node_has_no_rdma_remote() {
    let topology =
        Topology::from_sysfs(tree(&[(0, "0\n", 1, "10\n")], "0\n", "0\n").root()).unwrap();
    let error = memory("rdma-remote", &topology, &on(0)).unwrap_err();
    assert!(matches!(error, ResolveError::NoRemoteNode { device_node: NodeId(0), .. }));
    assert!(error.to_string().ends_with("other nodes, all without memory: none"), "{error}");
}

#[test]
fn threads_go_to_the_nodes_cpus_and_never_to_a_node_without_any() {
    assert_eq!(threads("rdma-local", &server(), &on(2)), Ok("4".to_owned()));
    assert_eq!(threads("node:0", &server(), &nowhere()), Ok("0-1".to_owned()));
    let error = threads("node:4", &server(), &on(0)).unwrap_err().to_string();
    assert_eq!(error, "node 4 has no online CPU to run threads on; nodes with CPUs: 0-3");
}

#[test]
fn memory_never_goes_to_a_node_without_any() {
    let mut topology = server();
    topology.nodes[0].memory_bytes = 0;
    let error = memory("rdma-local", &topology, &on(0)).unwrap_err().to_string();
    assert_eq!(error, "node 0 has no memory; nodes with memory: 1-4");
}

#[test]
fn an_offline_cpu_is_refused() {
    let error = threads("cpus:4-6", &server(), &nowhere()).unwrap_err().to_string();
    assert_eq!(error, "CPU 5 cannot be used: online are 0-4,6-7");
    assert_eq!(threads("cpus:4,6", &server(), &nowhere()), Ok("4,6".to_owned()));
}

#[test]
fn what_the_process_may_not_use_is_refused_or_left_out() {
    let mut topology = server();
    topology.allowed = Some(Allowed {
        cpus: Some("0,2-3".parse().unwrap()),
        memory_nodes: Some(BTreeSet::from([NodeId(0)])),
    });
    assert_eq!(threads("node:0", &topology, &nowhere()), Ok("0".to_owned()));
    assert_eq!(threads("cpus:2", &topology, &nowhere()), Ok("2".to_owned()));
    let error = threads("cpus:0-1", &topology, &nowhere()).unwrap_err().to_string();
    assert!(
        error.starts_with("CPU 1 cannot be used: this process may run on 0,2-3 only"),
        "{error}"
    );
    let error = threads("node:3", &topology, &nowhere()).unwrap_err().to_string();
    assert!(error.starts_with("CPU 6-7 cannot be used"), "{error}");
    let error = memory("node:1", &topology, &nowhere()).unwrap_err().to_string();
    assert!(error.starts_with("this process may not use memory of node 1, only of 0"), "{error}");
}
