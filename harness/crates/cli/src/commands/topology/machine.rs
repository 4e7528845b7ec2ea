//! The machine at hand as a profile.

use onesided_experiment::profile::{ProfileName, Untold};
use onesided_placement::{CpuSet, Node, Topology, TopologySource};
use onesided_results::{
    machine::{Host, MachineProfile, MemoryNode, ProfileHeader, ProfileKind, Software},
    version,
};

use super::{card, processor, tree::Tree};
use crate::printed::counted;

/// Everything that the kernel tells, and why the rest is missing.
pub fn look_at(
    tree: &Tree,
    topology: &Topology,
    name: &ProfileName,
    rdma_core: Option<String>,
) -> (MachineProfile, Vec<Untold>) {
    let mut untold = Vec::new();
    let mut note = |table, index, reasons: Vec<String>| {
        untold.extend(reasons.into_iter().map(|why| Untold { table, index, why }));
    };
    let (processor, reasons) = processor::processor(tree, topology);
    note("host.processor", 0, reasons);
    let caches = processor::caches(tree, topology);
    let mut of_host = Vec::new();
    if caches.is_empty() {
        of_host.push("cache: the kernel tells none".to_owned());
    }
    let nodes: Vec<_> = topology.nodes.iter().map(|node| memory_node(node, topology)).collect();
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.distances.is_none()) {
        note("host.node", index, vec![format!("distances: not told from node {}", node.node)]);
    }
    let cards = card::all(tree, topology);
    if cards.is_empty() {
        of_host.push("nic: there is no RDMA device".to_owned());
    }
    for (index, (_, reasons)) in cards.iter().enumerate() {
        note("host.nic", index, reasons.clone());
    }
    note("host", 0, of_host);
    let (software, reasons) = software(tree, rdma_core);
    note("software", 0, reasons);
    let host = Host {
        logical_cpus: online(topology),
        processor: Some(processor),
        caches,
        nodes,
        nics: cards.into_iter().map(|(nic, _)| nic).collect(),
        ..Host::default()
    };
    let profile = ProfileHeader {
        name: name.to_string(),
        title: title(&host),
        kind: ProfileKind::Measured,
        source: format!("onesided topology --profile {name}, on the machine"),
    };
    let (hosts, software) = (vec![host], Some(software));
    let schema_version = version::MACHINE_PROFILE.written;
    let (network, scheduler) = (None, None);
    (MachineProfile { schema_version, profile, hosts, network, software, scheduler }, untold)
}

fn online(topology: &Topology) -> Option<std::num::NonZeroU32> {
    let count = topology.online_cpus.as_ref().map(CpuSet::count)?;
    std::num::NonZeroU32::new(u32::try_from(count).ok()?)
}

/// The node; its distances only where firmware told all of them.
fn memory_node(node: &Node, topology: &Topology) -> MemoryNode {
    let told = topology.source != TopologySource::KernelWithoutNuma;
    let distances = topology.nodes.iter().map(|to| node.distances.get(&to.id).copied());
    MemoryNode {
        node: node.id.0,
        cpus: Some(node.cpus.as_ref().map(ToString::to_string).unwrap_or_default()),
        memory_bytes: Some(node.memory_bytes),
        memory_bytes_per_second: None,
        distances: distances.collect::<Option<Vec<_>>>().filter(|_| told),
        source: None,
    }
}

/// What a person would call it, for them to make better.
fn title(host: &Host) -> String {
    let model = host.processor.as_ref().and_then(|processor| processor.model.as_deref());
    let card = host.nics.first().and_then(|nic| nic.model.as_ref().or(nic.name.as_ref()));
    let nodes = counted(host.nodes.len(), "node");
    let card = card.map_or("no RDMA device", String::as_str);
    format!("{}, {nodes}, {card}", model.unwrap_or("unknown processor"))
}

fn software(tree: &Tree, rdma_core: Option<String>) -> (Software, Vec<String>) {
    let mut untold = Vec::new();
    if rdma_core.is_none() {
        untold.push("rdma_stack: libibverbs is not there, or does not tell its version".to_owned());
    }
    let software = Software {
        operating_system: operating_system(tree),
        kernel: tree.text("proc/sys/kernel/osrelease"),
        hypervisor: hypervisor(tree),
        rdma_stack: rdma_core.map(|version| format!("rdma-core {version}")),
        source: None,
    };
    (software, untold)
}

/// The distribution (`os-release(5)`).
fn operating_system(tree: &Tree) -> Option<String> {
    let text = tree.text("etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

/// What a virtual machine says that it is of; absent on hardware.
fn hypervisor(tree: &Tree) -> Option<String> {
    let flags = processor::cpuinfo(tree, "flags")?;
    flags.split_whitespace().find(|flag| *flag == "hypervisor")?;
    let told = ["sys/hypervisor/type", "sys/class/dmi/id/sys_vendor"];
    let name = told.into_iter().find_map(|path| tree.text(path));
    Some(name.unwrap_or_else(|| "unnamed: the CPUs have the flag \"hypervisor\"".to_owned()))
}

#[cfg(test)]
mod tests;
