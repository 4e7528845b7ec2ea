//! `onesided advise` through the real program.
//!
//! What passing lets us claim: it finds the study's main result, says that it cannot tell where
//! nothing differs or nothing is known, and refuses what it cannot predict.

use serde_json::Value;

use crate::program::{Ended, run};

fn advise(arguments: &str) -> Ended {
    run("advise", arguments)
}

#[track_caller]
fn json(arguments: &str) -> Value {
    advise(&format!("{arguments} --json")).json()
}

#[track_caller]
fn refused(arguments: &str, fragment: &str) {
    advise(arguments).could_not_run(&[fragment]);
}

#[test]
fn far_memory_is_advised_for_writes_to_memory_that_many_workers_write() {
    let found =
        json("--profile nurdma-cx3 --operation write --workers 16 --worker-operation write");
    assert_eq!(found["advice"], "rdma-remote", "{found}");
    assert!(found["reason"].as_str().unwrap().starts_with("its cache line"), "{found}");
    let rate = |at: usize| found["placements"][at]["throughput_ops"].as_f64().unwrap();
    // The study measured 6.05 and 3.30 M/s.
    assert!(rate(1) / rate(0) > 1.5, "{found}");
}

#[test]
fn near_memory_is_advised_for_reads_that_nobody_disturbs() {
    let found = json("--profile nurdma-cx3 --operation read");
    assert_eq!(found["advice"], "rdma-local", "{found}");
    assert!(found["reason"].as_str().unwrap().starts_with("the way to memory"), "{found}");
}

#[test]
fn where_nothing_differs_it_cannot_tell() {
    let found = json("--profile nurdma-cx3 --operation write");
    assert_eq!(found["advice"], "cannot-tell", "{found}");
}

#[test]
fn every_placement_is_told_and_those_that_nobody_measured_have_no_numbers() {
    let alone = json("--profile nurdma-cx3 --operation read");
    let alone = alone["placements"].as_array().unwrap();
    assert_eq!(alone.len(), 4);
    assert!(alone.iter().all(|placement| placement["workers"].is_null()), "{alone:?}");
    let beside = json("--profile nurdma-cx3 --operation read --workers 8");
    let beside = beside["placements"].as_array().unwrap();
    let places: std::collections::BTreeSet<String> = beside
        .iter()
        .map(|at| format!("{} {} {}", at["region"], at["workers"], at["client"]))
        .collect();
    assert_eq!(places.len(), 8, "{places:?}");
    for at in beside {
        let is_apart = at["region"] != at["workers"];
        assert_eq!(at["throughput_ops"].is_null(), is_apart, "{at}");
        assert_eq!(at["not_predicted"].is_string(), is_apart, "{at}");
    }
    let told = advise("--profile nurdma-cx3 --operation read --workers 8").valid().stdout;
    assert!(told.contains("not predicted: no condition was ever measured with workers"), "{told}");
}

#[test]
fn the_interval_of_latency_under_load_is_that_of_throughput_by_littles_law() {
    let found = json("--profile nurdma-cx3 --operation read --queue-pairs 8 --window 16");
    for at in found["placements"].as_array().unwrap() {
        let number = |name: &str| at[name].as_f64().unwrap();
        let outstanding = number("throughput_ops") * number("latency_mean_ns") * 1e-9;
        assert!((outstanding - 128.0).abs() < 0.02 * 128.0, "{at}");
        let factor = number("throughput_high_ops") / number("throughput_ops");
        let of_latency = number("latency_mean_high_ns") / number("latency_mean_ns");
        assert!(factor > 1.0 && (of_latency - factor).abs() < 1e-9, "{at}");
        let least = number("latency_mean_ns") / factor;
        assert!((number("latency_mean_low_ns") - least).abs() < 1e-6 * least, "{at}");
    }
}

#[test]
fn without_direct_cache_access_writes_want_near_memory_until_many_workers_write_too() {
    let alone = json("--profile nurdma-cx3 --operation write --ddio off");
    let rate = |found: &Value, at: usize| {
        found["placements"][at]["throughput_ops"].as_f64().unwrap() / 1e6
    };
    // The study measured 4.04 and 2.98 M/s; alone, and 1.51 and 1.92 M/s with 16 workers.
    assert!(rate(&alone, 0) / rate(&alone, 1) > 1.2, "{alone}");
    let beside = json(
        "--profile nurdma-cx3 --operation write --ddio off --workers 16 --worker-operation write",
    );
    assert!(rate(&beside, 1) / rate(&beside, 0) > 1.05, "{beside}");
    // With it the same writes are more than twice as many.
    let with = json("--profile nurdma-cx3 --operation write");
    assert!(rate(&with, 1) > 1.8 * rate(&alone, 1), "{with}");
}

#[test]
fn where_the_model_was_judged_on_nothing_like_it_the_answer_is_that_it_cannot_tell() {
    for (arguments, why) in [
        (
            "--operation read --queue-pairs 32",
            "32 queue pairs, and measured conditions like this have 8",
        ),
        ("--operation read --workers 1000", "1000 workers, and measured"),
        ("--operation read --bytes 1MiB", "1048576 bytes an access, and measured"),
        ("--operation read --max-rd-atomic 16", "16 reads and atomics in flight, and measured"),
        ("--operation mixed", "too few measured conditions like this"),
        ("--operation fetch-and-add", "too few measured conditions like this"),
    ] {
        let found = json(&format!("--profile nurdma-cx3 {arguments}"));
        assert_eq!(found["advice"], "cannot-tell", "{arguments}: {found}");
        assert!(found["reason"].as_str().unwrap().contains(why), "{arguments}: {found}");
        assert!(found["held_out_error"].is_null(), "{arguments}: {found}");
        assert!(found["placements"][0]["throughput_low_ops"].is_null(), "{arguments}: {found}");
    }
}

#[test]
fn a_set_up_is_of_one_state_of_direct_cache_access() {
    let lacking = "nurdma-cx4: no set-up is of runs with ddio = off";
    refused("--profile nurdma-cx4 --ddio off", lacking);
    let other = "the set-up latency is of runs with ddio = default, not off";
    refused("--profile nurdma-cx3 --ddio off --set-up latency", other);
}

#[test]
fn where_nothing_completes_it_says_so() {
    let found = json("--profile nurdma-cx3 --operation read --bytes 1GiB --queue-pairs 2");
    assert_eq!(found["advice"], "cannot-tell", "{found}");
    assert!(found["reason"].as_str().unwrap().starts_with("not one operation"), "{found}");
}

#[test]
fn what_it_advises_was_right_for_the_pairs_that_it_tells_apart() {
    for arguments in
        ["--operation read", "--operation read --workers 8", "--operation write --workers 8"]
    {
        let found = json(&format!("--profile nurdma-cx3 {arguments}"));
        let error = &found["held_out_error"];
        let (advised, right) = (&error["advised"], &error["advised_right"]);
        let (advised, right) = (advised.as_u64().unwrap(), right.as_u64().unwrap());
        assert!(advised > 0, "{arguments}: {error}");
        assert!(right as f64 >= 0.95 * advised as f64, "{arguments}: {error}");
        let near = error["near_right"].as_u64().unwrap();
        assert!(
            near <= advised && right >= near,
            "{arguments}: never worse than \"near\": {error}"
        );
    }
}

#[test]
fn where_the_client_moved_with_the_memory_nothing_was_measured_of_the_memory_alone() {
    for machine in ["nurdma-cx4", "nurdma-apt"] {
        let found = json(&format!("--profile {machine} --operation read --workers 8"));
        assert_eq!(found["advice"], "cannot-tell", "{machine}: {found}");
        let reason = found["reason"].as_str().unwrap();
        assert!(reason.contains("with the client on its card's node"), "{reason}");
    }
}

#[test]
fn what_was_measured_of_the_very_workload_comes_first() {
    let arguments = "--profile nurdma-cx3 --operation write --workers 16 --worker-operation write";
    let found = json(arguments);
    let measured = found["measured"].as_array().unwrap();
    assert_eq!(measured.len(), 1, "{found}");
    let ops = |place: &str| measured[0][place]["throughput_ops"].as_f64().unwrap() / 1e6;
    // 3.30 and 6.05 M/s (SRDS 2020, Fig. 5b).
    assert!((ops("near") - 3.3).abs() < 0.1 && (ops("far") - 6.05).abs() < 0.1, "{found}");
    assert!(measured[0]["near"]["low_ops"].is_null(), "of one run there is no interval: {found}");
    let told = advise(arguments).valid().stdout;
    assert!(told.starts_with("Measured, program v2, campaign b: 3.3"), "{told}");
    let assumed = "Assumed: each of the 8 queue pairs has an object of 8 bytes of its own, packed one \
                   after another; workers are on the memory's node; the client is on its card's node.";
    assert!(told.contains(assumed), "{told}");
    assert_eq!(found["assumed"].as_str().unwrap(), assumed);
}

/// In a region of one cache line the workers' writes are to the line that the card writes; in one of a
/// gigabyte hardly ever.
#[test]
fn a_region_of_another_size_is_another_question() {
    let write = "--profile nurdma-cx3 --operation write --workers 16 --worker-operation write";
    let rate =
        |found: &Value, at: usize| found["placements"][at]["throughput_ops"].as_f64().unwrap();
    let found = json(&format!("{write} --working-set 1GiB"));
    assert_eq!(found["advice"], "cannot-tell", "{found}");
    assert!(found["assumed"].as_str().unwrap().contains("1073741824 bytes, uniform"), "{found}");
    assert!(found["measured"].as_array().unwrap().is_empty(), "{found}");
    let ratio = rate(&found, 1) / rate(&found, 0);
    assert!((0.9..1.1).contains(&ratio), "{ratio}: {found}");
}

#[test]
fn what_workers_do_without_workers_is_refused() {
    let told = "--worker-operation write is of no workers";
    refused("--profile nurdma-cx3 --worker-operation write", told);
}

#[test]
fn a_machine_without_parameters_and_shares_beyond_one_are_refused() {
    refused("--profile platinum-8160", "platinum-8160/simulation.toml");
    for (arguments, told) in [
        ("--worker-write-fraction 1.5", "--worker-write-fraction 1.5 is not within 0 and 1"),
        ("--set-up b", "there is no set-up b; there is first program, campaign a"),
        ("--operation fetch-and-add --bytes 64B", "atomics need aligned slots of 8 bytes"),
        ("--queue-pairs 0", "--queue-pairs 0"),
        ("--mtu 300", "--mtu 300: a path MTU is 256"),
        ("--workers 4 --worker-operation none", "--workers 4 do nothing"),
        ("--operation send", "operation = send: the model has no receive queues"),
        ("--window 4294967295", "4294967295 requests outstanding on each of 8"),
        ("--load-bytes 0", "--load-bytes 0 is no load"),
        ("--operation write --write-fraction 0.5", "it needs --operation mixed"),
    ] {
        refused(&format!("--profile nurdma-cx3 {arguments}"), told);
    }
}
