//! The real program, run to its end.

use std::{
    ffi::OsStr,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A name that no library has.
pub const NO_LIBRARY: &str = "/nonexistent/libibverbs.so.1";

/// What nothing here may take longer than. Ours: the slowest command, in a debug build on a busy
/// machine, needs a second.
const AT_MOST: Duration = Duration::from_secs(30);

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

/// `onesided`, without libibverbs and without a trace of the user's settings.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    for name in ["ONESIDED_DEVICE", "ONESIDED_TOKEN", "XDG_STATE_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.env("ONESIDED_LIBIBVERBS", NO_LIBRARY);
    command
}

/// Runs `onesided` with arguments.
pub fn onesided<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    ended(command().args(arguments))
}

/// Runs a command to its end, which must come in time.
pub fn ended(command: &mut Command) -> Ended {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program starts");
    let stdout = collected(child.stdout.take().expect("piped"));
    let stderr = collected(child.stderr.take().expect("piped"));
    let deadline = Instant::now() + AT_MOST;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().expect("it is our child");
            panic!("{command:?} did not end within {AT_MOST:?}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("output is text");
    Ended { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

fn collected(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).expect("output is UTF-8");
        text
    })
}

impl Ended {
    /// It could not run: 2, nothing for machines, and a message with all of `fragments`.
    #[track_caller]
    pub fn could_not_run(self, fragments: &[&str]) -> Self {
        assert_eq!(self.status, Some(2), "{self:#?}");
        assert_eq!(self.stdout, "", "a program that could not run prints no result");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for fragment in fragments {
            assert!(self.stderr.contains(fragment), "{fragment:?} is not in: {}", self.stderr);
        }
        self
    }

    /// It ran: 0.
    #[track_caller]
    pub fn valid(self) -> Self {
        assert_eq!(self.status, Some(0), "{self:#?}");
        self
    }

    /// It ran, a check failed: 1.
    #[track_caller]
    pub fn check_failed(self) -> Self {
        assert_eq!(self.status, Some(1), "{self:#?}");
        self
    }

    /// The message of its error is one line of this program's own.
    #[track_caller]
    pub fn in_one_line(self) -> Self {
        let errors = self.stderr.lines().filter(|line| !line.contains(" runs are complete"));
        let errors: Vec<_> = errors.collect();
        assert!(matches!(errors[..], [one] if one.starts_with("onesided: ")), "{}", self.stderr);
        self
    }
}

/// The repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it")
}

/// A committed design with a `smoke` level.
pub fn design() -> PathBuf {
    repository().join("experiments/latency-by-queue-pairs.toml")
}

/// A run table of that design, as `onesided expand` prints it.
pub fn run_table() -> String {
    let expanded = command().arg("expand").arg(design()).args(["--level", "smoke"]).output();
    let table = expanded.expect("the program starts").stdout;
    String::from_utf8(table).expect("tables are UTF-8")
}

/// Puts `content` into `directory/name`.
pub fn file(directory: &Path, name: &str, content: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, content).expect("a temporary directory can be written to");
    path
}
