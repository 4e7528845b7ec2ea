//! What was really measured, packed and checked.

use std::process::{Command, Stdio};

use crate::program::{Ended, Place, ended, was_served};

fn onesided(place: &Place, arguments: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.current_dir(place.path()).args(arguments.split_whitespace());
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

#[test]
fn runs_that_were_measured_here_are_packed_with_workers_and_load_and_pass_the_check() {
    let place = Place::new();
    let server = place.serve("");
    let loaded = "--operation write --workers 1 --worker-operation write --worker-threads any";
    for (run_id, arguments) in [("plain", "--operation read"), ("loaded", loaded)] {
        let times = "--warm-up 20ms --duration 100ms";
        let run = ended(&mut place.client_named(run_id, &server, &format!("{arguments} {times}")));
        assert!(was_served(&run), "{run:#?}");
    }
    std::fs::write(place.path().join("raw/here/ad-hoc/plain/token"), "secret").expect("a file");
    for arguments in [
        "collect --raw raw/here --out tables/here",
        "topology --profile here",
        "bundle . --profile here --out here.tar.gz",
    ] {
        let done = onesided(&place, arguments);
        assert_eq!(done.status, Some(0), "{arguments}: {done:#?}");
    }
    let checked = onesided(&place, "check here.tar.gz");
    assert_eq!(checked.status, Some(0), "{checked:#?}");
    let mut placeless = Command::new(env!("CARGO_BIN_EXE_onesided"));
    placeless.current_dir(place.path()).env("TMPDIR", "/nonexistent");
    let placeless = placeless.args(["check", "here.tar.gz"]).output().expect("the program starts");
    assert_eq!(placeless.status.code(), Some(2), "{placeless:?}");
    assert!(String::from_utf8_lossy(&placeless.stderr).contains("set TMPDIR"), "{placeless:?}");
    let told = "of 1 experiment, emulated; 2 in the tables";
    assert!(checked.stdout.contains("2 runs (") && checked.stdout.contains(told), "{checked:#?}");
    let mut tar = Command::new("tar");
    let listed = tar.current_dir(place.path()).args(["-tzf", "here.tar.gz"]).output();
    let listed = String::from_utf8(listed.expect("tar(1) is there").stdout).expect("names");
    assert!(listed.contains("/raw/here/ad-hoc/loaded/load.csv"), "{listed}");
    assert!(!listed.contains("token") && !listed.contains("host-lock"), "{listed}");
}
