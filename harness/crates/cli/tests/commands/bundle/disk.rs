//! A disk that takes no more.

use std::process::Command;

use super::place::{Place, is_empty};
use crate::program::{Ended, ended};

/// The program in `place` where no file may have more than a kibibyte: a write fails as on a full disk, for
/// another reason.
fn without_room(place: &Place, arguments: &str) -> Ended {
    let onesided = place.command();
    let program = onesided.get_program().to_str().expect("it is text");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} {arguments}");
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(script).current_dir(place.at("."));
    for (name, value) in onesided.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    ended(&mut shell)
}

#[test]
fn a_full_temporary_folder_is_no_fault_of_the_archive() {
    let place = Place::measured();
    place.bundle().valid();
    let told = [
        "cannot unpack into ",
        "/tmp, and nothing is known of the archive: free ",
        "or set TMPDIR",
    ];
    without_room(&place, "check mine.tar.gz").could_not_run(&told).in_one_line();
    assert!(is_empty(&place.at("tmp")), "something was left behind");
    place.onesided("check mine.tar.gz").valid();
}

#[test]
fn an_archive_that_finds_no_room_is_not_there_at_all() {
    let place = Place::measured();
    let before = std::fs::read_dir(place.at(".")).unwrap().count();
    let ending = without_room(&place, "bundle --profile mine --out mine.tar.gz");
    ending.could_not_run(&["cannot write mine.tar.gz"]);
    // The folder for temporary files has come with the first command.
    assert_eq!(std::fs::read_dir(place.at(".")).unwrap().count(), before);
}
