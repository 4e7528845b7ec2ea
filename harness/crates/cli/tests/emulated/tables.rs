//! Run tables of what this machine can do by itself.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use crate::program::{Ended, Place, ended};

/// `onesided expand` of the committed designs, at level smoke.
fn expand(arguments: &[&str]) -> Ended {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.current_dir(repository).args(["expand", "--level", "smoke"]).args(arguments);
    command.args(["experiments/throughput-by-client-hosts.toml", "experiments/ddio-off.toml"]);
    ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// The names of a table's runs.
fn names(path: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    let columns = reader.headers().expect("columns").clone();
    let at = columns.iter().position(|name| name == "run_id").expect("it has names");
    reader.records().map(|row| row.expect("a row")[at].to_owned()).collect()
}

#[test]
fn what_is_left_out_and_what_is_left_are_the_whole_and_can_be_done_here() {
    let place = Place::new();
    let [whole, possible, left] = ["whole", "possible", "left"].map(|it| place.path().join(it));
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    assert_eq!(expand(&["--out", &text(&whole)]).status, Some(0));
    let here = ["--possible-here", "--device-node", "0", "--out"];
    let out = [text(&possible), "--left-out".to_owned(), text(&left)];
    let arguments: Vec<&str> = here.into_iter().chain(out.iter().map(String::as_str)).collect();
    let told = expand(&arguments);
    assert_eq!(told.status, Some(0), "{told:#?}");
    let missing = names(&left).len();
    let announced = format!("{missing} runs cannot be done on this machine");
    assert_eq!(told.stderr.contains(&announced), missing > 0, "{}", told.stderr);
    let mut together = [names(&possible), names(&left)].concat();
    let mut all = names(&whole);
    for names in [&mut together, &mut all] {
        names.sort_unstable();
    }
    assert_eq!(together, all);
    // What is said to be possible is: by a server, the lead and a further client.
    let server = place.serve("--device-node 0");
    let mut join = place.command("join");
    join.args(["--device-node", "0", "--server", server.address(), "--token-file"]);
    let mut joined = join.arg(place.path().join("token")).spawn().expect("the program starts");
    let mut run = place.command("run");
    run.args(["--device-node", "0", "--server", server.address(), "--token-file"]);
    run.arg(place.path().join("token")).arg("--table").arg(&possible).arg("--out");
    let run = ended(run.arg(place.path().join("raw")));
    joined.kill().expect("it is our child");
    joined.wait().expect("it is our child");
    // 1: a run was marked invalid, as on a machine that is busy; none could not be set up.
    assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    assert!(!run.stderr.contains("failed in connect"), "{}", run.stderr);
}

#[test]
fn flags_that_only_go_with_it_are_refused_without_it() {
    for flags in [
        ["--left-out", "x.csv"],
        ["--device-node", "0"],
        ["--back-end", "rmc"],
        ["--device", "rxe0"],
    ] {
        let refused = expand(&flags);
        assert_eq!(refused.status, Some(2), "{refused:#?}");
        assert!(refused.stderr.contains("--possible-here"), "{}", refused.stderr);
    }
    let refused = expand(&["--possible-here", "--device-node", "4000"]);
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    let told = "--device-node 4000 is not there: this machine has node 0";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

#[test]
fn the_emulated_back_end_lacks_no_service_and_takes_no_rdma_device() {
    let services = "experiments/datagrams.toml";
    let told = expand(&["--possible-here", "--back-end", "rmc", "--device-node", "0", services]);
    assert_eq!(told.status, Some(0), "{told:#?}");
    for service in [",rc,", ",uc,", ",ud,"] {
        assert!(told.stdout.contains(service), "{service} is not in: {}", told.stdout);
    }
    assert!(!told.stderr.contains("service"), "{}", told.stderr);
    let refused = expand(&["--possible-here", "--device", "rxe0"]);
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    let advice = "--device rxe0 is an RDMA device: add --back-end verbs";
    assert!(refused.stderr.contains(advice), "{}", refused.stderr);
}
