//! The table of conditions: runs that differ in nothing but chance, pooled.

use super::RunRow;
use crate::{
    factors::with_columns,
    vocabulary::{Campaign, CodeGeneration, IntervalOrigin, Regime, Source},
};

with_columns! { row {
    /// One condition, a row of `conditions.csv.gz`. Columns of the same name are those of a run.
    ConditionRow in "conditions.csv.gz", CONDITIONS;
    identity {
        /// The back end's own name.
        back_end: String = String::new();
        /// The machine's profile.
        profile: String = String::new();
        /// The network card.
        nic: Option<String> = None;
        /// Which of the study's programs.
        code_generation: Option<CodeGeneration> = None;
        /// Which group of the study's runs.
        campaign: Option<Campaign> = None;
        /// How its runs went where nothing that was set tells: which of two speeds, stalled or not.
        regime: Option<Regime> = None;
        /// Designs that its runs belong to, separated by spaces.
        experiments: String = String::new();
    }
    outcomes {
        /// Runs pooled: valid ones, none of them a copy.
        runs: u32 = 0, rules [Positive];
        /// Doubts that any of them has, separated by spaces.
        doubts: String = String::new();
        /// Geometric mean of the study's estimator over runs.
        throughput_published_ops: Option<f64> = None, rules [Positive];
        /// Lower end of its 95 % interval, from runs; absent for one run.
        throughput_published_low_ops: Option<f64> = None, rules [LowOf("throughput_published_ops", "throughput_published_high_ops")];
        /// Upper end of its 95 % interval, from runs; absent for one run.
        throughput_published_high_ops: Option<f64> = None, rules [HighOf("throughput_published_ops", "throughput_published_low_ops")];
        /// Geometric mean of the robust estimator over runs.
        throughput_ops: Option<f64> = None, rules [Positive];
        /// Lower end of its 95 % interval.
        throughput_low_ops: Option<f64> = None, rules [LowOf("throughput_ops", "throughput_high_ops")];
        /// Upper end of its 95 % interval.
        throughput_high_ops: Option<f64> = None, rules [HighOf("throughput_ops", "throughput_low_ops")];
        /// What that interval is made from.
        throughput_interval: IntervalOrigin = IntervalOrigin::None;
        /// Standard deviation over runs of the logarithm of the robust estimator: relative, for a
        /// small one; absent for one run.
        throughput_log_sd: Option<f64> = None, rules [NotNegative];
        /// Geometric mean of the mean latency over runs.
        latency_mean_ns: Option<f64> = None, rules [Positive];
        /// Lower end of its 95 % interval, from runs; absent for one run.
        latency_mean_low_ns: Option<f64> = None, rules [LowOf("latency_mean_ns", "latency_mean_high_ns")];
        /// Upper end of its 95 % interval, from runs; absent for one run.
        latency_mean_high_ns: Option<f64> = None, rules [HighOf("latency_mean_ns", "latency_mean_low_ns")];
    }
} }

impl ConditionRow {
    /// The condition of `run`, without what came out of it.
    pub fn of(run: &RunRow) -> Self {
        Self {
            back_end: run.back_end.clone(),
            profile: run.profile.clone(),
            nic: run.nic.clone(),
            ..Self::with(run.source, run.factors())
        }
    }
}
