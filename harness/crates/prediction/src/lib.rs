//! What the simulator predicts of measured conditions.
//!
//! ```text
//!   profiles/NAME/simulation.toml --> SimulationProfile --.
//!   conditions.csv.gz --covered--> Scenario --------------+--simulate--> Prediction
//!          |                                              |                  |
//!          '--split--> fit to some ---> parameters -------'     judge, on the others
//! ```
//!
//! - [`SimulationProfile`]: the parameters of a machine with their sources, and its set-ups.
//! - [`covered`]: what of a condition the model has a notion of; the rest is refused with a reason.
//! - [`predict`]: a condition's throughput and latency.
//! - [`Split`]: which conditions are fitted to, and which are held out.
//! - [`fit`]: least squares of relative errors over the free parameters.
//! - [`judge`]: errors on held-out conditions, and how often the better place is told right.
//! - [`advise`]: where to put memory, if held-out errors leave no doubt.
//! - [`simulate_run`]: a run of a run table, with the record and the counts of any back end.

#![forbid(unsafe_code)]

mod advice;
mod calibration;
mod covered;
mod fit;
mod judge;
mod noise;
mod predict;
mod profile;
mod run;
mod split;
mod standing;

pub use advice::{Advice, HeldOutError, Placement, Verdict, advise};
pub use calibration::{Calibration, calibrate};
pub use covered::{NotCovered, covered};
pub use fit::{FitError, Fitted, fit};
pub use judge::{Judged, Point, judge};
pub use noise::Noise;
pub use predict::{Effort, Prediction, predict};
pub use profile::{
    FILE, ProfileFault, ReadProfileError, SetUp, SimulationProfile, Stated, read_profile,
};
pub use run::{
    Share, ShareError, SimulateRunError, SimulatedDoubt, SimulatedMachine, SimulatedRun,
    simulate_run, simulation_of,
};
pub use split::Split;
pub use standing::{Standing, Usable, standing};
