//! The machine of a profile, as the simulator needs it.

use anyhow::bail;
use onesided_experiment::profile;
use onesided_prediction::{FILE, SimulatedMachine, SimulationProfile, read_profile};
use onesided_results::machine::NicKind;

use super::Arguments;
use crate::back_end;

/// Reads the profile that was asked for, with its set-up.
pub(super) fn read(arguments: &Arguments) -> anyhow::Result<SimulatedMachine> {
    let folder = arguments.profiles.join(&arguments.profile);
    let path = folder.join(FILE);
    let parameters = read_profile(&path)?;
    let set_up = match &arguments.set_up {
        None => {
            tell_of_set_ups(&parameters);
            None
        }
        Some(name) => Some(set_up_of(&parameters, name, &path.display().to_string())?),
    };
    let hardware = folder.join(profile::FILE);
    Ok(SimulatedMachine {
        parameters: parameters.parameters(set_up),
        set_up: arguments.set_up.clone(),
        // A machine that nobody has described has a card without a name.
        nic: if hardware.exists() { nic_of(&profile::read(&hardware)?) } else { None },
        harness_version: back_end::harness_version().to_owned(),
        harness_revision: back_end::harness_revision().map(str::to_owned),
    })
}

/// Without a set-up, what differs between them has a value of no runs at all.
fn tell_of_set_ups(profile: &SimulationProfile) {
    let names: Vec<_> = profile.set_ups.iter().map(|set_up| set_up.name.as_str()).collect();
    if !names.is_empty() {
        say!(
            "no --set-up: what differs between {} is a guess, of none of their runs",
            names.join(", ")
        );
    }
}

fn set_up_of(profile: &SimulationProfile, name: &str, path: &str) -> anyhow::Result<usize> {
    let names: Vec<_> = profile.set_ups.iter().map(|set_up| set_up.name.as_str()).collect();
    match names.iter().position(|found| *found == name) {
        Some(at) => Ok(at),
        None if names.is_empty() => bail!("{path} has no set-ups: leave --set-up {name} out"),
        None => bail!("{path} has no set-up {name}; it has {}", names.join(", ")),
    }
}

/// The model of the first card that speaks RDMA, or else of the first that there is.
fn nic_of(machine: &onesided_results::MachineProfile) -> Option<String> {
    let cards = || machine.hosts.iter().flat_map(|host| &host.nics);
    let card = cards().find(|card| card.kind == NicKind::Rdma).or_else(|| cards().next())?;
    card.model.clone().or_else(|| card.driver.clone())
}
