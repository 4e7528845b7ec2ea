//! A design file: one question, the factors that answer it, and their levels.
//!
//! ```toml
//! replicates = 10                  # how often each design point is run
//! block_by = ["replicate"]         # what separates blocks of the run order
//!
//! [experiment]
//! name = "latency-by-queue-pairs"  # the file's name
//! title = "Latency by queue pairs"
//! question = "How does latency grow with queue pairs?"
//! figures = ["latency-by-queue-pairs"]               # scripts in figures/ that draw its runs
//! claims = ["fig3-latency"]        # entries of paper/claims.toml that it answers
//!
//! [experiment.cost]                # of each level; where said, it must be what it expands to
//! full = { runs = 120, blocks = 10, seconds = 264 }
//! smoke = { runs = 4, blocks = 1, seconds = 9 }
//!
//! [fixed]                          # one value for all runs; what is not named has its default
//! loop = "closed"
//!
//! [factors]                        # every combination of these is a design point
//! queue_pairs = [1, 2, 4]
//! operation = ["read", "write"]
//!
//! [[together]]                     # crossed with the factors, but not with each other: here the
//! server_region = ["rdma-local", "rdma-remote"]     # workers are always where the memory is
//! worker_threads = ["rdma-local", "rdma-remote"]
//!
//! [level.smoke]                    # what differs when less is run; also [level.reproduce]
//! replicates = 1
//! [level.smoke.factors]
//! queue_pairs = [1]
//! ```

pub(crate) mod error;
mod file;
pub(crate) mod parts;
mod reading;
mod tables;

use std::path::Path;

use onesided_results::toml_file;

pub use self::{
    error::DesignError,
    parts::{BlockBy, Change, Design, Setting, Settings},
};
pub use onesided_results::toml_file::Place;

impl Design {
    /// Reads a design file.
    ///
    /// # Errors
    /// When it cannot be read, or is wrong: then with line, column, value and what is allowed.
    pub fn read(path: &Path) -> Result<Self, DesignError> {
        Self::parse(path, &toml_file::text(path)?)
    }

    /// Reads `text`, the content of a design file at `path`.
    ///
    /// # Errors
    /// When it is wrong, with line, column, value and what is allowed.
    pub fn parse(path: &Path, text: &str) -> Result<Self, DesignError> {
        file::parse(path, text)
    }
}

#[cfg(test)]
mod tests;
