//! What a server gives its clients, whatever they ask for.

use clap::Args;
use onesided_placement::available_bytes;
use onesided_runner::Amount;

use super::bytes;

/// What a server gives its clients.
#[derive(Args)]
pub struct LimitArguments {
    /// Clients to serve at once, those that have joined included; one more is told so and turned away
    #[arg(long, value_name = "NUMBER", default_value_t = MOST_CLIENTS)]
    pub most_clients: u64,
    /// Memory that all runs may take together; a run that needs more is refused [default: three quarters
    /// of what is available at the start]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    most_memory: Option<u64>,
    /// Threads that all runs may take together: workers, load and those that answer
    #[arg(long, value_name = "NUMBER", default_value_t = MOST_THREADS)]
    most_threads: u64,
}

/// Ours: a server of the largest published set-up has 24.
const MOST_CLIENTS: u64 = 256;

/// Ours: sixteen for each CPU of a machine with 256.
const MOST_THREADS: u64 = 4096;

impl LimitArguments {
    /// What the runs may take together.
    pub fn of_runs(&self) -> Amount {
        let memory_bytes = self.most_memory.unwrap_or_else(usual_memory_bytes);
        Amount { memory_bytes, threads: self.most_threads }
    }
}

/// Three quarters of what is available; where the kernel does not say that, allocations fail by
/// themselves.
fn usual_memory_bytes() -> u64 {
    available_bytes().ok().flatten().map_or(u64::MAX, |free| free / 4 * 3)
}

/// What a server without flags gives, in words.
pub fn usual_limits() -> String {
    let memory = match usual_memory_bytes() {
        u64::MAX => "all memory".to_owned(),
        bytes => format!("{} MiB of memory", bytes >> 20),
    };
    format!(
        "{MOST_CLIENTS} clients at once (--most-clients); for all runs together {memory} \
         (--most-memory) and {MOST_THREADS} threads (--most-threads)"
    )
}
