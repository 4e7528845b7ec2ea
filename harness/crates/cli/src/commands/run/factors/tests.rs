use clap::Parser;
use onesided_results::vocabulary::{
    CacheState, Ddio, LoadKind, LoadPattern, LoadProcess, WorkerOperation, WorkerPattern,
};

use super::*;

#[derive(Parser)]
struct Command {
    /// What all flags exclude.
    #[arg(long)]
    table: Option<String>,
    #[command(flatten)]
    factors: Factors,
}

/// The run that flags, separated by blanks, ask for.
fn run(flags: &str) -> RunConfiguration {
    let command = Command::try_parse_from(["run"].into_iter().chain(flags.split_whitespace()));
    let command = command.unwrap();
    assert_eq!(command.table, None);
    command.factors.configuration(SystemTime::UNIX_EPOCH).unwrap()
}

#[test]
fn without_flags_nobody_works_and_nothing_loads() {
    let run_id = format!("adhoc-1970-01-01T000000Z-{}", std::process::id());
    let expected = RunConfiguration { run_id, ..Default::default() };
    assert_eq!(run(""), expected);
}

#[test]
fn workers_alone_read_and_write_words_anywhere() {
    let run = run("--workers 3");
    assert_eq!((run.workers, run.worker_threads.as_str()), (3, "any"));
    assert_eq!(
        (run.worker_operation, run.worker_write_fraction),
        (WorkerOperation::Mixed, Some(0.5))
    );
    assert_eq!(run.worker_pattern, Some(WorkerPattern::Uniform));
    assert_eq!(run.worker_access_bytes, Some(8));
}

#[test]
fn workers_of_the_study_are_asked_for_in_two_ways() {
    let short = run("--workers 3 --as-published");
    assert_eq!(short, run("--workers 3 --worker-pattern as-published"));
    assert_eq!(short.worker_pattern, Some(WorkerPattern::AsPublished));
    assert_eq!(short.worker_operation, WorkerOperation::Mixed);
    assert_eq!((short.worker_write_fraction, short.worker_access_bytes), (Some(0.9), Some(1)));
    let half = run("--workers 3 --as-published --worker-write-fraction 0.5");
    assert_eq!(half.worker_write_fraction, Some(0.5));
}

#[test]
fn what_workers_do_is_what_the_flags_say() {
    let run = super::tests::run(
        "--workers 2 --worker-threads rdma-remote --worker-operation read \
                   --worker-access 64 --worker-pattern own-line --worker-think-time 3us",
    );
    assert_eq!((run.workers, run.worker_threads.as_str()), (2, "rdma-remote"));
    assert_eq!((run.worker_operation, run.worker_write_fraction), (WorkerOperation::Read, None));
    assert_eq!(run.worker_pattern, Some(WorkerPattern::OwnLine));
    assert_eq!((run.worker_access_bytes, run.worker_think_time_ns), (Some(64), 3000));
    let paced = super::tests::run("--workers 1 --worker-rate 1e3");
    assert_eq!(paced.worker_rate_per_second, Some(1e3));
}

#[test]
fn a_load_alone_is_one_thread_of_the_server_that_reads_and_writes_anywhere() {
    let run = run("--load-bytes 8MiB");
    assert_eq!((run.load_kind, run.load_bytes), (LoadKind::Independent, Some(8 << 20)));
    assert_eq!((run.load_process, run.load_thread_count), (Some(LoadProcess::InProcess), Some(1)));
    assert_eq!(run.load_threads.as_deref(), Some("any"));
    assert_eq!(run.load_memory.as_deref(), Some("any"));
    let choice = (run.load_write_fraction, run.load_pattern);
    assert_eq!(choice, (Some(0.5), Some(LoadPattern::Uniform)));
}

#[test]
fn what_the_load_and_the_caches_are_is_what_the_flags_say() {
    let run = run("--load-bytes 64 --load-process own-process --load-thread-count 9 \
                   --load-threads cpus:0-3 --load-memory preferred:1 --load-write-fraction 0.25 \
                   --load-pattern stream --cache-state warm --ddio off");
    assert_eq!((run.load_process, run.load_thread_count), (Some(LoadProcess::OwnProcess), Some(9)));
    assert_eq!(run.load_threads.as_deref(), Some("cpus:0-3"));
    assert_eq!(run.load_memory.as_deref(), Some("preferred:1"));
    let choice = (run.load_write_fraction, run.load_pattern);
    assert_eq!(choice, (Some(0.25), Some(LoadPattern::Stream)));
    assert_eq!((run.cache_state, run.ddio), (CacheState::Warm, Ddio::Off));
}
