//! A process that holds Direct I/O off through the real guardian, and ends in one way or another.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::tree::{DEVICE, OFF, Tree};

const FOLDER: &str = "ONESIDED_TEST_FOLDER";
const WAY: &str = "ONESIDED_TEST_WAY";

/// What nothing here may take longer than. Ours: it takes milliseconds.
const AT_MOST: Duration = Duration::from_secs(20);

/// How a holder ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By itself, without an error.
    End,
    Panic,
    /// Without running what is left to do, as a library may do it.
    Exit,
    Abort,
    /// Not by itself.
    Wait,
}

/// The command that a run would start its guardian by.
pub fn guardian() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.arg("restore-direct-io");
    command
}

/// The holder's own process: this test program, started by [`Holder::start`].
#[test]
#[ignore = "a process that the other tests start"]
fn holds_direct_io_off() {
    let folder = env::var_os(FOLDER).expect("started by a test");
    let tree = Tree::at(Path::new(&folder));
    let _guard = tree.roots().switch_off(DEVICE, guardian()).expect("it can be switched off");
    fs::write(Path::new(&folder).join("held"), "").expect("our folder");
    match env::var(WAY).expect("started by a test").as_str() {
        "End" => {}
        "Exit" => process::exit(0),
        "Abort" => process::abort(),
        "Panic" => panic!("the panic that this holder is for"),
        _ => thread::sleep(2 * AT_MOST),
    }
}

/// A holder that runs, Direct I/O switched off.
pub struct Holder(Child);

impl Holder {
    pub fn start(folder: &Path, way: Way) -> Self {
        // nohup, and a shell's background, would hand on that signals are ignored.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM,HUP");
        command.arg(env::current_exe().expect("this program"));
        command.args(["--exact", "holder::holds_direct_io_off", "--ignored"]);
        command.env(FOLDER, folder).env(WAY, format!("{way:?}"));
        let said = fs::File::create(folder.join("said")).expect("our folder");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let holder = Self(child.spawn().expect("this program starts"));
        until("it holds", || folder.join("held").exists());
        if way == Way::Wait {
            assert_eq!(Tree::at(folder).byte(), OFF);
        }
        holder
    }

    /// Sends a signal such as `INT`.
    pub fn signal(&self, name: &str) {
        signal(self.0.id(), name);
    }

    /// Waits for its end, and expects a certain signal or none.
    #[track_caller]
    pub fn ends(mut self, signal: Option<i32>) -> ExitStatus {
        let status = self.0.wait().expect("it is our child");
        assert_eq!(status.signal(), signal, "{status}");
        status
    }
}

/// What a holder and its guardian said to people.
pub fn said(folder: &Path) -> String {
    fs::read_to_string(folder.join("said")).expect("a holder was started")
}

/// Sends a signal such as `INT` to a process.
pub fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status();
    assert!(status.expect("a shell").success(), "{process} is there");
}

/// The guardian of a tree, if there is one.
pub fn guardian_of(folder: &Path) -> Option<u32> {
    let folder = folder.to_str().expect("text");
    let processes = fs::read_dir("/proc").expect("procfs").flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.contains("restore-direct-io") && line.contains(folder)
    })
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + AT_MOST;
    while !is_so() {
        assert!(Instant::now() < deadline, "not within {AT_MOST:?}: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
