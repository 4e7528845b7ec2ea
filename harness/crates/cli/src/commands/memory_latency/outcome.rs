//! What the rows come to: the matrix, the plateaus, the study's arithmetic.

use std::collections::BTreeMap;

use onesided_access::chase::plateaus::{Level, Plateau, plateaus};
use onesided_results::{
    row::MemoryLatencyRow,
    version,
    vocabulary::{LatencyPart, Source},
};
use serde::Serialize;

use super::{Arguments, host::Host};

/// An RDMA READ of 64 bytes of the study in nanoseconds (Nelson, Palmieri, SRDS 2020, section V-A).
pub const STUDY_READ_NS: f64 = 2300.0;

/// What a measurement came to.
#[derive(Debug, Serialize)]
pub struct Outcome {
    schema_version: u32,
    source: Source,
    profile: String,
    /// Bytes of the matrix's chase.
    pub working_set_bytes: u64,
    /// Caches of each CPU node.
    pub caches: Vec<CacheFound>,
    /// Every pair of nodes, idle first.
    pub matrix: Vec<Entry>,
    /// What each cache and memory takes, by pair of nodes.
    pub plateaus: Vec<Step>,
    /// The study's arithmetic; absent without a last-level cache or a matrix.
    pub arithmetic: Option<Arithmetic>,
    /// What was left out, or is doubtful.
    pub skipped: Vec<String>,
    /// Every measurement.
    pub rows: Vec<MemoryLatencyRow>,
}

/// A cache of the CPU that loads.
#[derive(Debug, Serialize)]
pub struct CacheFound {
    /// The CPU's node.
    pub cpu_node: u32,
    /// Its level.
    pub level: u8,
    /// Its capacity.
    pub bytes: u64,
    /// CPUs that share it, in the kernel's list form; absent where the kernel does not say.
    pub shared_by: Option<String>,
}

/// One pair of nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Node of the CPU.
    pub cpu_node: u32,
    /// Node of the memory.
    pub memory_node: u32,
    /// Threads that used memory meanwhile.
    pub load_threads: u32,
    /// Median over the replicates.
    pub latency_ns: f64,
    /// Shortest replicate.
    pub low_ns: f64,
    /// Longest replicate.
    pub high_ns: f64,
    /// Replicates.
    pub replicates: usize,
    /// Accesses per second of the load, the median over the replicates.
    pub load_rate_per_second: Option<f64>,
}

/// One level of a pair of nodes.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Node of the CPU.
    pub cpu_node: u32,
    /// Node of the memory.
    pub memory_node: u32,
    /// `L1`, `L2`, ..., or `memory`.
    pub level: String,
    /// Smallest working set that counts for it.
    pub from_bytes: u64,
    /// Largest; absent for memory.
    pub to_bytes: Option<u64>,
    /// Working sets measured.
    pub working_sets: usize,
    /// Median over them.
    pub latency_ns: f64,
    /// Shortest of them.
    pub low_ns: f64,
    /// Longest of them.
    pub high_ns: f64,
}

/// How much of a READ the way to memory on another node can explain.
#[derive(Debug, Serialize)]
pub struct Arithmetic {
    /// The last level of cache.
    pub cache_level: String,
    /// What it takes: the median over the CPU nodes.
    pub cache_ns: f64,
    /// Which memory it is compared with.
    pub memory: Compared,
    /// What that takes: the median over the pairs.
    pub memory_ns: f64,
    /// Memory less cache.
    pub difference_ns: f64,
    /// The study's READ.
    pub read_ns: f64,
    /// The difference of it, in percent.
    pub percent_of_read: f64,
}

/// The memory of the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// On another node than the CPU.
    NumaRemote,
    /// On the CPU's node, because no pair of different nodes was measured.
    NumaLocal,
}

impl Outcome {
    /// Of all rows.
    pub fn of(arguments: &Arguments, host: &Host, rows: &[MemoryLatencyRow]) -> Self {
        let matrix = matrix(rows);
        let plateaus = steps(host, rows);
        let caches = host.loaders.iter().flat_map(|loader| {
            loader.caches.iter().map(|cache| CacheFound {
                cpu_node: loader.node.0,
                level: cache.level,
                bytes: cache.bytes,
                shared_by: cache.shared_by.as_ref().map(ToString::to_string),
            })
        });
        Self {
            schema_version: version::MEMORY_LATENCY.written,
            source: Source::Measured,
            profile: arguments.profile.clone(),
            working_set_bytes: host.working_set_bytes,
            caches: caches.collect(),
            arithmetic: arithmetic(&plateaus, &matrix),
            matrix,
            plateaus,
            skipped: host.skipped.clone(),
            rows: rows.to_vec(),
        }
    }
}

fn matrix(rows: &[MemoryLatencyRow]) -> Vec<Entry> {
    let mut by_pair: BTreeMap<_, Vec<&MemoryLatencyRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.part == Some(LatencyPart::Matrix)) {
        let load_threads = row.load_threads.unwrap_or(0);
        by_pair.entry((load_threads, row.cpu_node, row.memory_node)).or_default().push(row);
    }
    let entry = |((load_threads, cpu_node, memory_node), rows): (_, Vec<&MemoryLatencyRow>)| {
        let mut times_ns: Vec<f64> = rows.iter().filter_map(|row| row.latency_ns).collect();
        let mut rates: Vec<f64> = rows.iter().filter_map(|row| row.load_rate_per_second).collect();
        let latency_ns = median(&mut times_ns)?;
        Some(Entry {
            cpu_node,
            memory_node,
            load_threads,
            latency_ns,
            low_ns: times_ns[0],
            high_ns: times_ns[times_ns.len() - 1],
            replicates: times_ns.len(),
            load_rate_per_second: median(&mut rates),
        })
    };
    by_pair.into_iter().filter_map(entry).collect()
}

fn steps(host: &Host, rows: &[MemoryLatencyRow]) -> Vec<Step> {
    let mut steps = Vec::new();
    for loader in &host.loaders {
        for memory in &host.memory_nodes {
            let here = |row: &&MemoryLatencyRow| {
                row.part == Some(LatencyPart::Sweep)
                    && (row.cpu_node, row.memory_node) == (loader.node.0, memory.0)
            };
            let mut of_sets: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
            let timed = |row: &MemoryLatencyRow| Some((row.working_set_bytes?, row.latency_ns?));
            for (bytes, ns) in rows.iter().filter(here).filter_map(timed) {
                of_sets.entry(bytes).or_default().push(ns);
            }
            // Of each working set the median over the replicates.
            let of_sets = of_sets.into_iter();
            let measured = of_sets.filter_map(|(bytes, mut ns)| Some((bytes, median(&mut ns)?)));
            let found = plateaus(&loader.caches, &measured.collect::<Vec<_>>());
            steps.extend(found.into_iter().map(|plateau| step(loader.node.0, memory.0, plateau)));
        }
    }
    steps
}

fn step(cpu_node: u32, memory_node: u32, plateau: Plateau) -> Step {
    Step {
        cpu_node,
        memory_node,
        level: match plateau.range.level {
            Level::Cache(level) => format!("L{level}"),
            Level::Memory => "memory".to_owned(),
        },
        from_bytes: plateau.range.from_bytes,
        to_bytes: plateau.range.to_bytes,
        working_sets: plateau.working_sets,
        latency_ns: plateau.latency_ns,
        low_ns: plateau.low_ns,
        high_ns: plateau.high_ns,
    }
}

fn arithmetic(steps: &[Step], matrix: &[Entry]) -> Option<Arithmetic> {
    let cache_level =
        steps.iter().filter(|step| step.to_bytes.is_some()).map(|s| &s.level).max()?;
    let of_level = steps.iter().filter(|step| step.level == *cache_level);
    let cache_ns = median(&mut of_level.map(|step| step.latency_ns).collect::<Vec<_>>())?;
    let of = |remote: bool| {
        let wanted = matrix.iter().filter(move |entry| {
            entry.load_threads == 0 && (entry.cpu_node != entry.memory_node) == remote
        });
        median(&mut wanted.map(|entry| entry.latency_ns).collect::<Vec<_>>())
    };
    let (memory, memory_ns) = match of(true) {
        Some(remote_ns) => (Compared::NumaRemote, remote_ns),
        None => (Compared::NumaLocal, of(false)?),
    };
    let difference_ns = memory_ns - cache_ns;
    Some(Arithmetic {
        cache_level: cache_level.clone(),
        cache_ns,
        memory,
        memory_ns,
        difference_ns,
        read_ns: STUDY_READ_NS,
        percent_of_read: 100.0 * difference_ns / STUDY_READ_NS,
    })
}

/// The middle one, or the mean of the two middle ones; sorts.
fn median(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match numbers.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(numbers[half]),
        _ => Some(f64::midpoint(numbers[half - 1], numbers[half])),
    }
}

#[cfg(test)]
mod tests;
