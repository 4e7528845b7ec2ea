//! The committed designs, `experiments/*.toml`, against what they promise.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::LazyLock,
};

use onesided_experiment::{Design, Level, RunTable, expand};
use onesided_results::RunConfiguration;
use onesided_results::vocabulary::LoadKind;

const LEVELS: [Level; 3] = [Level::Full, Level::Reproduce, Level::Smoke];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Read once for all tests.
static DESIGNS: LazyLock<Vec<Design>> = LazyLock::new(|| {
    let entries = std::fs::read_dir(repository().join("experiments")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    assert!(!paths.is_empty(), "there are no designs");
    paths.iter().map(|path| Design::read(path).unwrap_or_else(|error| panic!("{error}"))).collect()
});

fn table(design: &Design, level: Level) -> RunTable {
    expand(design, level, "laptop", 1).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_design_expands_at_every_level_to_the_cost_that_it_states() {
    for design in DESIGNS.iter() {
        for level in LEVELS {
            let cost = table(design, level).cost();
            if let Some(stated) = design.costs.get(&level) {
                assert_eq!(stated, &cost, "{} at {level}", design.name);
            }
        }
    }
}

#[test]
fn every_claim_of_a_design_is_one_of_the_study() {
    let path = repository().join("paper/claims.toml");
    let claims: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let claims = claims["claim"].as_array().unwrap();
    let known: BTreeSet<_> = claims.iter().map(|claim| claim["id"].as_str().unwrap()).collect();
    assert!(known.len() > 100, "{} claims", known.len());
    for design in DESIGNS.iter() {
        let mut said = BTreeSet::new();
        for claim in &design.claims {
            assert!(known.contains(claim.as_str()), "{}: no claim {claim}", design.name);
            assert!(said.insert(claim), "{}: {claim} stands there twice", design.name);
        }
    }
}

#[test]
fn every_figure_and_finding_of_the_study_that_a_run_can_answer_has_its_design() {
    let names: BTreeSet<_> = DESIGNS.iter().map(|design| design.name.as_str()).collect();
    for name in [
        "atomics",
        "atomics-by-counters",
        "datagrams",
        "ddio-off",
        "ddio-off-client-local",
        "flushed-caches",
        "inbound-by-service",
        "latency-by-offered-rate",
        "latency-by-queue-pairs",
        "latency-of-lists",
        "many-connections",
        "outbound-by-payload",
        "queue-pairs-by-threads",
        "reads-in-flight",
        "receives-by-payload",
        "round-trips",
        "sends-by-payload",
        "sends-by-queue-pairs",
        "sends-by-receive-queues",
        "slot-layout",
        "throughput-at-32-connections",
        "throughput-at-64-bytes",
        "throughput-by-access-size",
        "throughput-by-client-hosts",
        "throughput-by-eight-threads",
        "throughput-by-load",
        "throughput-by-queue-pairs",
        "throughput-by-think-time",
        "throughput-by-window",
        "throughput-by-workers",
        "throughput-by-write-ratio",
        "throughput-of-one-thread",
        "throughput-of-sends",
        "worker-patterns",
        "workers-location",
    ] {
        assert!(names.contains(name), "no design {name}");
    }
}

/// Figs. 3 and 5 and the text of V-B and V-C: every level that the study shows.
#[test]
fn full_grids_have_the_levels_of_the_study() {
    let runs: BTreeMap<_, _> = DESIGNS
        .iter()
        .map(|design| (design.name.clone(), table(design, Level::Full).runs().to_vec()))
        .collect();
    let queue_pairs = BTreeSet::from([1, 2, 3, 4, 8, 16, 24, 32, 48, 64, 128]);
    for name in ["latency-by-queue-pairs", "throughput-by-queue-pairs"] {
        let levels: BTreeSet<_> = runs[name].iter().map(|run| run.queue_pairs).collect();
        assert_eq!(levels, queue_pairs, "{name}");
        assert_eq!(runs[name].len(), 2 * 2 * 11 * 2 * 10, "{name}");
    }
    let workers = BTreeSet::from([0, 1, 2, 4, 8, 16, 24, 32, 48]);
    for name in ["throughput-by-workers", "throughput-at-32-connections", "throughput-at-64-bytes"]
    {
        let levels: BTreeSet<_> = runs[name].iter().map(|run| run.workers).collect();
        assert_eq!(levels, workers, "{name}");
    }
    let sizes = &runs["throughput-by-access-size"];
    let levels: BTreeSet<_> = sizes.iter().map(|run| (run.mtu_bytes, run.access_bytes)).collect();
    assert_eq!(levels.len(), 5 * 10, "every MTU from 256 with every size from 8 to 4096 bytes");
    let buffers: BTreeSet<_> =
        runs["throughput-by-load"].iter().filter_map(|run| run.load_bytes).collect();
    assert_eq!(buffers, (0..8).map(|decade| 800 * 10_u64.pow(decade)).collect());
    for (name, runs) in &runs {
        assert!(runs.iter().any(|run| run.replicate == 10), "{name}: fewer than 10 replicates");
    }
}

/// What stands for a figure or a number of the study has its settings, or what is laid over it is another
/// experiment: MTU 256, one read of a queue pair in flight, a thread for each queue pair that posts.
#[test]
fn designs_that_stand_for_the_study_have_its_settings() {
    for name in [
        "atomics",
        "ddio-off",
        "flushed-caches",
        "latency-by-queue-pairs",
        "throughput-at-32-connections",
        "throughput-at-64-bytes",
        "throughput-by-access-size",
        "throughput-by-load",
        "throughput-by-queue-pairs",
        "throughput-by-workers",
        "throughput-by-write-ratio",
    ] {
        let design = DESIGNS.iter().find(|design| design.name == name).unwrap();
        for run in table(design, Level::Full).runs() {
            let settings = (run.max_rd_atomic, run.threads, run.client_hosts);
            assert_eq!(settings, (1, run.queue_pairs, 1), "{name}");
            // That one has the study's other MTUs.
            assert!(run.mtu_bytes == 256 || name == "throughput-by-access-size", "{name}");
            // The study's first program moved the client along.
            let moves = ["atomics", "ddio-off", "flushed-caches"].contains(&name);
            let client = if moves { run.server_region.as_str() } else { "rdma-local" };
            for place in [&run.client_threads, &run.client_buffers, &run.client_rings] {
                assert_eq!(place, client, "{name}");
            }
        }
    }
}

/// Workers of a design may be where the memory is; then a comparison of its nodes is one of both.
#[test]
fn workers_that_follow_the_memory_are_never_on_another_node() {
    let by_name = |name: &str| DESIGNS.iter().find(|design| design.name == name).unwrap();
    for name in ["throughput-by-workers", "throughput-by-write-ratio", "ddio-off", "atomics"] {
        let table = table(by_name(name), Level::Full);
        let working = || table.runs().iter().filter(|run| run.workers > 0);
        assert!(working().count() > 0, "{name}");
        let node = |run: &RunConfiguration| run.worker_threads.replace("shared:", "");
        assert!(working().all(|run| node(run) == run.server_region), "{name}");
    }
}

#[test]
fn smoke_levels_fit_an_emulated_machine_of_two_nodes_with_two_cpus_each() {
    for design in DESIGNS.iter() {
        let table = table(design, Level::Smoke);
        assert!((1..=8).contains(&table.cost().runs), "{}: {:?}", design.name, table.cost());
        for run in table.runs() {
            let name = &design.name;
            assert_eq!((run.warm_up_ms, run.duration_ms), (20, 100), "{name}");
            assert!(run.threads <= 2 && run.workers <= 2, "{name}");
            assert_eq!(run.ddio.to_string(), "default", "{name}: no DDIO to switch there");
            if run.load_kind != LoadKind::None {
                assert!(run.load_bytes.is_some_and(|bytes| bytes <= 16 << 20), "{name}");
                assert!(run.load_thread_count.is_some_and(|threads| threads <= 2), "{name}");
            }
        }
    }
}
