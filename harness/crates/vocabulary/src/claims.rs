//! Words of claims and what data says to them.

use super::*;

words! {
    /// Whose sentence a claim is.
    ClaimKind as "kind of claim" {
        /// The study's.
        Claim = "claim",
        /// Ours about the study.
        Correction = "correction",
    }

    /// What data says to a claim.
    Verdict as "verdict" {
        /// All that was asked agrees.
        Supported = "supported",
        /// Some of it does, or only the point, or only the direction.
        Partly = "partly",
        /// None of it does.
        Contradicted = "contradicted",
        /// The data does not hold what is asked, or cannot speak to it.
        NotTestable = "not-testable",
    }
}
