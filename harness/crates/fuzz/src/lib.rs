//! What reads bytes from outside, as targets: each takes any bytes, and must neither panic nor hang
//! nor take memory out of proportion.
//!
//! A target goes the way that the bytes go in the program: a file is written and read by its path, a
//! stranger's bytes come through a socket, and a client's messages come to a session that serves runs.
//! `ci/fuzz` plays a target under libFuzzer, with coverage; `tests/inputs.rs` plays all of them for a
//! moment with no more than a plain compiler. `corpus/TARGET` holds what both begin with.

mod files;
mod wire;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// One reader of bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: of its folder of inputs, too.
    pub name: &'static str,
    /// What reads the bytes, and from where they come.
    pub about: &'static str,
    /// Reads them; whether they are what they should be.
    pub play: fn(&[u8]) -> bool,
}

/// All of them.
pub const TARGETS: &[Target] = &[
    target("bundle", "the archive of a results bundle", files::bundle),
    target("claims", "claims.toml", files::claims),
    target(
        "client-message",
        "a client's message, and the check of what it asks for",
        wire::client_message,
    ),
    target("compressed-table", "runs.csv.gz", files::compressed_table),
    target("conditions", "conditions.csv, and runs.csv beside it", files::conditions),
    target("design", "a design, and its expansion", files::design),
    target("edges", "a graph as a list of edges", files::edges),
    target("machine-profile", "machine.toml", files::machine_profile),
    target("published-file-name", "the path of a published file", files::published_file_name),
    target(
        "published-key-value",
        "what the study's key-value store printed",
        files::published_key_value,
    ),
    target(
        "published-latencies",
        "what the study's latency program printed",
        files::published_latencies,
    ),
    target(
        "published-rates",
        "what the study's throughput program printed",
        files::published_rates,
    ),
    target("run-directory", "the files of one run", files::run_directory),
    target("run-table", "the table of runs to do", files::run_table),
    target("server-message", "a server's message to a client", wire::server_message),
    target("session", "messages of a client that has the token, served", wire::session),
    target("simulation-profile", "simulation.toml", files::simulation_profile),
    target("stranger", "what comes to a server's port from who has no token", wire::stranger),
    target("words", "CPU lists, nodes and places", files::words),
];

const fn target(name: &'static str, about: &'static str, play: fn(&[u8]) -> bool) -> Target {
    Target { name, about, play }
}

impl Target {
    /// The target of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TARGETS.iter().copied().find(|target| target.name == name)
    }

    /// The committed inputs that it begins with, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn corpus(&self) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name);
        let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
        let mut paths: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        paths.into_iter().map(|path| fs::read(&path).map(|bytes| (path, bytes))).collect()
    }
}
