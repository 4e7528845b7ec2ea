//! The campaigns of the first program are inferred: the stored runs must bear them out.

use std::path::Path;

use onesided_results::{
    row::PublishedRunRow,
    table::{Extra, TableReader},
    vocabulary::{Campaign, CodeGeneration, Ddio, LoadKind, Locality, LoopShape, Operation},
};

fn runs() -> Vec<PublishedRunRow> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/published/runs.csv.gz");
    let rows =
        TableReader::<PublishedRunRow>::open(&path, Extra::Skipped).expect("it is committed");
    rows.map(|row| row.expect("it is whole")).collect()
}

/// Unladen reads of 8 bytes, the same of all campaigns but for the program and direct cache access.
fn unladen_read(row: &PublishedRunRow, queue_pairs: u32) -> bool {
    let run = &row.common;
    run.valid
        && run.profile == "nurdma-cx3"
        && run.operation == Operation::Read
        && run.loop_shape == LoopShape::Saturating
        && run.locality == Some(Locality::RdmaLocal)
        && (run.queue_pairs, run.access_bytes, run.workers) == (queue_pairs, 8, 0)
        && run.load_kind == LoadKind::None
}

/// Mean of the logarithms of throughput, and how many runs; none without runs.
fn mean_log(
    runs: &[PublishedRunRow],
    queue_pairs: u32,
    generation: CodeGeneration,
    campaign: Campaign,
) -> Option<f64> {
    let of = |row: &&PublishedRunRow| {
        unladen_read(row, queue_pairs)
            && row.own.code_generation == Some(generation)
            && row.own.campaign == Some(campaign)
    };
    let logs = runs.iter().filter(of).filter_map(|row| row.common.throughput_ops).map(f64::ln);
    let logs: Vec<f64> = logs.collect();
    (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
}

#[test]
fn unladen_reads_of_the_first_program_are_as_fast_as_those_of_their_campaign() {
    let runs = runs();
    let of = |queue_pairs, generation, campaign| {
        mean_log(&runs, queue_pairs, generation, campaign).expect("there are runs")
    };
    for queue_pairs in [1, 2, 3, 4, 8] {
        let apart = of(queue_pairs, CodeGeneration::V1, Campaign::A)
            - of(queue_pairs, CodeGeneration::V2, Campaign::A);
        assert!(apart.abs() < 0.02, "{queue_pairs} queue pairs: {apart}");
    }
    let (own, a, b) = (
        of(8, CodeGeneration::V1, Campaign::B),
        of(8, CodeGeneration::V2, Campaign::A),
        of(8, CodeGeneration::V2, Campaign::B),
    );
    assert!((own - b).abs() < 0.06, "{}", own - b);
    assert!(own - a > 0.2, "{}", own - a);
}

/// So that no comparison of direct cache access on and off is within one campaign of one program.
#[test]
fn runs_without_direct_cache_access_have_no_like_with_it() {
    let runs = runs();
    let of = |ddio| {
        let of =
            |row: &&PublishedRunRow| row.common.profile == "nurdma-cx3" && row.common.ddio == ddio;
        let pairs = runs.iter().filter(of).map(|row| (row.own.code_generation, row.own.campaign));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort();
        pairs.dedup();
        pairs
    };
    assert_eq!(of(Ddio::Off), [(Some(CodeGeneration::V1), Some(Campaign::B))]);
    assert!(!of(Ddio::Default).contains(&(Some(CodeGeneration::V1), Some(Campaign::B))));
}
