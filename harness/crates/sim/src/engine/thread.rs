//! The clients' threads: each does one thing at a time, on its share of a CPU.

use onesided_load::PostedOperation;

use crate::{
    host::ThreadCosts,
    parameters::Parameters,
    scenario::Scenario,
    stations::{Cpus, Server, Verb},
    time::{Moment, Span},
};

/// All threads of all client hosts.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    threads: Vec<Server>,
    /// The thread and the host of each queue pair.
    of: Vec<(u32, u32)>,
    cpus: Cpus,
    scarce: bool,
    /// The first threads of the hosts, which share CPUs only with their own.
    first_of_host: Vec<usize>,
    costs: ThreadCosts,
}

/// Share `part` of `of` things among `parts`: shares are neighbours and differ by one at most.
fn part_of(thing: usize, of: usize, parts: usize) -> usize {
    // The part whose share begins last at or before the thing; parts begin at part * of / parts.
    ((thing + 1) * parts - 1) / of
}

impl Threads {
    pub(super) fn new(parameters: &Parameters, scenario: &Scenario) -> Self {
        let (threads, hosts) = (scenario.threads, scenario.client_hosts);
        let queue_pairs = scenario.load.run_queue_pairs;
        let of = |queue_pair| {
            let thread = part_of(queue_pair, queue_pairs, threads);
            (thread as u32, part_of(thread, threads, hosts) as u32)
        };
        let quantum = Span::of_ns(parameters.quantum_ns);
        let cpus = Cpus::new(parameters.client_cpus as usize, threads.div_ceil(hosts), quantum);
        Self {
            threads: vec![Server::default(); threads],
            of: (0..queue_pairs).map(of).collect(),
            scarce: !cpus.suffice(),
            cpus,
            first_of_host: (0..hosts)
                .map(|host| {
                    (0..threads)
                        .position(|thread| part_of(thread, threads, hosts) == host)
                        .unwrap_or(0)
                })
                .collect(),
            costs: ThreadCosts::new(parameters, scenario.client),
        }
    }

    /// The host of a queue pair.
    #[inline]
    pub(super) fn host_of(&self, queue_pair: usize) -> usize {
        self.of[queue_pair].1 as usize
    }

    /// The queue pair's thread works for `span` as soon as it can from `now` on.
    #[inline]
    fn works(&mut self, queue_pair: usize, now: Moment, span: Span) -> Moment {
        let (thread, host) = self.of[queue_pair];
        let server = &mut self.threads[thread as usize];
        let mut begins = now.max(server.free_at());
        if self.scarce {
            begins = self.cpus.runs(thread as usize - self.first_of_host[host as usize], begins);
        }
        server.serve(begins, span)
    }

    /// The thread takes a completion that is there at `now`; when it has it.
    #[inline]
    pub(super) fn polls(&mut self, queue_pair: usize, now: Moment) -> Moment {
        self.works(queue_pair, now, self.costs.poll)
    }

    /// The thread writes a request; when it has.
    #[inline]
    pub(super) fn posts(
        &mut self,
        queue_pair: usize,
        now: Moment,
        operation: PostedOperation,
        behind_one_doorbell: bool,
    ) -> Moment {
        let span = self.costs.post(Verb::from(operation), behind_one_doorbell);
        self.works(queue_pair, now, span)
    }

    /// When the card has what was rung at `at`.
    #[inline]
    pub(super) fn reaches_card(&self, at: Moment) -> Moment {
        self.costs.reaches_card(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_neighbours_and_differ_by_one_at_most() {
        for (of, parts) in [(8, 8), (8, 3), (5, 2), (7, 1), (128, 24)] {
            let shares: Vec<usize> = (0..of).map(|thing| part_of(thing, of, parts)).collect();
            assert!(shares.is_sorted(), "{shares:?}");
            let sizes: Vec<usize> = (0..parts)
                .map(|part| shares.iter().filter(|share| **share == part).count())
                .collect();
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 1 && *least >= 1, "{of} in {parts}: {sizes:?}");
        }
    }
}
