//! What says nothing once there is nobody to do it, or nothing to do it with.

use super::RunConfiguration;

impl RunConfiguration {
    /// The same run, without what absent workers and an absent load would have done, and without an inline
    /// payload where requests have none.
    ///
    /// A design that varies the number of workers from 0 says once what they do, and a point
    /// without any is the same run whatever that is. So one of READs and of inlined WRITEs says once up to
    /// how many bytes are inlined.
    #[must_use]
    pub fn without_the_meaningless(mut self) -> Self {
        self.forget(&["workers", "load_kind"]);
        self.inline_bytes = self.inline_bytes.filter(|_| self.operation.sends_data());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{Operation, WorkerOperation, WorkerPattern};

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
        assert_eq!(busy.clone().without_the_meaningless(), RunConfiguration::default());
        let working = RunConfiguration { workers: 1, ..busy };
        let kept = working.clone().without_the_meaningless();
        assert_eq!(kept.worker_write_fraction, working.worker_write_fraction);
        assert_eq!(kept.load_bytes, None);
        // Somebody who works and says two things is to be told.
        let two = RunConfiguration { worker_operation: WorkerOperation::Read, ..working };
        assert_eq!(two.clone().without_the_meaningless().worker_write_fraction, Some(0.9));
        assert!(two.without_the_meaningless().check().is_err());
    }

    #[test]
    fn what_sends_no_data_inlines_none_however_much_is_said() {
        let inlined = |operation| {
            let inline_bytes = Some(64);
            RunConfiguration { operation, inline_bytes, ..RunConfiguration::default() }
        };
        for operation in [Operation::Read, Operation::CompareAndSwap, Operation::FetchAndAdd] {
            let said = inlined(operation);
            assert!(said.check().is_err(), "{operation}: a run by itself is refused");
            let left = said.without_the_meaningless();
            assert_eq!((left.inline_bytes, left.check().is_ok()), (None, true), "{operation}");
        }
        for operation in [Operation::Write, Operation::Send] {
            assert_eq!(
                inlined(operation).without_the_meaningless().inline_bytes,
                Some(64),
                "{operation}"
            );
        }
    }
}
