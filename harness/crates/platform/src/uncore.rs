//! Counters outside the cores (memory controllers, PCIe, socket links), by `perf_event_open(2)`.
//!
//! Which counters there are the kernel tells in sysfs: a performance monitoring unit that has a
//! `cpumask` file is counted once for all CPUs of a die or socket, through any CPU of that mask
//! (Linux, `Documentation/ABI/testing/sysfs-bus-event_source-devices-*`); units of the cores have
//! none. Out of their named events those are opened that tell of the traffic between a card, memory
//! and sockets (`uncore/wanted.rs`). AMD's `amd_df` and `amd_umc_*` name no events in sysfs, and what their
//! numbers mean differs between generations: they are told as such, not guessed at.
//!
//! A count is called `uncore_imc_0/cas_count_read@cpu24`: unit, event, and the CPU of the mask,
//! which stands for its socket.

mod counters;
mod perf;
mod terms;
mod unit;
mod wanted;

use std::path::{Path, PathBuf};

pub use counters::{Count, Counted, Counters, Opened, Reading};
pub use terms::{ConfigWords, TermError};
pub use unit::Unit;

/// At most so many counters are opened unless asked otherwise. Ours: a two-socket Xeon has 12
/// memory channels with 2 events and some links and ports; each takes a file.
pub const USUAL_LIMIT: usize = 128;

/// Where units are described, and what may be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    sys: PathBuf,
    proc: PathBuf,
}

impl Default for Source {
    fn default() -> Self {
        Self::new("/sys", "/proc")
    }
}

impl Source {
    /// Another tree than the machine's. The counters that it describes are this machine's still.
    pub fn new(sys: impl Into<PathBuf>, proc: impl Into<PathBuf>) -> Self {
        Self { sys: sys.into(), proc: proc.into() }
    }

    /// The units outside the cores, in the order of their names, and what was not understood of
    /// others.
    pub fn units(&self) -> (Vec<Unit>, Vec<String>) {
        unit::discover(&self.folder())
    }

    /// Opens what is wanted, at most `limit` counters.
    pub fn open(&self, limit: usize) -> Opened {
        counters::open(self, limit)
    }

    fn folder(&self) -> PathBuf {
        self.sys.join("bus/event_source/devices")
    }

    fn paranoid_file(&self) -> PathBuf {
        self.proc.join("sys/kernel/perf_event_paranoid")
    }
}

/// The trimmed text of a file; absent where it cannot be read.
fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests;
