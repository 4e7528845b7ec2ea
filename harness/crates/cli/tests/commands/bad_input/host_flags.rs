//! The flags of workers, independent load and caches: what they refuse, and what they leave unsaid.

use crate::program::{Ended, onesided};

/// Runs `run` with `arguments`, separated by blanks.
fn run(arguments: &str) -> Ended {
    onesided(["run"].into_iter().chain(arguments.split_whitespace()))
}

/// It must be refused with all of `fragments`.
#[track_caller]
fn refused(arguments: &str, fragments: &[&str]) {
    run(arguments).could_not_run(fragments);
}

/// It is a run that can be: it gets as far as the missing library.
#[track_caller]
fn understood(arguments: &str) {
    run(arguments).could_not_run(&["libibverbs"]);
}

#[test]
fn workers_and_load_need_no_more_than_their_number_and_size() {
    understood("--workers 4");
    understood("--workers 4 --worker-operation read");
    understood("--workers 4 --worker-operation compare-and-swap");
    understood("--workers 4 --as-published");
    understood("--workers 4 --worker-pattern as-published --worker-write-fraction 0.5");
    understood("--workers 2 --worker-threads cpus:2,3 --worker-access 64 --worker-rate 1000");
    understood("--load-bytes 8MiB");
    understood("--load-bytes 8MiB --load-threads rdma-remote --load-memory interleave:0,1");
    understood("--load-bytes 64 --load-process own-process --load-thread-count 128");
    understood("--cache-state flushed --ddio off");
}

#[test]
fn what_is_said_of_nobody_is_refused_with_both_flags() {
    refused("--worker-operation read", &["--worker-operation is read", "--workers = 0"]);
    refused("--workers 0 --worker-pattern uniform", &["--worker-pattern is uniform"]);
    refused("--worker-access 8", &["--worker-access (bytes) is 8", "--workers = 0"]);
    refused("--worker-rate 10", &["--worker-rate is 10", "--workers = 0"]);
    refused("--as-published", &["--workers"]);
    refused("--load-thread-count 4", &["--load-bytes <BYTES>"]);
    refused("--load-memory any", &["--load-bytes <BYTES>"]);
}

#[test]
fn what_excludes_each_other_is_refused_with_both_flags() {
    let operation = "--workers 1 --worker-operation read --worker-write-fraction 0.5";
    refused(operation, &["--worker-write-fraction is 0.5", "--worker-operation = read"]);
    let published = "--workers 1 --as-published";
    refused(
        &format!("{published} --worker-access 8"),
        &["--worker-access (bytes) is 8", "--worker-pattern = as-published", "only 1"],
    );
    refused(
        &format!("{published} --worker-pattern uniform"),
        &["--as-published", "--worker-pattern"],
    );
    refused(
        &format!("{published} --worker-operation write --worker-access 2"),
        &["--worker-access (bytes) is 2", "--worker-pattern = as-published", "only 1"],
    );
    let paced = "--workers 1 --worker-rate 10 --worker-think-time 5us";
    refused(paced, &["--worker-think-time (ns) is 5000", "--worker-rate = 10"]);
    for flags in ["--workers 1", "--load-bytes 8MiB", "--ddio off"] {
        let flag = flags.split(' ').next().expect("a flag");
        refused(&format!("--table runs.csv {flags}"), &["--table", flag, "cannot be used with"]);
    }
}

#[test]
fn values_that_cannot_be_are_named_with_those_that_can() {
    refused("--workers 1 --worker-access 3", &["--worker-access (bytes) is 3", "1, 2, 4, 8, 16"]);
    refused("--workers 1 --worker-access 8GiB", &["--worker-access", "from 0 to 4294967295"]);
    for fraction in ["2", "1.5", "-0.1"] {
        let workers = format!("--workers 1 --worker-write-fraction={fraction}");
        refused(&workers, &[&format!("--worker-write-fraction is {fraction}"), "0 to 1"]);
        let load = format!("--load-bytes 8MiB --load-write-fraction={fraction}");
        refused(&load, &[&format!("--load-write-fraction is {fraction}"), "0 to 1"]);
    }
    refused("--workers 1 --worker-write-fraction NaN", &["'NaN'", "not a finite number"]);
    refused("--as-published --workers 1 --worker-rate 5", &["--worker-rate", "as-published"]);
    refused("--workers 1 --worker-threads moon", &["--worker-threads is \"moon\"", "cpus:LIST"]);
    refused("--worker-pattern own-lime", &["own-lime", "did you mean \"own-line\""]);
    refused("--load-bytes 4", &["--load-bytes is 4", "8 to 1125899906842624"]);
    refused("--load-bytes 8", &["libibverbs"]);
    refused("--load-bytes 8MiB --load-thread-count 0", &["--load-thread-count is 0"]);
    refused("--load-bytes 8MiB --load-memory moon", &["\"moon\"", "preferred:"]);
    refused("--load-bytes 8MiB --load-pattern steam", &["steam", "\"stream\"", "uniform"]);
    refused("--cache-state hot", &["hot", "default, flushed, warm"]);
    refused("--ddio on", &["\"on\"", "default, off"]);
}

#[test]
fn client_hosts_without_threads_of_their_own_are_refused_with_both_flags() {
    understood("--client-hosts 2 --threads 2 --queue-pairs 2");
    let many = "--client-hosts 3 --threads 2 --queue-pairs 4";
    refused(many, &["--client-hosts is 3", "--threads, which is 2"]);
    refused("--client-hosts 0", &["--client-hosts is 0", "1 to 1024"]);
    let answered = "--loop ping-pong --operation write --queue-pairs 2 --client-hosts 2";
    refused(answered, &["--client-hosts is 2", "--loop = ping-pong"]);
}

#[test]
fn a_further_client_host_needs_a_device_and_takes_no_factors() {
    onesided(["join"]).could_not_run(&["libibverbs"]);
    onesided(["join", "--queue-pairs", "2"]).could_not_run(&["--queue-pairs"]);
    onesided(["join", "--wait-for-server", "5"]).could_not_run(&["a unit is missing"]);
    onesided(["serve", "--wait-for-clients", "2min"]).could_not_run(&["at most 50s"]);
}
