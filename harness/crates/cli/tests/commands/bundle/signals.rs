//! Signals while something temporary is on the disk.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::place::Place;
use crate::program::{AT_MOST, ending};

/// A place with a table that takes a while to be packed and unpacked: of the run that failed, so that no other
/// table says anything of it.
fn with_a_long_table() -> Place {
    let place = Place::measured();
    let mut text = "window,start_ns,queue_pair,operations\n".to_owned();
    let mut operations = 1_u64;
    for window in 0..300_000_u64 {
        operations = operations.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) >> 1;
        writeln!(text, "{window},{},0,{operations}", window * 10_000_000).unwrap();
    }
    place.write("results/raw/mine/by-hand/third/windows.csv", &text);
    place
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn send(signal: &str, to: &Child) {
    let sent = Command::new("kill").arg(format!("-{signal}")).arg(to.id().to_string()).status();
    assert!(sent.expect("kill(1) is there").success());
}

/// Sends `signal` to a command as soon as it has made something in `folder`, which must be gone in the end.
#[track_caller]
fn nothing_stays(place: &Place, arguments: &str, folder: &str, signal: &str, status: i32) {
    let folder = place.at(folder);
    let mut command = place.command();
    let before = names_in(&folder);
    command.args(arguments.split(' ')).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + AT_MOST;
    while names_in(&folder) == before {
        assert!(Instant::now() < deadline, "it has made nothing in {}", folder.display());
        thread::sleep(Duration::from_millis(1));
    }
    // It is not to be done before the signal comes.
    send("STOP", &child);
    send(signal, &child);
    send("CONT", &child);
    let ended = ending(child, AT_MOST);
    assert_eq!(ended.status, Some(status), "{ended:#?}");
    assert_eq!(ended.stdout, "", "nothing is known of it");
    assert!(ended.stderr.contains(&format!("SIG{signal}: ended")), "{}", ended.stderr);
    assert_eq!(names_in(&folder), before, "something was left behind");
}

#[test]
fn a_signal_while_packing_leaves_no_part_of_an_archive() {
    let place = with_a_long_table();
    drop(place.command());
    let bundle = "bundle --profile mine --out mine.tar.gz";
    nothing_stays(&place, bundle, ".", "TERM", 143);
    nothing_stays(&place, bundle, ".", "INT", 130);
}

#[test]
fn a_signal_while_an_archive_is_checked_leaves_no_part_of_it() {
    let place = with_a_long_table();
    place.bundle().valid();
    nothing_stays(&place, "check mine.tar.gz", "tmp", "TERM", 143);
    nothing_stays(&place, "check mine.tar.gz", "tmp", "INT", 130);
    place.onesided("check mine.tar.gz").valid();
}
