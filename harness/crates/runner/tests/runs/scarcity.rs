//! A machine that has no room for the threads of a run.
//!
//! Address space makes threads scarce: each has a stack of a gibibyte, which nobody touches, and
//! the shell's limit leaves room for a few. Both hold for a whole process, so the test plays in one
//! of its own.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use onesided_conformance::reference::Fabric;
use onesided_results::{RunConfiguration, vocabulary::Phase};

use crate::{
    evidence::{failure, sound},
    session::{SURELY, devices, patient, session, short},
};

/// Set for the process in which threads are scarce.
const SCARCE: &str = "ONESIDED_TEST_THREADS_ARE_SCARCE";

const STACK_KIBIBYTES: u64 = 1 << 20;

/// Threads that there is room for: the test's own, the server's, one at either end of the control
/// channel, and four of a run. The half on top is for what they allocate.
const ROOM_KIBIBYTES: u64 = 8 * STACK_KIBIBYTES + STACK_KIBIBYTES / 2;

#[test]
fn a_client_thread_that_cannot_start_fails_the_run_and_those_that_did_do_not_wait_for_it() {
    if std::env::var_os(SCARCE).is_some() {
        return play();
    }
    let this = thread::current();
    let mut process = Command::new("bash")
        .args(["-c", &format!("ulimit -v {ROOM_KIBIBYTES} && exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", this.name().expect("tests are named"), "--nocapture"])
        .env(SCARCE, "")
        .env("RUST_MIN_STACK", (STACK_KIBIBYTES << 10).to_string())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + SURELY;
    let status = loop {
        if let Some(status) = process.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            process.kill().unwrap();
            process.wait().unwrap();
            panic!("the threads that had started wait for one that never will");
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{status}");
}

/// A run of more threads than there is room for, then one of fewer.
fn play() {
    let threads = |threads| RunConfiguration { threads, queue_pairs: threads, ..short() };
    let (client, server) = devices(Fabric::right());
    let ([refused, done], served) = session(
        (&client, &server),
        &patient(),
        |direct| direct,
        |session| [session.run(&threads(16)), session.run_soundly(&threads(2))],
    );
    let (phase, message) = failure(&refused);
    assert_eq!(phase, Phase::SetUp, "{message}");
    assert!(message.starts_with("cannot start a client thread (see `ulimit -u`): "), "{message}");
    sound(&done);
    assert_eq!(served.unwrap().failed, 1);
}
