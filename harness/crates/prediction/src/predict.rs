//! A condition's throughput and latency, by simulating it.

use onesided_sim::{Count, Moment, Parameters, Scenario, SimulateError, simulate};

/// How much is simulated for a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Virtual time before completions count, in microseconds.
    pub warm_up_us: u64,
    /// Virtual time in which they do, in microseconds.
    pub measured_us: u64,
}

impl Effort {
    /// Some thousand operations: within 1 % of a long run for 8 queue pairs.
    pub const QUICK: Self = Self { warm_up_us: 100, measured_us: 900 };

    /// When the simulation ends.
    pub const fn end(self) -> Moment {
        Moment((self.warm_up_us + self.measured_us) * 1_000_000)
    }
}

/// What the model says of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Operations per second.
    pub throughput_ops: f64,
    /// Mean latency; absent where nothing completed.
    pub latency_mean_ns: Option<f64>,
}

/// Simulates a scenario that ends at [`Effort::end`].
///
/// # Errors
/// When the scenario is impossible.
pub fn predict(
    parameters: &Parameters,
    scenario: &Scenario,
    effort: Effort,
) -> Result<Prediction, SimulateError> {
    let mut count = Count::between(Moment(effort.warm_up_us * 1_000_000), effort.end());
    simulate(parameters, scenario, &mut count)?;
    Ok(Prediction { throughput_ops: count.rate(), latency_mean_ns: count.mean_latency_ns() })
}
