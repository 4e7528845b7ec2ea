//! What must hold among the parts of one host.

use std::collections::BTreeMap;

use onesided_results::machine::{Cache, Host, Latency, MemoryNode, Nic, Processor};

use super::{
    super::error::BrokenRule,
    fault::{Checked, Table},
};

/// No Linux has as many CPUs, and a slip such as `0-4000000000` must not fill the memory.
const LARGEST_CPU: u32 = 65_535;
/// ACPI 6.5, table 5.66: a node's distance to itself.
const TO_ITSELF: u32 = 10;
/// The same: no way there.
const UNREACHABLE: u32 = 255;
const PCIE_LANES: [u8; 6] = [1, 2, 4, 8, 16, 32];

pub(super) fn check(host: &Host, table: &Table) -> Checked {
    table.has_source(host.source.as_ref())?;
    if let Some(processor) = &host.processor {
        check_processor(processor, host, table)?;
    }
    for (index, cache) in host.caches.iter().enumerate() {
        check_cache(cache, &table.item("cache", index))?;
    }
    check_nodes(host, table)?;
    for (index, nic) in host.nics.iter().enumerate() {
        check_nic(nic, host, &table.item("nic", index))?;
    }
    for (index, latency) in host.latencies.iter().enumerate() {
        check_latency(latency, host, &table.item("latency", index))?;
    }
    Ok(())
}

fn check_processor(processor: &Processor, host: &Host, table: &Table) -> Checked {
    table.table("processor").has_source(processor.source.as_ref())?;
    let counts = (processor.sockets, processor.cores_per_socket, processor.threads_per_core);
    let (Some(stated), (Some(sockets), Some(cores), Some(threads))) = (host.logical_cpus, counts)
    else {
        return Ok(());
    };
    let expected = u64::from(sockets.get())
        .saturating_mul(cores.get().into())
        .saturating_mul(threads.get().into());
    if expected == u64::from(stated.get()) {
        return Ok(());
    }
    let what = "sockets, cores and threads of [host.processor]";
    table.fault("logical_cpus", stated, BrokenRule::Disagree { what, expected })
}

fn check_cache(cache: &Cache, table: &Table) -> Checked {
    table.has_source(cache.source.as_ref())?;
    if (1..=4).contains(&cache.level) {
        return Ok(());
    }
    table.fault("level", cache.level, BrokenRule::Outside { allowed: "1 to 4" })
}

fn check_nodes(host: &Host, table: &Table) -> Checked {
    let mut node_of: BTreeMap<u32, u32> = BTreeMap::new();
    for (index, node) in host.nodes.iter().enumerate() {
        let at = table.item("node", index);
        at.has_source(node.source.as_ref())?;
        if host.nodes[..index].iter().any(|earlier| earlier.node == node.node) {
            return at.fault("node", node.node, BrokenRule::NodeTwice { node: node.node });
        }
        check_cpus(node, &mut node_of, &at)?;
        check_distances(node, index, host.nodes.len(), &at)?;
    }
    let all_known = !host.nodes.is_empty() && host.nodes.iter().all(|node| node.cpus.is_some());
    match host.logical_cpus {
        Some(stated) if all_known && stated.get() as usize != node_of.len() => {
            let what = "the CPUs of the nodes";
            let expected = node_of.len() as u64;
            table.fault("logical_cpus", stated, BrokenRule::Disagree { what, expected })
        }
        _ => Ok(()),
    }
}

fn check_cpus(node: &MemoryNode, node_of: &mut BTreeMap<u32, u32>, table: &Table) -> Checked {
    let Some(list) = &node.cpus else { return Ok(()) };
    let Some(cpus) = cpus(list) else {
        return table.fault("cpus", format!("\"{list}\""), BrokenRule::CpuList);
    };
    for cpu in cpus {
        if let Some(node) = node_of.insert(cpu, node.node) {
            let rule = BrokenRule::CpuTwice { cpu, node };
            return table.fault("cpus", format!("\"{list}\""), rule);
        }
    }
    Ok(())
}

/// The CPUs of a list as the kernel writes it (`cpuset(7)`, List format); none of an empty one.
fn cpus(list: &str) -> Option<Vec<u32>> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|number| digits && *number <= LARGEST_CPU)
    };
    let mut cpus = Vec::new();
    for part in list.split(',').filter(|_| !list.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

fn check_distances(node: &MemoryNode, own: usize, nodes: usize, table: &Table) -> Checked {
    let Some(distances) = &node.distances else { return Ok(()) };
    let told = || format!("{distances:?}");
    if distances.len() != nodes {
        let found = distances.len();
        return table.fault("distances", told(), BrokenRule::DistanceCount { found, nodes });
    }
    let can_be = |(to, distance): (usize, &u32)| match to == own {
        true => *distance == TO_ITSELF,
        false => (TO_ITSELF + 1..=UNREACHABLE).contains(distance),
    };
    if distances.iter().enumerate().all(can_be) {
        return Ok(());
    }
    table.fault("distances", told(), BrokenRule::Distance)
}

/// A node that something is on, where that is said, is one of the host's.
fn is_node(field: &'static str, node: Option<u32>, host: &Host, table: &Table) -> Checked {
    match node {
        Some(node) if host.nodes.iter().all(|of_host| of_host.node != node) => {
            let nodes: Vec<_> = host.nodes.iter().map(|node| node.node.to_string()).collect();
            let nodes = match nodes.is_empty() {
                true => "none, until a [[host.node]] says its number".to_owned(),
                false => nodes.join(", "),
            };
            table.fault(field, node, BrokenRule::NoSuchNode { nodes })
        }
        _ => Ok(()),
    }
}

fn check_nic(nic: &Nic, host: &Host, table: &Table) -> Checked {
    table.has_source(nic.source.as_ref())?;
    is_node("node", nic.node, host, table)?;
    match nic.pcie_generation {
        Some(generation) if !(1..=6).contains(&generation) => {
            let allowed = BrokenRule::Outside { allowed: "1 to 6" };
            return table.fault("pcie_generation", generation, allowed);
        }
        _ => {}
    }
    match nic.pcie_lanes {
        Some(lanes) if !PCIE_LANES.contains(&lanes) => {
            let allowed = BrokenRule::Outside { allowed: "1, 2, 4, 8, 16, 32" };
            table.fault("pcie_lanes", lanes, allowed)
        }
        _ => Ok(()),
    }
}

fn check_latency(latency: &Latency, host: &Host, table: &Table) -> Checked {
    table.has_source(latency.source.as_ref())?;
    is_node("cpu_node", latency.cpu_node, host, table)?;
    is_node("memory_node", latency.memory_node, host, table)?;
    let Latency { latency_ns, latency_low_ns, latency_high_ns, .. } = *latency;
    table.is_duration("latency_ns", latency_ns)?;
    table.is_duration("latency_low_ns", latency_low_ns)?;
    table.is_duration("latency_high_ns", latency_high_ns)?;
    if latency_ns.is_none() && (latency_low_ns.is_none() || latency_high_ns.is_none()) {
        return table.fault("latency_ns", "nothing", BrokenRule::NoLatency);
    }
    let given: Vec<f64> =
        [latency_low_ns, latency_ns, latency_high_ns].into_iter().flatten().collect();
    if given.is_sorted() {
        return Ok(());
    }
    table.fault("latency_low_ns", format!("{given:?}"), BrokenRule::Bounds)
}
