//! What is known to be wrong with the release, as a closed list; nothing else is tolerated.
//!
//! Where a label is wrong, the evidence is in the rates: runs that say 1024 bytes are as fast as
//! those of 512 to 0.005 %, and workers that say that they write leave clients as fast as readers
//! do. The configurations that the study published say the same of both.

use onesided_results::vocabulary::{Operation, WorkerOperation};

use crate::factors::Factors;

/// Something that is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// There is nothing in it.
    Empty,
    /// It is no run.
    Stray,
    /// It is what a program said while running.
    Log,
    /// Its rates are all 0.
    AllZero,
    /// Its workers read, where the folder says that they write.
    WorkersRead,
    /// Its clients wrote 512 bytes, where the name says 1024.
    HalfSize,
    /// It is a copy of another folder's run.
    Misfiled,
    /// The size of its load is not in the path.
    LoadUnsized,
}

impl Oddity {
    /// Why, for the manifest.
    pub fn why(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Stray => "one line of one client, no run",
            Self::Log => "a log, not read",
            Self::AllZero => "all rates are 0: the client ended without an operation",
            Self::WorkersRead => "its workers read: the configuration of 24 and more writers",
            Self::HalfSize => "its clients wrote 512 bytes: the configuration of 1024",
            Self::Misfiled => "a copy of a run of twentyfour_thread",
            Self::LoadUnsized => "the size of its load is not in the path",
        }
    }
}

/// The only file without content.
const EMPTY: &str = "cache_aligned/workers/sixtyfour_byte/clients_eight/cwrite/swrite/numa_zero/\
                     2workers.result";

/// The only file with less than a run.
pub const STRAY: &str = "baseline/clients_four/cread/numa_one/1024byte.result";

/// What the programs said of the tree of all operations.
const LOGS: [&str; 2] = ["xfour/client.out", "xfour/server.out"];

/// Folders with copies of runs of `cache_aligned/load/twentyfour_thread`.
const MISFILED: [&str; 4] = [
    "cache_aligned/load/ninetyp/onek/clients_eight/",
    "cache_aligned/load/ninetyp/onek/clients_thirtytwo/",
    "cache_aligned/load/ninetyp/no_load/eight_byte/clients_thirtytwo/",
    "cache_aligned/load/ninetyp/onemil/eight_byte/clients_thirtytwo/",
];

/// Where the run is that a misfiled one is a copy of.
pub const FILED_RIGHTLY: &str = "cache_aligned/load/twentyfour_thread/";

/// Folder of the runs whose load has no size in the path.
const LOAD_UNSIZED: &str = "cache_aligned/load/twentyfour_thread/sixtyfour_byte/";

/// Files of the release that its copies lack.
pub const MISSING: [&str; 8] = [
    "baseline/clients_onetwentyeight/cread/sread/numa_one/0workers.result",
    "baseline/clients_onetwentyeight/cread/sread/numa_zero/0workers.result",
    "baseline/clients_onetwentyeight/cwrite/sread/numa_one/0workers.result",
    "baseline/clients_onetwentyeight/cwrite/sread/numa_zero/0workers.result",
    "cache_aligned/baseline/clients_onetwentyeight/cread/sread/numa_one/0workers.result",
    "cache_aligned/baseline/clients_onetwentyeight/cread/sread/numa_zero/0workers.result",
    "cache_aligned/baseline/clients_onetwentyeight/cwrite/sread/numa_one/0workers.result",
    "cache_aligned/baseline/clients_onetwentyeight/cwrite/sread/numa_zero/0workers.result",
];

/// What is known to be wrong with the file at `path`.
pub fn known(path: &str) -> Option<Oddity> {
    if path == EMPTY {
        return Some(Oddity::Empty);
    }
    if path == STRAY {
        return Some(Oddity::Stray);
    }
    if LOGS.contains(&path) {
        return Some(Oddity::Log);
    }
    if path.starts_with("xfour/") && path.contains("/ccas/") {
        return Some(Oddity::AllZero);
    }
    if MISFILED.iter().any(|folder| path.starts_with(folder)) {
        return Some(Oddity::Misfiled);
    }
    if path.starts_with(LOAD_UNSIZED) {
        return Some(Oddity::LoadUnsized);
    }
    None
}

/// What is known to be wrong with the labels of `factors`.
pub fn of_labels(factors: &Factors) -> Option<Oddity> {
    if says_half_size(factors) {
        return Some(Oddity::HalfSize);
    }
    says_writers(factors).then_some(Oddity::WorkersRead)
}

/// Puts right what labels say wrongly; the labels stay.
pub fn correct(factors: &mut Factors) {
    if says_half_size(factors) {
        factors.access_bytes = 512;
    }
    if says_writers(factors) {
        factors.worker_operation = WorkerOperation::Read;
    }
}

/// Their configurations say 512. Runs that are named by their size are of the access-size trees.
fn says_half_size(factors: &Factors) -> bool {
    factors.operation == Operation::Write && factors.access_label == Some(1024)
}

/// Their configurations have the worker mode of readers.
fn says_writers(factors: &Factors) -> bool {
    factors.worker_label == Some("swrite") && factors.workers >= 24
}
