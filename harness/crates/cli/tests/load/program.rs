//! The real program, spoken to as a server does.

use std::{
    io::{BufRead, BufReader, Read, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use onesided_results::load_report::{LoadLine, LoadProof, LoadReady, LoadReport};

/// What no ending may take longer than. Ours: a debug build on a busy machine needs a second.
const AT_MOST: Duration = Duration::from_secs(120);

/// `onesided load`, without libibverbs and without a trace of the user's settings.
pub fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.arg("load").args(arguments.split_whitespace());
    command.env_remove("ONESIDED_DEVICE");
    command.env("ONESIDED_LIBIBVERBS", "/nonexistent/libibverbs.so.1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A load that has said that it is ready.
pub struct Loading {
    child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub ready: LoadReady,
}

/// A load that ended well.
pub struct Loaded {
    pub ready: LoadReady,
    pub report: LoadReport,
    pub stderr: String,
}

impl Loading {
    #[track_caller]
    pub fn start(arguments: &str) -> Self {
        let mut child = command(arguments).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("stdout is text");
        let ready = match serde_json::from_str(&line) {
            Ok(LoadLine::Ready(ready)) => ready,
            other => {
                let mut told = String::new();
                child.kill().expect("it is our child");
                child.stderr.take().expect("piped").read_to_string(&mut told).expect("text");
                panic!("{other:?} from {line:?}; it said: {told}")
            }
        };
        Self { child, stdin, stdout, ready }
    }

    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh").success());
    }

    /// Asks where the memory is, and takes the answer.
    #[track_caller]
    pub fn asked(&mut self) -> LoadProof {
        self.stdin.as_mut().expect("open").write_all(b"\n").expect("it reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("stdout is text");
        match serde_json::from_str(&line).expect("one line of JSON") {
            LoadLine::Proof(proof) => proof,
            other => panic!("no proof: {other:?}"),
        }
    }

    /// Waits for the end and the report.
    #[track_caller]
    pub fn ended(mut self) -> Loaded {
        let mut said = self.child.stderr.take().expect("piped");
        // Read while it ends: a report of many threads is longer than a pipe holds.
        let (status, stdout, stderr) = thread::scope(|scope| {
            let stdout = scope.spawn(|| text(&mut self.stdout));
            let stderr = scope.spawn(|| text(&mut said));
            let status = wait(&mut self.child);
            (status, stdout.join().expect("text"), stderr.join().expect("text"))
        });
        assert_eq!(status, Some(0), "{stderr}");
        let LoadLine::Report(report) = serde_json::from_str(&stdout).expect("one line of JSON")
        else {
            panic!("no report: {stdout}")
        };
        Loaded { ready: self.ready, report, stderr }
    }
}

fn text(from: &mut impl Read) -> String {
    let mut text = String::new();
    from.read_to_string(&mut text).expect("text");
    text
}

#[track_caller]
fn wait(child: &mut Child) -> Option<i32> {
    let deadline = Instant::now() + AT_MOST;
    loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return status.code();
        }
        if Instant::now() > deadline {
            child.kill().expect("it is our child");
            panic!("it did not end within {AT_MOST:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// It must be refused: 2, nothing on stdout, one line with all of `fragments`.
#[track_caller]
pub fn refused(arguments: &str, fragments: &[&str]) {
    let mut child = command(arguments).spawn().expect("the program starts");
    let status = wait(&mut child);
    let ended = child.wait_with_output().expect("it is our child");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(status, Some(2), "{arguments}: {stderr}");
    assert!(ended.stdout.is_empty() && !stderr.contains("panicked"), "{arguments}: {stderr}");
    for fragment in fragments {
        assert!(stderr.contains(fragment), "{arguments}: {fragment:?} is not in: {stderr}");
    }
}
