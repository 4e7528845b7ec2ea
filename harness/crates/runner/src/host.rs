//! A machine as it is written down.

use std::collections::BTreeMap;

use onesided_placement::{
    CpuSet, Node, NumaBalancing, Settings, Switch, Topology, TransparentHugePages,
};
use onesided_results::record::{HostManifest, NodeRecord};
use serde::Serialize;

use crate::machine::Machine;

/// Who this program is, for the record.
#[derive(Clone, Debug)]
pub struct Harness {
    /// Its version.
    pub version: String,
    /// The source revision it was built from, where known.
    pub revision: Option<String>,
    /// The version of the library below the back end, where there is one.
    pub library: Option<String>,
}

/// This machine, as it is written down.
pub fn host_manifest(topology: &Topology, settings: &Settings, harness: &Harness) -> HostManifest {
    let Machine { hostname, kernel, cpu_model } = Machine::this();
    let allowed = topology.allowed.as_ref();
    let mut governors = BTreeMap::new();
    for governor in settings.governors.values() {
        *governors.entry(governor.clone()).or_default() += 1;
    }
    HostManifest {
        hostname,
        kernel,
        cpu_model,
        online_cpus: topology.online_cpus.as_ref().map(ToString::to_string),
        allowed_cpus: allowed.and_then(|a| a.cpus.as_ref()).map(ToString::to_string),
        isolated_cpus: settings.isolated_cpus.as_ref().map(|cpus| {
            CpuSet::new(cpus.iter().copied()).map(|set| set.to_string()).unwrap_or_default()
        }),
        nodes: topology.nodes.iter().map(node).collect(),
        topology_source: kebab(&topology.source),
        governors: (!governors.is_empty()).then_some(governors),
        turbo: settings.turbo.map(|switch| switch == Switch::On),
        simultaneous_multithreading: settings.smt.map(|switch| switch == Switch::On),
        cores: cores(topology),
        transparent_huge_pages: settings.transparent_huge_pages.as_ref().map(huge_pages),
        numa_balancing: settings.numa_balancing.as_ref().map(balancing),
        memory_lock: settings.memlock,
        rdma_core_version: harness.library.clone(),
        harness_version: harness.version.clone(),
        harness_revision: harness.revision.clone(),
    }
}

fn cores(topology: &Topology) -> Vec<String> {
    let several = topology.cores.iter().filter(|core| core.count() > 1);
    several.map(ToString::to_string).collect()
}

fn node(node: &Node) -> NodeRecord {
    NodeRecord {
        node: node.id.0,
        cpus: node.cpus.as_ref().map(ToString::to_string).unwrap_or_default(),
        memory_bytes: node.memory_bytes,
        distances: node.distances.iter().map(|(to, distance)| (to.0, *distance)).collect(),
    }
}

/// The word under which a choice is serialised.
pub(crate) fn kebab<W: Serialize>(word: &W) -> String {
    match serde_json::to_value(word) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a choice without data is serialised as a word, not {other:?}"),
    }
}

fn huge_pages(mode: &TransparentHugePages) -> String {
    match mode {
        TransparentHugePages::Other(text) => text.clone(),
        known => kebab(known),
    }
}

fn balancing(mode: &NumaBalancing) -> String {
    match mode {
        NumaBalancing::Other(text) => text.clone(),
        known => kebab(known),
    }
}
