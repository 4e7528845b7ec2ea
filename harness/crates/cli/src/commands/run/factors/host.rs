//! The flags of what else goes on in the server's machine.

use clap::Args;
use onesided_results::{
    RunConfiguration,
    vocabulary::{CacheState, Ddio, LoadKind, LoadPattern, LoadProcess},
};

use super::word;
use crate::arguments::bytes;

/// Share of writes where none is given, as of the study's load (section V-C).
const WRITE_FRACTION: f64 = 0.5;

/// An independent load, and the state of caches.
#[derive(Args, Clone, Debug)]
#[group(id = "HostFactors", multiple = true, conflicts_with = "table")]
#[command(next_help_heading = "Independent load and caches")]
pub(super) struct HostFactors {
    /// Memory that an independent load on the server ranges over [default: no load]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    load_bytes: Option<u64>,
    /// in-process (the server's) or own-process [default: in-process]
    #[arg(long, value_name = "PROCESS", requires = "load_bytes")]
    #[arg(value_parser = word::<LoadProcess>)]
    load_process: Option<LoadProcess>,
    /// Threads of the load [default: 1]
    #[arg(long, value_name = "NUMBER", requires = "load_bytes")]
    load_thread_count: Option<u32>,
    /// Where they run: any; pinned in turn to the CPUs of a node's number, rdma-local or
    /// rdma-remote; with a CPU each of cpus:LIST; or each on all CPUs of a node, shared:NODE
    /// [default: any]
    #[arg(long, value_name = "PLACE", requires = "load_bytes")]
    load_threads: Option<String>,
    /// Where its memory is: any (its threads touch it first), a node's number, rdma-local,
    /// rdma-remote, bind:LIST (of nodes), interleave (all nodes), interleave:LIST or
    /// preferred:NODE [default: any]
    #[arg(long, value_name = "PLACE", requires = "load_bytes")]
    load_memory: Option<String>,
    /// Share of writes, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "FRACTION", requires = "load_bytes")]
    load_write_fraction: Option<f64>,
    /// uniform or stream [default: uniform]
    #[arg(long, value_name = "PATTERN", requires = "load_bytes")]
    #[arg(value_parser = word::<LoadPattern>)]
    load_pattern: Option<LoadPattern>,

    /// What is done to the server's caches before the first request: default (nothing), flushed
    /// or warm [default: default]
    #[arg(long, value_name = "STATE", value_parser = word::<CacheState>)]
    cache_state: Option<CacheState>,
    /// Whether its card may write into the cache: default (as the machine has it) or off, which
    /// needs root and an Intel root port [default: default]
    #[arg(long, value_name = "STATE", value_parser = word::<Ddio>)]
    ddio: Option<Ddio>,
}

impl HostFactors {
    /// Sets what was given, and for a load that there is what was not.
    pub(super) fn set(&self, run: &mut RunConfiguration) {
        set!(run from self: cache_state = cache_state, ddio = ddio);
        if self.load_bytes.is_none() {
            return;
        }
        let place = |asked: &Option<String>| asked.clone().unwrap_or_else(|| "any".to_owned());
        run.load_kind = LoadKind::Independent;
        run.load_bytes = self.load_bytes;
        run.load_process = Some(self.load_process.unwrap_or(LoadProcess::InProcess));
        run.load_thread_count = Some(self.load_thread_count.unwrap_or(1));
        run.load_threads = Some(place(&self.load_threads));
        run.load_memory = Some(place(&self.load_memory));
        run.load_write_fraction = Some(self.load_write_fraction.unwrap_or(WRITE_FRACTION));
        run.load_pattern = Some(self.load_pattern.unwrap_or(LoadPattern::Uniform));
    }
}
