//! Small releases made by hand, and the real program on them.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use onesided_results::table::{Extra, Row, TableReader};

/// A run of two clients.
pub const BASELINE: &str =
    "cache_aligned/baseline/clients_two/cread/sread/numa_one/0workers.result";
/// Another, of memory on the other node.
pub const AGAIN: &str = "cache_aligned/baseline/clients_two/cread/sread/numa_zero/0workers.result";
/// What an import writes.
pub const TABLES: [&str; 5] =
    ["clients.csv.gz", "conditions.csv.gz", "manifest.csv", "runs.csv.gz", "traces.csv.gz"];

/// A hand-made release and a place for its tables.
pub struct Release {
    directory: tempfile::TempDir,
}

impl Release {
    /// A release of these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let release = Self { directory: tempfile::tempdir().expect("a temporary directory") };
        fs::create_dir(release.results()).expect("a directory");
        files.iter().for_each(|(path, text)| release.put(path, text));
        release
    }

    /// Puts a file into it.
    pub fn put(&self, path: &str, text: &str) {
        let path = self.results().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// Its folder `results`.
    pub fn results(&self) -> PathBuf {
        self.directory.path().join("results")
    }

    /// Where its tables go.
    pub fn out(&self) -> PathBuf {
        self.directory.path().join("tables")
    }

    /// Imports it with so many threads.
    pub fn import(&self, threads: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        command.args(["import", "nurdma", "--threads", threads, "--results"]).arg(self.results());
        command.arg("--out").arg(self.out()).output().expect("the program starts")
    }

    /// Imports it, which must do; what it says to people.
    #[track_caller]
    pub fn imported(&self) -> String {
        let output = self.import("2");
        let told = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            self.out().to_str().expect("UTF-8")
        );
        told
    }

    /// It could not run, in one line with all of `fragments`, and there is no table.
    #[track_caller]
    pub fn refused(&self, fragments: &[&str]) {
        let output = self.import("2");
        let told = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
        // Lines of progress come before.
        let error = told.lines().last().expect("a message");
        for fragment in fragments {
            assert!(error.contains(fragment), "{fragment:?} is not in: {told}");
        }
        let there = fs::read_dir(self.out()).map_or(0, Iterator::count);
        assert_eq!(there, 0, "nothing is left of tables that were not finished");
    }

    /// The rows of a table.
    pub fn rows<T: Row>(&self) -> Vec<T> {
        let reader = TableReader::open(&self.out().join(T::FILE), Extra::Refused).expect("a table");
        reader.collect::<Result<_, _>>().expect("rows")
    }

    /// All tables as they are on the disk.
    pub fn bytes(&self) -> BTreeMap<&'static str, Vec<u8>> {
        let read = |name| (name, fs::read(self.out().join(name)).expect("a table"));
        TABLES.map(read).into()
    }
}

/// Lines of so many epochs of two clients at `ops` operations per second.
pub fn lines(epochs: u32, ops: u64) -> String {
    (1..=epochs)
        .map(|epoch| format!("0\t{epoch}\t{ops}.000000\n1\t{epoch}\t{ops}.000000\n"))
        .collect()
}

/// Lines of twenty epochs of two clients at five million operations per second.
pub fn twenty() -> String {
    lines(20, 5_000_000)
}
