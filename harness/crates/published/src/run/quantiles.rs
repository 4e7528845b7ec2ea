//! Mean, deviation and quantiles of each client's printed rates.

use onesided_estimate::printed::{ClientSummary, PrintedRate};

/// Thousandths at which quantiles are taken.
const THOUSANDTHS: [usize; 7] = [10, 50, 250, 500, 750, 950, 990];

/// Rates, client after client.
#[derive(Default)]
pub(super) struct Scratch {
    rates: Vec<u64>,
    places: Vec<usize>,
    next: usize,
}

/// What a client's rates are like, in operations per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) mean: f64,
    /// Population standard deviation.
    pub(super) sd: f64,
    /// At 1, 5, 25, 50, 75, 95 and 99 %: the least rate that so many do not exceed.
    pub(super) quantiles: [f64; 7],
}

impl Scratch {
    /// Takes the rates of all clients, for [`Self::of_next`] to go through.
    pub(super) fn group(&mut self, rates: &[PrintedRate], clients: &[ClientSummary]) {
        self.places.clear();
        self.places.extend(clients.iter().scan(0, |end, client| {
            let start = *end;
            *end += client.lines;
            Some(start)
        }));
        self.rates.clear();
        self.rates.resize(rates.len(), 0);
        for rate in rates {
            let place = &mut self.places[rate.client as usize];
            self.rates[*place] = rate.micro_ops;
            *place += 1;
        }
        self.next = 0;
    }

    /// The spread of the next client, which has at least a line.
    pub(super) fn of_next(&mut self, client: &ClientSummary) -> Spread {
        let start = self.next;
        self.next += client.lines;
        let rates = &mut self.rates[start..self.next];
        let mean = ops(client.micro_ops) / ops_of(rates.len());
        let squares = rates.iter().map(|&rate| {
            let off = ops(u128::from(rate)) - mean;
            off * off
        });
        let sd = (squares.sum::<f64>() / ops_of(rates.len())).sqrt();
        Spread { mean, sd, quantiles: quantiles(rates) }
    }
}

/// The quantiles of `rates`, which it brings into another order.
fn quantiles(rates: &mut [u64]) -> [f64; 7] {
    let count = rates.len();
    let mut sorted_to = 0;
    THOUSANDTHS.map(|thousandths| {
        // The rank of the least value that so many do not exceed.
        let rank = (count * thousandths).div_ceil(1000).max(1) - 1;
        if rank >= sorted_to {
            rates[sorted_to..].select_nth_unstable(rank - sorted_to);
            sorted_to = rank + 1;
        }
        ops(u128::from(rates[rank]))
    })
}

#[expect(clippy::cast_precision_loss, reason = "rates have fewer digits than a double")]
fn ops(micro_ops: u128) -> f64 {
    micro_ops as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "lines are counted in thousands")]
fn ops_of(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use onesided_estimate::printed::Clock;
    use proptest::prelude::*;

    use super::*;

    fn spreads(rates: &[PrintedRate], count: usize) -> Vec<Spread> {
        let clock = Clock::recover(rates, count);
        let clients = ClientSummary::of(rates, &clock, count);
        let mut scratch = Scratch::default();
        scratch.group(rates, &clients);
        clients.iter().map(|client| scratch.of_next(client)).collect()
    }

    #[test]
    fn the_spread_of_a_few_rates_is_that_by_hand() {
        // Client 1: 1 to 4 in any order, beside client 0's 7.
        let rate = |(client, ops): (u32, u64)| PrintedRate { client, micro_ops: ops * 1_000_000 };
        let rates = [(1, 3), (1, 1), (0, 7), (1, 4), (1, 2)].map(rate);
        let spreads = spreads(&rates, 2);
        assert_eq!((spreads[0].mean, spreads[0].sd, spreads[0].quantiles), (7.0, 0.0, [7.0; 7]));
        assert_eq!((spreads[1].mean, spreads[1].sd), (2.5, 1.25_f64.sqrt()));
        assert_eq!(spreads[1].quantiles, [1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0]);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_rates(
            mut rates in proptest::collection::vec(0_u64..50, 1..300)
        ) {
            let found = quantiles(&mut rates.clone());
            rates.sort_unstable();
            for (thousandths, found) in THOUSANDTHS.into_iter().zip(found) {
                let enough = |&&rate: &&u64| {
                    let not_above = rates.iter().filter(|&&other| other <= rate).count();
                    not_above * 1000 >= thousandths * rates.len()
                };
                prop_assert_eq!(ops(u128::from(*rates.iter().find(enough).unwrap())), found);
            }
        }
    }
}
