//! The tables that are committed.

use std::{fs, path::PathBuf, process::Command};

use onesided_published::release;
use onesided_results::{
    row::ManifestRow,
    table::{Extra, Row as _, TableReader},
};

use super::release::TABLES;
use crate::program::{command, ended, repository};

fn published() -> PathBuf {
    repository().join("data/published")
}

#[test]
fn the_committed_tables_are_those_whose_sums_are_committed() {
    let published = published();
    let output = Command::new("sha256sum")
        .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
        .current_dir(&published)
        .output()
        .expect("sha256sum of the GNU core utilities");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = fs::read_to_string(published.join("SHA256SUMS")).expect("the sums");
    let listed: Vec<_> = listed.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(listed, TABLES);
    let size = |name| fs::metadata(published.join(name)).expect("a table").len();
    let size: u64 = TABLES.iter().map(size).sum();
    assert!(size <= 8_000_000, "{size} bytes");
}

#[test]
fn the_committed_tables_pass_the_check_of_their_formats() {
    let tables = TABLES.map(|name| published().join(name));
    ended(command().arg("check").args(tables)).valid();
}

#[test]
fn the_files_that_a_whole_release_has_are_those_of_the_committed_manifest() {
    let manifest = published().join(ManifestRow::FILE);
    let rows = TableReader::<ManifestRow>::open(&manifest, Extra::Refused).expect("a manifest");
    let there = rows.map(|row| row.expect("a row")).filter(|row| row.verdict != "missing");
    let mut listed: Vec<_> = release::paths().collect();
    listed.sort_unstable();
    assert!(there.map(|row| row.raw_path).eq(listed));
}
