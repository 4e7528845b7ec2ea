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

    /// How a run went where nothing that was set tells: writes of eight queue pairs have two speeds on
    /// ConnectX-3 and on ConnectX-4, and some runs stop for a while.
    Regime as "regime" {
        /// The speed that most runs have; at most 2 % of the time the other one.
        Usual = "usual",
        /// Both speeds.
        Mixed = "mixed",
        /// Three times the usual one, at least 85 % of the time (ConnectX-3).
        Fast = "fast",
        /// Half of the usual one, at least 85 % of the time (ConnectX-4).
        Slow = "slow",
        /// Nothing completed for more than 2 % of the time.
        Stalled = "stalled",
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
