//! Device localities told by made-up sysfs trees, one for each way a device can be wired.

use onesided_placement::{DeviceLocality, LocalityEvidence, NodeId, device_model_at};

use crate::tree::SysfsTree;

const HCA: &str = "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";
const PXB_NIC: &str = "devices/pci0000:40/0000:40:00.0/0000:41:00.0";

/// An HCA at a PCI function whose `numa_node` file says `node`.
fn hca(node: &str) -> SysfsTree {
    let tree = SysfsTree::new();
    tree.file(&format!("{HCA}/numa_node"), node)
        .link("class/infiniband/mlx5_0", &format!("{HCA}/infiniband/mlx5_0"))
        .folder(&format!("{HCA}/infiniband/mlx5_0"))
        .link(&format!("{HCA}/infiniband/mlx5_0/device"), HCA);
    tree
}

/// A virtio NIC behind a PCI expander bridge: only the PCI function and the ports above it have
/// `numa_node`.
fn virtio_nic(tree: &SysfsTree, netdev: &str, function: &str, node: &str) {
    let virtio = format!("{function}/virtio1");
    tree.file(&format!("{function}/numa_node"), node)
        .folder(&format!("{virtio}/net/{netdev}"))
        .link(&format!("{virtio}/net/{netdev}/device"), &virtio)
        .link(&format!("class/net/{netdev}"), &format!("{virtio}/net/{netdev}"));
}

/// A network device without hardware of its own, stacked on others.
fn stacked_netdev(tree: &SysfsTree, netdev: &str, lower: &[&str]) {
    let folder = format!("devices/virtual/net/{netdev}");
    tree.folder(&folder).link(&format!("class/net/{netdev}"), &folder);
    for lower in lower {
        tree.link(&format!("{folder}/lower_{lower}"), &format!("class/net/{lower}"));
    }
}

fn rxe(tree: &SysfsTree, parent: &str) {
    let folder = "devices/virtual/infiniband/rxe0";
    tree.file(&format!("{folder}/parent"), &format!("{parent}\n"))
        .link("class/infiniband/rxe0", folder);
}

fn locality(tree: &SysfsTree, device: &str) -> DeviceLocality {
    DeviceLocality::of_at(tree.root(), device)
}

#[test]
fn an_hca_is_where_its_own_file_says() {
    let seen = locality(&hca("1\n"), "mlx5_0");
    assert_eq!(seen.node, Some(NodeId(1)));
    assert_eq!(
        seen.to_string(),
        "mlx5_0 is on node 1: its class/infiniband/mlx5_0/device/numa_node says so"
    );
    assert_eq!(locality(&hca("0\n"), "mlx5_0").node, Some(NodeId(0)), "0 is a node");
}

#[test]
fn minus_one_is_not_a_node() {
    let seen = locality(&hca("-1\n"), "mlx5_0");
    assert_eq!(seen.node, None);
    assert!(matches!(seen.evidence, LocalityEvidence::KernelSaysNone { .. }));
    assert!(seen.to_string().contains("says -1, the firmware does not tell"), "{seen}");
}

#[test]
fn a_sub_function_is_where_the_pci_function_above_it_is() {
    let tree = SysfsTree::new();
    let sub_function = format!("{HCA}/mlx5_core.sf.4");
    tree.file(&format!("{HCA}/numa_node"), "1\n")
        .folder(&format!("{sub_function}/infiniband/mlx5_4"))
        .link(&format!("{sub_function}/infiniband/mlx5_4/device"), &sub_function)
        .link("class/infiniband/mlx5_4", &format!("{sub_function}/infiniband/mlx5_4"));
    let seen = locality(&tree, "mlx5_4");
    assert_eq!(seen.node, Some(NodeId(1)));
    let path = format!("{HCA}/numa_node");
    assert_eq!(seen.evidence, LocalityEvidence::DeviceAncestor { path });
}

#[test]
fn rxe_over_a_virtio_nic_behind_an_expander_bridge_is_on_the_bridges_node() {
    let tree = SysfsTree::new();
    virtio_nic(&tree, "eth1", PXB_NIC, "1\n");
    rxe(&tree, "eth1");
    let seen = locality(&tree, "rxe0");
    assert_eq!(seen.node, Some(NodeId(1)));
    assert_eq!(
        seen.to_string(),
        "rxe0 is on node 1: devices/pci0000:40/0000:40:00.0/0000:41:00.0/numa_node says so for \
         the network device eth1"
    );
}

#[test]
fn a_vlan_is_followed_to_the_device_below_it() {
    let tree = SysfsTree::new();
    virtio_nic(&tree, "eth1", PXB_NIC, "1\n");
    stacked_netdev(&tree, "eth1.5", &["eth1"]);
    rxe(&tree, "eth1.5");
    let seen = locality(&tree, "rxe0");
    assert_eq!(seen.node, Some(NodeId(1)));
    assert!(seen.to_string().ends_with("for the network device eth1.5 over eth1"), "{seen}");
}

#[test]
fn a_bond_is_on_a_node_only_when_its_devices_agree() {
    let bond = |other: &str| {
        let tree = SysfsTree::new();
        virtio_nic(&tree, "eth1", PXB_NIC, "1\n");
        virtio_nic(&tree, "eth2", "devices/pci0000:00/0000:00:05.0", other);
        stacked_netdev(&tree, "bond0", &["eth1", "eth2"]);
        rxe(&tree, "bond0");
        locality(&tree, "rxe0")
    };
    assert_eq!(bond("1\n").node, Some(NodeId(1)));
    let apart = bond("0\n");
    assert_eq!(apart.node, None);
    assert_eq!(
        apart.to_string(),
        "the node of rxe0 is not known: the devices below bond0 do not agree: eth1 is on node 1, \
         eth2 is on node 0"
    );
}

#[test]
fn a_veth_has_no_node_and_a_loop_of_links_ends() {
    let tree = SysfsTree::new();
    stacked_netdev(&tree, "veth0", &[]);
    rxe(&tree, "veth0");
    let seen = locality(&tree, "rxe0");
    assert_eq!(seen.node, None);
    assert!(seen.to_string().contains("no physical device below its network device veth0"));
    let tree = SysfsTree::new();
    stacked_netdev(&tree, "a", &["b"]);
    stacked_netdev(&tree, "b", &["a"]);
    rxe(&tree, "a");
    assert_eq!(locality(&tree, "rxe0").node, None);
}

#[test]
fn rxe_over_a_nic_whose_kernel_says_minus_one_is_not_known() {
    let tree = SysfsTree::new();
    virtio_nic(&tree, "eth1", PXB_NIC, "-1\n");
    rxe(&tree, "eth1");
    let seen = locality(&tree, "rxe0");
    assert_eq!(seen.node, None);
    assert!(matches!(seen.evidence, LocalityEvidence::KernelSaysNone { .. }));
}

#[test]
fn a_device_that_does_not_exist_is_told_with_those_that_do() {
    let seen = locality(&hca("1\n"), "mlx5_9");
    assert_eq!(
        seen.to_string(),
        "the node of mlx5_9 is not known: there is no such RDMA device; there are: mlx5_0"
    );
    assert_eq!(locality(&hca("1\n"), "../net").node, None);
    assert_eq!(locality(&hca("1\n"), "").node, None);
}

#[test]
fn a_file_not_understood_is_quoted() {
    let seen = locality(&hca("many\n"), "mlx5_0");
    assert!(seen.to_string().contains("says `many`, expected a node number or -1"), "{seen}");
}

#[test]
fn what_the_user_states_is_taken_and_marked() {
    let given = DeviceLocality::given("rxe0", NodeId(0));
    assert_eq!(given.to_string(), "rxe0 is on node 0: given by the user");
    let json = serde_json::to_string(&given).unwrap();
    assert_eq!(json, r#"{"device":"rxe0","node":0,"evidence":"given"}"#);
}

#[test]
fn the_model_is_chip_and_board_as_far_as_the_driver_names_them() {
    let tree = hca("0\n");
    let model = |tree: &SysfsTree, device| device_model_at(tree.root(), device);
    assert_eq!(model(&tree, "mlx5_0"), None, "a driver that tells neither");
    tree.file(&format!("{HCA}/infiniband/mlx5_0/hca_type"), "MT4119\n");
    assert_eq!(model(&tree, "mlx5_0").as_deref(), Some("MT4119"));
    tree.file(&format!("{HCA}/infiniband/mlx5_0/board_id"), "MT_0000000008\n");
    assert_eq!(model(&tree, "mlx5_0").as_deref(), Some("MT4119 MT_0000000008"));
    rxe(&tree, "eth0");
    assert_eq!(model(&tree, "rxe0"), None, "software has no model");
}
