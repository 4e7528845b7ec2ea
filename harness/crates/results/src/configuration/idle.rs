//! What says nothing once there is nobody to do it.

use super::RunConfiguration;
use crate::vocabulary::{LoadKind, WorkerOperation};

impl RunConfiguration {
    /// The same run, without what absent workers and an absent load would have done.
    ///
    /// A design that varies the number of workers from 0 says once what they do, and a point
    /// without any is the same run whatever that is.
    #[must_use]
    pub fn without_the_idle(mut self) -> Self {
        let nobody = Self::default();
        if self.workers == 0 {
            self.worker_threads = nobody.worker_threads;
            self.worker_operation = WorkerOperation::None;
            self.worker_write_fraction = None;
            self.worker_access_bytes = None;
            self.worker_pattern = None;
            self.worker_think_time_ns = 0;
            self.worker_rate_per_second = None;
        }
        if self.load_kind == LoadKind::None {
            self.load_process = None;
            self.load_bytes = None;
            self.load_thread_count = None;
            self.load_threads = None;
            self.load_memory = None;
            self.load_write_fraction = None;
            self.load_pattern = None;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::WorkerPattern;

    #[test]
    fn points_without_workers_and_load_are_the_same_run_whatever_they_would_have_done() {
        let busy = RunConfiguration {
            worker_threads: "rdma-local".to_owned(),
            worker_operation: WorkerOperation::Mixed,
            worker_write_fraction: Some(0.9),
            worker_access_bytes: Some(1),
            worker_pattern: Some(WorkerPattern::Uniform),
            worker_think_time_ns: 5,
            load_bytes: Some(1 << 20),
            load_memory: Some("any".to_owned()),
            ..RunConfiguration::default()
        };
        assert_eq!(busy.clone().without_the_idle(), RunConfiguration::default());
        let working = RunConfiguration { workers: 1, ..busy };
        let kept = working.clone().without_the_idle();
        assert_eq!(kept.worker_write_fraction, working.worker_write_fraction);
        assert_eq!(kept.load_bytes, None);
    }
}
