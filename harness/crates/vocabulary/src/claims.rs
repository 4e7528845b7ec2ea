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
        /// What the sentence says certainly holds, of as many cells as it speaks of.
        Supported = "supported",
        /// It certainly holds in cells that can be named, and certainly fails in others.
        TrueInPart = "true-in-part",
        /// It certainly fails.
        Contradicted = "contradicted",
        /// The intervals of the data reach what the sentence says and what it excludes.
        TooImprecise = "too-imprecise",
        /// The data does not hold what is asked, or is no evidence for or against it.
        NotTestable = "not-testable",
    }

    /// What one cell says to a sentence, read by its interval.
    Answer as "answer" {
        /// It is as said.
        Holds = "holds",
        /// It may be as said, or not.
        Unsure = "unsure",
        /// It is not as said, being smaller.
        Below = "fails-below",
        /// It is not as said, being larger.
        Above = "fails-above",
    }

    /// Of how many cells a sentence speaks.
    Quantifier as "quantifier" {
        /// Of each: it says all, always, consistently, any, or states a setting.
        All = "all",
        /// Of most: it describes what is to be seen, and has no word for exceptions.
        Typically = "typically",
        /// Of the largest: it says up to, or as much as.
        UpTo = "up-to",
        /// Of one or more: it says can.
        AtLeastOne = "at-least-one",
        /// Of none: it says that something does not occur.
        None = "none",
    }

    /// What a simulated value has from the text, or the data, that it is held against.
    Basis as "basis" {
        /// A parameter of the model is the number itself, or the number follows from one alone.
        PutIn = "put-in",
        /// A part of the model was chosen with the number in sight.
        Chosen = "chosen",
        /// Parameters were fitted to measurements that the sentence is about.
        Fitted = "fitted",
        /// Nothing: the model says it from parameters that were had elsewhere.
        Predicted = "predicted",
    }
}

impl Answer {
    /// Whether the value is not as said.
    pub fn fails(self) -> bool {
        matches!(self, Self::Below | Self::Above)
    }
}
