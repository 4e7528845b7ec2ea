//! A machine's hardware as facts with their source: `profiles/NAME/machine.toml`.
//!
//! ```text
//! schema_version             which layout; absent: the first
//! [profile]                  what it is, and where its facts are from
//! [[host]]                   a kind of host: its logical CPUs, how many there are
//! |- [host.processor]        model, sockets, cores
//! |- [[host.cache]]          size and level
//! |- [[host.node]]           NUMA node: CPUs, memory, distances
//! |- [[host.nic]]            network card: node, link, PCI Express
//! `- [[host.latency]]        what a dependent load costs, where somebody measured it
//! [network]                  what joins the hosts
//! [software]                 kernel, RDMA stack
//! ```
//! What is not known is absent: a guess would be a fact to every reader after. A table without a
//! `source` has that of the table around it. The reader of such files, with the rules between
//! tables, is in the crate `experiment`.

mod nic;
mod parts;

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::version;

pub use nic::{Nic, NicKind};
pub use onesided_vocabulary::LinkLayer;
pub use parts::{Cache, CacheKind, Latency, MemoryNode, Processor, Reach};

/// Everything that a profile says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MachineProfile {
    /// Version of this file's layout; absent: 1, as files had before they said it.
    #[serde(default = "first_version")]
    #[schemars(extend("enum" = version::MACHINE_PROFILE.all()))]
    pub schema_version: u32,
    /// What it is, and where its facts are from.
    pub profile: ProfileHeader,
    /// The kinds of hosts; at least one.
    #[serde(rename = "host")]
    pub hosts: Vec<Host>,
    /// What joins the hosts.
    pub network: Option<Network>,
    /// What runs on them.
    pub software: Option<Software>,
    /// What a batch scheduler must be asked for to give these hosts; absent where there is none.
    pub scheduler: Option<Scheduler>,
}

const fn first_version() -> u32 {
    1
}

/// What a profile is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileHeader {
    /// Its name: that of its folder, under which results are filed.
    pub name: String,
    /// What a person would call the machine.
    pub title: String,
    /// How its facts came here.
    pub kind: ProfileKind,
    /// Where its facts are from: the publication and its section, or the command that read them.
    pub source: String,
}

/// How the facts of a profile came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileKind {
    /// A publication says so; nobody here has touched the machine.
    Published,
    /// Read from the machine itself (`onesided topology --profile`).
    Measured,
    /// A virtual machine, or a card in software on whatever machine: it exists to run the program,
    /// and its speed is no hardware's.
    Emulated,
    /// The example to copy; no machine.
    Template,
}

/// A kind of host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// What it does; absent if it is not stated.
    pub role: Option<Role>,
    /// How many of its kind there are.
    pub count: Option<NonZeroU32>,
    /// Logical CPUs of one host: what the kernel schedules on.
    pub logical_cpus: Option<NonZeroU32>,
    /// Where the facts are from, if not from where the profile's are.
    pub source: Option<String>,
    /// Its processors.
    pub processor: Option<Processor>,
    /// Its caches.
    #[serde(rename = "cache", default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<Cache>,
    /// Its NUMA nodes.
    #[serde(rename = "node", default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<MemoryNode>,
    /// Its network cards.
    #[serde(rename = "nic", default, skip_serializing_if = "Vec::is_empty")]
    pub nics: Vec<Nic>,
    /// What its memory costs.
    #[serde(rename = "latency", default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<Latency>,
}

/// What a host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Its memory is accessed.
    Server,
    /// It accesses.
    Client,
    /// Either.
    Any,
}

/// What joins the hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// What it is.
    pub fabric: Option<Fabric>,
    /// Largest packet of the wire, in bytes; the path MTU of RDMA is below it.
    pub mtu_bytes: Option<NonZeroU32>,
    /// Bits that a direction of a link carries in a second.
    pub link_bits_per_second: Option<NonZeroU64>,
    /// Time that it adds to a message in one direction, in ns.
    pub latency_ns: Option<f64>,
    /// Where the facts are from, if not from where the profile's are.
    pub source: Option<String>,
}

/// What a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fabric {
    /// InfiniBand.
    Infiniband,
    /// RDMA over UDP and IP (RoCE v2).
    RoceV2,
    /// Ethernet without RDMA.
    Ethernet,
    /// Links between memory systems, without a network card.
    MemoryFabric,
}

/// What runs on the hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// Distribution and its version.
    pub operating_system: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// What the hosts are virtual machines of.
    pub hypervisor: Option<String>,
    /// Libraries and drivers of RDMA, with their version.
    pub rdma_stack: Option<String>,
    /// Where the facts are from, if not from where the profile's are.
    pub source: Option<String>,
}

/// What a batch scheduler must be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    /// Partition of the hosts.
    pub partition: Option<String>,
    /// Features that tell them from others, in the scheduler's notation, as `numa2&rdma`
    /// (sbatch(1), `--constraint`).
    pub constraint: Option<String>,
    /// Where the facts are from, if not from where the profile's are.
    pub source: Option<String>,
}
