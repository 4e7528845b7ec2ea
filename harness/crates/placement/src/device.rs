//! The NUMA node an RDMA device sits on, and how that is known.
//!
//! ```text
//! HCA    class/infiniband/mlx5_0/device --> PCI function: numa_node
//! rxe    class/infiniband/rxe0/parent = "eth1.5"
//!          class/net/eth1.5/lower_eth1  --> class/net/eth1
//!            class/net/eth1/device      --> virtio device (no numa_node)
//!                                             its PCI ancestor: numa_node
//! ```
//! Sources: Linux, `Documentation/ABI/testing/sysfs-bus-pci` (`numa_node`),
//! `Documentation/ABI/stable/sysfs-class-infiniband`, `Documentation/ABI/testing/sysfs-class-net`.

mod model;
mod walk;

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::{place::NodeId, topology::Topology};

pub use model::{device_model, device_model_at};

/// The node of one RDMA device, with the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceLocality {
    /// The RDMA device's name, such as `mlx5_0` or `rxe0`.
    pub device: String,
    /// Its node; `None` when not known.
    pub node: Option<NodeId>,
    /// How that is known, or why not.
    pub evidence: LocalityEvidence,
}

/// How a device's node is known, or why it is not. Paths are relative to where sysfs is mounted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LocalityEvidence {
    /// The device's own `numa_node` file.
    OwnFile {
        /// The file.
        path: String,
    },
    /// The `numa_node` file of the nearest ancestor of the device.
    DeviceAncestor {
        /// The file.
        path: String,
    },
    /// The `numa_node` file of the physical device below the network device of a software RDMA
    /// device.
    NetdevAncestor {
        /// The network devices on the way, from the RDMA device's parent down.
        netdevs: Vec<String>,
        /// The file.
        path: String,
    },
    /// The kernel answers -1: the firmware does not say which node.
    KernelSaysNone {
        /// The file.
        path: String,
    },
    /// There is no RDMA device of this name.
    NoSuchDevice {
        /// The devices there are.
        present: Vec<String>,
    },
    /// There is no physical device, or several that disagree, or a file not understood.
    Unknown {
        /// What was found instead.
        reason: String,
    },
    /// The user said so.
    Given,
    /// An emulated device is a thread of this machine, which has no other node.
    OnlyNode,
}

impl DeviceLocality {
    /// The locality of a device of this machine. Whatever cannot be found out is said in the
    /// evidence, never an error: a run can go on by naming nodes by number.
    pub fn of(device: &str) -> Self {
        Self::of_at(Path::new("/sys"), device)
    }

    /// The same in a tree other than `/sys`.
    pub fn of_at(sys_root: &Path, device: &str) -> Self {
        let (node, evidence) = walk::look_up(sys_root, device);
        Self { device: device.to_owned(), node, evidence }
    }

    /// The node of a device that a thread emulates, which runs anywhere on this machine.
    pub fn of_emulation(device: &str, topology: &Topology) -> Self {
        let (node, evidence) = match topology.nodes.as_slice() {
            [only] => (Some(only.id), LocalityEvidence::OnlyNode),
            _ => {
                let reason = "it is emulated by a thread that is not bound to a node; bind it \
                              with --device-node"
                    .to_owned();
                (None, LocalityEvidence::Unknown { reason })
            }
        };
        Self { device: device.to_owned(), node, evidence }
    }

    /// The node as the user states it (`--device-node`), whatever the kernel says.
    pub fn given(device: &str, node: NodeId) -> Self {
        let evidence = LocalityEvidence::Given;
        Self { device: device.to_owned(), node: Some(node), evidence }
    }
}

impl fmt::Display for DeviceLocality {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(out, "{} is on node {node}: {}", self.device, self.evidence),
            None => write!(out, "the node of {} is not known: {}", self.device, self.evidence),
        }
    }
}

impl fmt::Display for LocalityEvidence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnFile { path } => write!(out, "its {path} says so"),
            Self::DeviceAncestor { path } => write!(out, "{path} above it says so"),
            Self::NetdevAncestor { netdevs, path } => {
                write!(out, "{path} says so for the network device {}", netdevs.join(" over "))
            }
            Self::KernelSaysNone { path } => {
                write!(out, "{path} says -1, the firmware does not tell")
            }
            Self::NoSuchDevice { present } if present.is_empty() => {
                out.write_str("there is no RDMA device on this machine")
            }
            Self::NoSuchDevice { present } => {
                write!(out, "there is no such RDMA device; there are: {}", present.join(", "))
            }
            Self::Unknown { reason } => out.write_str(reason),
            Self::Given => out.write_str("given by the user"),
            Self::OnlyNode => out.write_str("it is emulated, and the machine has no other node"),
        }
    }
}
