//! One side's world: its device, its machine, its clock; looked at once, used by many runs.

use std::{collections::BTreeMap, path::PathBuf, process::Command, sync::OnceLock};

use onesided_measure::Clock;
use onesided_placement::{
    CpuSet, DeviceLocality, MemlockLimit, NumaBalancing, Settings, Switch, Topology,
    TransparentHugePages, device_model,
};
use onesided_platform::direct_io::Roots;
use onesided_results::{
    record::{ClockRecord, DeviceRecord, GidRecord, HostManifest, MemoryLockLimit, NodeRecord},
    vocabulary::Phase,
};
use onesided_transport::{DeviceDescription, GidChoice, PortState, Transport};
use serde::Serialize;

use crate::{error::RunError, machine::Machine};

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

/// A side's device and machine.
pub struct Site<'a, T> {
    /// The opened device.
    pub transport: &'a T,
    /// The machine's nodes and CPUs.
    pub topology: Topology,
    /// The node of the device.
    pub locality: DeviceLocality,
    /// The device's model, where its driver names one.
    pub model: Option<String>,
    /// What the kernel is set to.
    pub settings: Settings,
    /// The clock that times are taken from.
    pub clock: Clock,
    /// The GID to use, where the user wants a certain one.
    pub gid_index: Option<u32>,
    /// This program.
    pub harness: Harness,
    /// The program whose command `load` is the independent load in a process of its own; absent
    /// where there is none.
    pub load_program: Option<PathBuf>,
    /// How Direct I/O is looked at and changed; absent where it is neither.
    pub direct_io: Option<DirectIoControl>,
    host: OnceLock<HostManifest>,
}

/// How a server looks at Direct I/O, and whether runs may change it.
#[derive(Clone, Debug)]
pub struct DirectIoControl {
    /// Where the machine's registers are seen.
    pub roots: Roots,
    /// The program whose hidden command `restore-direct-io` gives the register back if this
    /// process cannot.
    pub guardian: PathBuf,
    /// Whether a run that asks for it may change it.
    pub may_change: bool,
}

impl DirectIoControl {
    /// The command of the guardian.
    pub(crate) fn guardian(&self) -> Command {
        let mut command = Command::new(&self.guardian);
        command.arg("restore-direct-io");
        command
    }
}

impl<'a, T: Transport> Site<'a, T> {
    /// Looks at the machine around an opened device whose node is known by `locality`.
    ///
    /// # Errors
    /// When the NUMA nodes or the clock cannot be made out.
    pub fn around(
        transport: &'a T,
        locality: DeviceLocality,
        harness: Harness,
    ) -> Result<Self, RunError> {
        let topology = Topology::discover()
            .map_err(|source| RunError::new(Phase::SetUp, "the machine's NUMA nodes", source))?;
        let clock = Clock::calibrate()
            .map_err(|source| RunError::new(Phase::SetUp, "the clock", source))?;
        Ok(Self {
            transport,
            topology,
            locality,
            model: device_model(&transport.description().name),
            settings: Settings::read(),
            clock,
            gid_index: None,
            harness,
            load_program: None,
            direct_io: None,
            host: OnceLock::new(),
        })
    }

    /// The same, with a certain entry of the port's GID table.
    pub fn with_gid_index(self, gid_index: Option<u32>) -> Self {
        Self { gid_index, ..self }
    }

    /// Refuses a port over which nothing flows.
    pub(crate) fn check_port(&self) -> Result<(), RunError> {
        let device = self.transport.description();
        if self.transport.port_state() == PortState::Active {
            return Ok(());
        }
        let what = format!(
            "port {} of {} is not active: bring its link up (`ip link set INTERFACE up` for RoCE, \
             a subnet manager for InfiniBand)",
            device.port, device.name
        );
        Err(RunError::plain(Phase::Connect, what))
    }

    /// The machine, as it is written down.
    pub(crate) fn host(&self) -> HostManifest {
        self.host.get_or_init(|| self.look_at_host()).clone()
    }

    fn look_at_host(&self) -> HostManifest {
        let Machine { hostname, kernel, cpu_model } = Machine::this();
        let settings = &self.settings;
        let allowed = self.topology.allowed.as_ref();
        let mut governors = BTreeMap::new();
        for governor in settings.governors.values() {
            *governors.entry(governor.clone()).or_default() += 1;
        }
        HostManifest {
            hostname,
            kernel,
            cpu_model,
            online_cpus: self.topology.online_cpus.as_ref().map(ToString::to_string),
            allowed_cpus: allowed.and_then(|a| a.cpus.as_ref()).map(ToString::to_string),
            isolated_cpus: settings.isolated_cpus.as_ref().map(|cpus| {
                CpuSet::new(cpus.iter().copied()).map(|set| set.to_string()).unwrap_or_default()
            }),
            nodes: self.nodes(),
            topology_source: kebab(&self.topology.source),
            governors: (!governors.is_empty()).then_some(governors),
            turbo: settings.turbo.map(|switch| switch == Switch::On),
            simultaneous_multithreading: settings.smt.map(|switch| switch == Switch::On),
            cores: self.cores(),
            transparent_huge_pages: settings.transparent_huge_pages.as_ref().map(huge_pages),
            numa_balancing: settings.numa_balancing.as_ref().map(balancing),
            memory_lock: settings.memlock.map(|limit| match limit {
                MemlockLimit::Unlimited => MemoryLockLimit::Unlimited,
                MemlockLimit::Bytes(bytes) => MemoryLockLimit::Bytes(bytes),
            }),
            rdma_core_version: self.harness.library.clone(),
            harness_version: self.harness.version.clone(),
            harness_revision: self.harness.revision.clone(),
        }
    }

    fn cores(&self) -> Vec<String> {
        let several = self.topology.cores.iter().filter(|core| core.count() > 1);
        several.map(ToString::to_string).collect()
    }

    fn nodes(&self) -> Vec<NodeRecord> {
        let of = |node: &onesided_placement::Node| NodeRecord {
            node: node.id.0,
            cpus: node.cpus.as_ref().map(ToString::to_string).unwrap_or_default(),
            memory_bytes: node.memory_bytes,
            distances: node.distances.iter().map(|(to, distance)| (to.0, *distance)).collect(),
        };
        self.topology.nodes.iter().map(of).collect()
    }

    /// The device, as it is written down.
    pub(crate) fn device(&self) -> DeviceRecord {
        let device: &DeviceDescription = self.transport.description();
        DeviceRecord {
            name: device.name.clone(),
            nic: self.model.clone().or_else(|| device.driver.clone()),
            driver: device.driver.clone(),
            firmware: device.firmware.clone(),
            vendor_part: device.vendor_part,
            port: device.port,
            link_layer: kebab(&device.link_layer),
            active_mtu_bytes: device.active_mtu.bytes(),
            atomic_capability: Some(kebab(&device.atomic_capability)),
            node: self.locality.node.map(|node| node.0),
            node_evidence: self.locality.to_string(),
        }
    }

    /// The clock, as it is written down.
    pub(crate) fn clock_record(&self, drift_ppm: Option<f64>) -> ClockRecord {
        let clock = self.clock.description();
        ClockRecord {
            source: clock.source.name().to_owned(),
            frequency_hz: clock.frequency_hz,
            cost_ns: clock.cost_ns,
            resolution_ns: clock.resolution_ns,
            invariant: Some(clock.invariant),
            kernel_clocksource: clock.kernel_clocksource,
            drift_ppm,
        }
    }
}

/// An address choice, as it is written down.
pub(crate) fn gid_record(choice: &GidChoice) -> GidRecord {
    GidRecord {
        index: choice.entry.map(|entry| entry.index),
        gid: choice.entry.map(|entry| entry.gid.to_string()),
        reason: choice.reason.clone(),
    }
}

/// The word under which a choice is serialised.
fn kebab<W: Serialize>(word: &W) -> String {
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
