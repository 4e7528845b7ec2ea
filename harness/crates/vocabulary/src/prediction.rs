//! Words about predictions.

use super::*;

words! {
    /// What a condition was used for when a model was calibrated.
    PredictionRole as "role" {
        /// Parameters were fitted to it.
        Fitted = "fitted",
        /// Predicted without having been fitted to.
        HeldOut = "held-out",
        /// The model has no notion of it.
        NotCovered = "not-covered",
        /// Its numbers are not what they are called.
        SetAside = "set-aside",
    }

    /// What is predicted of a condition.
    PredictedQuantity as "predicted quantity" {
        /// Operations per second.
        Throughput = "throughput",
        /// Mean latency.
        Latency = "latency",
    }
}
