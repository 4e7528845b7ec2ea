//! What a simulated run was computed from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
