//! A program that ran to its end, which must come in time; for the tests of several binaries.

use std::{
    io::Read,
    process::Child,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// A program that ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; absent if a signal ended it.
    pub status: Option<i32>,
    /// What machines read.
    pub stdout: String,
    /// What people read.
    pub stderr: String,
}

/// Waits for a program whose outputs are pipes.
///
/// # Panics
/// When it takes longer than `at_most`: it is ended then, and what it said is told.
#[track_caller]
pub fn ending(mut child: Child, at_most: Duration) -> Ended {
    let stdout = collected(child.stdout.take().expect("piped"));
    let stderr = collected(child.stderr.take().expect("piped"));
    let deadline = Instant::now() + at_most;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().expect("it is our child");
            panic!("it did not end within {at_most:?}: {}", text(stderr));
        }
        thread::sleep(Duration::from_millis(2));
    };
    Ended { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

fn text(reader: JoinHandle<String>) -> String {
    reader.join().expect("output is text")
}

fn collected(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).expect("output is UTF-8");
        text
    })
}
