//! Words of what was imported or pooled over runs.

use super::*;

words! {
    /// Which of the study's two published programs made a run.
    CodeGeneration as "code generation" {
        /// That of the first commit: the client is bound to the same node number as the memory.
        V1 = "v1",
        /// That of the second commit: only the memory and its workers move.
        V2 = "v2",
    }

    /// Groups of the study's runs whose unloaded reads differ by a third under equal labels.
    Campaign as "campaign" {
        /// 1.78 µs for an unloaded read.
        A = "a",
        /// 1.34 µs for an unloaded read.
        B = "b",
    }

    /// What is in the raw file of a run.
    RawStatus as "status" {
        /// Numbers.
        Ok = "ok",
        /// Rates that are all 0.
        AllZero = "all-zero",
        /// Nothing.
        Empty = "empty",
    }

    /// Which of its two speeds a queue pair's writes had (ConnectX-3, eight queue pairs).
    Regime as "regime" {
        /// The usual one, at most 2 % of the time faster.
        Usual = "usual",
        /// Both.
        Mixed = "mixed",
        /// Three times the usual one, at least 85 % of the time.
        Fast = "fast",
    }

    /// What the interval of a condition is made from.
    IntervalOrigin as "interval origin" {
        /// Runs of the condition: what to expect of another run.
        Replicates = "replicates",
        /// Windows of its only run: says nothing about how runs differ.
        Windows = "windows",
        /// Nothing: there is none.
        None = "none",
    }
}
