//! Cache lines: one access at a time, and a move when somebody else had it.

use onesided_load::Random;

use crate::{
    Locality,
    parameters::{ByReach, ByVerb, Parameters},
    scenario::Workers,
    stations::{Server, Verb, copies_ns},
    time::{Moment, Span},
};

/// Bytes of a line.
const LINE_BYTES: u64 = 64;
/// Lines that are told apart at most; beyond that, distant ones are taken for one.
const MOST_LINES: u64 = 1 << 16;
/// Quantiles of the exponential distribution that are kept.
const QUANTILES: usize = 1 << 12;

/// What an access costs its line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LineCost {
    /// Always.
    own: Span,
    /// On average in addition, while workers use the line.
    moves: Span,
}

/// What accesses cost, for a place of the region and its workers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinesPlan {
    costs: ByVerb<LineCost>,
}

impl LinesPlan {
    pub(crate) fn new(parameters: &Parameters, region: Locality, workers: Workers) -> Self {
        let of = |value: ByReach| match region {
            Locality::RdmaLocal => value.local,
            Locality::RdmaRemote => value.remote,
        };
        let threads = workers.threads.min(parameters.server_cpus);
        let cost = |own: ByReach, transfer: ByReach, reader_share: ByReach, copies: ByReach| {
            let disturb = workers.write_share + (1.0 - workers.write_share) * of(reader_share);
            let at_line = threads * disturb / workers.lines as f64;
            let moves = at_line.min(parameters.most_transfers) * of(transfer);
            // The line is on its way from worker to worker while copies are taken away.
            let moves = moves.max(copies_ns(of(copies), workers));
            LineCost { own: Span::of_ns(of(own)), moves: Span::of_ns(moves) }
        };
        let Parameters { line_ns, transfer_ns, reader_share, copies_ns, .. } = parameters;
        let costs = ByVerb {
            read: cost(line_ns.read, transfer_ns.read, reader_share.read, copies_ns.read),
            write: cost(line_ns.write, transfer_ns.write, reader_share.write, copies_ns.write),
            atomic: cost(line_ns.atomic, transfer_ns.atomic, reader_share.atomic, copies_ns.atomic),
        };
        Self { costs }
    }

    /// How long an operation keeps its line on average, in nanoseconds.
    pub(crate) fn mean_ns(&self, verb: Verb) -> f64 {
        let LineCost { own, moves } = self.costs.of(verb);
        own.ns() + moves.ns()
    }

    /// For how much of its lines' time an operation of `bytes` on lines of its own keeps them on
    /// average, in nanoseconds.
    pub(crate) fn busy_ns(&self, verb: Verb, bytes: u32) -> f64 {
        let lines = match self.costs.of(verb).moves {
            Span::ZERO => 1,
            _ => bytes.max(1).div_ceil(LINE_BYTES as u32),
        };
        self.mean_ns(verb) * f64::from(lines)
    }

    /// Whether there is anything to wait for.
    pub(crate) fn matters(&self) -> bool {
        let ByVerb { read, write, atomic } = self.costs;
        [read, write, atomic].iter().any(|cost| *cost != LineCost::default())
    }
}

/// Lines of so many bytes that are told apart.
pub(crate) fn lines_of(region_bytes: u64) -> u64 {
    region_bytes.div_ceil(LINE_BYTES).next_power_of_two().clamp(1, MOST_LINES)
}

/// The lines of the region.
///
/// An access keeps its line for as long as it takes, and others wait. While workers use the line,
/// it is moved to them and back in between. How often varies from access to access, so that time
/// is drawn: exponentially, which is what a sum of a random number of moves is close to.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    plan: LinesPlan,
    lines: Vec<Server>,
    mask: u64,
    /// Quantiles of the exponential distribution of mean 1, in 2^-16.
    quantiles: Vec<u32>,
    random: Random,
}

impl Lines {
    pub(crate) fn new(plan: LinesPlan, region_bytes: u64, random: Random) -> Self {
        let lines = lines_of(region_bytes);
        Self {
            plan,
            lines: vec![Server::default(); lines as usize],
            mask: lines - 1,
            quantiles: exponential(),
            random,
        }
    }

    /// Whether all accesses are to the same line.
    pub(crate) fn is_one(&self) -> bool {
        self.lines.len() == 1
    }

    /// An access to `bytes` at `offset` that arrives at `at`; when its last line is done.
    #[inline]
    pub(crate) fn access(&mut self, at: Moment, verb: Verb, offset: u64, bytes: u32) -> Moment {
        let cost = self.plan.costs.of(verb);
        let first = offset / LINE_BYTES;
        // Without workers the lines of a long access are as free as its first.
        let last = match cost.moves {
            Span::ZERO => first,
            _ => (offset + u64::from(bytes.max(1)) - 1) / LINE_BYTES,
        };
        let mut done = at;
        for line in first..=last {
            let service = self.service(cost);
            done = done.max(self.lines[(line & self.mask) as usize].serve(at, service));
        }
        done
    }

    #[inline]
    fn service(&mut self, cost: LineCost) -> Span {
        if cost.moves == Span::ZERO {
            return cost.own;
        }
        let quantile = self.quantiles[(self.random.next_bits() >> 52) as usize];
        Span(cost.own.0 + ((cost.moves.0 * u64::from(quantile)) >> 16))
    }
}

/// The means of the exponential distribution of mean 1 between neighbouring quantiles: drawing one
/// of them keeps the mean exact.
fn exponential() -> Vec<u32> {
    let upper = |k: usize| 1.0 - k as f64 / QUANTILES as f64;
    // The antiderivative of -ln u.
    let integral = |u: f64| if u == 0.0 { 0.0 } else { u - u * u.ln() };
    let mean = |k| (integral(upper(k)) - integral(upper(k + 1))) * QUANTILES as f64;
    (0..QUANTILES).map(|k| (mean(k) * 65_536.0).round() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_have_the_moments_of_the_distribution() {
        let quantiles = exponential();
        let mean = |power: i32| {
            let values = quantiles.iter().map(|q| (f64::from(*q) / 65_536.0).powi(power));
            values.sum::<f64>() / quantiles.len() as f64
        };
        assert!((mean(1) - 1.0).abs() < 1e-4, "{}", mean(1));
        assert!((mean(2) - 2.0).abs() < 1e-2, "{}", mean(2));
    }
}
