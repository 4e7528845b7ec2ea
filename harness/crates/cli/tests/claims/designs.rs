//! Claims that a card answers by runs of a design, asked of a card that is as the text says and of one
//! that is not.
//!
//! What passing lets us claim: whoever runs such a design on a card gets verdicts of the claims that it
//! names, by its rows alone. The numbers here are invented.

use std::collections::BTreeSet;

use onesided_claims::{Claims, Tables, evaluate};
use onesided_experiment::{Design, Level, expand};
use onesided_results::{
    RunConfiguration, RunRow,
    factors::{Factors, Seen},
    row::ClaimRow,
    table::{Row, write_table},
    vocabulary::{Locality, Operation, SlotLayout, Source, Verdict},
};

use super::{claims, designs, repository};

/// Claims that ask a card by runs.
const OF_ANY_CARD: &str = "kalia-card-";

/// What a card does in a run, in parts of what it can.
type Speed = fn(&RunConfiguration) -> f64;

/// A card of which each of these claims is true, by the design that asks.
const AS_STATED: [(&str, Speed); 8] = [
    ("sends-by-payload", |run| match (run.access_bytes, run.post_list) {
        (0, _) => 0.9,
        (_, 1) => 0.4,
        _ => 0.6,
    }),
    ("sends-by-queue-pairs", |run| match (run.queue_pairs / run.threads, run.post_list) {
        (1, 1) => 0.4,
        (1, _) => 0.3,
        (_, 1) => 0.5,
        _ => 0.9,
    }),
    ("receives-by-payload", |run| if run.access_bytes == 0 { 0.9 } else { 0.6 }),
    ("inbound-by-service", |run| if run.access_bytes > 128 { 0.3 } else { 0.9 }),
    // A READ's request takes one line.
    ("outbound-by-payload", |run| match (run.operation, run.access_bytes) {
        (Operation::Write, 29..) => 0.6,
        _ => 0.9,
    }),
    ("throughput-by-window", |run| if run.window == 512 { 0.5 } else { 0.8 }),
    ("atomics-by-counters", |run| match (run.slot_layout, run.working_set_bytes) {
        (SlotLayout::Spread, Some(65_537..)) | (_, Some(8)) => 0.3,
        _ => 0.9,
    }),
    // One request of each is under way: of 16 the way is the limit.
    ("many-connections", |run| match run.queue_pairs {
        ..256 => 0.4,
        256..=1024 => 0.9,
        _ => 0.5,
    }),
];

fn locality(place: &str) -> Option<Locality> {
    match place {
        "rdma-local" => Some(Locality::RdmaLocal),
        "rdma-remote" => Some(Locality::RdmaRemote),
        _ => None,
    }
}

/// The row of a run that a card did at `ops`.
fn row(run: &RunConfiguration, ops: f64) -> RunRow {
    let seen = Seen {
        mtu_bytes: Some(run.mtu_bytes),
        max_rd_atomic: Some(run.max_rd_atomic.into()),
        locality: locality(&run.server_region),
        server_ring_locality: locality(&run.server_rings),
        client_memory_locality: locality(&run.client_buffers),
        client_locality: locality(&run.client_threads),
        client_ring_locality: locality(&run.client_rings),
        ..Seen::default()
    };
    // As much as runs differ.
    let ops = ops * (1.0 + 0.002 * f64::from(run.replicate % 3));
    RunRow {
        back_end: "verbs".to_owned(),
        profile: "own-card".to_owned(),
        nic: Some("a card".to_owned()),
        experiment: run.experiment.clone(),
        run_id: run.run_id.clone(),
        replicate: Some(run.replicate),
        operations: Some(1000),
        throughput_published_ops: Some(ops),
        throughput_ops: Some(ops),
        throughput_low_ops: Some(0.999 * ops),
        throughput_high_ops: Some(1.001 * ops),
        ..RunRow::with(Source::Measured, Factors::of(run, seen))
    }
}

/// What becomes of the claims that `design` names, by its rows at level full and these speeds.
fn asked(design: &Design, ops: impl Fn(&RunConfiguration) -> f64) -> Vec<ClaimRow> {
    let folder = tempfile::tempdir().unwrap();
    let table = expand(design, Level::Full, "own-card", 1).unwrap();
    let rows: Vec<_> = table.runs().iter().map(|run| row(run, ops(run))).collect();
    write_table(&folder.path().join(RunRow::FILE), &rows).unwrap();
    let tables = Tables::read(&[folder.path().to_owned()], false).unwrap();
    let named = claims().into_values().filter(|claim| design.claims.contains(&claim.id));
    evaluate(&Claims(named.collect()), &tables).unwrap()
}

fn verdicts(design: &Design, ops: impl Fn(&RunConfiguration) -> f64) -> Vec<(String, Verdict)> {
    asked(design, ops).into_iter().map(|row| (row.id, row.verdict)).collect()
}

#[test]
fn claims_of_any_card_are_judged_by_the_rows_of_the_design_that_names_them() {
    let mut judged = BTreeSet::new();
    for (name, speed) in AS_STATED {
        let path = repository().join(format!("experiments/{name}.toml"));
        let design = Design::read(&path).unwrap();
        let named: Vec<_> = design.claims.iter().map(String::as_str).collect();
        assert!(named.iter().all(|id| id.starts_with(OF_ANY_CARD)), "{name}: {named:?}");
        let all = |verdict| named.iter().map(|id| ((*id).to_owned(), verdict)).collect::<Vec<_>>();
        assert_eq!(verdicts(&design, |run| 1e7 * speed(run)), all(Verdict::Supported), "{name}");
        // The other way round in everything.
        let opposite = verdicts(&design, |run| 1e7 / speed(run));
        assert_eq!(opposite, all(Verdict::Contradicted), "{name}");
        judged.extend(design.claims);
    }
    let claims = claims();
    let of_any_card: BTreeSet<_> =
        claims.into_keys().filter(|id| id.starts_with(OF_ANY_CARD)).collect();
    assert_eq!(judged, of_any_card, "each such claim has a design that names it");
    let elsewhere = designs()
        .into_iter()
        .filter(|design| !AS_STATED.iter().any(|(name, _)| *name == design.name));
    for design in elsewhere {
        let stray = design.claims.iter().find(|id| id.starts_with(OF_ANY_CARD));
        assert_eq!(stray, None, "{} is not asked here", design.name);
    }
}
