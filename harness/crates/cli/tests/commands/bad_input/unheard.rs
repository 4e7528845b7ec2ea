//! Nobody listens: the reader of stdout or stderr is gone, or the disk behind stderr is full.
//!
//! What a run does then with its lines is tested where a device is not needed to do one.

use std::{
    fs::OpenOptions,
    process::{Command, Output, Stdio},
};

use super::results::Campaign;
use crate::program::{NO_LIBRARY, command, design};

/// A pipe whose reader is gone.
fn closed() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

/// A file on a disk that is full.
fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into()
}

/// `onesided NAME --table ...` on a campaign.
fn on(campaign: &Campaign, name: &str, results: &str) -> Command {
    let mut command = command();
    command.arg(name).arg("--table").arg(campaign.table()).arg(results).arg(campaign.raw());
    command
}

fn ended(command: &mut Command, stdout: Stdio, stderr: Stdio) -> Output {
    let child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn();
    child.expect("the program starts").wait_with_output().expect("it is our child")
}

#[test]
fn messages_that_nobody_takes_change_no_exit_status() {
    let campaign = Campaign::complete();
    for nobody in [closed, full] {
        let status = |command: &mut Command| ended(command, Stdio::piped(), nobody()).status.code();
        assert_eq!(status(&mut on(&campaign, "run", "--out")), Some(0));
        assert_eq!(status(&mut on(&campaign, "check", "--raw")), Some(0));
        assert_eq!(status(command().arg("expand").arg(design())), Some(0));
        // Neither its error nor the way there can be told.
        assert_eq!(status(command().arg("run")), Some(2), "without {NO_LIBRARY}");
        assert_eq!(status(command().args(["run", "--operation", "raed"])), Some(2));
    }
}

#[test]
fn a_verdict_does_not_depend_on_somebody_reading_the_lines() {
    let campaign = Campaign::complete();
    let mut check = on(&campaign, "check", "--raw");
    let check = check.arg(design()).arg(campaign.path(0));
    let told = |ended: &Output| String::from_utf8(ended.stderr.clone()).expect("UTF-8");
    let unread = ended(check, closed(), Stdio::piped());
    assert_eq!(unread.status.code(), Some(0), "{}", told(&unread));
    assert!(told(&unread).contains("8 runs in the table, 0 not complete"), "{}", told(&unread));
    // The first line cannot be printed; what is wrong comes after it.
    std::fs::remove_dir_all(campaign.path(1)).expect("a run");
    let unread = ended(check, closed(), Stdio::piped());
    assert_eq!(unread.status.code(), Some(1), "{}", told(&unread));
    assert!(told(&unread).contains("8 runs in the table, 1 not complete"), "{}", told(&unread));
}
