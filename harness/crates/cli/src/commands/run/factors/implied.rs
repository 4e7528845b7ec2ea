//! What follows from the flags that were given for those that were not.

use onesided_results::{
    RunConfiguration,
    vocabulary::{
        Arrivals, LoadKind, LoadPattern, LoadProcess, LoopShape, WorkerOperation, WorkerPattern,
    },
};

/// Share of writes of workers where none is given; that of the study's Fig. 5 where the rest is the
/// study's.
const WORKER_WRITE_FRACTION: f64 = 0.5;
const PUBLISHED_WRITE_FRACTION: f64 = 0.9;
/// Bytes of an access of a worker where none are given; those of the study's program where the rest
/// is.
const WORKER_ACCESS_BYTES: u32 = 8;
const PUBLISHED_ACCESS_BYTES: u32 = 1;
/// Share of writes of a load where none is given, as of the study's (section V-C).
const LOAD_WRITE_FRACTION: f64 = 0.5;

/// What help says is implied, by factor; of all others it is their default.
pub const IMPLIED: [(&str, &str); 16] = [
    ("run_id", "adhoc and the time"),
    ("threads", "1, in ping-pong one a queue pair"),
    ("window", "the post list in closed loops and ping-pong, the queue's depth else"),
    ("arrivals", "poisson in an open loop"),
    ("worker_operation", "mixed"),
    ("worker_write_fraction", "0.5, of as-published 0.9"),
    ("worker_access_bytes", "8, of as-published 1"),
    ("worker_pattern", "uniform"),
    ("worker_rate_per_second", "as many as it can"),
    ("load_bytes", "no load"),
    ("load_process", "in-process"),
    ("load_thread_count", "1"),
    ("load_threads", "any"),
    ("load_memory", "any, where its threads touch it first"),
    ("load_write_fraction", "0.5"),
    ("load_pattern", "uniform"),
];

/// Sets what was not given where it follows from what was.
pub fn set(run: &mut RunConfiguration, is_given: impl Fn(&str) -> bool, as_published: bool) {
    if run.loop_shape == LoopShape::PingPong && !is_given("threads") {
        run.threads = run.queue_pairs;
    }
    if !is_given("window") {
        run.window = match run.loop_shape {
            LoopShape::Closed | LoopShape::PingPong => run.post_list,
            LoopShape::Saturating | LoopShape::Batch | LoopShape::Open => run.send_queue_depth,
        };
    }
    if run.loop_shape == LoopShape::Open {
        run.arrivals.get_or_insert(Arrivals::Poisson);
    }
    if as_published {
        run.worker_pattern = Some(WorkerPattern::AsPublished);
    }
    if run.workers > 0 {
        workers(run, is_given("worker_operation"));
    }
    if run.load_bytes.is_some() {
        load(run);
    }
}

fn workers(run: &mut RunConfiguration, operation_is_given: bool) {
    let pattern = *run.worker_pattern.get_or_insert(WorkerPattern::Uniform);
    let (fraction, access) = match pattern {
        WorkerPattern::AsPublished => (PUBLISHED_WRITE_FRACTION, PUBLISHED_ACCESS_BYTES),
        _ => (WORKER_WRITE_FRACTION, WORKER_ACCESS_BYTES),
    };
    if !operation_is_given {
        run.worker_operation = WorkerOperation::Mixed;
    }
    if run.worker_operation == WorkerOperation::Mixed {
        run.worker_write_fraction.get_or_insert(fraction);
    }
    run.worker_access_bytes.get_or_insert(access);
}

fn load(run: &mut RunConfiguration) {
    run.load_kind = LoadKind::Independent;
    run.load_process.get_or_insert(LoadProcess::InProcess);
    run.load_thread_count.get_or_insert(1);
    run.load_threads.get_or_insert_with(|| "any".to_owned());
    run.load_memory.get_or_insert_with(|| "any".to_owned());
    run.load_write_fraction.get_or_insert(LOAD_WRITE_FRACTION);
    run.load_pattern.get_or_insert(LoadPattern::Uniform);
}
