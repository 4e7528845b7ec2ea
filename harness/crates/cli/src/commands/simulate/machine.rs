//! The machines of a profile, as the simulator needs them.

use std::path::Path;

use anyhow::{Context, ensure};
use onesided_experiment::profile;
use onesided_prediction::{
    ChooseSetUpError, FILE, Share, SimulatedMachine, SimulationProfile, check_simulated,
    read_profile, simulation_of,
};
use onesided_results::{
    RunConfiguration, machine::NicKind, record::SimulationRecord, vocabulary::Ddio, word::Word,
};

use super::Arguments;
use crate::{back_end, revision::harness_revision};

/// A machine for each state of direct cache access that there are parameters of.
pub struct Machines(Vec<SimulatedMachine>);

impl Machines {
    /// Reads the profile called so in `profiles`, with the set-ups that are named, or without names
    /// the last one for each state of direct cache access.
    pub fn read(profiles: &Path, profile: &str, set_ups: &[String]) -> anyhow::Result<Self> {
        let folder = profiles.join(profile);
        let path = folder.join(FILE);
        let profile = read_profile(&path)?;
        let hardware = folder.join(profile::FILE);
        // A machine that nobody has described has a card without a name.
        let nic = if hardware.exists() { nic_of(&profile::read(&hardware)?) } else { None };
        let mut machines = Vec::new();
        for &ddio in Ddio::ALL {
            match chosen(&profile, set_ups, ddio)? {
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

    /// Why a run cannot be simulated; absent if it can.
    pub fn obstacle(&self, run: &RunConfiguration) -> Option<String> {
        let refused = check_simulated(self.of(run), run, Share::ALL);
        refused.err().map(|error| error.to_string())
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

/// The set-up for runs with that `ddio`: of the `names` the one that is of such runs.
fn chosen(
    profile: &SimulationProfile,
    names: &[String],
    ddio: Ddio,
) -> anyhow::Result<Result<Option<usize>, ChooseSetUpError>> {
    if names.is_empty() {
        return Ok(profile.choose_set_up(None, ddio));
    }
    let each = names.iter().map(|name| profile.choose_set_up(Some(name), ddio));
    let (of_others, mut rest): (Vec<_>, Vec<_>) =
        each.partition(|one| matches!(one, Err(ChooseSetUpError::Contradicts { .. })));
    ensure!(
        rest.len() < 2 || rest.iter().any(Result::is_err),
        "--set-up {}: {} of them are of runs with ddio = {ddio}: give one for each state of ddio",
        names.join("+"),
        rest.len()
    );
    // A name that there is not comes before all others.
    let place = rest.iter().position(Result::is_err).unwrap_or(0);
    let of_these = (!rest.is_empty()).then(|| rest.swap_remove(place));
    Ok(of_these.or_else(|| of_others.into_iter().next()).expect("there is a name"))
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
