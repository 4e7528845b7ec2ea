//! A folder with results of a machine, as the workflow leaves them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use onesided_results::{
    RunConfiguration, RunRecord,
    bundle::{self, BundleManifest},
    directory::{Existing, RunDirectory, path_of},
    record::{Outcome, RunTotals},
    series::{LatencyBucket, WindowCount},
    version,
    vocabulary::{Phase, Source},
};

use crate::program::{Ended, command, ended};

/// The machine.
pub const PROFILE: &str = "mine";

/// Its campaign: the day of the first run, and the machine.
pub const CAMPAIGN: &str = "2026-01-31-mine";

/// Where the program is run, with `results` and `profiles`.
pub struct Place(tempfile::TempDir);

impl Place {
    /// Three runs of an experiment, one of them invalid and one failed, collected; the machine.
    pub fn measured() -> Self {
        let place = Self::empty();
        place.run("first", Outcome::Valid, "2026-01-31T23:59:00.000Z");
        place.run("second", Outcome::Invalid, "2026-02-01T00:00:00.000Z");
        let message = "the other side is gone".to_owned();
        let failed = Outcome::Failed { phase: Phase::Measure, message };
        place.run("third", failed, "2026-02-01T00:01:00.000Z");
        place.collect();
        place
    }

    /// Without runs, with the machine.
    pub fn empty() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        let text = "[profile]\nname = \"mine\"\ntitle = \"a machine\"\nkind = \"measured\"\n\
                    source = \"a test\"\n\n[[host]]\nlogical_cpus = 2\n";
        place.write("profiles/mine/machine.toml", text);
        place
    }

    /// A path in it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Writes a run of one queue pair.
    pub fn run(&self, run_id: &str, outcome: Outcome, started_at: &str) {
        let configuration = RunConfiguration {
            run_id: run_id.to_owned(),
            experiment: "by-hand".to_owned(),
            profile: PROFILE.to_owned(),
            window_ms: 10,
            ..RunConfiguration::default()
        };
        assert_eq!(configuration.queue_pairs, 1);
        let path = path_of(&self.at("results/raw"), &configuration);
        let directory = RunDirectory::create(&path, Existing::Keep).expect("a directory");
        directory.write_record(&record(configuration, outcome, started_at)).expect("a record");
        let count = |window| WindowCount {
            window,
            start_ns: u64::from(window) * 10_000_000,
            queue_pair: 0,
            operations: 1,
        };
        directory.write_windows(&(0..10).map(count).collect::<Vec<_>>()).expect("windows");
        let bucket = LatencyBucket { queue_pair: 0, lowest_ns: 900, highest_ns: 901, count: 10 };
        directory.write_latency(&[bucket]).expect("latencies");
        directory.commit().expect("a run");
    }

    /// `onesided` with arguments that stand apart by spaces.
    pub fn onesided(&self, arguments: &str) -> Ended {
        ended(self.command().args(arguments.split_whitespace()))
    }

    /// The program, in this place, whose temporary files go to `tmp` here.
    pub fn command(&self) -> Command {
        let mut command = command();
        fs::create_dir_all(self.at("tmp")).expect("a folder");
        command.current_dir(self.0.path()).env("TMPDIR", self.at("tmp"));
        command
    }

    /// Makes the tables.
    pub fn collect(&self) {
        let out = "--raw results/raw/mine --out results/tables/mine";
        self.onesided(&format!("collect {out}")).valid();
    }

    /// Packs what is there.
    pub fn bundle(&self) -> Ended {
        self.onesided("bundle --profile mine --out mine.tar.gz")
    }

    /// The names in the packed bundle, in their order.
    pub fn names(&self) -> Vec<String> {
        self.manifest().files.into_iter().map(|file| file.path).collect()
    }

    /// The manifest of the packed bundle.
    pub fn manifest(&self) -> BundleManifest {
        let packed = fs::read(self.at("mine.tar.gz")).expect("a bundle");
        bundle::read(&packed[..], packed.len() as u64, |_, _| Ok(())).expect("a whole bundle")
    }

    /// What `check` says of the archive, which must be wrong; nothing was written.
    #[track_caller]
    pub fn wrong(&self, fragment: &str) -> String {
        let told = self.onesided("check mine.tar.gz").check_failed().stdout;
        assert!(told.starts_with("WRONG mine.tar.gz: ") && told.lines().count() == 1, "{told}");
        assert!(told.contains(fragment), "{fragment:?} is not in: {told}");
        assert!(is_empty(&self.at("tmp")), "something was left behind");
        told
    }

    /// Unpacks the bundle with tar(1).
    pub fn unpack(&self) -> PathBuf {
        let mut tar = Command::new("tar");
        let done = tar.current_dir(self.0.path()).args(["-xzf", "mine.tar.gz"]).output();
        let done = done.expect("tar(1) is there");
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
        self.at(CAMPAIGN)
    }
}

/// Whether a folder has nothing in it.
pub fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").next().is_none()
}

fn record(configuration: RunConfiguration, outcome: Outcome, started_at: &str) -> RunRecord {
    let failed = matches!(outcome, Outcome::Failed { .. });
    RunRecord {
        schema_version: version::RECORD.written,
        configuration,
        source: Source::SoftRoce,
        back_end: "verbs".to_owned(),
        started_at: started_at.to_owned(),
        outcome,
        doubts: Vec::new(),
        negotiated: None,
        client: None,
        further_clients: Vec::new(),
        client_clocks: Vec::new(),
        server: None,
        clock: None,
        phases: Vec::new(),
        totals: (!failed).then_some(RunTotals {
            operations: 10,
            operations_after_end: 0,
            signaled: 10,
            completions: 10,
            messages_sent: None,
            messages_received: None,
            samples: 10,
            saturated_samples: 0,
            measured_ns: 100_000_000,
            queue_pairs: Vec::new(),
        }),
        verification: Vec::new(),
        simulation: None,
    }
}
