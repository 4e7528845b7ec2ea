//! Results that change while they are packed.

use std::{
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, symlink},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use super::place::Place;
use crate::program::{AT_MOST, Ended, ending};

/// `O_NONBLOCK` of Linux on x86-64 and AArch64 (`fcntl.h`).
const NONBLOCK: i32 = 0o4000;

/// Reads what is there; absent if that is nothing yet, empty in the end.
fn some(pipe: &mut File) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 1 << 16];
    match pipe.read(&mut bytes) {
        Ok(length) => Some(bytes[..length].to_vec()),
        Err(error) if error.kind() == ErrorKind::WouldBlock => None,
        Err(error) => panic!("{error}"),
    }
}

/// Waits until the packer has checked everything and is within the first file.
fn until_it_packs(pipe: &mut File, packer: &mut Child) {
    // As long as nobody has opened it for writing, a pipe that is not waited for is at its end.
    while some(pipe).is_none_or(|bytes| bytes.is_empty()) {
        assert!(packer.try_wait().unwrap().is_none(), "it ended before it packed anything");
        thread::sleep(Duration::from_millis(1));
    }
}

/// How packing ends where `change` is done to a table after it was checked and before it is packed.
///
/// The archive is a pipe, so the packer waits for its reader: in the notes, which come first and are longer
/// than a pipe holds (64 KiB, `pipe(7)`).
fn changed_while_packing(change: impl FnOnce(&Path)) -> Ended {
    let place = Place::measured();
    let mut notes = String::new();
    let mut state = 1_u64;
    for _ in 0..30_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writeln!(notes, "{state:016x}").unwrap();
    }
    place.write("notes.txt", &notes);
    let archive = place.at("mine.tar.gz");
    assert!(Command::new("mkfifo").arg(&archive).status().expect("mkfifo(1) is there").success());
    let mut pipe = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(&archive).unwrap();
    let mut command = place.command();
    command.args(["bundle", "--profile", "mine", "--notes", "notes.txt", "--out", "mine.tar.gz"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut packer = command.spawn().unwrap();
    until_it_packs(&mut pipe, &mut packer);
    change(&place.at("results/raw/mine/by-hand/first/windows.csv"));
    while some(&mut pipe).is_none_or(|bytes| !bytes.is_empty()) {
        thread::sleep(Duration::from_micros(100));
    }
    drop(pipe);
    ending(packer, AT_MOST)
}

#[test]
fn results_that_do_not_change_are_packed_into_a_pipe() {
    changed_while_packing(|_| ()).valid();
}

#[test]
fn a_file_that_changes_while_it_is_packed_is_told() {
    let told = "first/windows.csv was changed meanwhile: pack again when nothing is being measured";
    let other_content = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace("0,0,0,1\n", "0,0,0,2\n")).unwrap();
    };
    changed_while_packing(other_content).could_not_run(&[told]);
    let longer = |path: &Path| {
        OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"10,100000000,0,1\n")
            .unwrap();
    };
    changed_while_packing(longer).could_not_run(&[told]);
    let shorter = |path: &Path| fs::write(path, "window,start_ns,queue_pair,operations\n").unwrap();
    changed_while_packing(shorter).could_not_run(&["windows.csv"]);
}

#[test]
fn a_link_that_is_put_in_the_place_of_a_checked_file_is_not_followed() {
    let linked = |path: &Path| {
        let elsewhere = path.with_file_name("moved");
        fs::rename(path, &elsewhere).unwrap();
        symlink(&elsewhere, path).unwrap();
    };
    changed_while_packing(linked).could_not_run(&["windows.csv: it is a symbolic link"]);
}
