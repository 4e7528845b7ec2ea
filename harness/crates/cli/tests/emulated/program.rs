//! The real program, as a server and as a client, on a fabric of this test.

#[path = "../shared/ended.rs"]
mod ended;

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use onesided_estimate::CollectedRun;
use tempfile::TempDir;

pub use ended::Ended;

/// What nothing here may take longer than. Ours: a debug build on a busy machine needs seconds.
pub const AT_MOST: Duration = Duration::from_secs(60);

/// A folder with a fabric, a token and results.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// `onesided NAME --back-end rmc` on this fabric, without a trace of the user's settings.
    pub fn command(&self, name: &str) -> Command {
        let mut command = self.plain();
        command.args([name, "--back-end", "rmc", "--fabric"]).arg(self.path().join("fabric"));
        command
    }

    /// `onesided`, without a trace of the user's settings.
    pub fn plain(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        for name in ["ONESIDED_DEVICE", "ONESIDED_TOKEN", "ONESIDED_FABRIC"] {
            command.env_remove(name);
        }
        // Tests run beside each other, and a place is as good as a host of its own.
        command.env("ONESIDED_HOST_LOCK", self.path().join("host"));
        command.env("ONESIDED_LIBIBVERBS", "/nonexistent/libibverbs.so.1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `onesided check PATH`.
    pub fn check(&self, path: &Path) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        command.arg("check").arg(path).stdout(Stdio::piped()).stderr(Stdio::piped());
        ended(&mut command)
    }

    /// A server on any free port.
    pub fn serve(&self, arguments: &str) -> Server {
        let mut command = self.command("serve");
        command.args(["--listen", "127.0.0.1:0", "--token-file"]).arg(self.path().join("token"));
        let mut child =
            command.args(arguments.split_whitespace()).spawn().expect("the program starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut said = String::new();
        // It says where it is when it is ready.
        while !said.contains("serving ") {
            let read = stderr.read_line(&mut said).expect("stderr is text");
            assert!(read > 0, "the server ended: {said}");
        }
        let address = said.split(" on ").nth(1).and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("no address in {said}")).to_owned();
        Server { child, address, said, stderr }
    }

    /// A client of a server, short runs.
    pub fn client(&self, server: &Server, arguments: &str) -> Command {
        self.client_named("it", server, arguments)
    }

    /// The same, its run of that name.
    pub fn client_named(&self, run_id: &str, server: &Server, arguments: &str) -> Command {
        self.client_at(&server.address, run_id, arguments)
    }

    /// The same, of a server at that address.
    pub fn client_at(&self, address: &str, run_id: &str, arguments: &str) -> Command {
        let mut command = self.command("run");
        command.args(["--server", address, "--token-file"]).arg(self.path().join("token"));
        command.arg("--out").arg(self.path().join("raw"));
        command.args(["--run-id", run_id, "--profile", "here", "--counting-window", "10ms"]);
        command.args(arguments.split_whitespace());
        command
    }
}

/// A server that runs; it is killed when it is dropped.
pub struct Server {
    child: Child,
    address: String,
    pub said: String,
    /// It goes on saying things.
    stderr: BufReader<ChildStderr>,
}

impl Server {
    /// Ends it at once, as the kernel does when memory runs out.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }

    /// Waits until it has ended by itself, well.
    #[track_caller]
    pub fn ended_well(self) {
        let status = self.ended();
        assert!(status.success(), "{status}");
    }

    /// Waits until it has ended by itself.
    #[track_caller]
    pub fn ended(mut self) -> ExitStatus {
        let until = Instant::now() + AT_MOST;
        loop {
            match self.child.try_wait().expect("it is our child") {
                Some(status) => return status,
                None => assert!(Instant::now() < until, "it did not end"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until it says something.
    #[track_caller]
    pub fn says(&mut self, fragment: &str) {
        let mut line = String::new();
        while !line.contains(fragment) {
            line.clear();
            let read = self.stderr.read_line(&mut line).expect("text");
            assert_ne!(read, 0, "it ended without saying {fragment:?}");
        }
    }

    /// Where it listens for clients.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends the server a signal, as `-TERM`.
    pub fn signal(&self, signal: &str) {
        send_signal(signal, self.process());
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

/// Sends a process a signal, as `-TERM`.
pub fn send_signal(signal: &str, process: u32) {
    let told = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(told.expect("kill(1) is there").success(), "{signal} {process}");
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a client was served: it has a run, or one that is invalid only since a busy host gave its
/// threads no CPU. What a run is worth is for other tests.
pub fn was_served(client: &Ended) -> bool {
    client.status == Some(0) || is_starved(client)
}

/// Whether a client's run is invalid, and only since a busy host gave its threads no CPU.
pub fn is_starved(client: &Ended) -> bool {
    let no_cpu = ["INVALID (nothing-measured", "INVALID (standstill"];
    client.status == Some(1) && no_cpu.iter().any(|words| client.stderr.contains(words))
}

/// The files of a run are whole and agree with each other, whatever the run is worth.
#[track_caller]
pub fn is_whole(run: &Path) {
    if let Err(error) = CollectedRun::read(run) {
        panic!("{}: {error}", run.display());
    }
}

/// Runs a command to its end, which must come in time.
pub fn ended(command: &mut Command) -> Ended {
    ending(command.spawn().expect("the program starts"))
}

/// Waits for a program to end.
pub fn ending(child: Child) -> Ended {
    ended::ending(child, AT_MOST)
}
