//! What becomes of a release that is as the study's.

use onesided_results::row::{ConditionRow, ManifestRow, PublishedClientRow, PublishedRunRow};

use super::release::{AGAIN, BASELINE, Release, TABLES, lines, twenty};
use crate::program::{command, ended};

#[test]
fn a_small_release_becomes_tables_with_what_the_paths_say() {
    let release = Release::of(&[(BASELINE, &twenty()), (AGAIN, &lines(20, 5_100_000))]);
    let told = release.imported();
    assert!(told.contains("lacks 5167 of the release's 5169 files"), "{told}");
    let runs: Vec<PublishedRunRow> = release.rows();
    let ops: Vec<_> = runs.iter().map(|run| run.common.throughput_ops).collect();
    // 20 epochs at twice 5.1 million are more than a million operations each: scaled to those.
    assert_eq!(ops, [Some(10_000_000.0), Some(10_000_000.0)]);
    assert_eq!(runs[1].common.throughput_published_ops, Some(10_200_000.0));
    assert_eq!(runs[0].own.raw_path, BASELINE);
    assert_eq!(release.rows::<PublishedClientRow>().len(), 4);
    assert_eq!(release.rows::<ConditionRow>().len(), 2);
}

#[test]
fn every_table_passes_the_check_of_its_format() {
    let release = Release::of(&[(BASELINE, &twenty())]);
    release.imported();
    let paths = TABLES.map(|name| release.out().join(name));
    ended(command().arg("check").args(paths)).valid();
}

#[test]
fn a_column_that_only_imported_tables_have_is_checked_in_them() {
    let release = Release::of(&[(BASELINE, &twenty())]);
    release.imported();
    for (name, column, bad) in
        [("runs.csv.gz", "closure", "fast"), ("clients.csv.gz", "rate_mean_ops", "many")]
    {
        let table = release.with_cell(name, column, bad);
        let told = ended(command().arg("check").arg(&table)).check_failed().stdout;
        assert!(told.starts_with("WRONG") && told.contains(column), "{column}: {told}");
    }
}

#[test]
fn equal_files_make_equal_tables_whatever_the_number_of_threads() {
    let paths: Vec<String> = (0..40)
        .map(|index| {
            let (size, op) = (8 << (index % 10), if index < 20 { "cread" } else { "cwrite" });
            let node = if index % 20 < 10 { "zero" } else { "one" };
            format!("cache_aligned/memsize_mtu/fivetwelve/{op}/numa_{node}/{size}byte.result")
        })
        .collect();
    let release = Release::of(&[]);
    for (index, path) in (0..).zip(&paths) {
        let line = |epoch| {
            (0..8).map(move |client| {
                format!("{client}\t{epoch}\t{}.250000\n", 90_000 + index * 7 + epoch)
            })
        };
        release.put(path, &(1..30).flat_map(line).collect::<String>());
    }
    release.imported();
    let tables = release.bytes();
    for threads in ["1", "3", "8"] {
        release.import(threads).check_failed();
        assert!(release.bytes() == tables, "{threads} threads");
    }
    let paths_in_order: Vec<_> =
        release.rows::<PublishedRunRow>().into_iter().map(|run| run.own.raw_path).collect();
    assert!(paths_in_order.is_sorted() && paths_in_order.len() == 40);
}

#[test]
fn a_copy_counts_once_and_says_of_what() {
    let copied =
        "load/no_load/numa_one/eight_byte/clients_eight/cread/sread/numa_one/0workers.result";
    let original = copied.replace("no_load/numa_one", "no_load/no_numa");
    let text: String = (1..=20)
        .flat_map(|epoch| (0..8).map(move |client| format!("{client}\t{epoch}\t500000.000000\n")))
        .collect();
    let release = Release::of(&[(copied, &text), (&original, &text)]);
    release.imported();
    let runs: Vec<PublishedRunRow> = release.rows();
    assert_eq!((runs[0].common.valid, &runs[0].own.duplicate_of), (true, &None));
    assert_eq!(runs[1].own.duplicate_of.as_ref(), Some(&runs[0].common.run_id));
    assert!(!runs[1].common.valid && runs[1].common.doubts.contains("duplicate"));
    let replicates: Vec<_> = runs.iter().map(|run| run.common.replicate).collect();
    assert_eq!(replicates, [Some(1), None]);
    assert_eq!(release.rows::<ConditionRow>()[0].runs, 1);
}

#[test]
fn a_misfiled_copy_has_the_factors_of_its_original_and_needs_one() {
    let end = "clients_eight/cread/sread/numa_one/0workers.result";
    let misfiled = format!("cache_aligned/load/ninetyp/onek/{end}");
    let original = format!("cache_aligned/load/twentyfour_thread/fourk/eight_byte/{end}");
    let text: String = (0..8).map(|client| format!("{client}\t1\t5.000000\n")).collect();
    let release = Release::of(&[(&misfiled, &text)]);
    release.refused(&[&misfiled, "known as a copy", "twentyfour_thread"]);
    release.put(&original, &text);
    release.imported();
    let runs: Vec<PublishedRunRow> = release.rows();
    assert_eq!(runs[0].common.load_bytes, Some(4096 * 8));
    assert!(!runs[0].common.valid && runs[0].common.doubts.contains("misfiled"));
}

#[test]
fn replicates_of_a_condition_make_its_interval() {
    let path = |worker: &str| {
        format!(
            "cache_aligned/workers/eight_byte/clients_eight/cread/{worker}/numa_one/0workers.result"
        )
    };
    let text = |ops: u64| -> String {
        let line = |epoch| (0..8).map(move |client| format!("{client}\t{epoch}\t{ops}.000000\n"));
        (1..=20).flat_map(line).collect()
    };
    let files = [("sread", 500_000), ("srw", 510_000), ("swrite", 520_000)];
    let release = Release::of(&[]);
    files.iter().for_each(|(worker, ops)| release.put(&path(worker), &text(*ops)));
    release.imported();
    let conditions: Vec<ConditionRow> = release.rows();
    assert_eq!(conditions.len(), 1, "without workers their operation is none");
    assert_eq!(
        (conditions[0].runs, conditions[0].throughput_interval.to_string()),
        (3, "replicates".to_owned())
    );
}

#[test]
fn the_manifest_names_what_is_missing_and_what_is_odd() {
    let stray = "baseline/clients_four/cread/numa_one/1024byte.result";
    let half = "cache_aligned/memsize/clients_eight/cwrite/numa_one/1024byte.result";
    let text: String = (0..8).map(|client| format!("{client}\t1\t5.000000\n")).collect();
    let release =
        Release::of(&[(stray, "1\t1\t0.000000\n"), (half, &text), ("xfour/client.out", "x")]);
    release.imported();
    let manifest: Vec<ManifestRow> = release.rows();
    let verdict = |path: &str| {
        let row = manifest.iter().find(|row| row.raw_path == path).expect("a row");
        row.verdict.clone()
    };
    assert_eq!(verdict(stray), "odd: one line of one client, no run");
    assert!(verdict(half).starts_with("odd: its clients wrote 512 bytes"));
    assert_eq!(verdict("xfour/client.out"), "odd: a log, not read");
    let missing: Vec<_> = manifest.iter().filter(|row| row.verdict == "missing").collect();
    assert!(missing.iter().all(|row| row.sha256.is_none()));
    assert!(missing.is_sorted_by_key(|row| &row.raw_path));
    // Eight are in no copy; the log is not counted as one of the others.
    assert_eq!(missing.len(), 8 + 5169 - 2);
    assert!(missing.iter().any(|row| row.raw_path == BASELINE));
    assert_eq!(release.rows::<PublishedRunRow>().len(), 1);
}
