//! What can be said from the lines that the study's clients print: `client, epoch, rate`.
//!
//! A client's polling thread counts completions. At its first poll 10 ms or more after it began to
//! count it prints completions by elapsed time, and begins anew when the line is out. So a line
//! holds a rate and not a count, the length of its epoch is not printed, the last partial epoch is
//! missing, and the time to print belongs to no epoch. But all clients print to one stream: the
//! order of lines is an order in time, which [`clock`] makes a clock of.
//!
//! - [`published`]: the study's estimator, exactly.
//! - [`mod@steady`]: the robust one. It counts what all clients did while all were active.
//!
//! Neither knows how long an epoch really was. With at most as many spinning threads as CPUs it is
//! 10 ms and a poll, and the robust estimator is right; where threads wait for a CPU or for the
//! stream it is longer, and both overstate, the robust one less: see `tests/simulated_clients.rs`.

pub mod clock;
pub mod steady;
pub mod summary;

pub use clock::Clock;
pub use steady::{Steady, steady};
pub use summary::ClientSummary;

/// Length of an epoch, the least that a client counts before it prints.
pub const EPOCH_NS: u64 = 10_000_000;

/// One line.
///
/// A client's epochs are counted from 1 without a gap, so that their number needs no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedRate {
    /// Index of the client, from 0.
    pub client: u32,
    /// Operations per second in millionths, which is all the digits that are printed.
    pub micro_ops: u64,
}

/// The study's estimator: each client's mean rate, summed (SRDS 2020, section V).
///
/// Absent if there is no line.
pub fn published(clients: &[ClientSummary]) -> Option<f64> {
    clients.iter().filter_map(ClientSummary::mean_ops).reduce(|sum, mean| sum + mean)
}

#[cfg(test)]
mod tests;
