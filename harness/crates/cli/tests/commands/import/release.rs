//! Small releases made by hand, and the real program on them.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use onesided_results::table::{Extra, Row, TableReader};

use crate::program::{Ended, command, ended};

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

    /// Imports it with so many threads, as the part of a release that it is.
    pub fn import(&self, threads: &str) -> Ended {
        self.import_with(&["--partial", "--threads", threads])
    }

    /// Imports it with these arguments.
    pub fn import_with(&self, arguments: &[&str]) -> Ended {
        let mut command = command();
        command.args(["import", "nurdma", "--results"]).arg(self.results());
        ended(command.arg("--out").arg(self.out()).args(arguments))
    }

    /// Imports it, which must do for a part of a release; what it says to people.
    #[track_caller]
    pub fn imported(&self) -> String {
        let ended = self.import("2").check_failed();
        assert_eq!(ended.stdout.trim(), self.out().to_str().expect("UTF-8"));
        ended.stderr
    }

    /// It could not run, in one line with all of `fragments`, and there is no table.
    #[track_caller]
    pub fn refused(&self, fragments: &[&str]) {
        let told = self.import("2").could_not_run(&[]).stderr;
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

    /// A copy of the table `name` with another cell in its first row.
    pub fn with_cell(&self, name: &str, column: &str, cell: &str) -> PathBuf {
        let mut text = String::new();
        let table = fs::File::open(self.out().join(name)).expect("a table");
        GzDecoder::new(table).read_to_string(&mut text).expect("UTF-8");
        let mut rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let at = rows[0].iter().position(|name| *name == column).expect("the column");
        rows[1][at] = cell;
        let text: String = rows.iter().map(|row| row.join(",") + "\n").collect();
        let directory = self.directory.path().join("changed");
        fs::create_dir_all(&directory).expect("a directory");
        let path = directory.join(name);
        let mut encoder =
            GzEncoder::new(fs::File::create(&path).expect("a file"), Compression::fast());
        encoder.write_all(text.as_bytes()).expect("a table");
        encoder.finish().expect("a table");
        path
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
