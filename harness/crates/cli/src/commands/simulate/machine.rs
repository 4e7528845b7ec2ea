//! The machines of a profile, as the simulator needs them.

use anyhow::Context;
use onesided_experiment::profile;
use onesided_prediction::{
    ChooseSetUpError, FILE, SimulatedMachine, SimulationProfile, read_profile, simulation_of,
};
use onesided_results::{
    RunConfiguration, machine::NicKind, record::SimulationRecord, vocabulary::Ddio, word::Word,
};

use super::Arguments;
use crate::{back_end, revision::harness_revision};

/// A machine for each state of direct cache access that there are parameters of.
pub(super) struct Machines(Vec<SimulatedMachine>);

impl Machines {
    /// Reads the profile that was asked for, with its set-ups.
    pub(super) fn read(arguments: &Arguments) -> anyhow::Result<Self> {
        let folder = arguments.profiles.join(&arguments.profile);
        let path = folder.join(FILE);
        let profile = read_profile(&path)?;
        let hardware = folder.join(profile::FILE);
        // A machine that nobody has described has a card without a name.
        let nic = if hardware.exists() { nic_of(&profile::read(&hardware)?) } else { None };
        let mut machines = Vec::new();
        for &ddio in Ddio::ALL {
            match profile.choose_set_up(arguments.set_up.as_deref(), ddio) {
                Ok(set_up) => machines.push(machine(&profile, set_up, ddio, nic.clone())),
                // Runs of that state are refused, one by one.
                Err(ChooseSetUpError::Contradicts { .. } | ChooseSetUpError::Lacking { .. }) => {}
                Err(error) => return Err(error).with_context(|| path.display().to_string()),
            }
        }
        Ok(Self(machines))
    }

    /// The machine for a run; where there is none for it, one that refuses it.
    pub(super) fn of(&self, run: &RunConfiguration) -> &SimulatedMachine {
        self.0.iter().find(|machine| machine.ddio == run.ddio).unwrap_or(self.first())
    }

    /// The machine for what is no run of a table: as it is, or with the set-up that was asked for.
    pub(super) fn first(&self) -> &SimulatedMachine {
        &self.0[0]
    }

    /// What each run follows from.
    pub(super) fn simulation_of(
        &self,
        run: &RunConfiguration,
        arguments: &Arguments,
    ) -> SimulationRecord {
        simulation_of(self.of(run), arguments.share)
    }

    /// Says which set-ups `runs` take where none was asked for.
    pub(super) fn tell(&self, runs: &[RunConfiguration]) {
        for machine in &self.0 {
            let is_used = runs.iter().any(|run| run.ddio == machine.ddio);
            if let (true, Some(name)) = (is_used, &machine.set_up) {
                say!("no --set-up: runs with ddio = {} take {name}", machine.ddio);
            }
        }
    }
}

fn machine(
    profile: &SimulationProfile,
    set_up: Option<usize>,
    ddio: Ddio,
    nic: Option<String>,
) -> SimulatedMachine {
    SimulatedMachine {
        parameters: profile.parameters(set_up),
        ddio,
        set_up: set_up.map(|at| profile.set_ups[at].name.clone()),
        nic,
        harness_version: back_end::harness_version().to_owned(),
        harness_revision: harness_revision().map(str::to_owned),
    }
}

/// The model of the first card that speaks RDMA, or else of the first that there is.
fn nic_of(machine: &onesided_results::MachineProfile) -> Option<String> {
    let cards = || machine.hosts.iter().flat_map(|host| &host.nics);
    let card = cards().find(|card| card.kind == NicKind::Rdma).or_else(|| cards().next())?;
    card.model.clone().or_else(|| card.driver.clone())
}
