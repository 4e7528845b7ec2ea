//! What makes workers and load impossible.

use super::{Fault, Faults};
use crate::{
    RunConfiguration,
    vocabulary::place::{LoadMemoryPlace, ThreadPlace},
    vocabulary::{LoadKind, WorkerOperation, WorkerPattern},
};

/// Widths of one access: by one instruction up to 8 bytes, beyond by as many of 8 bytes.
const WIDTHS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const ALLOWED_WIDTHS: &str = "1, 2, 4, 8, 16, 32 or 64";

/// Bytes that the study's workers read or write at once (its release: a byte).
const PUBLISHED_WIDTH: u32 = 1;

impl RunConfiguration {
    pub(super) fn check_workers(&self, faults: &mut Faults) {
        let working = self.workers > 0;
        let because = format!("workers = {}", self.workers);
        let operation = self.worker_operation;
        let asked = operation != WorkerOperation::None;
        if working {
            let allowed = "read, write, mixed, compare-and-swap or fetch-and-add";
            faults.unless_fits(asked, "worker_operation", operation, &because, allowed);
        }
        let mixed = operation == WorkerOperation::Mixed;
        let mix = format!("worker_operation = {operation}");
        let fraction = self.worker_write_fraction;
        faults.needed(mixed, "worker_write_fraction", fraction, &mix, "0 to 1");
        let (width, pattern) = (self.worker_access_bytes, self.worker_pattern);
        faults.needed(working, "worker_access_bytes", width, &because, ALLOWED_WIDTHS);
        let allowed = "as-published, uniform, sequential, own-line or shared-line";
        faults.needed(working, "worker_pattern", pattern, &because, allowed);
        if let Some(width) = width {
            let known = WIDTHS.contains(&width);
            faults.unless(known, "worker_access_bytes", width, ALLOWED_WIDTHS);
            let atomic =
                matches!(operation, WorkerOperation::CompareAndSwap | WorkerOperation::FetchAndAdd);
            let fit = !atomic || width == 8;
            faults.unless_fits(fit, "worker_access_bytes", width, &mix, "8");
        }
        self.check_worker_pace(faults);
        if pattern == Some(WorkerPattern::AsPublished) {
            self.check_as_published(faults);
        }
    }

    fn check_worker_pace(&self, faults: &mut Faults) {
        let (pause, rate) = (self.worker_think_time_ns, self.worker_rate_per_second);
        let Some(rate) = rate else { return };
        let because = format!("worker_rate_per_second = {rate}");
        faults.unless_fits(pause == 0, "worker_think_time_ns", pause, &because, "0");
    }

    /// The study's sequence leaves little to choose.
    fn check_as_published(&self, faults: &mut Faults) {
        let because = "worker_pattern = as-published";
        let atomic = matches!(
            self.worker_operation,
            WorkerOperation::CompareAndSwap | WorkerOperation::FetchAndAdd
        );
        if !atomic {
            let width = self.worker_access_bytes.unwrap_or(PUBLISHED_WIDTH);
            let fit = width == PUBLISHED_WIDTH;
            faults.unless_fits(fit, "worker_access_bytes", width, because, "1");
        }
        let pause = self.worker_think_time_ns;
        faults.unless_fits(pause == 0, "worker_think_time_ns", pause, because, "0");
        faults.meaningless("worker_rate_per_second", self.worker_rate_per_second, because);
    }

    pub(super) fn check_load(&self, faults: &mut Faults) {
        let because = format!("load_kind = {}", self.load_kind);
        let loaded = self.load_kind == LoadKind::Independent;
        let (process, bytes) = (self.load_process, self.load_bytes);
        faults.needed(loaded, "load_process", process, &because, "in-process or own-process");
        faults.needed(loaded, "load_bytes", bytes, &because, "8 or more");
        let count = self.load_thread_count;
        faults.needed(loaded, "load_thread_count", count, &because, "1 or more");
        let fraction = self.load_write_fraction;
        faults.needed(loaded, "load_write_fraction", fraction, &because, "0 to 1");
        faults.needed(loaded, "load_pattern", self.load_pattern, &because, "uniform or stream");
        let (threads, memory) = (self.load_threads.as_deref(), self.load_memory.as_deref());
        faults.needed(loaded, "load_threads", threads, &because, ThreadPlace::ALLOWED);
        if let Some(threads) = threads {
            faults.unless_place::<ThreadPlace>("load_threads", threads);
        }
        faults.needed(loaded, "load_memory", memory, &because, LoadMemoryPlace::ALLOWED);
        if let Some(memory) = memory {
            faults.unless_place::<LoadMemoryPlace>("load_memory", memory);
        }
    }
}

impl Faults {
    fn meaningless<T: ToString>(&mut self, field: &'static str, value: Option<T>, because: &str) {
        if let Some(value) = value {
            let (value, because) = (value.to_string(), because.to_owned());
            self.0.push(Fault::Meaningless { field, value, because });
        }
    }
}
