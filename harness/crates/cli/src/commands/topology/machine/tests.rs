//! Machines that are made of files: what is in no virtual machine of ours.

use std::{fs, os::unix::fs::symlink, path::Path};

use onesided_experiment::profile;
use onesided_results::machine::{CacheKind, LinkLayer, NicKind};

use super::*;

const CPU_COUNT: u32 = 8;
const FUNCTION: &str = "sys/devices/pci0000:80/0000:80:02.0/0000:81:00.0";

struct Made(tempfile::TempDir);

impl Made {
    /// Two sockets of two cores of two threads; a card on node 1.
    fn server() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        made.file("etc/os-release", "NAME=\"Example\"\nPRETTY_NAME=\"Example 1\"\n");
        made.file("proc/sys/kernel/osrelease", "6.1.0\n");
        made.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU\nflags\t\t: fpu\n");
        made.file("sys/devices/system/node/online", "0-1\n");
        made.file("sys/devices/system/node/possible", "0-1\n");
        made.file("sys/devices/system/cpu/online", "0-7\n");
        for (node, cpus, distances) in [(0, "0-1,4-5", "10 21"), (1, "2-3,6-7", "21 10")] {
            let folder = format!("sys/devices/system/node/node{node}");
            made.file(&format!("{folder}/cpulist"), cpus);
            made.file(&format!("{folder}/distance"), distances);
            let memory = format!("Node {node} MemTotal: 1024 kB\nNode {node} MemFree: 512 kB\n");
            made.file(&format!("{folder}/meminfo"), &memory);
        }
        (0..CPU_COUNT).for_each(|cpu| made.cpu(cpu));
        made.card();
        made
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn cpu(&self, cpu: u32) {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}");
        let (core, package) = (cpu % 4, cpu % 4 / 2);
        let siblings = format!("{core},{}", core + 4);
        self.file(&format!("{folder}/topology/physical_package_id"), &format!("{package}\n"));
        self.file(&format!("{folder}/topology/thread_siblings_list"), &siblings);
        self.file(&format!("{folder}/topology/core_cpus_list"), &siblings);
        self.file(&format!("{folder}/cpufreq/base_frequency"), "2300000\n");
        let of_package = ["0-1,4-5", "2-3,6-7"][package as usize];
        let caches = [("Data", 1, "32K", 8, &*siblings), ("Unified", 3, "25600K", 20, of_package)];
        for (index, (kind, level, size, ways, shared)) in caches.into_iter().enumerate() {
            let cache = format!("{folder}/cache/index{index}");
            self.file(&format!("{cache}/type"), kind);
            self.file(&format!("{cache}/level"), &level.to_string());
            self.file(&format!("{cache}/size"), size);
            self.file(&format!("{cache}/ways_of_associativity"), &ways.to_string());
            self.file(&format!("{cache}/coherency_line_size"), "64");
            self.file(&format!("{cache}/shared_cpu_list"), shared);
        }
    }

    fn card(&self) {
        self.file(&format!("{FUNCTION}/numa_node"), "1\n");
        self.file(&format!("{FUNCTION}/current_link_speed"), "8.0 GT/s PCIe\n");
        self.file(&format!("{FUNCTION}/current_link_width"), "16\n");
        let class = "sys/class/infiniband/mlx5_0";
        self.file(&format!("{class}/hca_type"), "MT4115\n");
        self.file(&format!("{class}/fw_ver"), "12.28.2006\n");
        for (port, state, rate) in
            [(1, "1: DOWN", "10 Gb/sec (4X SDR)"), (2, "4: ACTIVE", "56 Gb/sec (4X FDR)")]
        {
            self.file(&format!("{class}/ports/{port}/state"), state);
            self.file(&format!("{class}/ports/{port}/rate"), rate);
            self.file(&format!("{class}/ports/{port}/link_layer"), "InfiniBand\n");
        }
        let root = self.0.path();
        symlink(root.join(FUNCTION), root.join(class).join("device")).unwrap();
        fs::create_dir_all(root.join("sys/bus/pci/drivers/mlx5_core")).unwrap();
        let driver = root.join(FUNCTION).join("driver");
        symlink(root.join("sys/bus/pci/drivers/mlx5_core"), driver).unwrap();
    }

    fn look(&self) -> (MachineProfile, Vec<Untold>) {
        let tree = Tree(self.0.path().to_owned());
        let topology = Topology::from_sysfs(&tree.sys()).unwrap();
        let core = Some("44.0".to_owned());
        let (machine, untold) = look_at(&tree, &topology, &"made".parse().unwrap(), core);
        let text = profile::to_text(&machine, &untold);
        let read = profile::parse(Path::new("profiles/made/machine.toml"), &text).unwrap();
        assert_eq!(read, machine, "{text}");
        (machine, untold)
    }
}

#[test]
fn everything_that_a_server_tells_is_in_its_profile() {
    let (machine, untold) = Made::server().look();
    assert_eq!(untold, []);
    assert_eq!(machine.profile.title, "Example CPU, 2 nodes, MT4115");
    let host = &machine.hosts[0];
    assert_eq!(host.logical_cpus.unwrap().get(), CPU_COUNT);
    let processor = host.processor.as_ref().unwrap();
    let counts = [processor.sockets, processor.cores_per_socket, processor.threads_per_core];
    assert_eq!(counts.map(|count| count.unwrap().get()), [2, 2, 2]);
    assert_eq!(processor.frequency_hz.unwrap().get(), 2_300_000_000);
    let caches: Vec<_> =
        host.caches.iter().map(|it| (it.level, it.kind, it.count.unwrap().get())).collect();
    assert_eq!(caches, [(1, Some(CacheKind::Data), 4), (3, Some(CacheKind::Unified), 2)]);
    assert_eq!(host.caches[1].size_bytes.get(), 25 << 20);
    assert_eq!(host.nodes[1].cpus.as_deref(), Some("2-3,6-7"));
    assert_eq!(host.nodes[1].memory_bytes, Some(1 << 20));
    assert_eq!(host.nodes[1].distances, Some(vec![21, 10]));
    let software = machine.software.unwrap();
    assert_eq!(software.operating_system.as_deref(), Some("Example 1"));
    assert_eq!((software.kernel.as_deref(), software.hypervisor), (Some("6.1.0"), None));
    assert_eq!(software.rdma_stack.as_deref(), Some("rdma-core 44.0"));
}

#[test]
fn a_cards_node_link_and_lanes_are_those_of_its_function_and_active_port() {
    let (machine, _) = Made::server().look();
    let nic = &machine.hosts[0].nics[0];
    assert_eq!((nic.kind, nic.name.as_deref()), (NicKind::Rdma, Some("mlx5_0")));
    assert_eq!(nic.driver.as_deref(), Some("mlx5_core"));
    assert_eq!(nic.firmware.as_deref(), Some("12.28.2006"));
    assert_eq!(nic.node, Some(1));
    let evidence = nic.node_evidence.as_ref().unwrap();
    assert!(evidence.contains("class/infiniband/mlx5_0/device/numa_node"), "{evidence}");
    assert_eq!(nic.ports.unwrap().get(), 2);
    assert_eq!(nic.link_layer, Some(LinkLayer::Infiniband));
    assert_eq!(nic.link_bits_per_second.unwrap().get(), 56_000_000_000);
    assert_eq!((nic.pcie_generation, nic.pcie_lanes), (Some(3), Some(16)));
}

#[test]
fn what_a_card_does_not_tell_is_left_out_and_said() {
    let made = Made::server();
    made.file(&format!("{FUNCTION}/numa_node"), "-1\n");
    made.file(&format!("{FUNCTION}/current_link_speed"), "Unknown\n");
    made.file("sys/class/infiniband/mlx5_0/fw_ver", "\n");
    let (machine, untold) = made.look();
    let nic = &machine.hosts[0].nics[0];
    assert_eq!((nic.node, nic.pcie_generation, &nic.firmware), (None, None, &None));
    assert!(nic.node_evidence.as_ref().unwrap().contains("says -1"));
    let fields: Vec<_> = untold.iter().map(|it| it.why.split(':').next().unwrap()).collect();
    assert_eq!(fields, ["firmware", "node", "pcie_generation"]);
    assert!(untold.iter().all(|it| (it.table, it.index) == ("host.nic", 0)));
}

#[test]
fn a_card_on_a_node_that_is_not_online_is_on_no_node_of_the_profile() {
    let made = Made::server();
    made.file(&format!("{FUNCTION}/numa_node"), "5\n");
    let (machine, untold) = made.look();
    assert_eq!(machine.hosts[0].nics[0].node, None);
    assert!(untold.iter().any(|it| it.why.starts_with("node: ")), "{untold:?}");
}

#[test]
fn processors_that_are_not_alike_have_no_count_of_cores() {
    let made = Made::server();
    made.file("sys/devices/system/cpu/cpu7/topology/physical_package_id", "2\n");
    let (machine, untold) = made.look();
    let processor = machine.hosts[0].processor.as_ref().unwrap();
    assert_eq!(processor.sockets.unwrap().get(), 3);
    assert_eq!(processor.cores_per_socket, None);
    assert!(untold.iter().any(|it| it.why.starts_with("cores_per_socket: ")), "{untold:?}");
}
