//! Which client host has which threads: neighbours together, shares that differ by one at most.

use std::ops::Range;

use onesided_results::RunConfiguration;

use crate::ThreadShare;

/// One client host's part of a run. Numbers are those of the run, over all client hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostShare {
    /// Which host, from 0; 0 is the lead, which does the run table.
    pub host: usize,
    /// Number of its first thread.
    pub first_thread: usize,
    /// What each of its threads drives.
    pub shares: Vec<ThreadShare>,
}

impl HostShare {
    /// The parts of all client hosts of a run whose configuration was checked.
    pub fn deal(configuration: &RunConfiguration) -> Vec<Self> {
        let threads = configuration.threads as usize;
        let hosts = configuration.client_hosts as usize;
        let shares = ThreadShare::deal(configuration.queue_pairs as usize, threads);
        let first = |host: usize| host * threads / hosts;
        let part = |host| {
            let (first_thread, end) = (first(host), first(host + 1));
            Self { host, first_thread, shares: shares[first_thread..end].to_vec() }
        };
        (0..hosts).map(part).collect()
    }

    /// Numbers of its threads.
    pub fn threads(&self) -> Range<usize> {
        self.first_thread..self.first_thread + self.shares.len()
    }

    /// Numbers of its queue pairs.
    pub fn queue_pairs(&self) -> Range<usize> {
        let first = self.shares.first().map_or(0, |share| share.queue_pairs.start);
        first..self.shares.last().map_or(first, |share| share.queue_pairs.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(queue_pairs: u32, threads: u32, client_hosts: u32) -> Vec<HostShare> {
        HostShare::deal(&RunConfiguration {
            queue_pairs,
            threads,
            client_hosts,
            ..RunConfiguration::default()
        })
    }

    #[test]
    fn every_thread_and_queue_pair_is_dealt_to_exactly_one_host_and_shares_differ_by_one_at_most() {
        for queue_pairs in 1..14 {
            for threads in 1..=queue_pairs {
                for hosts in 1..=threads {
                    let parts = parts(queue_pairs, threads, hosts);
                    let numbers = parts.iter().map(|part| part.host);
                    assert_eq!(
                        numbers.collect::<Vec<_>>(),
                        (0..hosts as usize).collect::<Vec<_>>()
                    );
                    let dealt: Vec<_> = parts.iter().flat_map(HostShare::threads).collect();
                    assert_eq!(dealt, (0..threads as usize).collect::<Vec<_>>());
                    let dealt: Vec<_> = parts.iter().flat_map(HostShare::queue_pairs).collect();
                    assert_eq!(dealt, (0..queue_pairs as usize).collect::<Vec<_>>());
                    let sizes = || parts.iter().map(|part| part.shares.len());
                    assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
                }
            }
        }
    }

    #[test]
    fn threads_keep_their_queue_pairs_however_many_hosts_there_are() {
        let alone = parts(11, 4, 1).remove(0).shares;
        for hosts in 2..=4 {
            let together: Vec<_> = parts(11, 4, hosts).into_iter().flat_map(|p| p.shares).collect();
            assert_eq!(together, alone);
        }
    }
}
