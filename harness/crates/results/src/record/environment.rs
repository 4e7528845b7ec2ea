//! The machine and the device of one end of a run.

use std::{collections::BTreeMap, num::NonZeroU32};

use onesided_vocabulary::{MemoryLockLimit, Service};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A machine as far as it can change a measurement; what cannot be told is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostManifest {
    /// Its name.
    pub hostname: String,
    /// Kernel release and version.
    pub kernel: String,
    /// The CPU's model name.
    pub cpu_model: Option<String>,
    /// CPUs that are online, as the kernel lists them (`0-3,8`).
    pub online_cpus: Option<String>,
    /// CPUs that the process may use, as the kernel lists them.
    pub allowed_cpus: Option<String>,
    /// CPUs kept free of the scheduler, as the kernel lists them; empty if none is.
    pub isolated_cpus: Option<String>,
    /// NUMA nodes.
    pub nodes: Vec<NodeRecord>,
    /// Where the nodes were learnt from, for instance `libnuma` or `sysfs`.
    pub topology_source: String,
    /// CPU frequency governors in use, and on how many CPUs each.
    pub governors: Option<BTreeMap<String, u32>>,
    /// Whether CPUs may exceed their nominal frequency.
    pub turbo: Option<bool>,
    /// Whether cores run several threads at once (SMT).
    pub simultaneous_multithreading: Option<bool>,
    /// CPUs of each core that has several, as the kernel lists them.
    pub cores: Vec<String>,
    /// Mode of transparent huge pages.
    pub transparent_huge_pages: Option<String>,
    /// Setting of automatic NUMA balancing (`/proc/sys/kernel/numa_balancing`).
    pub numa_balancing: Option<String>,
    /// How much memory the process may lock (`RLIMIT_MEMLOCK`).
    pub memory_lock: Option<MemoryLockLimit>,
    /// Version of rdma-core.
    pub rdma_core_version: Option<String>,
    /// Version of this program.
    pub harness_version: String,
    /// Source revision that this program was built from.
    pub harness_revision: Option<String>,
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRecord {
    /// Its number.
    pub node: u32,
    /// Its CPUs, as the kernel lists them; empty for a node of memory only.
    pub cpus: String,
    /// Its memory.
    pub memory_bytes: u64,
    /// Distances to nodes, in the firmware's unit (10 is to itself).
    pub distances: BTreeMap<u32, u32>,
}

/// A device and its port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceRecord {
    /// Name in the RDMA subsystem, for instance `mlx5_0`.
    pub name: String,
    /// What kind of card it is, for figures: model or driver.
    pub nic: Option<String>,
    /// The kernel driver.
    pub driver: Option<String>,
    /// Firmware version.
    pub firmware: Option<String>,
    /// Vendor part id.
    pub vendor_part: Option<u32>,
    /// Port number, from 1.
    pub port: u8,
    /// Network below the port, in kebab-case.
    pub link_layer: String,
    /// MTU that the port has.
    pub active_mtu_bytes: u32,
    /// Reach of its atomics, in kebab-case.
    pub atomic_capability: Option<String>,
    /// Services that its queue pairs can be of; empty where older programs did not ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<Service>,
    /// Services whose queue pairs can share a receive queue; empty where none can, and where older programs did
    /// not ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_receives: Vec<Service>,
    /// NUMA node that it is attached to; absent if unknown, which is not node 0.
    pub node: Option<u32>,
    /// How that node is known, or why not.
    pub node_evidence: String,
    /// The delay of a hop that an emulated fabric adds; absent where the fabric is not emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric_hop_ns: Option<u64>,
    /// Of so many messages that a queue pair sent over an unreliable service one was lost on purpose, as an
    /// emulated fabric can be asked to; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric_drop_every: Option<NonZeroU32>,
}

/// The machine of a simulated run, and how much of the run was simulated.
///
/// With the configuration beside it that is all that the numbers follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationRecord {
    /// Every parameter of the machine by its name, which has the unit.
    pub parameters: BTreeMap<String, f64>,
    /// Name of the profile's set-up; absent: the profile as it is.
    pub set_up: Option<String>,
    /// Share of the times and operations asked for that was simulated, above 0; 1: all.
    pub share: f64,
}
