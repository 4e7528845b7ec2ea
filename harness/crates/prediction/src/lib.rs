//! What the simulator predicts of measured conditions.
//!
//! ```text
//!   profiles/NAME/simulation.toml --> SimulationProfile --.
//!   conditions.csv.gz --configuration_of--covered--> Scenario --simulate--> Prediction
//!          |                                              |                     |
//!          '--split--> fit to some ---> parameters -------'        judge, on the others
//! ```
//!
//! - [`SimulationProfile`]: the parameters of a machine with their sources, and its set-ups.
//! - [`configuration_of`]: the run that a condition is of; advice is asked for as a run, too.
//! - [`covered`]: what of a run the model has a notion of; the rest is refused with a reason.
//! - [`predict`]: a condition's throughput and latency.
//! - [`Split`]: which conditions are fitted to, and which are held out.
//! - [`fit`]: least squares of relative errors over the free parameters.
//! - [`judge`]: errors on held-out conditions, and how often the better place is told right.
//! - [`advise`]: where to put memory, if held-out errors leave no doubt.
//! - [`Study`]: sweeps of papers, point by point; [`shape`] simulates one.
//! - [`simulate_run`]: a run of a run table, with the record and the counts of any back end.

#![forbid(unsafe_code)]

mod advice;
mod baseline;
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
mod study;

pub use advice::{Advice, Basis, HeldOutError, Placement, Verdict, advise};
pub use baseline::{Baselines, Compared};
pub use calibration::{Calibration, calibrate};
pub use covered::{NotCovered, configuration_of, covered};
pub use fit::{FitError, Fitted, FittedPart, fit};
pub use judge::{Judged, Point, judge};
pub use noise::Noise;
pub use predict::{Effort, Prediction, predict};
pub use profile::{
    ChooseSetUpError, FILE, FitOf, ProfileFault, ReadProfileError, SetAside, SetUp,
    SimulationProfile, Stated, read_profile,
};
pub use run::{
    Share, ShareError, SimulateRunError, SimulatedMachine, SimulatedRun, check_simulated,
    simulate_run, simulation_of,
};
pub use split::Split;
pub use standing::{Standing, Usable, standing};
pub use study::{Responders, Shape, ShapePoint, Study, StudyError, shape};
