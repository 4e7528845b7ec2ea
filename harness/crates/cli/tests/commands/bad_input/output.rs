//! What goes to stdout, and what happens when it, or a results directory, takes no more.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    path::Path,
    process::{Command, Stdio},
};

use crate::program::{command, design, ended, file, onesided, repository, run_table};

#[test]
fn stdout_holds_nothing_but_the_table_that_was_asked_for() {
    let expanded = onesided([Path::new("expand"), &design()]).valid();
    let mut table = csv::Reader::from_reader(expanded.stdout.as_bytes());
    let rows = table.records().inspect(|row| assert!(row.is_ok(), "{row:?}")).count();
    assert!(expanded.stderr.contains(&format!("{rows} runs")), "{}", expanded.stderr);
}

#[test]
fn a_table_that_goes_to_a_file_leaves_stdout_empty_and_is_the_same() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("runs.csv");
    let flags = ["--level", "smoke", "--out"].map(Path::new);
    let arguments = [Path::new("expand"), &design(), flags[0], flags[1], flags[2], &path];
    assert_eq!(onesided(arguments).valid().stdout, "");
    assert_eq!(std::fs::read_to_string(&path).expect("the table"), run_table());
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 1);
}

#[test]
fn schemas_are_the_committed_ones_to_the_byte() {
    let names = onesided(["schema"]).valid().stdout;
    let committed = repository().join("data/schema");
    let names: Vec<_> = names.lines().map(str::to_owned).collect();
    let there: BTreeMap<_, _> = std::fs::read_dir(&committed)
        .expect("data/schema")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_stem().expect("a name").to_str().expect("UTF-8").to_owned(), path))
        .collect();
    assert_eq!(names, there.keys().cloned().collect::<Vec<_>>());
    for (name, path) in &there {
        let file = std::fs::read_to_string(path).expect("a schema");
        let printed = onesided(["schema", name.as_str()]).valid().stdout;
        assert!(printed == file, "{name} is stale: onesided schema --write data/schema");
    }
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let head = format!(
        "{} expand {} | head -n 1; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_onesided"),
        design().display()
    );
    let ended = ended(Command::new("bash").args(["-c", &head]));
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(0), 1), "{ended:#?}");
    assert!(!ended.stderr.contains("pipe"), "{}", ended.stderr);
}

#[test]
fn a_stdout_that_is_full_is_an_error() {
    for arguments in [&["schema", "run-record.json"][..], &["topology"], &["doctor"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut child = command();
        let child = child.args(arguments).stdout(full).stderr(Stdio::piped());
        let ended = child.output().expect("the program starts");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains("No space left"), "{arguments:?}: {told}");
    }
}

#[test]
fn a_file_in_the_way_of_results_is_named_before_anything_is_done() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = file(directory.path(), "taken", "");
    for out in [file.clone(), file.join("below")] {
        let advice = [out.to_str().expect("UTF-8"), "choose another --out"];
        onesided([Path::new("run"), "--out".as_ref(), &out]).could_not_run(&advice).in_one_line();
    }
    let below = file.join("runs.csv");
    onesided([Path::new("expand"), &design(), "--out".as_ref(), &below])
        .could_not_run(&["taken/runs.csv", "is no directory"]);
    onesided([Path::new("schema"), "--write".as_ref(), &file])
        .could_not_run(&["taken/", "is no directory"]);
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "");
}

#[test]
fn a_results_directory_that_cannot_be_written_to_is_named_before_anything_is_done() {
    // The kernel's own file systems take no files from anybody, root included.
    onesided(["run", "--out", "/proc/sys/results"])
        .could_not_run(&["/proc/sys/results", "choose another --out"])
        .in_one_line();
}
