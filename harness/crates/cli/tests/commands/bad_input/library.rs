//! libibverbs missing, wrong, or without a device.

use std::path::Path;

use crate::program::{NO_LIBRARY, command, design, ended, onesided, repository, run};

#[test]
fn without_libibverbs_run_and_serve_could_not_run_and_say_what_to_install() {
    for arguments in [&["run"][..], &["run", "--operation", "write"], &["serve"]] {
        onesided(arguments)
            .could_not_run(&[NO_LIBRARY, "No such file", "apt install libibverbs1"])
            .in_one_line();
    }
}

#[test]
fn without_libibverbs_every_other_command_works() {
    let topology = onesided(["topology", "--json"]).valid();
    let report: serde_json::Value = serde_json::from_str(&topology.stdout).expect("JSON");
    let why = report["devices_unknown"].as_str().expect("says why there is no device");
    assert!(why.contains(NO_LIBRARY), "{why}");
    assert!(report["topology"]["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()));
    let topology = onesided(["topology"]).valid();
    assert!(topology.stdout.contains("RDMA devices: not known"), "{}", topology.stdout);

    onesided([Path::new("expand"), &design()]).valid();
    onesided([Path::new("check"), &design()]).valid();
    onesided(["schema", "run-record.json"]).valid();
}

#[test]
fn without_libibverbs_doctor_fails_and_says_what_to_do() {
    let doctor = onesided(["doctor"]).check_failed();
    let stop = doctor.stdout.lines().find(|line| line.starts_with("STOP")).expect("a finding");
    assert!(stop.contains(NO_LIBRARY) && stop.contains("apt install"), "{stop}");
    let doctor = onesided(["doctor", "--json"]).check_failed();
    let findings: serde_json::Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    assert!(findings.as_array().expect("findings").iter().any(|one| one["weight"] == "stop"));
}

/// What this machine could do of a design over an RDMA device.
const POSSIBLE_OVER_VERBS: &str =
    "experiments/datagrams.toml --level smoke --possible-here --back-end verbs";

#[test]
fn without_libibverbs_no_run_over_a_device_is_possible_and_expand_says_why() {
    let expanded = run("expand", POSSIBLE_OVER_VERBS).valid();
    assert_eq!(expanded.stdout, "", "no run is left");
    for said in ["6 runs cannot be done on this machine and are left out", NO_LIBRARY] {
        assert!(expanded.stderr.contains(said), "{}", expanded.stderr);
    }
    let named = format!("{POSSIBLE_OVER_VERBS} --device mlx5_9");
    run("expand", &named).could_not_run(&[NO_LIBRARY]);
}

#[test]
fn a_library_that_has_no_verbs_is_named_with_the_function_that_it_lacks() {
    let mut run = command();
    run.arg("run").env("ONESIDED_LIBIBVERBS", "libc.so.6");
    ended(&mut run).could_not_run(&["libc.so.6", "ibv_"]);
}

#[test]
fn without_a_device_run_and_serve_could_not_run_and_say_how_to_get_one() {
    let devices =
        std::fs::read_dir("/sys/class/infiniband").is_ok_and(|mut all| all.next().is_some());
    let library = ended(command().arg("topology").env_remove("ONESIDED_LIBIBVERBS"));
    if devices || library.stdout.contains("cannot load") {
        println!("SKIPPED no device: this machine has one, or has no libibverbs to look with");
        return;
    }
    for name in ["run", "serve"] {
        let mut command = command();
        ended(command.arg(name).env_remove("ONESIDED_LIBIBVERBS")).could_not_run(&[
            "there is no RDMA device",
            "rdma link add",
            "ci/lab",
        ]);
        ended(command.args(["--device", "mlx5_9"])).could_not_run(&["mlx5_9", "has none"]);
    }
    let mut expand = command();
    expand.current_dir(repository()).arg("expand").args(POSSIBLE_OVER_VERBS.split_whitespace());
    let expanded = ended(expand.env_remove("ONESIDED_LIBIBVERBS")).valid();
    assert!(expanded.stderr.contains("6: there is no RDMA device"), "{}", expanded.stderr);
}
