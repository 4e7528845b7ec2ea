//! A run of a run table in virtual time, from its configuration to its record.
//!
//! ```text
//!   RunConfiguration --Covered::of--> Scenario, places, assumptions      or NotCovered
//!                                        |
//!   Parameters --------------------------+--simulate--> Recorders --> RunCounts
//!                                                                        |
//!                                     record, doubts <-------------------'
//! ```
//!
//! The record is that of any other back end. What the model has no notion of is refused, each
//! factor with its level and the reason; what it takes for granted is a doubt.

mod record;
mod recorders;
mod share;
mod side;

pub use share::{Share, ShareError};

use onesided_measure::RunCounts;
use onesided_results::{
    RunConfiguration, RunRecord,
    configuration::ConfigurationError,
    record::{Outcome, SimulationRecord},
    vocabulary::{Ddio, Phase},
};
use onesided_sim::{Field, Parameters, SimulateError, check, simulate};

use crate::{
    covered::{Covered, NotCovered},
    profile::no_parameters,
};
use recorders::Recorders;
use share::Extent;

/// The machine that runs are simulated on.
#[derive(Clone, Debug)]
pub struct SimulatedMachine {
    /// What it costs.
    pub parameters: Parameters,
    /// Whose runs that is of: a run with another state of direct cache access is refused.
    pub ddio: Ddio,
    /// Name of the profile's set-up in them; absent: none.
    pub set_up: Option<String>,
    /// Its network card, for tables and figures; absent if the profile does not tell.
    pub nic: Option<String>,
    /// Version of this program.
    pub harness_version: String,
    /// Source revision that this program was built from.
    pub harness_revision: Option<String>,
}

/// A run that was tried: its record, and its counts where there are any.
#[derive(Clone, Debug)]
pub struct SimulatedRun {
    /// What is written to `run.json`.
    pub record: RunRecord,
    /// What is written beside it; absent if nothing was simulated.
    pub counts: Option<RunCounts>,
}

/// Why a run was not simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateRunError {
    /// Nobody could do it.
    #[error("the configuration: {0}")]
    Impossible(#[source] ConfigurationError),
    /// The model has no notion of it.
    #[error("the model does not cover {0}")]
    NotCovered(#[from] NotCovered),
    /// The simulator refuses it.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// What a run on `machine` follows from beside its configuration.
pub fn simulation_of(machine: &SimulatedMachine, share: Share) -> SimulationRecord {
    let value = |field: &Field| (field.name.to_owned(), field.get(&machine.parameters));
    SimulationRecord {
        parameters: Field::ALL.iter().map(value).collect(),
        set_up: machine.set_up.clone(),
        share: share.fraction(),
    }
}

/// Simulates a run. One that cannot be simulated has a record that says so.
///
/// The same input gives the same record and counts: there is no clock, and one thread.
pub fn simulate_run(
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
    share: Share,
) -> SimulatedRun {
    let mut record = record::empty(configuration, simulation_of(machine, share));
    match attempt(machine, configuration, share, &mut record) {
        Ok(counts) => SimulatedRun { record, counts: Some(counts) },
        Err(error) => {
            let message = error.to_string();
            record.outcome = Outcome::Failed { phase: Phase::SetUp, message };
            SimulatedRun { record, counts: None }
        }
    }
}

/// Whether a run can be simulated on `machine`, without doing it.
///
/// # Errors
/// [`SimulateRunError`], naming the factor and why not.
pub fn check_simulated(
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
    share: Share,
) -> Result<(), SimulateRunError> {
    covered_run(machine, configuration, share).map(|_| ())
}

fn covered_run(
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
    share: Share,
) -> Result<(Covered, Extent), SimulateRunError> {
    configuration.check().map_err(SimulateRunError::Impossible)?;
    let extent = share.extent(configuration);
    let mut covered = Covered::of(configuration, &machine.parameters, extent.until())?;
    if configuration.ddio != machine.ddio {
        return Err(no_parameters(configuration.ddio).into());
    }
    covered.scenario.load.operations_per_queue_pair = extent.operations_per_queue_pair;
    check(&covered.scenario)?;
    Ok((covered, extent))
}

fn attempt(
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
    share: Share,
    record: &mut RunRecord,
) -> Result<RunCounts, SimulateRunError> {
    // Before memory is taken for as many windows and queue pairs as anybody may ask for.
    let (covered, extent) = covered_run(machine, configuration, share)?;
    let mut recorders = Recorders::new(&covered.scenario, extent);
    simulate(&machine.parameters, &covered.scenario, &mut recorders)?;
    let (counts, observed) = recorders.finish(covered.scenario.load.shape);
    record::complete(record, machine, &covered, extent, &counts, &observed);
    Ok(counts)
}
