//! The tables that are committed.

use std::{fs, path::Path, process::Command};

use crate::release::TABLES;

#[test]
fn the_committed_tables_are_those_whose_sums_are_committed() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .expect("the repository")
        .join("data/published");
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
