//! Topology as `/sys/devices/system/node` and `/sys/devices/system/cpu` tell it.
//!
//! Sources: Linux, `Documentation/ABI/stable/sysfs-devices-node` and `sysfs-devices-system-cpu`.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Allowed, Node, Topology, TopologyError, TopologySource};
use crate::kernel_file::{self, KernelFileError, meminfo_bytes};
use crate::place::{CpuSet, NodeId, NodeSet};

const NODES: &str = "devices/system/node";
const CPUS: &str = "devices/system/cpu";
const LIST: &str = "a list such as 0-3,8";

/// Whether the kernel tells of NUMA nodes at all (it is built with NUMA and sysfs is visible).
pub(super) fn has_nodes(root: &Path) -> bool {
    root.join(NODES).join("online").exists()
}

/// Everything the tree tells.
pub(super) fn read(root: &Path) -> Result<Topology, TopologyError> {
    let online = root.join(NODES).join("online");
    let text = kernel_file::needed_text(&online, "the online nodes, such as 0-1")?;
    let ids: Vec<NodeId> = match text.parse::<NodeSet>() {
        Ok(nodes) => nodes.iter().collect(),
        Err(_) => {
            return Err(KernelFileError::Malformed { path: online, text, expected: LIST }.into());
        }
    };
    let online_cpus = cpu_list(&root.join(CPUS).join("online"))?.flatten();
    let nodes = ids.iter().map(|id| node(root, *id, &ids)).collect::<Result<Vec<Node>, _>>()?;
    let cores = cores(root, online_cpus.as_ref())?;
    Ok(Topology { nodes, source: TopologySource::Sysfs, online_cpus, cores, allowed: None })
}

/// The one node of a kernel that knows none: all CPUs, all memory.
pub(super) fn single_node(
    root: &Path,
    proc: &Path,
    allowed: &Allowed,
) -> Result<Topology, TopologyError> {
    let meminfo = kernel_file::needed_text(&proc.join("meminfo"), "the memory's size")?;
    let online_cpus = cpu_list(&root.join(CPUS).join("online"))?.flatten();
    let cores = cores(root, online_cpus.as_ref())?;
    let node = Node {
        id: NodeId(0),
        cpus: online_cpus.clone().or_else(|| allowed.cpus.clone()),
        memory_bytes: meminfo_bytes(&meminfo, "MemTotal").unwrap_or_default(),
        free_bytes: meminfo_bytes(&meminfo, "MemFree").unwrap_or_default(),
        free_huge_pages: free_huge_pages(&root.join("kernel/mm/hugepages"))?,
        distances: BTreeMap::new(),
    };
    let source = TopologySource::KernelWithoutNuma;
    Ok(Topology { nodes: vec![node], source, online_cpus, cores, allowed: None })
}

fn node(root: &Path, id: NodeId, online: &[NodeId]) -> Result<Node, KernelFileError> {
    let folder = root.join(NODES).join(format!("node{id}"));
    let meminfo = folder.join("meminfo");
    let text = kernel_file::needed_text(&meminfo, "the node's memory")?;
    let bytes = |key: &str| {
        meminfo_bytes(&text, key).ok_or_else(|| KernelFileError::Malformed {
            path: meminfo.clone(),
            text: text.lines().take(2).collect::<Vec<_>>().join(" / "),
            expected: "lines `MemTotal: N kB` and `MemFree: N kB`",
        })
    };
    let cpulist = folder.join("cpulist");
    let cpus =
        cpu_list(&cpulist)?.ok_or(KernelFileError::Missing { path: cpulist, expected: LIST })?;
    Ok(Node {
        id,
        cpus,
        memory_bytes: bytes("MemTotal")?,
        free_bytes: bytes("MemFree")?,
        free_huge_pages: free_huge_pages(&folder.join("hugepages"))?,
        distances: distances(&folder.join("distance"), online)?,
    })
}

/// A CPU list: outer `None` when there is no such file, inner `None` when it is empty.
fn cpu_list(path: &Path) -> Result<Option<Option<CpuSet>>, KernelFileError> {
    kernel_file::parsed(path, LIST, |text| match text {
        "" => Some(None),
        list => list.parse().ok().map(Some),
    })
}

/// One distance an online node, in their order (the kernel leaves offline nodes out).
fn distances(path: &Path, online: &[NodeId]) -> Result<BTreeMap<NodeId, u32>, KernelFileError> {
    let read = |text: &str| {
        let distances: Vec<u32> =
            text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        (distances.len() == online.len()).then(|| online.iter().copied().zip(distances).collect())
    };
    let distances = kernel_file::parsed(path, "one distance for each online node", read)?;
    Ok(distances.unwrap_or_default())
}

fn cores(root: &Path, online: Option<&CpuSet>) -> Result<Vec<CpuSet>, KernelFileError> {
    let mut cores = Vec::new();
    for cpu in online.into_iter().flatten() {
        let path = root.join(CPUS).join(format!("cpu{cpu}/topology/thread_siblings_list"));
        cores.extend(cpu_list(&path)?.flatten());
    }
    cores.sort();
    cores.dedup();
    Ok(cores)
}

/// Free pages of every pool in a `hugepages` folder, by page size in bytes.
pub(crate) fn free_huge_pages(folder: &Path) -> Result<BTreeMap<u64, u64>, KernelFileError> {
    let mut free = BTreeMap::new();
    let Ok(pools) = std::fs::read_dir(folder) else { return Ok(free) };
    for pool in pools.flatten() {
        let name = pool.file_name();
        let kibibytes = name.to_str().and_then(|name| {
            name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse::<u64>().ok()
        });
        let path = pool.path().join("free_hugepages");
        let pages = kernel_file::parsed(&path, "a count of pages", |text| text.parse().ok())?;
        if let (Some(kibibytes), Some(pages)) = (kibibytes, pages) {
            free.insert(kibibytes * 1024, pages);
        }
    }
    Ok(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_numa_is_one_node_with_all_cpus_and_no_distances() {
        let tree = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = tree.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        file("sys/devices/system/cpu/online", "0-3\n");
        file("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 1024 kB\n");
        let (sys, proc) = (tree.path().join("sys"), tree.path().join("proc"));
        assert!(!has_nodes(&sys));
        let allowed = Allowed { cpus: None, memory_nodes: None };
        let topology = single_node(&sys, &proc, &allowed).unwrap();
        assert_eq!(topology.source, TopologySource::KernelWithoutNuma);
        assert_eq!(topology.nodes.len(), 1);
        assert_eq!(topology.nodes[0].cpus, Some("0-3".parse().unwrap()));
        assert_eq!(topology.nodes[0].memory_bytes, 4 << 20);
        assert!(topology.nodes[0].distances.is_empty());
    }
}
