//! What becomes of a release that is not.

use std::fs;

use super::release::{AGAIN, BASELINE, Release, TABLES, twenty};
use crate::program::onesided;

#[test]
fn a_bad_line_is_named_with_its_file_and_number_and_no_table_is_left() {
    let twenty = twenty();
    let cases = [
        (
            twenty[..twenty.len() - 4].to_owned(),
            "0workers.result:40: \"1\t20\t5000000.000\" has no line end",
        ),
        (
            twenty.replacen("5000000.000000", "fast", 1),
            ":1: \"0\t1\tfast\", expected client, epoch and rate",
        ),
        (twenty.replacen("5000000", "-5000000", 1), ":1: the rate -5000000.000000 is negative"),
        (
            twenty.replace("1\t20\t", "1\t19\t"),
            ":40: epoch 19 of client 1 is there twice, expected 20",
        ),
        (
            twenty.replace("1\t20\t", "1\t21\t"),
            ":40: epoch 21 of client 1, but epoch 20 is missing",
        ),
        (
            twenty
                .lines()
                .filter(|line| line.starts_with("0\t"))
                .map(|line| format!("{line}\n"))
                .collect(),
            ": client 1, counted from 0, is missing: by its path the run has clients = 2",
        ),
        (String::new(), "0workers.result is empty"),
    ];
    for (text, expected) in cases {
        Release::of(&[(AGAIN, &twenty), (BASELINE, &text)])
            .refused(&[BASELINE.rsplit_once('/').expect("a folder").0, expected]);
    }
}

#[test]
fn an_unknown_folder_is_named_with_the_known_ones() {
    let path = "cache_aligned/baseline/clients_five/cread/sread/numa_one/0workers.result";
    Release::of(&[(BASELINE, &twenty()), (path, &twenty())]).refused(&[
        path,
        "\"clients_five\" is no number of clients",
        "clients_four",
    ]);
    Release::of(&[("notes.txt", "")]).refused(&[
        "notes.txt",
        "is no folder of the release",
        "memcached",
    ]);
}

#[test]
fn a_release_that_is_not_there_or_empty_is_named() {
    Release::of(&[]).refused(&["results", "holds no file", "of the release"]);
    let release = Release::of(&[]);
    fs::remove_dir(release.results()).expect("a directory");
    release.refused(&["cannot look into", "results", "No such file"]);
}

#[test]
fn tables_that_were_there_before_stay_when_the_import_fails() {
    let release = Release::of(&[(BASELINE, &twenty())]);
    release.imported();
    let before = release.bytes();
    release.put(AGAIN, "nonsense\n");
    release.import("2").could_not_run(&[]);
    assert!(release.bytes() == before);
    assert_eq!(fs::read_dir(release.out()).expect("a directory").count(), TABLES.len() + 1);
}

#[test]
fn a_part_of_the_release_is_refused_before_anything_is_written() {
    let release = Release::of(&[(BASELINE, &twenty())]);
    let expected = ["results lacks 5168 of the release's 5169 files", "--partial"];
    let told = release.import_with(&[]).could_not_run(&expected).stderr;
    assert_eq!(told.lines().count(), 1, "no file was read: {told}");
    assert!(!release.out().exists());
}

#[test]
fn a_part_has_no_place_by_default_because_the_whole_is_there() {
    let part = ["import", "nurdma", "--partial", "--results", "results"];
    onesided(part).could_not_run(&["--out"]);
}

#[test]
fn no_table_has_changed_when_one_of_them_cannot_have_its_place() {
    for name in TABLES {
        let release = Release::of(&[(BASELINE, &twenty())]);
        fs::create_dir_all(release.out().join(name)).expect("a directory in the way");
        let told = release.import("2").could_not_run(&[]).stderr;
        assert!(told.contains("cannot write") && told.contains(name), "{told}");
        assert_eq!(fs::read_dir(release.out()).expect("a directory").count(), 1, "{name}");
    }
}

#[test]
fn the_first_bad_file_is_named_whatever_the_number_of_threads() {
    let release = Release::of(&[(BASELINE, "first\n"), (AGAIN, "second\n")]);
    for _ in 0..10 {
        release.refused(&["numa_one", "\"first\""]);
    }
}

#[test]
fn a_table_directory_that_cannot_be_is_named() {
    let release = Release::of(&[(BASELINE, &twenty())]);
    fs::write(release.out(), "").expect("a file");
    let told = release.import("1").could_not_run(&[]).stderr;
    assert!(told.contains("cannot create") && told.contains("tables"), "{told}");
}
