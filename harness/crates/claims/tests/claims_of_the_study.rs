//! The file of claims that comes with the harness.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use onesided_claims::{
    Claims, Evaluation, Tables, cells, evaluate, evaluate_with_cells,
    file::{FIGURES, Paper, Question},
};
use onesided_results::{
    row::FabricReadsRow,
    table::{Row, write_table},
    version,
    vocabulary::{ClaimKind, Source, Verdict},
};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/claims")
}

fn claims() -> Claims {
    Claims::read(&repository().join("paper/claims.toml")).unwrap_or_else(|error| {
        panic!(
            "{error}: {}",
            std::error::Error::source(&error).map_or_else(String::new, |s| s.to_string())
        )
    })
}

/// Verdicts of the published data, and the values behind them.
static PUBLISHED: LazyLock<Evaluation> = LazyLock::new(|| {
    evaluate_with_cells(&claims(), &published()).expect("the claims are about these tables")
});

fn published() -> Tables {
    let directory: PathBuf = repository().join("data/published");
    Tables::read(&[directory], true).expect("data/published is in the repository")
}

/// The bytes of a table of these rows.
fn bytes<R: Row>(rows: &[R]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(R::FILE);
    write_table(&path, rows).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn every_sentence_of_the_study_is_an_entry() {
    let claims = claims();
    let of = |paper| {
        let claims = claims.0.iter().filter(|claim| claim.kind == ClaimKind::Claim);
        claims.filter(|claim| claim.paper == paper).count()
    };
    assert_eq!((of(Paper::Paper), of(Paper::Poster1), of(Paper::Poster2)), (98, 3, 15));
    assert!(claims.0.iter().filter(|claim| claim.kind == ClaimKind::Correction).count() >= 25);
}

/// Reads of version 5 had two threads a node, and no column for that.
#[test]
fn claims_on_two_threads_a_node_speak_of_tables_from_before_there_was_a_choice() {
    let verdicts = |version: u32, threads: &str| {
        let columns = FabricReadsRow::columns();
        let is_there = |column: &&&str| version >= 6 || **column != "threads_per_node";
        let columns: Vec<_> = columns.iter().filter(is_there).copied().collect();
        let cell = |column: &&str| match *column {
            "schema_version" => version.to_string(),
            "source" => "emulated".to_owned(),
            "back_end" => "rmc".to_owned(),
            "profile" => "box".to_owned(),
            "fabric_hop_ns" => "0".to_owned(),
            "operation" => "read".to_owned(),
            "access_bytes" => "64".to_owned(),
            "sides" => "single".to_owned(),
            "throughput_ops" => "2e7".to_owned(),
            "replicate" => "1".to_owned(),
            "threads_per_node" => threads.to_owned(),
            _ => String::new(),
        };
        let row: Vec<_> = columns.iter().map(cell).collect();
        let place = tempfile::tempdir().unwrap();
        let text = format!("{}\n{}\n", columns.join(","), row.join(","));
        std::fs::write(place.path().join("fabric-reads.csv"), text).unwrap();
        let tables = Tables::read(&[place.path().to_owned()], false).unwrap();
        let all = evaluate(&claims(), &tables).unwrap();
        let of = all.into_iter().find(|row| row.id == "sonuma-10m-a-core").unwrap();
        (of.source, of.value)
    };
    for (version, threads) in [(5, ""), (6, "2")] {
        assert_eq!(verdicts(version, threads), (Source::Emulated, Some(2e7)), "{version}");
    }
    assert_eq!(verdicts(6, "1"), (Source::Emulated, None));
}

/// Of reads by packets and of direct loads; what a thread without a CPU took says nothing.
#[test]
fn headlines_of_the_fabric_are_of_quiet_rows_of_packets_over_loads_from_memory() {
    let verdicts = |packets_ns: f64, bytes: u64, doubts: &str| {
        let columns = FabricReadsRow::columns();
        let mut text = columns.join(",") + "\n";
        let measured = [("packets", packets_ns, doubts), ("emulated-direct", 150.0, "")];
        let disturbed = [("packets", 9e4, "preempted"), ("emulated-direct", 1.0, "crowded")];
        for replicate in 1..=5 {
            let small = [("packets", 9e4, ""), ("emulated-direct", 1.0, "")];
            let of_size = |rows: [(&'static str, f64, &str); 2], bytes: u64| {
                rows.map(|(way, ns, doubts)| (way, ns, doubts.to_owned(), bytes))
            };
            let all = [of_size(measured, bytes), of_size(disturbed, bytes), of_size(small, 8192)];
            for (number, (way, ns, doubts, bytes)) in all.into_iter().flatten().enumerate() {
                for access in [64_u64, 8192] {
                    let is_direct = way == "emulated-direct";
                    let of_packets = |value: &str| if is_direct { "" } else { value }.to_owned();
                    let cell = |column: &&str| match *column {
                        "schema_version" => version::FABRIC.written.to_string(),
                        "source" => "emulated".to_owned(),
                        "back_end" => "rmc".to_owned(),
                        "profile" => "box".to_owned(),
                        "read_way" => way.to_owned(),
                        "fabric_hop_ns" => "0".to_owned(),
                        "operation" => "read".to_owned(),
                        "access_bytes" => access.to_string(),
                        "sides" => "single".to_owned(),
                        "latency_ns" => (ns + replicate as f64 / 10.0).to_string(),
                        "bandwidth_gbit_per_s" => (1e4 / ns).to_string(),
                        "replicate" => (10 * number + replicate).to_string(),
                        "window" => of_packets("64"),
                        "threads_per_node" => of_packets("2"),
                        "buffer_bytes" => bytes.to_string(),
                        "doubts" => doubts.clone(),
                        _ => String::new(),
                    };
                    text += &(columns.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
                }
            }
        }
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("fabric-reads.csv"), text).unwrap();
        let tables = Tables::read(&[place.path().to_owned()], false).unwrap();
        let all = evaluate(&claims(), &tables).unwrap();
        ["sonuma-within-4x-of-loads", "sonuma-memory-bandwidth"].map(|id| {
            let row = all.iter().find(|row| row.id == id).expect("it is a claim");
            (row.verdict, row.value.map(|value| (10.0 * value).round() / 10.0))
        })
    };
    let (supported, contradicted) = (Verdict::Supported, Verdict::Contradicted);
    let beyond_caches = 64 << 20;
    let found = verdicts(450.0, beyond_caches, "");
    assert_eq!(found, [(supported, Some(3.0)), (contradicted, Some(0.3))]);
    let found = verdicts(150.0, beyond_caches, "");
    assert_eq!(found, [(supported, Some(1.0)), (supported, Some(1.0))]);
    let found = verdicts(900.0, beyond_caches, "");
    assert_eq!(found[0], (contradicted, Some(6.0)));
    let nothing = [(Verdict::NotTestable, None); 2];
    assert_eq!(verdicts(450.0, beyond_caches, "preempted"), nothing);
    assert_eq!(verdicts(450.0, 1 << 20, ""), nothing, "such memories are in caches");
}

#[test]
fn every_figure_of_a_claim_is_drawn_by_a_script() {
    let missing: Vec<_> = FIGURES
        .into_iter()
        .filter(|figure| !repository().join(format!("figures/{figure}.R")).is_file())
        .collect();
    assert!(missing.is_empty(), "no script in figures/ for {missing:?}");
}

#[test]
fn every_figure_shows_a_claim() {
    let shown: BTreeSet<_> = claims().0.iter().filter_map(|claim| claim.figure).collect();
    assert_eq!(shown, FIGURES.into());
}

#[test]
fn every_claim_that_an_experiment_answers_is_an_entry() {
    let known: BTreeSet<_> = claims().0.into_iter().map(|claim| claim.id).collect();
    for design in std::fs::read_dir(repository().join("experiments")).unwrap() {
        let design = design.unwrap().path();
        let text: toml::Table = toml::from_str(&std::fs::read_to_string(&design).unwrap()).unwrap();
        for claim in text["experiment"]["claims"].as_array().unwrap() {
            let claim = claim.as_str().unwrap();
            assert!(known.contains(claim), "{}: there is no claim {claim}", design.display());
        }
    }
}

#[test]
fn each_claim_has_one_verdict_of_the_published_data() {
    let verdicts = &PUBLISHED.verdicts;
    let ids: Vec<_> = verdicts.iter().map(|row| row.id.clone()).collect();
    assert_eq!(ids, claims().0.into_iter().map(|claim| claim.id).collect::<Vec<_>>());
    assert!(verdicts.iter().all(|row| row.source == Source::Published));
}

#[test]
fn equal_tables_give_equal_bytes_whether_verdicts_and_values_are_asked_for_together_or_apart() {
    let (claims, tables) = (claims(), published());
    let Evaluation { verdicts, cells: values } = &*PUBLISHED;
    assert_eq!(bytes(verdicts), bytes(&evaluate(&claims, &tables).unwrap()));
    assert_eq!(bytes(values), bytes(&cells(&claims, &tables).unwrap()));
}

#[test]
fn each_value_says_what_its_part_of_the_claim_looks_at_and_only_numbers_lack_a_unit() {
    let claims = claims();
    let mut unitless = BTreeSet::new();
    for value in &PUBLISHED.cells {
        let claim = claims.0.iter().find(|claim| claim.id == value.id).unwrap();
        let Question::Parts(parts) = &claim.question else { panic!("{value:?}") };
        let part = &parts[usize::try_from(value.part - 1).unwrap()];
        assert_eq!(value.measure.as_ref(), Some(&part.value), "{value:?}");
        if value.measure_unit.is_none() {
            unitless.insert(part.value.as_str());
        }
    }
    let plain = [
        "closure",
        "fast_regime_fraction",
        "max_rd_atomic",
        "queue_pairs",
        "runs",
        "samples_per_queue_pair",
        "window_fraction",
    ];
    assert_eq!(unitless, plain.into());
}

#[test]
fn a_claim_is_without_an_answer_only_where_it_says_why_or_the_release_has_no_such_runs() {
    // What the release lacks: latencies of memory, threads apart from queue pairs, writes of 1024
    // bytes (they sent 512), DDIO on beside off in one campaign, the length of Memcached's runs, workers
    // apart from the memory.
    let absent = [
        "fig2-mlc-table",
        "fig3-spike-cause-rnic",
        "fig3-mlc-38-122",
        "fig4-write-70",
        "vd-ddio-cause",
        "mc-trials",
        "vii-ddio-off-worse",
        "p1-worker-policy-36-5x",
    ];
    let claims = claims();
    let unanswered = claims.0.iter().zip(&PUBLISHED.verdicts).filter(|(claim, row)| {
        matches!(claim.question, Question::Parts(_))
            && !claim.paper.is_of_others()
            && row.value.is_none()
    });
    assert_eq!(unanswered.map(|(claim, _)| claim.id.as_str()).collect::<Vec<_>>(), absent);
}

#[test]
fn what_scale_out_numa_states_is_no_evidence_for_any_of_its_sentences() {
    let tables = Tables::read(&[repository().join("data/stated")], false).expect("it is there");
    let (claims, rows) = (claims(), evaluate(&claims(), &tables).expect("they are about it"));
    let of_it = claims.0.iter().filter(|claim| claim.paper == Paper::ScaleOutNuma);
    let own: BTreeSet<_> = of_it
        .filter(|claim| claim.sources.contains(&Source::Published))
        .map(|claim| claim.id.as_str())
        .collect();
    assert!(own.len() >= 6, "{own:?}");
    let barred = rows.iter().filter(|row| row.why.ends_with("no sentence is its own evidence"));
    let barred: BTreeSet<_> = barred.map(|row| row.id.as_str()).collect();
    assert!(own.is_subset(&barred), "{own:?} {barred:?}");
    assert!(rows.iter().all(|row| row.value.is_none()));
}
