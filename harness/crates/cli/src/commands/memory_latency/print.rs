//! The tables for people.

use std::{
    collections::BTreeSet,
    io::{Write, stdout},
};

use comfy_table::Table;

use super::{
    host::mebibytes,
    outcome::{Arithmetic, Compared, Entry, Outcome, Step},
};
use crate::printed::{counted, table};

/// Prints the matrix of each load, the plateaus and the arithmetic.
pub fn tables(outcome: &Outcome) -> anyhow::Result<()> {
    let loads: BTreeSet<u32> = outcome.matrix.iter().map(|entry| entry.load_threads).collect();
    for load_threads in loads {
        let of: Vec<&Entry> =
            outcome.matrix.iter().filter(|entry| entry.load_threads == load_threads).collect();
        writeln!(stdout(), "{}", heading(outcome, &of))?;
        writeln!(stdout(), "{}", matrix(&of))?;
    }
    if !outcome.plateaus.is_empty() {
        writeln!(stdout(), "Latency by what holds the working set, idle:")?;
        writeln!(stdout(), "{}", plateaus(&outcome.plateaus))?;
    }
    if let Some(arithmetic) = &outcome.arithmetic {
        writeln!(stdout(), "{}", sentence(arithmetic))?;
    }
    Ok(())
}

fn heading(outcome: &Outcome, entries: &[&Entry]) -> String {
    let replicates = entries.iter().map(|entry| entry.replicates).max().unwrap_or(0);
    let condition = match entries.iter().find(|entry| entry.load_threads > 0) {
        None => "idle".to_owned(),
        Some(loaded) => {
            let rate = loaded.load_rate_per_second.unwrap_or(0.0);
            let threads = counted(loaded.load_threads, "thread");
            format!("under {threads} with {:.1} M accesses/s", rate / 1e6)
        }
    };
    format!(
        "Latency of a load from memory in ns, {condition}, {} of working set, median of {replicates}:",
        mebibytes(outcome.working_set_bytes)
    )
}

fn matrix(entries: &[&Entry]) -> Table {
    let memory: BTreeSet<u32> = entries.iter().map(|entry| entry.memory_node).collect();
    let cpus: BTreeSet<u32> = entries.iter().map(|entry| entry.cpu_node).collect();
    let header = memory.iter().map(|node| format!("memory of node {node}"));
    let header = ["from CPUs of".to_owned()].into_iter().chain(header);
    let mut table = table(header, 1..);
    for cpu in cpus {
        let at = |memory: &u32| {
            let found = entries.iter().find(|e| (e.cpu_node, e.memory_node) == (cpu, *memory));
            found.map_or_else(String::new, |entry| format!("{:.1}", entry.latency_ns))
        };
        table.add_row([format!("node {cpu}")].into_iter().chain(memory.iter().map(at)));
    }
    table
}

fn plateaus(steps: &[Step]) -> Table {
    let header = ["CPU node", "memory node", "level", "working sets", "ns", "from", "to"];
    let mut table = table(header, 4..);
    for step in steps {
        let sets = match step.to_bytes {
            Some(to) => format!("{} to {}", mebibytes(step.from_bytes), mebibytes(to)),
            None => format!("from {}", mebibytes(step.from_bytes)),
        };
        table.add_row([
            step.cpu_node.to_string(),
            step.memory_node.to_string(),
            step.level.clone(),
            format!("{sets} ({})", step.working_sets),
            format!("{:.2}", step.latency_ns),
            format!("{:.2}", step.low_ns),
            format!("{:.2}", step.high_ns),
        ]);
    }
    table
}

fn sentence(found: &Arithmetic) -> String {
    let memory = match found.memory {
        Compared::NumaRemote => "NUMA-remote memory",
        Compared::NumaLocal => "local memory (no pair of different nodes was measured)",
    };
    format!(
        "{} {:.1} ns, {memory} {:.1} ns: difference {:.1} ns; of a {:.1} us READ that is {:.1} %.\n\
         The study (section V-A): 38 ns and 122 ns, difference 84 ns, 3.6 %.",
        found.cache_level,
        found.cache_ns,
        found.memory_ns,
        found.difference_ns,
        found.read_ns / 1000.0,
        found.percent_of_read
    )
}
