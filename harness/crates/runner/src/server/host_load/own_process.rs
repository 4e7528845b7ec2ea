//! The load as a process of its own: `onesided load`, started and stopped with the run.
//!
//! It runs until its stdin closes, so it ends with this process however that ends.

use std::{
    io::{BufRead, BufReader, Read, Write as _},
    process::{Child as Process, ChildStderr, ChildStdin, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use onesided_placement::{CpuId, CpuSet};
use onesided_results::{
    RunConfiguration,
    load_report::{LoadLine, LoadProof, LoadReady, LoadReport},
    record::{PlacementProof, ThreadProof},
    vocabulary::{Moment, Phase, ThreadRole},
};
use onesided_transport::Transport;

use super::{
    in_process::load_memory,
    report::{Interval, LoadThread, expected},
};
use crate::{error::RunError, site::Site};

/// Looks whether a load that does not listen has ended, [`LOOK_AGAIN`] apart. Ours: a second in all, which the
/// end of a process does not take.
const LOOKS: u32 = 200;

/// Longest wait for the load to be ready. Ours: touching a node's memory takes seconds.
const READY_WITHIN: Duration = Duration::from_secs(50);

/// Longest wait for its report, and for its end. Ours.
const REPORT_WITHIN: Duration = Duration::from_secs(20);

/// Between two looks at whether it has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Most of its stderr that is kept for a message. Ours.
const STDERR_BYTES: u64 = 4096;

/// The running process.
pub(super) struct Child {
    process: Process,
    stdin: Option<ChildStdin>,
    stderr: Option<ChildStderr>,
    lines: mpsc::Receiver<Result<LoadLine, String>>,
    ready: LoadReady,
    /// Place of its threads, as the run asked: it was told CPUs.
    asked: String,
    /// Place of its memory, as the run asked.
    asked_memory: String,
}

impl Child {
    /// Starts it, and returns when it loads.
    pub(super) fn start<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        pins: &[Option<CpuSet>],
    ) -> Result<Self, RunError> {
        let failed = |what: &str, source: std::io::Error| {
            RunError::new(Phase::SetUp, format!("the load's own process: {what}"), source)
        };
        let program = site.load_program.as_ref().ok_or_else(|| {
            let what = "load_process = own-process: this server was given no program for it";
            RunError::plain(Phase::SetUp, what)
        })?;
        // Here, where the field can be named; the process has a flag for it.
        let (asked_memory, _) = load_memory(site, configuration)?;
        let mut command = Command::new(program);
        command.args(arguments(site, configuration, pins));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|source| failed("cannot be started", source))?;
        let (stdin, stderr) = (process.stdin.take(), process.stderr.take());
        let (sender, lines) = mpsc::channel();
        let stdout = process.stdout.take().expect("its stdout is a pipe");
        let reader = thread::Builder::new().name("load-reader".to_owned());
        let spawned = reader.spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.map_err(|error| error.to_string()).and_then(|line| {
                    serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
                });
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let ready = LoadReady { placement: Vec::new(), threads: 0 };
        // From here on its drop ends the process.
        let asked = configuration.load_threads.clone().unwrap_or_default();
        let mut child = Self { process, stdin, stderr, lines, ready, asked, asked_memory };
        spawned.map_err(|source| failed("cannot be listened to", source))?;
        child.ready = match child.next(READY_WITHIN, Phase::SetUp)? {
            LoadLine::Ready(ready) => ready,
            _ => return Err(child.ending(Phase::SetUp, "it did not say that it loads")),
        };
        Ok(child)
    }

    /// What it says of its memory: when it was ready, or now.
    pub(super) fn proofs(&mut self, when: Moment) -> Result<Vec<PlacementProof>, RunError> {
        let proofs = match when {
            Moment::Before => self.ready.placement.clone(),
            Moment::During => self.ask()?,
            // That is in its report.
            Moment::After => Vec::new(),
        };
        Ok(self.as_asked(proofs, when))
    }

    fn must_live(&mut self) -> Result<(), RunError> {
        match self.process.try_wait() {
            Ok(Some(status)) => {
                let what = format!("it ended during the run ({status})");
                Err(self.ending(Phase::Measure, &what))
            }
            // What cannot be asked is found out by the next message.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Asks it where its memory is.
    fn ask(&mut self) -> Result<Vec<PlacementProof>, RunError> {
        self.must_live()?;
        let asked = self.stdin.as_mut().map(|stdin| stdin.write_all(b"\n"));
        if !matches!(asked, Some(Ok(()))) {
            // One that is being killed does not listen before it has ended: how it ended says more.
            for _ in 0..LOOKS {
                self.must_live()?;
                thread::sleep(LOOK_AGAIN);
            }
            return Err(self.ending(Phase::Measure, "it does not listen any more"));
        }
        match self.next(REPORT_WITHIN, Phase::Measure)? {
            LoadLine::Proof(LoadProof { placement }) => Ok(placement),
            _ => Err(self.ending(Phase::Measure, "it did not say where its memory is")),
        }
    }

    /// Proofs in the words and by the moments of the run, of which it knows neither.
    fn as_asked(&self, proofs: Vec<PlacementProof>, when: Moment) -> Vec<PlacementProof> {
        let told = |proof| PlacementProof { asked: self.asked_memory.clone(), when, ..proof };
        proofs.into_iter().map(told).collect()
    }

    /// Stops it, and says what it did.
    pub(super) fn stop<T: Transport>(
        mut self,
        site: &Site<'_, T>,
        interval: Interval,
    ) -> Result<(Vec<PlacementProof>, Vec<LoadThread>), RunError> {
        self.must_live()?;
        drop(self.stdin.take());
        let report = match self.next(REPORT_WITHIN, Phase::Measure)? {
            LoadLine::Report(report) => report,
            _ => return Err(self.ending(Phase::Measure, "it did not report when it was stopped")),
        };
        self.end();
        let t0 = site
            .clock
            .raw_ns_at(interval.t0)
            .map_err(|source| RunError::new(Phase::Measure, "the clock", source))?;
        let LoadReport { started_raw_ns, window_ns, placement, threads } = report;
        let threads = threads.into_iter().map(|thread| LoadThread {
            proof: ThreadProof {
                role: ThreadRole::Load,
                thread: thread.thread,
                asked: self.asked.clone(),
                asked_cpus: thread.asked_cpus,
                resolved_node: thread.resolved_node,
                seen: thread.seen,
                activity: Some(thread.activity),
            },
            starts_ns: started_raw_ns as i64 - t0 as i64,
            window_ns,
            windows: thread.windows,
            accesses: thread.accesses,
            reads: thread.reads,
            writes: thread.writes,
            swaps_won: 0,
        });
        Ok((self.as_asked(placement, Moment::After), threads.collect()))
    }

    fn next(&mut self, within: Duration, phase: Phase) -> Result<LoadLine, RunError> {
        match self.lines.recv_timeout(within) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(what)) => Err(self.ending(phase, &format!("it said {what}"))),
            Err(RecvTimeoutError::Disconnected) => Err(self.ending(phase, "it ended")),
            Err(RecvTimeoutError::Timeout) => {
                Err(self.ending(phase, &format!("it said nothing within {within:?}")))
            }
        }
    }

    /// What happened, and what it said of it.
    fn ending(&mut self, phase: Phase, what: &str) -> RunError {
        self.end();
        let mut said = String::new();
        if let Some(stderr) = self.stderr.take() {
            // What cannot be read cannot be told.
            let _ = stderr.take(STDERR_BYTES).read_to_string(&mut said);
        }
        let said = said.trim().replace('\n', "; ");
        let said = if said.is_empty() { said } else { format!(": {said}") };
        RunError::plain(phase, format!("the load's own process: {what}{said}"))
    }

    /// Ends it, if need be by force.
    fn end(&mut self) {
        drop(self.stdin.take());
        let limit = Instant::now() + REPORT_WITHIN;
        while Instant::now() < limit {
            match self.process.try_wait() {
                Ok(None) => thread::sleep(LOOK_AGAIN),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        // Best effort: nobody is left to be told.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

fn arguments<T: Transport>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    pins: &[Option<CpuSet>],
) -> Vec<String> {
    let plan = onesided_plan::independent(configuration, 0);
    let shown = |value: Option<&dyn ToString>| value.map(ToString::to_string).unwrap_or_default();
    // The CPUs were dealt here, where it is known what else is pinned.
    let cpus: Vec<CpuId> = pins.iter().flatten().flat_map(CpuSet::iter).collect();
    let threads = CpuSet::new(cpus).map_or("any".to_owned(), |cpus| format!("cpus:{cpus}"));
    let on_several = pins.iter().flatten().any(|pin| pin.count() > 1);
    let dealt = if on_several { "--on-all" } else { "--in-turn" };
    let mut arguments =
        vec!["load".to_owned(), "--until-stdin-closes".to_owned(), dealt.to_owned()];
    for (flag, value) in [
        ("--bytes", shown(configuration.load_bytes.as_ref().map(|v| v as _))),
        ("--threads", shown(configuration.load_thread_count.as_ref().map(|v| v as _))),
        ("--threads-on", threads),
        ("--memory", configuration.load_memory.clone().unwrap_or_default()),
        ("--write-fraction", shown(configuration.load_write_fraction.as_ref().map(|v| v as _))),
        ("--pattern", shown(configuration.load_pattern.as_ref().map(|v| v as _))),
        ("--width", plan.access_bytes.to_string()),
        ("--seed", plan.seed.to_string()),
        ("--count-windows-for", format!("{}ms", expected(configuration).as_millis())),
        ("--window", format!("{}ms", configuration.window_ms)),
    ] {
        arguments.extend([flag.to_owned(), value]);
    }
    if let Some(node) = site.locality.node {
        arguments.extend(["--device-node".to_owned(), node.to_string()]);
    }
    arguments
}
