//! The robust estimator on printed lines.

use std::ops::Range;

use super::{ClientSummary, Clock, PrintedRate};
use crate::{
    bootstrap::{Interval, mean_interval, ratio},
    throughput::Throughput,
};

/// Fewest epochs that a throughput is estimated from. Ours, because: fewer are less than two
/// blocks of the bootstrap's shortest, and one stall decides.
const FEWEST_EPOCHS: usize = 5;

/// An epoch has stalled whose operations are below this part of the median epoch's. Ours, because: what
/// completes in its first or its last moment is less, and no other epoch of the study's is.
const STALLED_BELOW: u64 = 20;

/// What a run did, on the recovered clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    /// Throughput while all clients were active; absent if that was less than five epochs.
    pub throughput: Option<Throughput>,
    /// Operations on the recovered clock by operations issued: 1 if no epoch was longer than it
    /// seems. Above 1, time passed that no client counted; below, epochs were longer.
    pub closure: f64,
    /// The epochs in which all clients were active.
    pub window: Range<u32>,
    /// Share of the run that these are.
    pub window_fraction: f64,
    /// Of all clients in each epoch, in millionths of operations per second.
    pub micro_ops: Vec<u64>,
    /// Epochs of the window in which hardly anything completed.
    pub stalled: u32,
    /// Most of these in a row.
    pub longest_stall: u32,
    /// Throughput in the others, operations per second; absent as `throughput` is.
    pub running_ops: Option<f64>,
}

/// Estimates a run of `operations` operations a client; absent without a line.
///
/// A client whose lines add up to more than it issued is scaled down to that: the excess is of
/// time that its epochs do not show.
pub fn steady(
    rates: &[PrintedRate],
    clock: &Clock,
    clients: &[ClientSummary],
    operations: f64,
    seed: u64,
) -> Option<Steady> {
    let length = clock.length();
    if length == 0 {
        return None;
    }
    let all = clients.iter().map(ClientSummary::operations).sum::<f64>();
    #[expect(clippy::cast_precision_loss, reason = "clients are counted in tens")]
    let closure = all / (operations * clients.len() as f64);
    let scales: Vec<f64> = clients.iter().map(|client| operations / client.operations()).collect();
    let micro_ops = summed(rates, clock, &scales);
    let window = window(clients);
    let inside = &micro_ops[window.start as usize..window.end as usize];
    let throughput = (inside.len() >= FEWEST_EPOCHS).then(|| throughput(inside, seed));
    let window_fraction = f64::from(window.end - window.start) / f64::from(length);
    let Stalls { stalled, longest_stall, running_ops } = stalls(inside);
    let running_ops = running_ops.filter(|_| throughput.is_some());
    Some(Steady {
        throughput,
        closure,
        window,
        window_fraction,
        micro_ops,
        stalled,
        longest_stall,
        running_ops,
    })
}

struct Stalls {
    stalled: u32,
    longest_stall: u32,
    running_ops: Option<f64>,
}

/// Which epochs of a window hardly anything completed in, and the mean of the others.
fn stalls(micro_ops: &[u64]) -> Stalls {
    let mut sorted = micro_ops.to_vec();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
    let has_stalled = |epoch: u64| epoch < median / STALLED_BELOW;
    let (mut stalled, mut longest_stall, mut in_a_row) = (0, 0, 0);
    for &epoch in micro_ops {
        in_a_row = if has_stalled(epoch) { in_a_row + 1 } else { 0 };
        stalled += u32::from(in_a_row > 0);
        longest_stall = longest_stall.max(in_a_row);
    }
    let running: Vec<_> = micro_ops.iter().filter(|epoch| !has_stalled(**epoch)).collect();
    let sum = running.iter().map(|epoch| u128::from(**epoch)).sum();
    let running_ops = (!running.is_empty()).then(|| ratio(sum, running.len()) / 1e6);
    Stalls { stalled, longest_stall, running_ops }
}

/// The rates of all clients in each epoch of the clock.
fn summed(rates: &[PrintedRate], clock: &Clock, scales: &[f64]) -> Vec<u64> {
    let mut sums = vec![0_u64; clock.length() as usize];
    for (rate, span) in rates.iter().zip(clock.spans()) {
        let scaled = scaled(rate.micro_ops, scales[rate.client as usize]);
        sums[span.start as usize..span.end as usize].iter_mut().for_each(|sum| *sum += scaled);
    }
    sums
}

/// Scaled down, never up: an epoch that seems too short was, and its rate is as it was.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates are below 2^53 millionths, and to a millionth it does not matter"
)]
fn scaled(micro_ops: u64, scale: f64) -> u64 {
    if scale < 1.0 { (micro_ops as f64 * scale + 0.5) as u64 } else { micro_ops }
}

/// From the last client's first epoch with an operation to the first one's last line.
fn window(clients: &[ClientSummary]) -> Range<u32> {
    let start = clients.iter().map(|client| client.first_active).max_by_key(|start| {
        // A client that never was active leaves no window.
        start.unwrap_or(u32::MAX)
    });
    let start = start.flatten().unwrap_or(u32::MAX);
    let end = clients.iter().map(|client| client.end).min().unwrap_or(0);
    if start < end { start..end } else { 0..0 }
}

fn throughput(micro_ops: &[u64], seed: u64) -> Throughput {
    let sum = micro_ops.iter().map(|&epoch| u128::from(epoch)).sum();
    let interval = mean_interval(micro_ops, seed)
        .map(|Interval { low, high }| Interval { low: low / 1e6, high: high / 1e6 });
    Throughput { ops: ratio(sum, micro_ops.len()) / 1e6, interval }
}

impl Steady {
    /// Share of the window in which hardly anything completed.
    pub fn stalled_fraction(&self) -> f64 {
        f64::from(self.stalled) / f64::from((self.window.end - self.window.start).max(1))
    }

    /// Share of all clients' time in the window that was faster than `micro_ops`.
    pub fn fraction_above(
        &self,
        rates: &[PrintedRate],
        clock: &Clock,
        clients: usize,
        micro_ops: u64,
    ) -> Option<f64> {
        let all = rates.iter().zip(clock.spans());
        let fast = all.filter(|(rate, _)| rate.micro_ops > micro_ops);
        let fast: u64 = fast.map(|(_, span)| u64::from(span.within(&self.window))).sum();
        let time = u64::from(self.window.end - self.window.start) * clients as u64;
        #[expect(clippy::cast_precision_loss, reason = "epochs are counted in thousands")]
        (time > 0).then(|| fast as f64 / time as f64)
    }
}
