//! The walk from an RDMA device through sysfs to a `numa_node` file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::LocalityEvidence;
use crate::kernel_file;
use crate::place::NodeId;

type Found = (Option<NodeId>, LocalityEvidence);

/// What a `numa_node` file says.
enum NodeFile {
    Node(NodeId),
    /// -1.
    NotTold,
    NotUnderstood(String),
}

/// Where a network device's chain of `lower_*` links ends.
#[derive(Clone)]
struct Physical {
    /// From the RDMA device's parent down.
    netdevs: Vec<String>,
    /// The folder of the physical device, resolved.
    folder: PathBuf,
}

pub(super) fn look_up(sys_root: &Path, device: &str) -> Found {
    // Links are resolved and compared with the root, so the root must be resolved, too.
    let root = fs::canonicalize(sys_root).unwrap_or_else(|_| sys_root.to_owned());
    let class = root.join("class/infiniband");
    let folder = class.join(device);
    if device.is_empty() || device.contains('/') || !folder.exists() {
        return (None, LocalityEvidence::NoSuchDevice { present: names(&class) });
    }
    if let Ok(physical) = fs::canonicalize(folder.join("device")) {
        return of_hardware(&root, &folder, &physical);
    }
    match kernel_file::text(&folder.join("parent")) {
        Ok(Some(netdev)) if !netdev.is_empty() => of_netdev(&root, &netdev),
        _ => unknown("it has neither a device of its own nor a parent network device".to_owned()),
    }
}

fn of_hardware(root: &Path, folder: &Path, physical: &Path) -> Found {
    let own = folder.join("device/numa_node");
    match nearest_file(root, physical) {
        Some(file) if file == physical.join("numa_node") => {
            let path = relative(root, &own);
            judge(&file, &path, LocalityEvidence::OwnFile { path: path.clone() })
        }
        Some(file) => {
            let path = relative(root, &file);
            judge(&file, &path, LocalityEvidence::DeviceAncestor { path: path.clone() })
        }
        None => unknown(format!("no numa_node file at or above {}", relative(root, physical))),
    }
}

fn of_netdev(root: &Path, netdev: &str) -> Found {
    let mut ends = Vec::new();
    descend(root, &mut vec![netdev.to_owned()], &mut BTreeSet::new(), &mut ends);
    let mut found: Vec<Found> = ends.iter().map(|end| of_physical(root, end)).collect();
    let nodes: BTreeSet<Option<NodeId>> = found.iter().map(|(node, _)| *node).collect();
    match nodes.len() {
        0 => unknown(format!(
            "there is no physical device below its network device {netdev} (veth, loopback, dummy?)"
        )),
        1 => found.swap_remove(0),
        _ => unknown(format!("the devices below {netdev} do not agree: {}", list(&ends, &found))),
    }
}

fn of_physical(root: &Path, end: &Physical) -> Found {
    match nearest_file(root, &end.folder) {
        Some(file) => {
            let path = relative(root, &file);
            let netdevs = end.netdevs.clone();
            judge(&file, &path, LocalityEvidence::NetdevAncestor { netdevs, path: path.clone() })
        }
        None => unknown(format!(
            "no numa_node file at or above {} (network device {})",
            relative(root, &end.folder),
            end.netdevs.join(" over ")
        )),
    }
}

/// Follows `lower_*` links of stacked devices (VLAN, bond, bridge) to those that have a device.
fn descend(
    root: &Path,
    way: &mut Vec<String>,
    seen: &mut BTreeSet<String>,
    ends: &mut Vec<Physical>,
) {
    let Some(netdev) = way.last().filter(|name| seen.insert((*name).clone())) else { return };
    let folder = root.join("class/net").join(netdev);
    if let Ok(physical) = fs::canonicalize(folder.join("device")) {
        ends.push(Physical { netdevs: way.clone(), folder: physical });
        return;
    }
    for name in names(&folder) {
        if let Some(lower) = name.strip_prefix("lower_") {
            way.push(lower.to_owned());
            descend(root, way, seen, ends);
            way.pop();
        }
    }
}

/// The first `numa_node` file from a folder upwards, within the root. A device on a bus without
/// nodes of its own (virtio, auxiliary) has none; the PCI function above it has.
fn nearest_file(root: &Path, folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .take_while(|ancestor| ancestor.starts_with(root) && *ancestor != root)
        .map(|ancestor| ancestor.join("numa_node"))
        .find(|file| file.is_file())
}

fn judge(file: &Path, path: &str, evidence: LocalityEvidence) -> Found {
    match read(file) {
        NodeFile::Node(node) => (Some(node), evidence),
        NodeFile::NotTold => (None, LocalityEvidence::KernelSaysNone { path: path.to_owned() }),
        NodeFile::NotUnderstood(text) => {
            unknown(format!("{path} says `{text}`, expected a node number or -1"))
        }
    }
}

fn read(file: &Path) -> NodeFile {
    match kernel_file::text(file) {
        Ok(Some(text)) if text == "-1" => NodeFile::NotTold,
        Ok(Some(text)) => text.parse().map_or(NodeFile::NotUnderstood(text), NodeFile::Node),
        Ok(None) => NodeFile::NotUnderstood(String::new()),
        Err(error) => NodeFile::NotUnderstood(error.to_string()),
    }
}

fn list(ends: &[Physical], found: &[Found]) -> String {
    let one = |(end, (node, _)): (&Physical, &Found)| {
        let netdev = end.netdevs.last().map_or("?", String::as_str);
        match node {
            Some(node) => format!("{netdev} is on node {node}"),
            None => format!("{netdev} is on no known node"),
        }
    };
    ends.iter().zip(found).map(one).collect::<Vec<_>>().join(", ")
}

fn unknown(reason: String) -> Found {
    (None, LocalityEvidence::Unknown { reason })
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The names in a folder, sorted; none when there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
