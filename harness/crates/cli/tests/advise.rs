//! `onesided advise` through the real program.
//!
//! What passing lets us claim: it finds the study's main result, says that it cannot tell where
//! nothing differs or nothing is known, and refuses what it cannot predict.

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn advise(arguments: &str) -> Output {
    let repository =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it");
    let program = Command::new(env!("CARGO_BIN_EXE_onesided"))
        .arg("advise")
        .args(arguments.split_whitespace())
        .current_dir(repository)
        .output();
    program.expect("the program starts")
}

#[track_caller]
fn json(arguments: &str) -> Value {
    let output = advise(&format!("{arguments} --json"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
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
fn where_nothing_completes_it_says_so() {
    let found = json("--profile nurdma-cx3 --operation read --bytes 1GiB --queue-pairs 2");
    assert_eq!(found["advice"], "cannot-tell", "{found}");
    assert!(found["reason"].as_str().unwrap().starts_with("not one operation"), "{found}");
}

#[test]
fn what_it_advises_was_right_for_the_pairs_that_it_tells_apart() {
    for machine in ["nurdma-cx3", "nurdma-cx4", "nurdma-apt"] {
        for operation in ["read", "write"] {
            let found = json(&format!("--profile {machine} --operation {operation} --workers 8"));
            let error = &found["held_out_error"];
            let (advised, right) = (&error["advised"], &error["advised_right"]);
            let (advised, right) = (advised.as_u64().unwrap(), right.as_u64().unwrap());
            assert!(right as f64 >= 0.95 * advised as f64, "{machine} {operation}: {error}");
        }
    }
}

#[test]
fn a_machine_without_parameters_and_shares_beyond_one_are_refused() {
    let told = |arguments: &str| {
        let output = advise(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty());
        String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(told("--profile platinum-8160").contains("platinum-8160/simulation.toml"));
    let share = told("--profile nurdma-cx3 --worker-write-fraction 1.5");
    assert!(share.contains("--worker-write-fraction 1.5 is not within 0 and 1"), "{share}");
    let set_up = told("--profile nurdma-cx3 --set-up b");
    assert!(set_up.contains("nurdma-cx3 has first program, campaign a, campaign b"), "{set_up}");
    let atomics = told("--profile nurdma-cx3 --operation fetch-and-add --bytes 64B");
    assert!(atomics.contains("atomics need aligned slots of 8 bytes"), "{atomics}");
    assert!(told("--profile nurdma-cx3 --queue-pairs 0").contains("--queue-pairs 0"));
}
