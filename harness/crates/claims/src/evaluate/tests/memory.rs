//! Memory latencies: replicates pooled, nodes compared, and who may speak of them.

use onesided_results::{
    row::MemoryLatencyRow,
    version,
    vocabulary::{LatencyOrder, LatencyPages, LatencyPart, LatencyPlacement, MemoryLevel},
};
use proptest::prelude::*;

use super::*;

/// Replicates of one quantity, whose geometric mean it is.
const NOISE: [f64; 3] = [0.99, 1.0, 1.0 / 0.99];

/// A row of the matrix: idle memory of `memory_node` seen from a CPU of `cpu_node`.
fn idle(cpu_node: u32, memory_node: u32, latency_ns: f64) -> MemoryLatencyRow {
    MemoryLatencyRow {
        schema_version: version::MEMORY_LATENCY.written,
        source: Source::Measured,
        profile: "cluster".to_owned(),
        cpu_node,
        memory_node,
        latency_ns: Some(latency_ns),
        latency_low_ns: Some(latency_ns * 0.999),
        latency_high_ns: Some(latency_ns * 1.001),
        replicate: Some(1),
        part: Some(LatencyPart::Matrix),
        working_set_bytes: Some(512 << 20),
        level: Some(MemoryLevel::Memory),
        latency_min_ns: Some(latency_ns * 0.99),
        repetitions: Some(15),
        loads: Some(1 << 18),
        cpu: Some(cpu_node),
        pages: Some(LatencyPages::TransparentHuge),
        page_bytes: Some(2 << 20),
        order: Some(LatencyOrder::Blocks),
        seed: Some(1),
        placement: Some(LatencyPlacement::Proven),
        load_threads: Some(0),
        load_node: None,
        load_bytes: None,
        load_write_fraction: None,
        load_rate_per_second: None,
        doubts: None,
    }
}

/// Three replicates of [`idle`].
fn replicates(cpu_node: u32, memory_node: u32, latency_ns: f64) -> Vec<MemoryLatencyRow> {
    let of = |(noise, replicate): (f64, u32)| MemoryLatencyRow {
        replicate: Some(replicate),
        ..idle(cpu_node, memory_node, latency_ns * noise)
    };
    NOISE.into_iter().zip(1..).map(of).collect()
}

/// Two nodes; memory of the other one takes 50 % longer from node 0, 30 % longer from node 1.
fn two_nodes() -> Vec<MemoryLatencyRow> {
    let pairs = [(0, 0, 100.0), (0, 1, 150.0), (1, 1, 110.0), (1, 0, 143.0)];
    pairs.into_iter().flat_map(|(cpu, memory, ns)| replicates(cpu, memory, ns)).collect()
}

/// A row of the sweep: lines of `memory_node` in a cache of the CPU, or in memory.
fn swept(memory_node: u32, level: MemoryLevel, bytes: u64, latency_ns: f64) -> MemoryLatencyRow {
    MemoryLatencyRow {
        part: Some(LatencyPart::Sweep),
        level: Some(level),
        working_set_bytes: Some(bytes),
        ..idle(0, memory_node, latency_ns)
    }
}

fn tables(rows: &[MemoryLatencyRow]) -> Tables {
    let directory = tempfile::tempdir().unwrap();
    write_table(&directory.path().join(MemoryLatencyRow::FILE), rows).unwrap();
    Tables::read(&[directory.path().to_owned()], false).unwrap()
}

/// A claim with the keys `part`, which `sources` can speak to.
fn claim(sources: &str, part: &str) -> Claims {
    let text = format!(
        "sources = {sources}\n[[claim]]\nid = 'memory'\npaper = 'paper'\nsection = 'II'\n\
         quote = 'q'\nunit = '-'\nfigure = 'none'\nquantifier = 'typically'\n\
         [[claim.part]]\ntable = 'memory-latency'\n\
         value = 'latency_ns'\n{part}\n"
    );
    Claims::parse(Path::new("claims.toml"), &text).unwrap()
}

/// What the only source of `tables` says to that claim.
fn asked_of(tables: &Tables, sources: &str, part: &str) -> ClaimRow {
    let rows = evaluate(&claim(sources, part), tables).unwrap();
    let [row] = &rows[..] else { panic!("{rows:#?}") };
    row.clone()
}

/// That memory of other nodes takes so many percent longer.
const LONGER: &str = "where = { part = 'matrix', load_threads = 0 }\n\
    contrast = [{ factor = 'numa_locality', of = 'numa-remote', over = 'numa-local' }]\n\
    as = 'percent'\nexpect = { range = [40, 60], no-effect = 0 }";

fn longer(rows: &[MemoryLatencyRow]) -> ClaimRow {
    asked_of(&tables(rows), "['measured']", LONGER)
}

#[test]
fn memory_of_other_nodes_is_compared_with_that_of_the_cpus_own() {
    let row = longer(&two_nodes());
    assert_eq!((row.verdict, row.profile.as_deref()), (Verdict::TrueInPart, Some("cluster")));
    assert_eq!(row.value, Some(40.0), "the median of 50 and 30");
    let told = "certainly holds for cpu_node 0 (1 of 2), certainly fails for cpu_node 1 (1 of 2); \
                12 measurements; median of 2 values, [low, high] spans their intervals; farthest: \
                30 [";
    assert!(row.why.starts_with(told), "{}", row.why);
    assert!(row.why.contains("at cpu_node 1, memory_node 0; intervals from"), "{}", row.why);
    assert!(row.why.ends_with("intervals from: replicates 4"), "{}", row.why);
    assert_eq!(longer(&two_nodes()[..6]).verdict, Verdict::Supported);
}

#[test]
fn the_spread_within_one_replicate_is_no_interval() {
    let row = longer(&[idle(0, 0, 100.0), idle(0, 1, 150.0)]);
    assert_eq!((row.verdict, row.value, row.low), (Verdict::TooImprecise, Some(50.0), None));
    assert!(row.why.starts_with("the value is unsure; by points alone: supported;"), "{}", row.why);
}

#[test]
fn memory_under_load_and_in_caches_is_not_idle_memory() {
    let loaded = |row: MemoryLatencyRow| MemoryLatencyRow {
        load_threads: Some(4),
        load_node: Some(1),
        ..row
    };
    let mut rows = two_nodes();
    rows.extend(replicates(0, 0, 900.0).into_iter().map(loaded));
    rows.push(swept(0, MemoryLevel::L3, 8 << 20, 12.0));
    assert_eq!(longer(&rows), longer(&two_nodes()));
}

#[test]
fn a_cache_is_the_cpus_own_whosever_lines_it_holds() {
    let mut rows = two_nodes()[..3].to_vec();
    rows.extend(replicates(0, 1, 122.0));
    rows.push(swept(0, MemoryLevel::L3, 4 << 20, 37.0));
    rows.push(swept(1, MemoryLevel::L3, 8 << 20, 39.0));
    rows.push(swept(0, MemoryLevel::L2, 512 << 10, 7.0));
    let beyond = "where = { reached = ['l3', 'remote-memory'] }\n\
        contrast = [{ factor = 'reached', of = 'remote-memory', over = 'l3', pool = true }]\n\
        as = 'difference'\nexpect = { equal = 84, tolerance = 1, no-effect = 0 }";
    let row = asked_of(&tables(&rows), "['measured']", beyond);
    assert_eq!((row.verdict, row.value), (Verdict::TooImprecise, Some(84.0)), "{row:?}");
    assert_eq!(row.generous, Verdict::Supported, "the point is as said");
    // By hand: t of 1 degree is 12.706, the deviation of 37 and 39 by √2 is 1; t of 2 is 4.303, by
    // the deviation of ln 0.99 and √3, 122 is from 118.994 to 125.082.
    assert!((row.low.unwrap() - 70.943).abs() < 0.01, "{row:?}");
    assert!((row.high.unwrap() - 97.074).abs() < 0.01, "{row:?}");
    assert!(row.why.contains("; 5 measurements; "), "{}", row.why);
}

#[test]
fn what_the_text_states_is_no_evidence_for_it_whoever_may_speak() {
    let stated: Vec<_> = two_nodes()
        .into_iter()
        .map(|row| MemoryLatencyRow { source: Source::Published, ..row })
        .collect();
    for sources in ["['measured']", "['published']", "['published', 'measured']"] {
        let row = asked_of(&tables(&stated), sources, LONGER);
        assert_eq!((row.source, row.verdict), (Source::Published, Verdict::NotTestable));
        assert!(row.why.starts_with("published memory latencies are only"), "{row:?}");
        let claims = claim(sources, LONGER);
        assert_eq!(cells(&claims, &tables(&stated)).unwrap(), [], "{sources}");
    }
}

#[test]
fn doubtful_and_misplaced_latencies_are_left_out_and_told() {
    let doubtful = |row: MemoryLatencyRow| MemoryLatencyRow {
        doubts: Some("emulated-processor working-set-near-cache".to_owned()),
        ..row
    };
    let misplaced = |row: MemoryLatencyRow| MemoryLatencyRow {
        placement: Some(LatencyPlacement::Misplaced),
        ..row
    };
    let mut rows = two_nodes();
    rows.extend(replicates(0, 1, 900.0).into_iter().map(misplaced));
    rows.extend(replicates(0, 0, 900.0).into_iter().map(doubtful));
    assert_eq!(longer(&rows), longer(&two_nodes()));
    let bad = two_nodes().into_iter().map(doubtful).chain([misplaced(idle(0, 1, 1.0))]);
    let bad: Vec<_> = bad.collect();
    let row = longer(&bad);
    assert_eq!((row.verdict, row.value), (Verdict::NotTestable, None));
    assert_eq!(
        row.why,
        "5 rows, none of them valid: emulated-processor working-set-near-cache, misplaced"
    );
    let asked =
        LONGER.replacen("part = 'matrix'", "doubts = 'emulated-processor', valid = false", 1);
    assert_eq!(asked_of(&tables(&bad), "['measured']", &asked).value, Some(40.0));
}

#[test]
fn machines_without_the_table_and_with_one_node_say_what_they_lack() {
    let without = asked_of(&super::tables(&pair(8, 0.9)), "['measured']", LONGER);
    assert_eq!(without.verdict, Verdict::NotTestable);
    assert!(
        without.why.starts_with("there is no table of memory latencies: `onesided memory-latency "),
        "{}",
        without.why
    );
    let one_node = longer(&replicates(0, 0, 100.0));
    assert_eq!(one_node.why, "no memory latency has what is asked for");
    let elsewhere =
        |row: MemoryLatencyRow| MemoryLatencyRow { profile: "elsewhere".to_owned(), ..row };
    let mut rows = two_nodes();
    rows.extend(replicates(0, 0, 100.0).into_iter().map(elsewhere));
    assert_eq!(longer(&rows).profile.as_deref(), Some("cluster"));
}

#[test]
fn why_nothing_is_said_is_told_of_the_machine_that_has_latencies_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let why = |rows: &[MemoryLatencyRow]| {
        write_table(&directory.path().join(RunRow::FILE), &pair(8, 0.9)).unwrap();
        write_table(&directory.path().join(MemoryLatencyRow::FILE), rows).unwrap();
        let tables = Tables::read(&[directory.path().to_owned()], false).unwrap();
        let claims = claim("['measured']", LONGER);
        let rows = evaluate(&claims, &tables).unwrap();
        rows.into_iter().find(|row| row.source == Source::Measured).unwrap().why
    };
    for profile in ["before-cluster", "later-than-cluster"] {
        let row = MemoryLatencyRow { profile: profile.to_owned(), ..idle(0, 0, 100.0) };
        assert_eq!(why(&[row]), "no memory latency has what is asked for", "{profile}");
    }
    let stated = MemoryLatencyRow { source: Source::Published, ..idle(0, 1, 100.0) };
    assert!(why(&[stated]).starts_with("there is no table of memory latencies"));
}

#[test]
fn latencies_of_a_machine_are_in_one_directory_that_may_not_be_that_of_its_runs() {
    let directories: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
    let paths: Vec<PathBuf> = directories.iter().map(|d| d.path().to_owned()).collect();
    write_table(&paths[0].join(RunRow::FILE), &pair(8, 0.9)).unwrap();
    write_table(&paths[1].join(MemoryLatencyRow::FILE), &two_nodes()).unwrap();
    let tables = Tables::read(&paths, false).unwrap();
    assert_eq!(tables.profiles(Source::Measured).collect::<Vec<_>>(), ["cluster"]);
    assert_eq!(asked_of(&tables, "['measured']", LONGER).value, Some(40.0));
    write_table(&paths[0].join(MemoryLatencyRow::FILE), &two_nodes()).unwrap();
    let error = Tables::read(&paths, false).err().unwrap();
    assert!(
        error.to_string().contains("both have measured memory latencies of profile \"cluster\""),
        "{error}"
    );
}

proptest! {
    // Each case writes and reads two tables.
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn a_clock_that_runs_faster_and_another_order_of_rows_change_no_share(
        factor in 0.1..10.0_f64,
        rows in Just(two_nodes()).prop_shuffle(),
    ) {
        let scaled = rows.into_iter().map(|row| MemoryLatencyRow {
            latency_ns: row.latency_ns.map(|ns| ns * factor),
            latency_low_ns: row.latency_low_ns.map(|ns| ns * factor),
            latency_high_ns: row.latency_high_ns.map(|ns| ns * factor),
            latency_min_ns: row.latency_min_ns.map(|ns| ns * factor),
            ..row
        });
        let (scaled, plain) = (longer(&scaled.collect::<Vec<_>>()), longer(&two_nodes()));
        prop_assert_eq!(scaled.verdict, plain.verdict);
        prop_assert!((scaled.value.unwrap() - 40.0).abs() < 1e-3);
        prop_assert!((scaled.low.unwrap() - plain.low.unwrap()).abs() < 1e-3);
    }
}
