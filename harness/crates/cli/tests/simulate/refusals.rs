//! What is not simulated, and why not.

use onesided_results::{
    RunConfiguration,
    record::Outcome,
    vocabulary::{
        CacheState, CompletionQueues, Ddio, LoopShape, Operation, Phase, ReceiveQueues, Service,
        SlotReuse, WorkerPattern,
    },
};

use crate::{
    place::{PROFILE, Place},
    run, runs, uncovered,
};

#[test]
fn each_factor_that_the_model_has_no_notion_of_is_refused_by_its_name_and_level() {
    let word = str::to_owned;
    let base = || run(1);
    let workers =
        || RunConfiguration { server_region: "rdma-local".to_owned(), ..runs()[3].clone() };
    let refused: Vec<(RunConfiguration, &str)> = vec![
        (
            RunConfiguration {
                operation: Operation::Write,
                loop_shape: LoopShape::PingPong,
                ..base()
            },
            "loop = ping-pong",
        ),
        (RunConfiguration { operation: Operation::Send, ..base() }, "operation = send"),
        (uncovered(1), "operation = write-with-immediate"),
        (
            RunConfiguration {
                operation: Operation::Write,
                service: Service::UnreliableConnection,
                ..base()
            },
            "service = uc",
        ),
        (RunConfiguration { window: 4, signal_every: 4, ..base() }, "signal_every = 4"),
        (
            RunConfiguration { slot_reuse: SlotReuse::Outstanding, ..base() },
            "slot_reuse = outstanding",
        ),
        (
            RunConfiguration { operation: Operation::Write, inline_bytes: Some(64), ..base() },
            "inline_bytes = 64",
        ),
        (RunConfiguration { cache_state: CacheState::Flushed, ..base() }, "cache_state = flushed"),
        (RunConfiguration { cache_state: CacheState::Warm, ..base() }, "cache_state = warm"),
        (RunConfiguration { ddio: Ddio::Off, ..base() }, "ddio = off"),
        (
            RunConfiguration {
                queue_pairs: 2,
                completion_queues: CompletionQueues::PerQueuePair,
                ..base()
            },
            "completion_queues = per-queue-pair",
        ),
        (RunConfiguration { server_region: word("node:1"), ..base() }, "server_region = node:1"),
        (
            RunConfiguration { client_threads: word("cpus:0-3"), ..base() },
            "client_threads = cpus:0-3",
        ),
        (
            RunConfiguration { client_buffers: word("rdma-remote"), ..base() },
            "client_buffers = rdma-remote",
        ),
        (
            RunConfiguration { server_rings: word("rdma-remote"), ..base() },
            "server_rings = rdma-remote",
        ),
        (
            RunConfiguration { worker_threads: word("rdma-remote"), ..workers() },
            "worker_threads = rdma-remote",
        ),
        (
            RunConfiguration { worker_rate_per_second: Some(5.0), ..workers() },
            "worker_rate_per_second = 5",
        ),
        (RunConfiguration { worker_think_time_ns: 7, ..workers() }, "worker_think_time_ns = 7"),
        (
            RunConfiguration {
                worker_pattern: Some(WorkerPattern::SharedLine),
                queue_pairs: 64,
                ..workers()
            },
            "worker_pattern = shared-line",
        ),
        (
            RunConfiguration { workers: 4_096, worker_threads: word("rdma-local"), ..workers() },
            "workers = 4096",
        ),
    ];
    let numbered = (1..).zip(&refused).map(|(order, (run, _))| RunConfiguration {
        run_id: format!("run-{order}"),
        order,
        ..run.clone()
    });
    let numbered: Vec<_> = numbered.collect();
    let place = Place::new(&numbered);
    let told = place.simulate("").with(1, &[]);
    for (line, (run, (_, factor))) in (2..).zip(numbered.iter().zip(&refused)) {
        let why = format!(
            "runs.csv:{line}: run {} not simulated: the model does not cover {factor}: ",
            run.run_id
        );
        assert!(told.stderr.contains(&why), "{why:?} is not in {}", told.stderr);
        let record = place.record(run);
        let Outcome::Failed { phase: Phase::SetUp, message } = &record.outcome else {
            panic!("{factor}: {:?}", record.outcome)
        };
        assert!(message.contains(factor), "{message}");
        assert_eq!(record.totals, None);
    }
}

#[test]
fn what_is_covered_is_simulated_beside_what_is_not() {
    let place = Place::new(&[run(1), uncovered(2), run(3)]);
    let told = place.simulate("").with(1, &["runs.csv:3: run run-2 not simulated"]);
    let statuses: Vec<_> = told.stdout.lines().map(|line| line.split(',').nth(1)).collect();
    assert_eq!(statuses, [Some("status"), Some("valid"), Some("failed"), Some("valid")]);
    let missing = place.onesided("check --table runs.csv --raw raw");
    assert_eq!(missing.with(1, &[]).stdout, "MISSING run-2 of by-hand\n");
}

#[test]
fn where_threads_store_requests_payloads_can_be_in_them_and_lists_cannot_be_posted() {
    let inline = RunConfiguration { operation: Operation::Write, inline_bytes: Some(64), ..run(1) };
    let list = RunConfiguration { run_id: "run-2".to_owned(), window: 4, post_list: 4, ..run(2) };
    let mut place = Place::new(&[inline.clone(), list]);
    place.change("wqe_line_ns", 500.0);
    let told =
        place.simulate("").with(1, &["not simulated: the model does not cover post_list = 4"]);
    assert!(!told.stderr.contains("inline_bytes"), "{}", told.stderr);
    // The request of 8 bytes is one line, and 64 would be two.
    let operations = |place: &Place, run| place.record(run).totals.unwrap().operations;
    let whole = operations(&place, &inline);
    let long = RunConfiguration { access_bytes: 64, ..inline.clone() };
    let mut place = Place::new(std::slice::from_ref(&long));
    place.change("wqe_line_ns", 500.0);
    place.simulate("").with(0, &[]);
    assert!(operations(&place, &long) < whole, "a line more takes time");
}

#[test]
fn of_several_reasons_the_operation_is_told_and_not_how_its_requests_are_posted() {
    let send = RunConfiguration { operation: Operation::Send, ..run(1) };
    let numbered = |order: u32, run: RunConfiguration| RunConfiguration {
        run_id: format!("run-{order}"),
        order,
        ..run
    };
    let list = RunConfiguration { window: 4, post_list: 4, ..send.clone() };
    let signals = RunConfiguration { signal_every: 4, ..list.clone() };
    let service = Service::UnreliableDatagram;
    let datagrams = RunConfiguration { service, mtu_bytes: 1024, ..list.clone() };
    let receive_queues = ReceiveQueues::Shared;
    let shared = RunConfiguration { receive_queues, queue_pairs: 2, ..list.clone() };
    let answered = RunConfiguration { loop_shape: LoopShape::PingPong, ..send };
    let writes = RunConfiguration {
        operation: Operation::Write,
        service: Service::UnreliableConnection,
        ..list.clone()
    };
    let caches = RunConfiguration { ddio: Ddio::Off, ..list.clone() };
    let sends = [list, signals, datagrams, shared, answered, caches];
    let runs: Vec<_> = (1..)
        .zip(sends.into_iter().chain([writes]))
        .map(|(order, run)| numbered(order, run))
        .collect();
    let mut place = Place::new(&runs);
    // Where threads store requests, lists are not covered either.
    place.change("wqe_line_ns", 500.0);
    let told = place.simulate("").with(1, &[]).stderr;
    let because = |line: usize| {
        let why = format!("runs.csv:{line}: run run-{} not simulated: ", line - 1);
        let found = told.lines().find_map(|said| said.split_once(&why));
        found.unwrap_or_else(|| panic!("{why:?} is not in {told}")).1
    };
    for line in 2..=7 {
        let why = "the model does not cover operation = send: the model has no receive queues";
        assert_eq!(because(line), why);
    }
    let why = "the model does not cover service = uc: \
               the model has every request acknowledged, as over a reliable connection";
    assert_eq!(because(8), why);
}

#[test]
fn a_profile_that_lacks_a_parameter_or_has_an_absurd_one_is_refused_by_name() {
    let file = format!("profiles/{PROFILE}/simulation.toml");
    let mut place = Place::new(&[run(1)]);
    place.change("poll_ns", -1.0);
    place.simulate("").with(2, &[&file, "poll_ns = -1 is not within 0 and"]);
    place.change("poll_ns", 1e9);
    place.simulate("").with(2, &[&file, "poll_ns = 1000000000 is not within"]);
    place.leave_out("poll_ns");
    place.simulate("").with(2, &[&file, "poll_ns", "lacking"]);
    place.change("poll_ns", 1.0);
    place.change("speed", 1.0);
    place.simulate("").with(2, &[&file, "there is no parameter `speed`"]);
    assert!(!place.raw().exists(), "nothing was simulated");
}

#[test]
fn of_set_ups_of_which_none_is_asked_for_the_last_is_taken_and_told() {
    let place = Place::new(&[run(1)]);
    place.append("[[set-up]]\nname = \"v0\"\n[[set-up]]\nname = \"v1\"\n");
    place.simulate("").with(0, &["no --set-up: runs with ddio = default take v1"]);
    assert_eq!(set_up_of(&place, &run(1)), Some("v1".to_owned()));
    assert!(!place.simulate("--set-up v1 --again").with(0, &[]).stderr.contains("no --set-up"));
}

fn set_up_of(place: &Place, run: &RunConfiguration) -> Option<String> {
    place.record(run).simulation.expect("it is simulated").set_up
}

#[test]
fn a_run_without_direct_cache_access_takes_a_set_up_of_such_runs_and_no_other() {
    let off = RunConfiguration { operation: Operation::Write, ddio: Ddio::Off, ..run(2) };
    let on = RunConfiguration { operation: Operation::Write, ..run(1) };
    let place = Place::new(&[on.clone(), off.clone()]);
    place.append(
        "[[set-up]]\nname = \"v1\"\nddio = \"off\"\n[[set-up.parameter]]\n\
         name = \"line_ns.write.local\"\nvalue = 5000.0\nsource = \"a test\"\n",
    );
    place.simulate("").with(0, &["no --set-up: runs with ddio = off take v1"]);
    assert_eq!((set_up_of(&place, &on), set_up_of(&place, &off)), (None, Some("v1".to_owned())));
    let done = |run| place.record(run).totals.expect("it is covered").completions;
    // A line that is kept for 5 us: at most 200 000 a second, of 21 ms.
    assert!(done(&off) <= 4300 && done(&on) > done(&off), "{} and {}", done(&on), done(&off));
    let why = "run run-1 not simulated: the model does not cover ddio = default: ";
    place.simulate("--set-up v1 --again").with(1, &[why]);
    assert!(matches!(place.record(&on).outcome, Outcome::Failed { phase: Phase::SetUp, .. }));
    assert!(place.record(&off).totals.is_some());
}

#[test]
fn a_set_up_can_be_named_for_each_state_of_direct_cache_access() {
    let off = RunConfiguration { ddio: Ddio::Off, ..run(2) };
    let place = Place::new(&[run(1), off.clone()]);
    for (name, ddio) in [("a", "default"), ("b", "default"), ("c", "off")] {
        place.append(&format!("[[set-up]]\nname = \"{name}\"\nddio = \"{ddio}\"\n"));
    }
    place.simulate("--set-up a+c").with(0, &[]);
    let taken = (set_up_of(&place, &run(1)), set_up_of(&place, &off));
    assert_eq!(taken, (Some("a".to_owned()), Some("c".to_owned())));
    let two = "--set-up a+b: 2 of them are of runs with ddio = default";
    place.simulate("--set-up a+b").with(2, &[two]);
    place.simulate("--set-up a+d").with(2, &["there is no set-up d; there is a, b, c"]);
}

#[test]
fn arguments_that_fit_no_profile_or_table_are_refused() {
    let place = Place::new(&[run(1)]);
    let simulate = |rest: &str| place.onesided(&format!("simulate --table runs.csv {rest}"));
    simulate("--profile other").with(2, &["profiles/other/simulation.toml"]);
    place.simulate("--set-up v2").with(2, &["simulation.toml: there are no set-ups: leave v2 out"]);
    place.append("[[set-up]]\nname = \"v1\"\n");
    place.simulate("--set-up v2").with(2, &["there is no set-up v2; there is v1"]);
    place.simulate("--share 0").with(2, &["\"0\" is no share"]);
    place.simulate("--jobs 0").with(2, &["--jobs"]);
    let other = Place::new(&[RunConfiguration { profile: "lab".to_owned(), ..run(1) }]);
    other.simulate("").with(2, &["runs.csv: column profile: run run-1 is of lab"]);
    let long = Place::new(&[RunConfiguration { duration_ms: 10_000_000_000, ..run(1) }]);
    long.simulate("").with(2, &["run run-1: duration_ms is 10000000000; allowed: 1 to 604800000"]);
}

#[test]
fn what_the_model_does_not_cover_is_told_by_expand_before_anything_is_done() {
    let place = Place::new(&[run(1)]);
    let design = "replicates = 2\n[experiment]\nname = \"slots\"\ntitle = \"t\"\nquestion = \"q\"\n\
                  figures = []\nclaims = []\n[fixed]\nwarm_up_ms = 1\nduration_ms = 10\n[factors]\nslot_reuse = [\"completed\", \"outstanding\"]\n";
    place.write("slots.toml", design);
    let expand = format!("expand slots.toml --profile {PROFILE} --possible-simulated");
    let told = place.onesided(&format!("{expand} --out runs.csv --left-out left.csv")).with(
        0,
        &[
            "2 runs are not covered by the model and are left out:",
            "     2: the model does not cover slot_reuse = outstanding: ",
        ],
    );
    assert_eq!(told.stdout, "");
    assert_eq!(place.read("left.csv").matches("slot_reuse = outstanding: ").count(), 2);
    place.simulate("").with(0, &["0 of 2 runs are complete, 2 to do"]);
    let nobody = "expand slots.toml --profile nobody --possible-simulated";
    place.onesided(nobody).with(2, &["cannot read profiles/nobody/simulation.toml"]);
    let both = format!("{expand} --possible-here");
    place.onesided(&both).with(2, &["cannot be used with"]);
}
