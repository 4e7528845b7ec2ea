//! One side's world: its device, its machine, its clock; looked at once, used by many runs.

use std::{collections::BTreeMap, path::PathBuf, process::Command, sync::OnceLock};

use crate::{
    error::RunError,
    host::{Harness, host_manifest, kebab},
    server::Budget,
    turn::Turn,
};
use onesided_measure::Clock;
use onesided_placement::{DeviceLocality, Settings, Topology, device_model, stolen_ms};
use onesided_platform::{direct_io::Roots, measuring::HostLock};
use onesided_results::{
    record::{ClockRecord, CounterRecord, DeviceRecord, GidRecord, HostManifest},
    vocabulary::Phase,
};
use onesided_transport::{DeviceDescription, GidChoice, NotAvailable, PortState, Transport};

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
    /// What keeps other measurements out of this host while one asks for runs; absent where nothing
    /// does.
    pub host_lock: Option<HostLock>,
    /// Of a client that asks for runs: this host, for as long; absent where it keeps nobody out.
    pub turn: Option<Turn>,
    /// What the runs of a server may take of this machine together.
    pub budget: Budget,
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
            host_lock: None,
            turn: None,
            budget: Budget::default(),
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
        let found = match self.transport.port_state() {
            Ok(PortState::Active) => return Ok(()),
            Ok(PortState::Inactive) => "not active".to_owned(),
            Err(error) => error.to_string(),
        };
        let what = format!(
            "port {} of {} is {found}: bring its link up (`ip link set INTERFACE up` for RoCE, \
             a subnet manager for InfiniBand)",
            device.port, device.name
        );
        Err(RunError::plain(Phase::Connect, what))
    }

    /// The machine, as it is written down.
    pub(crate) fn host(&self) -> HostManifest {
        let look = || host_manifest(&self.topology, &self.settings, &self.harness);
        self.host.get_or_init(look).clone()
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
            services: device.services.clone(),
            shared_receives: device.shared_receives.clone(),
            node: self.locality.node.map(|node| node.0),
            node_evidence: self.locality.to_string(),
            fabric_hop_ns: device.fabric_hop_ns,
            fabric_drop_every: device.fabric_drop_every,
        }
    }

    /// Where the rings of queue pairs are, where that is not for a run to say: of every run here.
    pub fn rings_elsewhere(&self) -> Option<String> {
        let device = &self.transport.description().name;
        let why = self.transport.places_rings().err()?;
        Some(format!("where the rings of {device} are is {why}"))
    }

    /// What the device has counted before the first request.
    pub(crate) fn counting_begins(&self) -> CounterRecord {
        let mut record = CounterRecord::default();
        record.before = self.counters(&mut record.notes);
        record
    }

    /// Adds what it has counted after the last completion, and the state of its port then.
    pub(crate) fn counting_ends(&self, record: &mut CounterRecord) {
        let port_state = self.transport.port_state();
        record.after = self.counters(&mut record.notes);
        let told = self.told("the port's state", port_state, &mut record.notes);
        record.port_state_after = told.map(|state| kebab(&state));
    }

    fn counters(&self, notes: &mut Vec<String>) -> BTreeMap<String, u64> {
        let mut counters =
            self.told("counters", self.transport.counters(), notes).unwrap_or_default();
        match stolen_ms() {
            Ok(stolen_ms) => drop(counters.insert("machine/stolen_ms".to_owned(), stolen_ms)),
            Err(error) => note_once(format!("steal time: {error}"), notes),
        }
        counters
    }

    /// What the device says; where it does not, a note says why, once.
    fn told<R>(
        &self,
        what: &str,
        told: Result<R, NotAvailable>,
        notes: &mut Vec<String>,
    ) -> Option<R> {
        let note = |error| format!("{what} of {}: {error}", self.transport.description().name);
        match told.map_err(note) {
            Ok(told) => Some(told),
            Err(note) => {
                note_once(note, notes);
                None
            }
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

fn note_once(note: String, notes: &mut Vec<String>) {
    if !notes.contains(&note) {
        notes.push(note);
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
