//! A folder with a profile, a run table and what is simulated from them, by the real program.

#[path = "../shared/ended.rs"]
mod ended;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{RECORD_FILE, path_of},
    table::write_table,
};
use onesided_sim::Field;
use tempfile::TempDir;

pub use ended::{Ended, ending};

/// What nothing here may take longer than. Ours: a debug build on a busy machine needs seconds.
const AT_MOST: Duration = Duration::from_secs(60);

/// The profile of these tests.
pub const PROFILE: &str = "paper-machine";

/// Parameters that differ from the least that they may be; whole nanoseconds, each another bit.
const COSTS: [(&str, f64); 11] = [
    ("post_ns.read", 1.0),
    ("doorbell_ns", 2.0),
    ("request_ns.read", 4.0),
    ("packet_ns", 8.0),
    ("one_way_ns", 16.0),
    ("respond_ns.read", 32.0),
    ("line_ns.read.local", 64.0),
    ("memory_ns.read", 128.0),
    ("interconnect_ns.read", 4096.0),
    ("completion_ns", 256.0),
    ("poll_ns", 512.0),
];

/// What a read of one queue pair takes: packets and the way count twice.
pub const READ_NS: u64 = 1 + 2 + 4 + 2 * (8 + 16) + 32 + 64 + 128 + 256 + 512;

/// A folder of a test.
pub struct Place {
    folder: TempDir,
    parameters: BTreeMap<String, f64>,
}

impl Place {
    /// With a profile of all parameters, and `runs` as table.
    pub fn new(runs: &[RunConfiguration]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory");
        write_table(&folder.path().join("runs.csv"), runs).expect("a run table");
        let least = Field::ALL.iter().map(|field| (field.name.to_owned(), field.least));
        let mut parameters: BTreeMap<_, _> = least.collect();
        // As many as nobody runs out of.
        for name in ["client_cpus", "server_cpus", "request_cache_entries", "context_entries"] {
            parameters.insert(name.to_owned(), 1e3);
        }
        parameters.extend(COSTS.map(|(name, value)| (name.to_owned(), value)));
        let place = Self { folder, parameters };
        place.write_profile(&place.parameters);
        place
    }

    /// The profile with a parameter changed.
    pub fn change(&mut self, name: &str, value: f64) {
        self.parameters.insert(name.to_owned(), value);
        self.write_profile(&self.parameters);
    }

    /// The profile without a parameter.
    pub fn leave_out(&mut self, name: &str) {
        self.parameters.remove(name).expect("a parameter");
        self.write_profile(&self.parameters);
    }

    /// Adds text to the profile.
    pub fn append(&self, text: &str) {
        let path = self.profile();
        let before = fs::read_to_string(&path).expect("a profile");
        fs::write(path, before + text).expect("a profile");
    }

    fn write_profile(&self, parameters: &BTreeMap<String, f64>) {
        let of_one = |(name, value): (&String, &f64)| {
            format!("[[parameter]]\nname = \"{name}\"\nvalue = {value:?}\nsource = \"a test\"\n\n")
        };
        let text: String = parameters.iter().map(of_one).collect();
        fs::create_dir_all(self.profile().parent().expect("a folder")).expect("a folder");
        fs::write(self.profile(), text).expect("a profile");
    }

    fn profile(&self) -> PathBuf {
        self.folder.path().join("profiles").join(PROFILE).join("simulation.toml")
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file");
    }

    /// A file of the folder.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    /// Where simulated runs are.
    pub fn raw(&self) -> PathBuf {
        self.folder.path().join("raw")
    }

    /// The record of a run.
    pub fn record(&self, run: &RunConfiguration) -> RunRecord {
        RunRecord::read(&path_of(&self.raw(), run).join(RECORD_FILE)).expect("a record")
    }

    /// `onesided simulate` of the table, with these arguments as well.
    pub fn simulate(&self, arguments: &str) -> Ended {
        self.onesided(&format!(
            "simulate --table runs.csv --profile {PROFILE} --out raw {arguments}"
        ))
    }

    /// The program, in this folder.
    pub fn onesided(&self, arguments: &str) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        command.current_dir(self.folder.path()).args(arguments.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ended::ending(command.spawn().expect("the program starts"), AT_MOST)
    }

    /// Every file below the results, by its path there.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.raw(), &self.raw(), &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("it is below").to_owned();
            files.insert(name, fs::read(&path).expect("a file"));
        }
    }
}

impl Ended {
    /// It ended so, and said this on stderr.
    #[track_caller]
    pub fn with(self, status: i32, fragments: &[&str]) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        for fragment in fragments {
            assert!(self.stderr.contains(fragment), "{fragment:?} is not in {}", self.stderr);
        }
        self
    }
}
