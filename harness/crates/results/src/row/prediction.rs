//! The table of predictions: what the simulator says of conditions that were measured.

use super::ConditionRow;
use crate::{
    factors::with_columns,
    vocabulary::{Campaign, CodeGeneration, PredictedQuantity, PredictionRole, Source},
};

with_columns! { row {
    /// A condition with what was measured and what is predicted, a row of `predictions.csv.gz`.
    ///
    /// Columns of the same name are those of a condition.
    PredictionRow in "predictions.csv.gz", PREDICTIONS;
    identity {
        /// The machine's profile.
        profile: String = String::new();
        /// Which conditions were held out, in words.
        split: String = String::new();
        /// What this condition was used for.
        role: PredictionRole = PredictionRole::NotCovered;
        /// Why it was used for nothing; absent where it was used.
        why: Option<String> = None;
        /// Name of the design point: the same of both localities.
        design_point: String = String::new();
        /// Which of the study's programs.
        code_generation: Option<CodeGeneration> = None;
        /// Which group of the study's runs.
        campaign: Option<Campaign> = None;
        /// Designs that its runs belong to, separated by spaces.
        experiments: String = String::new();
        /// What is predicted; absent, as what was measured and predicted are, where the model says
        /// nothing or nothing was measured.
        quantity: Option<PredictedQuantity> = None;
    }
    outcomes {
        /// Runs that were measured.
        runs: u32 = 0;
        /// What was measured: operations per second, or nanoseconds.
        measured: Option<f64> = None, rules [Positive];
        /// The same of the model; absent where it says nothing.
        predicted: Option<f64> = None, rules [NotNegative];
        /// Predicted by measured, less 1.
        relative_error: Option<f64> = None;
        /// Whether the measured difference of the two localities is beyond what runs of one condition
        /// differ by (95 %); absent where only one of them was used.
        significant: Option<bool> = None;
    }
} }

impl PredictionRow {
    /// The row of a condition, of which nothing is predicted yet.
    pub fn of(condition: &ConditionRow) -> Self {
        Self {
            profile: condition.profile.clone(),
            code_generation: condition.code_generation,
            campaign: condition.campaign,
            experiments: condition.experiments.clone(),
            runs: condition.runs,
            ..Self::with(condition.source, condition.factors())
        }
    }
}
