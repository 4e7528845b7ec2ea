//! Direct I/O is given back on every way out of a process, by the real guardian, on a made-up tree.
//!
//! What passing lets us claim: after an end, a panic, an exit, an abort, SIGINT, SIGTERM, SIGHUP or
//! SIGKILL of the holder the bit is as it was and no journal or guardian is left; signals to the
//! guardian do not stop it; and where both were killed the next start finds what to restore.

mod holder;
#[path = "../../../platform/tests/direct_io/tree.rs"]
mod tree;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use holder::{Holder, Way, guardian, guardian_of, said, signal, until};
use onesided_platform::direct_io::{Owner, Restored};
use tree::{DEVICE, OFF, ORIGINAL, Tree};

#[track_caller]
fn given_back(folder: &Path) {
    let tree = Tree::at(folder);
    until("the guardian is gone", || guardian_of(folder).is_none());
    assert_eq!(tree.byte(), ORIGINAL);
    tree.is_clean();
}

#[test]
fn an_end_and_a_panic_give_it_back() {
    for way in [Way::End, Way::Panic] {
        let folder = tempfile::tempdir().unwrap();
        let _tree = Tree::new(folder.path());
        let status = Holder::start(folder.path(), way).ends(None);
        assert_eq!(status.success(), way == Way::End, "{way:?}: {status}");
        given_back(folder.path());
        // The guardian was dismissed and had nothing to say.
        assert!(!said(folder.path()).contains("onesided:"), "{}", said(folder.path()));
    }
}

#[test]
fn an_exit_without_any_clearing_up_gives_it_back() {
    for (way, signal) in [(Way::Exit, None), (Way::Abort, Some(6))] {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::new(folder.path());
        Holder::start(folder.path(), way).ends(signal);
        until("it is given back", || tree.byte() == ORIGINAL);
        given_back(folder.path());
    }
}

#[test]
fn a_signal_to_the_holder_of_whatever_kind_gives_it_back() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)] {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::new(folder.path());
        let holder = Holder::start(folder.path(), Way::Wait);
        holder.signal(name);
        holder.ends(Some(number));
        until(name, || tree.byte() == ORIGINAL);
        given_back(folder.path());
        let told = "onesided: the run is gone; switched Direct I/O at root port 0000:3a:00.0 on";
        assert!(said(folder.path()).starts_with(told), "{name}: {}", said(folder.path()));
    }
}

#[test]
fn signals_to_the_guardian_do_not_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let holder = Holder::start(folder.path(), Way::Wait);
    let guardian = guardian_of(folder.path()).expect("it was started");
    for name in ["INT", "TERM", "HUP", "QUIT"] {
        signal(guardian, name);
    }
    assert_eq!((guardian_of(folder.path()), tree.byte()), (Some(guardian), OFF));
    holder.signal("KILL");
    holder.ends(Some(9));
    given_back(folder.path());
}

#[test]
fn the_guardian_is_in_a_process_group_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let _tree = Tree::new(folder.path());
    let holder = Holder::start(folder.path(), Way::Wait);
    let guardian = guardian_of(folder.path()).expect("it was started");
    let status = fs::read_to_string(format!("/proc/{guardian}/stat")).unwrap();
    // proc_pid_stat(5): after the name in brackets come state, parent, process group.
    let group = status.rsplit_once(") ").unwrap().1.split(' ').nth(2).unwrap();
    assert_eq!(group, guardian.to_string());
    holder.signal("KILL");
    holder.ends(Some(9));
    given_back(folder.path());
}

#[test]
fn where_both_were_killed_the_next_start_finds_it_and_gives_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let holder = Holder::start(folder.path(), Way::Wait);
    assert_eq!(tree.roots().recover().unwrap(), [], "a run that lives is left alone");
    assert_eq!(tree.roots().left_over().unwrap()[0].owner, Owner::AtWork);
    signal(guardian_of(folder.path()).expect("it was started"), "KILL");
    holder.signal("KILL");
    holder.ends(Some(9));
    until("nobody holds it", || tree.roots().left_over().unwrap()[0].owner == Owner::Gone);
    assert_eq!(tree.byte(), OFF);
    // A process that another test is just starting has our files open, too, until it is running.
    until("it is recovered", || {
        let recovered = tree.roots().recover().unwrap();
        let expected = ("0000:3a:00.0".parse().unwrap(), Restored::Restored);
        assert!(recovered.iter().all(|one| *one == expected), "{recovered:?}");
        !recovered.is_empty()
    });
    given_back(folder.path());
}

#[test]
fn a_guard_whose_guardian_was_killed_gives_it_back_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path());
    let guard = tree.roots().switch_off(DEVICE, guardian()).unwrap();
    signal(guardian_of(folder.path()).expect("it was started"), "KILL");
    assert_eq!(guard.restore().unwrap(), Restored::Restored);
    given_back(folder.path());
}

fn restore_direct_io(journal: &Path) -> Output {
    let mut command = guardian();
    command.arg("--journal").arg(journal).stdin(Stdio::null());
    command.output().expect("the program starts")
}

#[test]
fn the_hidden_command_refuses_what_is_no_journal_and_is_not_in_the_help() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("0000:3a:00.0.direct-io");
    for text in [None, Some("port 0000:3a:00.0\nid 1022:1483\noffset 180\noriginal 91\n")] {
        if let Some(text) = text {
            fs::write(&journal, text).unwrap();
        }
        let output = restore_direct_io(&journal);
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("0000:3a:00.0.direct-io"), "{said}");
    }
    let help = Command::new(env!("CARGO_BIN_EXE_onesided")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("doctor") && !help.contains("direct-io"), "{help}");
}
