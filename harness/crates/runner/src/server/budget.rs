//! What the runs of a server may take of its machine together, whatever clients ask for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use onesided_plan::ThreadShare;
use onesided_results::{
    RunConfiguration,
    vocabulary::{LoadKind, Phase, ReceiveQueues},
};

use super::host_load::private_table_bytes;
use crate::{error::RunError, geometry::Geometry, plan};

/// Bytes of a request in a queue and of its completion. Ours: 64 each, what cards of today take for a
/// request without an inline payload.
const RING_ENTRY_BYTES: u64 = 128;

/// Least bytes of a queue pair. Ours: a page for each of its two queues.
const LEAST_RING_BYTES: u64 = 8192;

/// Memory and threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Region, rings, load, and what workers have of their own.
    pub memory_bytes: u64,
    /// Responders, workers and load.
    pub threads: u64,
}

impl Amount {
    /// No bound.
    pub const UNLIMITED: Self = Self { memory_bytes: u64::MAX, threads: u64::MAX };

    /// What a run takes of the server.
    pub(super) fn of(configuration: &RunConfiguration, geometry: &Geometry) -> Self {
        let RunConfiguration { queue_pairs, workers, load_bytes, load_thread_count, .. } =
            configuration;
        let loaded = configuration.load_kind != LoadKind::None;
        let load = |of_load: Option<u64>| of_load.filter(|_| loaded).unwrap_or(0);
        let shares = ThreadShare::deal(*queue_pairs as usize, configuration.threads as usize);
        let of = |share: ThreadShare| rings_of(configuration, share.queue_pairs.len());
        let rings = shares.into_iter().map(of).fold(0, u64::saturating_add);
        let tables = u64::from(*workers).saturating_mul(private_table_bytes(configuration));
        let responders = u64::from(plan::server_threads(configuration));
        Self {
            memory_bytes: (geometry.region_bytes as u64)
                .saturating_add(rings)
                .saturating_add(load(*load_bytes))
                .saturating_add(tables),
            threads: responders + u64::from(*workers) + load(load_thread_count.map(u64::from)),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            memory_bytes: self.memory_bytes.saturating_add(other.memory_bytes),
            threads: self.threads.saturating_add(other.threads),
        }
    }

    fn less(self, other: Self) -> Self {
        Self {
            memory_bytes: self.memory_bytes.saturating_sub(other.memory_bytes),
            threads: self.threads.saturating_sub(other.threads),
        }
    }
}

/// Bytes of the rings of a thread's queue pairs.
fn rings_of(configuration: &RunConfiguration, queue_pairs: usize) -> u64 {
    let attributes = plan::server_endpoint(configuration, queue_pairs);
    let count = queue_pairs as u64;
    let receive_queues = match attributes.receive_queues {
        ReceiveQueues::PerQueuePair => count,
        ReceiveQueues::Shared => 1,
    };
    let entries = u64::from(attributes.send_queue_depth)
        .saturating_mul(count)
        .saturating_add(u64::from(attributes.receive_queue_depth).saturating_mul(receive_queues));
    let bytes = entries.saturating_mul(RING_ENTRY_BYTES);
    bytes.max(LEAST_RING_BYTES.saturating_mul(count))
}

/// What all runs of a server may take at once, and what they have taken.
#[derive(Debug)]
pub struct Budget {
    most: Amount,
    taken: Mutex<Amount>,
}

impl Budget {
    /// With these bounds, and nothing taken.
    #[must_use]
    pub fn new(most: Amount) -> Self {
        Self { most, taken: Mutex::default() }
    }

    /// Takes what a run needs, until the value that it gets is dropped.
    ///
    /// # Errors
    /// It is more than is left: then nothing is taken.
    pub(super) fn take(&self, needed: Amount) -> Result<Share<'_>, RunError> {
        let mut taken = self.taken();
        let together = taken.plus(needed);
        let over = |which: fn(Amount) -> u64| which(together) > which(self.most);
        let what = if over(|amount| amount.memory_bytes) {
            let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
            format!(
                "the run takes {} of memory on the server, which gives its runs {} together \
                 (--most-memory), {} of them taken now: ask for a smaller working set, load or \
                 number of queue pairs, or start the server with more",
                mib(needed.memory_bytes),
                mib(self.most.memory_bytes),
                mib(taken.memory_bytes)
            )
        } else if over(|amount| amount.threads) {
            format!(
                "the run takes {} threads of the server, which gives its runs {} together \
                 (--most-threads), {} of them taken now: ask for fewer workers, load or client \
                 threads, or start the server with more",
                needed.threads, self.most.threads, taken.threads
            )
        } else {
            *taken = together;
            return Ok(Share { budget: self, amount: needed });
        };
        Err(RunError::plain(Phase::Connect, what))
    }

    /// The sums are changed in one step: a thread that panicked left them right.
    fn taken(&self) -> MutexGuard<'_, Amount> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Amount::UNLIMITED)
    }
}

/// What one run has taken.
#[derive(Debug)]
pub(super) struct Share<'b> {
    budget: &'b Budget,
    amount: Amount,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut taken = self.budget.taken();
        *taken = taken.less(self.amount);
    }
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::{Operation, WorkerOperation, WorkerPattern};

    use super::*;

    fn needed(configuration: &RunConfiguration) -> Amount {
        Amount::of(configuration, &Geometry::of(configuration).unwrap())
    }

    #[test]
    fn each_part_of_a_run_is_counted() {
        let plain = RunConfiguration { working_set_bytes: Some(1 << 20), ..Default::default() };
        let base = needed(&plain);
        assert!(base.memory_bytes >= 1 << 20 && base.threads == 0, "{base:?}");
        let more = |configuration: &RunConfiguration| needed(configuration).less(base);
        let loaded = RunConfiguration {
            load_kind: LoadKind::Independent,
            load_bytes: Some(3 << 20),
            load_thread_count: Some(5),
            ..plain.clone()
        };
        assert_eq!(more(&loaded), Amount { memory_bytes: 3 << 20, threads: 5 });
        let workers = RunConfiguration {
            workers: 7,
            worker_operation: WorkerOperation::Read,
            worker_pattern: Some(WorkerPattern::AsPublished),
            ..plain.clone()
        };
        let table = onesided_load::worker::TABLE_BYTES as u64;
        assert_eq!(more(&workers), Amount { memory_bytes: 7 * table, threads: 7 });
        let answered = RunConfiguration {
            operation: Operation::WriteWithImmediate,
            threads: 2,
            queue_pairs: 2,
            ..plain
        };
        assert!(more(&answered).memory_bytes > 2 * 256 * RING_ENTRY_BYTES - LEAST_RING_BYTES);
        assert_eq!(more(&answered).threads, 2);
    }

    #[test]
    fn a_shared_receive_queue_takes_what_it_holds_however_many_take_from_it() {
        let memory = |receive_queues| {
            let run = RunConfiguration {
                operation: Operation::Send,
                receive_queues,
                queue_pairs: 1000,
                threads: 2,
                window: 4,
                ..Default::default()
            };
            needed(&run).memory_bytes - Geometry::of(&run).unwrap().region_bytes as u64
        };
        // Two queues of 2 x 4 x 500 beside an entry for each to send, or a thousand of 256.
        let own = 1000 * (1 + 256) * RING_ENTRY_BYTES;
        assert_eq!(memory(ReceiveQueues::PerQueuePair), own);
        let shared = (1000 + 2 * 4000) * RING_ENTRY_BYTES;
        assert_eq!(memory(ReceiveQueues::Shared), shared.max(1000 * LEAST_RING_BYTES));
    }

    #[test]
    fn what_is_taken_is_given_back_and_never_more_than_there_is() {
        let budget = Budget::new(Amount { memory_bytes: 10 << 20, threads: 4 });
        let of = |mebibytes: u64, threads| Amount { memory_bytes: mebibytes << 20, threads };
        let first = budget.take(of(6, 3)).unwrap();
        let memory = budget.take(of(5, 0)).unwrap_err().to_string();
        assert!(memory.contains("takes 5.0 MiB"), "{memory}");
        assert!(memory.contains("10.0 MiB together (--most-memory), 6.0 MiB of them"), "{memory}");
        let threads = budget.take(of(1, 2)).unwrap_err().to_string();
        assert!(
            threads.contains("2 threads") && threads.contains("(--most-threads), 3"),
            "{threads}"
        );
        let second = budget.take(of(4, 1)).unwrap();
        drop((first, second));
        assert!(budget.take(Amount { memory_bytes: u64::MAX, threads: 0 }).is_err());
        drop(budget.take(of(10, 4)).unwrap());
        assert_eq!(*budget.taken(), Amount::default());
    }
}
