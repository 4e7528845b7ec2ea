//! The real program, run to its end.

#[path = "../shared/ended.rs"]
mod ended;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

pub use ended::{Ended, ending};

/// A name that no library has.
pub const NO_LIBRARY: &str = "/nonexistent/libibverbs.so.1";

/// What nothing here may take longer than. Ours: the slowest command, in a debug build on a busy
/// machine, needs half a minute.
pub const AT_MOST: Duration = Duration::from_secs(300);

/// `onesided`, without libibverbs and without a trace of the user's settings.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    let settings = ["ONESIDED_DEVICE", "ONESIDED_TOKEN", "ONESIDED_BACK_END", "ONESIDED_FABRIC"];
    for name in settings.into_iter().chain(["XDG_STATE_HOME", "HOME"]) {
        command.env_remove(name);
    }
    command.env("ONESIDED_LIBIBVERBS", NO_LIBRARY);
    command
}

/// Runs one of its commands in the repository, with arguments that stand apart by spaces.
pub fn run(name: &str, arguments: &str) -> Ended {
    ended(command().current_dir(repository()).arg(name).args(arguments.split_whitespace()))
}

/// Runs `onesided` with arguments.
pub fn onesided<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ended {
    ended(command().args(arguments))
}

/// Runs a command to its end, which must come in time.
pub fn ended(command: &mut Command) -> Ended {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended::ending(piped.spawn().expect("the program starts"), AT_MOST)
}

impl Ended {
    /// It could not run: 2, nothing for machines, and a message with all of `fragments`.
    #[track_caller]
    pub fn could_not_run(self, fragments: &[&str]) -> Self {
        assert_eq!(self.status, Some(2), "{self:#?}");
        assert_eq!(self.stdout, "", "a program that could not run prints no result");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        // Lines are wrapped for people.
        let told = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for fragment in fragments {
            assert!(told.contains(fragment), "{fragment:?} is not in: {}", self.stderr);
        }
        self
    }

    /// It ran: 0.
    #[track_caller]
    pub fn valid(self) -> Self {
        assert_eq!(self.status, Some(0), "{self:#?}");
        self
    }

    /// The same, and what it printed is JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.valid().stdout).expect("it is JSON")
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
