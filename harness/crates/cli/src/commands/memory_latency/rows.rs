//! A measurement as a row.

use std::collections::BTreeMap;

use onesided_access::chase::{Reading, plateaus};
use onesided_placement::{NodeId, Residency};
use onesided_results::{
    Doubt,
    row::MemoryLatencyRow,
    version,
    vocabulary::{LatencyPart, LatencyPlacement, MemoryLevel, Source},
};

use super::{
    Arguments,
    choices::written_level,
    host::{Host, Loader},
    load::LoadDone,
};

/// Where and as what something was measured.
pub struct Cell<'a> {
    /// Which repetition of the whole.
    pub replicate: u32,
    /// What it is part of.
    pub part: LatencyPart,
    /// The CPU.
    pub loader: &'a Loader,
    /// The memory's node.
    pub memory: NodeId,
}

/// The row of one working set.
pub fn row(
    arguments: &Arguments,
    host: &Host,
    cell: &Cell<'_>,
    reading: &Reading,
    load: &Option<LoadDone>,
) -> MemoryLatencyRow {
    let latency = &reading.latency;
    let level = plateaus::level_of(&cell.loader.caches, reading.working_set_bytes);
    MemoryLatencyRow {
        schema_version: version::MEMORY_LATENCY.written,
        source: Source::Measured,
        profile: arguments.profile.clone(),
        cpu_node: cell.loader.node.0,
        memory_node: cell.memory.0,
        latency_ns: Some(picoseconds(latency.median_ns)),
        latency_low_ns: Some(picoseconds(latency.low_quartile_ns)),
        latency_high_ns: Some(picoseconds(latency.high_quartile_ns)),
        replicate: Some(cell.replicate),
        part: Some(cell.part),
        working_set_bytes: Some(reading.working_set_bytes),
        level: level.and_then(written_level),
        latency_min_ns: Some(picoseconds(latency.min_ns)),
        repetitions: Some(latency.repetitions),
        loads: Some(latency.loads),
        cpu: Some(cell.loader.cpu.0),
        pages: Some(reading.pages),
        page_bytes: Some(reading.page_bytes),
        order: Some(arguments.order),
        seed: Some(arguments.seed),
        placement: Some(placement(&reading.residency, cell.memory)),
        load_threads: Some(load.map_or(0, |load| load.threads)),
        load_node: load.map(|load| load.node.0),
        load_bytes: load.map(|load| load.bytes),
        load_write_fraction: load.map(|load| load.write_fraction),
        load_rate_per_second: load.map(|load| load.rate_per_second.round()),
        doubts: doubts(host, cell.part),
    }
}

/// Takes back the cache that a row is said to be of where its time is nearer to memory's: how large a
/// cache is says nothing of how much of it is left, beside others or below a hypervisor.
pub fn take_back_levels(rows: &mut [MemoryLatencyRow]) {
    let shortest = |rows: &[MemoryLatencyRow], of: &MemoryLatencyRow, level| {
        let alike = |row: &&MemoryLatencyRow| {
            (row.cpu_node, row.memory_node, row.load_threads)
                == (of.cpu_node, of.memory_node, of.load_threads)
                && row.level == level
        };
        rows.iter().filter(alike).filter_map(|row| row.latency_ns).min_by(f64::total_cmp)
    };
    let contradicted = |row: &MemoryLatencyRow| {
        let is_cache = row.level.is_some_and(|level| level != MemoryLevel::Memory);
        let own = shortest(rows, row, row.level).filter(|_| is_cache)?;
        let memory = shortest(rows, row, Some(MemoryLevel::Memory))?;
        // As far from one as from the other, in ratios.
        Some(row.latency_ns? > (own * memory).sqrt())
    };
    let contradicted: Vec<_> = rows.iter().map(|row| contradicted(row).unwrap_or(false)).collect();
    for (row, _) in rows.iter_mut().zip(contradicted).filter(|(_, contradicted)| *contradicted) {
        row.level = None;
    }
}

/// How much longer or shorter than the median of the same loads, as in the matrix, the sweep and each
/// replicate, a time may be that is not doubted: a tenth. Ours, because it is a third of what another node's
/// memory adds where that is least (SRDS 2020, Fig. 2: 32 %), and twice what two programs may differ by
/// (`ci/bench-memory`).
const STEADY: f64 = 1.1;

/// Doubts rows that took another time than most of the same loads did, by more than [`STEADY`]: of two the
/// longer one, as what comes between lengthens. Says how many.
pub fn doubt_the_unsteady(rows: &mut [MemoryLatencyRow]) -> usize {
    let same = |row: &MemoryLatencyRow| {
        (row.cpu_node, row.memory_node, row.load_threads, row.working_set_bytes)
    };
    let mut times: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for row in rows.iter() {
        times.entry(same(row)).or_default().extend(row.latency_ns);
    }
    times.values_mut().for_each(|ns| ns.sort_by(f64::total_cmp));
    let mut found = 0;
    for row in rows.iter_mut() {
        let Some(ns) = row.latency_ns else { continue };
        let alike = &times[&same(row)];
        let usual = alike[(alike.len() - 1) / 2];
        if !(usual / STEADY..=usual * STEADY).contains(&ns) {
            let before = row.doubts.take().map_or_else(String::new, |before| before + " ");
            row.doubts = Some(before + Doubt::LatencyUnsteady.name());
            found += 1;
        }
    }
    found
}

/// A working set that is near the cache's size is a fault of the matrix, and what a sweep is for.
fn doubts(host: &Host, part: LatencyPart) -> Option<String> {
    let counts =
        |doubt: &&Doubt| part == LatencyPart::Matrix || **doubt != Doubt::WorkingSetNearCache;
    let words: Vec<_> = host.doubts.iter().filter(counts).map(|doubt| doubt.name()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Rounded to a thousandth of a nanosecond: finer than any clock tells of one load.
fn picoseconds(nanoseconds: f64) -> f64 {
    (nanoseconds * 1000.0).round() / 1000.0
}

/// Also of memory that was not bound: then it must have come to be on the node by itself.
fn placement(residency: &Residency, node: NodeId) -> LatencyPlacement {
    if residency.by_node.iter().any(|(found, pages)| *found != node && *pages > 0) {
        return LatencyPlacement::Misplaced;
    }
    let proven = residency.by_node.get(&node).copied().unwrap_or(0);
    match proven == residency.pages {
        true => LatencyPlacement::Proven,
        false => LatencyPlacement::Unproven,
    }
}

#[cfg(test)]
mod tests {
    use onesided_placement::PlacementMethod;

    use super::*;

    fn found(by_node: &[(u32, u64)], pages: u64) -> Residency {
        let by_node: BTreeMap<_, _> =
            by_node.iter().map(|(node, pages)| (NodeId(*node), *pages)).collect();
        let proven: u64 = by_node.values().sum();
        Residency {
            pages,
            page_bytes: 4096,
            by_node,
            unproven_pages: pages - proven,
            asked: None,
            misplaced: Vec::new(),
            misplaced_runs_cut: 0,
            method: PlacementMethod::MovePages,
        }
    }

    #[test]
    fn memory_is_proven_only_when_every_page_was_found_on_its_node() {
        let on_one = |by_node, pages| placement(&found(by_node, pages), NodeId(1));
        assert_eq!(on_one(&[(1, 8)], 8), LatencyPlacement::Proven);
        assert_eq!(on_one(&[(1, 7)], 8), LatencyPlacement::Unproven);
        assert_eq!(on_one(&[], 8), LatencyPlacement::Unproven);
        assert_eq!(on_one(&[(0, 1), (1, 7)], 8), LatencyPlacement::Misplaced);
        assert_eq!(on_one(&[(0, 0), (1, 8)], 8), LatencyPlacement::Proven);
    }

    fn timed(level: MemoryLevel, latency_ns: f64) -> MemoryLatencyRow {
        let row = serde_json::json!({
            "schema_version": version::MEMORY_LATENCY.written, "source": "measured", "profile": "p",
            "cpu_node": 0, "memory_node": 0, "latency_ns": latency_ns,
        });
        let row = serde_json::from_value(row).expect("what is absent is absent");
        MemoryLatencyRow { level: Some(level), ..row }
    }

    #[test]
    fn a_row_that_takes_as_long_as_memory_is_of_no_cache() {
        let l3 = |latency_ns| timed(MemoryLevel::L3, latency_ns);
        let memory = timed(MemoryLevel::Memory, 140.0);
        let mut rows = [l3(15.0), l3(131.0), l3(40.0), memory];
        take_back_levels(&mut rows);
        let levels = rows.map(|row| row.level);
        let l3 = Some(MemoryLevel::L3);
        assert_eq!(levels, [l3, None, l3, Some(MemoryLevel::Memory)]);
    }

    #[test]
    fn loads_that_take_another_time_than_most_of_the_same_are_doubted_and_no_others() {
        let of = |bytes, latency_ns| MemoryLatencyRow {
            working_set_bytes: Some(bytes),
            ..timed(MemoryLevel::Memory, latency_ns)
        };
        let other = |row: MemoryLatencyRow| MemoryLatencyRow { memory_node: 1, ..row };
        let mut rows =
            [of(512, 131.0), of(512, 153.0), of(512, 140.0), of(256, 131.0), other(of(512, 300.0))];
        rows[0].doubts = Some("emulated-processor".to_owned());
        assert_eq!(doubt_the_unsteady(&mut rows), 0, "none is a tenth from 140");
        rows[1].latency_ns = Some(155.0);
        assert_eq!(doubt_the_unsteady(&mut rows), 1);
        let doubts = rows.map(|row| row.doubts.unwrap_or_default());
        let unsteady = "latency-unsteady";
        assert_eq!(doubts, ["emulated-processor", unsteady, "", "", ""]);
        assert_eq!(doubt_the_unsteady(&mut [of(512, 100.0), of(512, 110.0)]), 0);
        let mut two = [of(512, 112.0), of(512, 100.0)];
        assert_eq!(doubt_the_unsteady(&mut two), 1);
        assert_eq!(two[0].doubts.as_deref(), Some(unsteady));
        let mut short = [of(512, 100.0), of(512, 101.0), of(512, 50.0)];
        assert_eq!(doubt_the_unsteady(&mut short), 1);
        assert_eq!(short[2].doubts.as_deref(), Some(unsteady));
    }

    #[test]
    fn without_memory_to_compare_with_nothing_is_taken_back() {
        let mut rows = [timed(MemoryLevel::L1, 1.0), timed(MemoryLevel::L1, 100.0)];
        take_back_levels(&mut rows);
        assert!(rows.iter().all(|row| row.level == Some(MemoryLevel::L1)));
    }
}
