//! Words about designs.

use super::*;

words! {
    /// How much of a design is run.
    Level as "level" {
        /// The design as it is written.
        Full = "full",
        /// What an evaluator's time allows, as the design's `[level.reproduce]` says.
        Reproduce = "reproduce",
        /// Just enough to see that it works, as the design's `[level.smoke]` says.
        Smoke = "smoke",
    }
}
