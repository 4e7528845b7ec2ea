use std::{collections::BTreeSet, path::Path};

use onesided_results::vocabulary::Operation;
use proptest::prelude::*;

use super::*;

fn design(replicates: u32, block_by: &str, settings: &str) -> Design {
    let text = format!(
        "replicates = {replicates}\nblock_by = {block_by}\n[experiment]\nname = \"sample\"\n\
         title = \"A sample\"\nquestion = \"Does it expand?\"\n{settings}"
    );
    Design::parse(Path::new("sample.toml"), &text).unwrap()
}

fn rows(design: &Design, seed: u64) -> Vec<RunConfiguration> {
    expand(design, Level::Full, "laptop", seed).unwrap().runs().to_vec()
}

const CROSSED: &str = "[fixed]\naccess_bytes = 64\n[factors]\nqueue_pairs = [1, 2, 4, 8]\n\
                       operation = [\"read\", \"write\"]\nserver_region = [\"0\", \"1\"]\n";

#[test]
fn every_combination_is_run_as_often_as_asked() {
    let rows = rows(&design(3, "[\"replicate\"]", CROSSED), 7);
    assert_eq!(rows.len(), 4 * 2 * 2 * 3);
    let points: BTreeSet<_> = rows
        .iter()
        .map(|r| (r.queue_pairs, r.operation, r.server_region.clone(), r.replicate))
        .collect();
    assert_eq!(points.len(), rows.len());
    assert!(rows.iter().all(|r| r.access_bytes == 64 && r.profile == "laptop"));
    assert!(rows.iter().all(|r| r.experiment == "sample" && r.check().is_ok()));
    let seeds: BTreeSet<_> = rows.iter().map(|r| r.seed).collect();
    assert_eq!(seeds.len(), rows.len(), "every run has a seed of its own");
}

#[test]
fn each_block_of_replicates_has_every_point_once_in_an_order_of_its_own() {
    let rows = rows(&design(3, "[\"replicate\"]", CROSSED), 7);
    assert!(rows.iter().zip(1..).all(|(row, place)| row.order == place));
    let mut orders = BTreeSet::new();
    for block in 1..=3 {
        let runs: Vec<_> = rows.iter().filter(|row| row.block == block).collect();
        assert!(runs.iter().all(|row| row.replicate == block));
        let order: Vec<_> =
            runs.iter().map(|r| (r.queue_pairs, r.operation, r.server_region.clone())).collect();
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 16);
        orders.insert(order);
    }
    assert_eq!(orders.len(), 3, "blocks are in the same order");
}

#[test]
fn blocks_by_a_factor_keep_its_levels_together() {
    let rows = rows(&design(2, "[\"server_region\"]", CROSSED), 7);
    let blocks: BTreeSet<_> = rows.iter().map(|r| (r.block, r.server_region.clone())).collect();
    assert_eq!(blocks.len(), 2);
    assert!(rows.windows(2).all(|pair| pair[0].block <= pair[1].block));
}

#[test]
fn runs_keep_their_names_and_relative_order_when_a_level_is_added() {
    let before = rows(&design(2, "[\"replicate\"]", CROSSED), 7);
    let more = CROSSED.replace("[1, 2, 4, 8]", "[1, 2, 3, 4, 8]");
    let after = rows(&design(2, "[\"replicate\"]", &more), 7);
    let kept = after.iter().filter(|row| row.queue_pairs != 3).map(|row| &row.run_id);
    assert!(kept.eq(before.iter().map(|row| &row.run_id)));
}

#[test]
fn another_seed_gives_other_names_and_another_order() {
    let design = design(1, "[\"replicate\"]", CROSSED);
    let point = |r: &RunConfiguration| (r.queue_pairs, r.operation, r.server_region.clone());
    let [first, second] = [7, 8].map(|seed| rows(&design, seed));
    assert!(first.iter().map(point).ne(second.iter().map(point)));
    assert!(first.iter().all(|a| second.iter().all(|b| a.run_id != b.run_id)));
}

#[test]
fn a_point_that_no_machine_can_run_is_refused_with_its_place() {
    let settings = "[fixed]\nthreads = 2\n[factors]\nqueue_pairs = [1, 2]\n";
    let design = design(1, "[]", settings);
    let error = expand(&design, Level::Full, "laptop", 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample.toml:8:11: design point queue_pairs = 1: threads is 2, above queue_pairs, which \
         is 1; allowed: at most 1"
    );
}

#[test]
fn a_stretched_design_has_the_same_points_for_longer_and_under_other_names() {
    let as_said = design(2, "[\"replicate\"]", &format!("{CROSSED}warm_up_ms = [20, 30]\n"));
    let stretched = as_said.clone().stretched(3);
    let [short, long] = [&as_said, &stretched].map(|design| rows(design, 7));
    assert_eq!(short.len(), long.len());
    let nameless = |row: &RunConfiguration| RunConfiguration {
        run_id: String::new(),
        seed: 0,
        order: 0,
        ..row.clone()
    };
    for run in &short {
        assert!(long.iter().all(|other| other.run_id != run.run_id), "{}", run.run_id);
        let (warm_up_ms, duration_ms) = (3 * run.warm_up_ms, 3 * run.duration_ms);
        let longer = RunConfiguration { warm_up_ms, duration_ms, ..nameless(run) };
        assert!(long.iter().any(|other| nameless(other) == longer), "{longer:?}");
    }
    let error = expand(&as_said.stretched(u32::MAX), Level::Full, "laptop", 7).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains(", 4294967295 times as long as designed: warm_up_ms is 85899345900"),
        "{error}"
    );
}

#[test]
fn a_profile_that_cannot_name_a_directory_is_refused() {
    let error = expand(&design(1, "[]", CROSSED), Level::Full, "a/b", 1).unwrap_err();
    assert!(error.to_string().contains("profile is \"a/b\""), "{error}");
}

proptest! {
    #[test]
    fn a_table_is_a_function_of_its_design_and_seed(
        seed: u64, replicates in 1_u32..4, depth in 1_u32..6
    ) {
        let levels: Vec<_> = (0..depth).map(|exponent| (1 << exponent).to_string()).collect();
        let settings = format!("[factors]\nqueue_pairs = [{}]\n", levels.join(", "));
        let design = design(replicates, "[\"replicate\"]", &settings);
        let table = rows(&design, seed);
        prop_assert_eq!(&table, &rows(&design, seed));
        prop_assert_eq!(table.len(), (replicates * depth) as usize);
        prop_assert!(table.iter().all(|row| row.check().is_ok()));
    }
}

#[test]
fn points_without_workers_are_one_whatever_the_workers_would_have_done() {
    let text = r#"
        replicates = 2
        [experiment]
        name = "workers"
        title = "Workers"
        question = "What do workers cost?"
        [fixed]
        worker_operation = "mixed"
        worker_access_bytes = 8
        worker_pattern = "uniform"
        [factors]
        workers = [0, 4]
        worker_write_fraction = [0.1, 0.9]
    "#;
    let design = Design::parse(Path::new("workers.toml"), text).unwrap();
    let table = expand(&design, Level::Full, "lab", 1).unwrap();
    let workers: Vec<_> = table.runs().iter().map(|run| run.workers).collect();
    assert_eq!(workers.iter().filter(|workers| **workers == 0).count(), 2, "replicates only");
    assert_eq!(workers.iter().filter(|workers| **workers == 4).count(), 4);
}

#[test]
fn points_without_workers_are_one_in_whatever_order_their_levels_stand() {
    for pauses in ["[0, 100]", "[100, 0]"] {
        let settings =
            format!("[fixed]\nworkers = 0\n[factors]\nworker_think_time_ns = {pauses}\n");
        assert_eq!(rows(&design(2, "[]", &settings), 1).len(), 2, "{pauses}");
    }
}

#[test]
fn reads_beside_inlined_writes_inline_nothing() {
    let settings = "[fixed]\ninline_bytes = 64\n[factors]\noperation = [\"read\", \"write\"]\n\
                    access_bytes = [8, 64]\n";
    let rows = rows(&design(2, "[]", settings), 1);
    assert_eq!(rows.len(), 2 * 2 * 2);
    let inlined = |run: &RunConfiguration| (run.operation == Operation::Write).then_some(64);
    assert!(rows.iter().all(|run| run.inline_bytes == inlined(run) && run.check().is_ok()));
}

#[test]
fn factors_that_change_together_are_crossed_with_others_but_not_with_each_other() {
    let settings = "[factors]\noperation = [\"read\", \"write\"]\n[[together]]\n\
                    queue_pairs = [1, 4, 8]\nthreads = [1, 2, 8]\n[[together]]\n\
                    server_region = [\"0\", \"1\"]\nclient_buffers = [\"0\", \"1\"]\n";
    let rows = rows(&design(2, "[\"replicate\"]", settings), 7);
    assert_eq!(rows.len(), 2 * 3 * 2 * 2);
    let shapes: BTreeSet<_> = rows.iter().map(|r| (r.queue_pairs, r.threads)).collect();
    assert_eq!(shapes, [(1, 1), (4, 2), (8, 8)].into());
    assert!(rows.iter().all(|r| r.server_region == r.client_buffers));
}

#[test]
fn the_same_levels_together_twice_are_the_same_run_twice() {
    let settings = "[factors]\naccess_bytes = [8]\n[[together]]\nqueue_pairs = [2, 2]\n\
                    threads = [1, 1]\n";
    let error = expand(&design(1, "[]", settings), Level::Full, "laptop", 1).unwrap_err();
    assert!(matches!(error, ExpandError::SameRunTwice { .. }), "{error}");
}

proptest! {
    #[test]
    fn the_cost_of_a_design_is_that_of_its_table(
        replicates in 1_u32..4, depth in 1_u32..5, warm_up in 1_u64..900, workers in 0_u32..3
    ) {
        let levels: Vec<_> = (0..=workers).map(|count| count.to_string()).collect();
        let pauses: Vec<_> = (0..depth).map(|pause| pause.to_string()).collect();
        let settings = format!(
            "[fixed]\nwarm_up_ms = {warm_up}\nworker_operation = \"read\"\n\
             worker_access_bytes = 8\nworker_pattern = \"uniform\"\n[factors]\n\
             workers = [{}]\nworker_think_time_ns = [{}]\n", levels.join(", "), pauses.join(", ")
        );
        let design = design(replicates, "[\"replicate\"]", &settings);
        let table = expand(&design, Level::Full, "laptop", 1).unwrap();
        prop_assert_eq!(cost(&design, Level::Full).unwrap(), table.cost());
        prop_assert_eq!(table.cost().runs as u32, replicates * (1 + workers * depth));
        let total_ms = u64::from(replicates * (1 + workers * depth)) * (warm_up + 2000);
        prop_assert_eq!(table.cost().seconds(), (total_ms as f64 / 1e3).ceil() as u64);
    }
}
