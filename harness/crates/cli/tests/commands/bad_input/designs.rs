//! Designs that are not what they should be; and that right ones expand alike everywhere.

use std::path::Path;

use crate::program::{design, file, onesided, repository};

/// Expands the committed design with `from` replaced by `to`.
#[track_caller]
fn refused(from: &str, to: &str, fragments: &[&str]) {
    let text = std::fs::read_to_string(design()).expect("the design");
    assert!(text.contains(from), "the design has no {from:?} to replace");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let changed = text.replacen(from, to, 1);
    let path = file(directory.path(), "latency-by-queue-pairs.toml", &changed);
    onesided([Path::new("expand"), &path]).could_not_run(fragments).in_one_line();
}

/// `latency-by-queue-pairs.toml:LINE:COLUMN:` of where `text` is in the committed design.
fn place(text: &str) -> String {
    let design = std::fs::read_to_string(design()).expect("the design");
    let offset = design.find(text).expect("the text is in the design");
    let line = design[..offset].lines().count();
    // The line that the text begins is not yet counted.
    let starts_line = offset == 0 || design.as_bytes()[offset - 1] == b'\n';
    let line = if starts_line { line + 1 } else { line };
    let column = offset - design[..offset].rfind('\n').map_or(0, |end| end + 1) + 1;
    format!("latency-by-queue-pairs.toml:{line}:{column}:")
}

#[test]
fn a_fault_of_syntax_is_told_with_file_line_and_column() {
    // The first `=` is where it was, the second two columns on.
    let at = place("10\nblock_by");
    refused("replicates = 10", "replicates = = 10", &[&at, "`=`"]);
}

#[test]
fn a_field_that_is_none_is_told_with_its_place_and_the_nearest_one() {
    let at = place("replicates = 10");
    refused("replicates = 10", "replicats = 10", &[&at, "`replicats`", "\"replicates\""]);
}

#[test]
fn a_factor_that_is_none_is_told_with_its_place_and_the_nearest_one() {
    let at = place("operation = [");
    refused("operation = [", "operatoin = [", &[&at, "\"operatoin\"", "mean \"operation\""]);
}

#[test]
fn a_level_that_is_none_is_told_with_its_place_and_the_nearest_one() {
    let at = place("\"read\", \"write\"]");
    refused("[\"read\", ", "[\"raed\", ", &[&at, "\"raed\"", "did you mean \"read\"", "allowed"]);
}

#[test]
fn a_design_point_that_no_machine_can_run_is_told_with_its_point() {
    let impossible = ["design point", "access_bytes", "allows only 8"];
    // As many levels as before, for the design says how many runs it has.
    refused("\"read\", \"write\"]", "\"read\", \"fetch-and-add\"]", &impossible);
}

#[test]
fn a_cost_that_is_not_what_the_design_expands_to_is_told_with_its_place_and_the_right_one() {
    let at = place("880, blocks");
    let told = [at.as_str(), "level full", "runs = 881", "expands to runs = 880"];
    refused("full = { runs = 880,", "full = { runs = 881,", &told);
    let at = place("8, blocks = 1, seconds = 1 }");
    let told = [at.as_str(), "level smoke", "runs = 8,", "expands to runs = 4"];
    refused("queue_pairs = [1, 4]", "queue_pairs = [1]", &told);
}

#[test]
fn the_cost_of_each_design_is_told_beside_the_table_and_of_one_only_once() {
    let level = ["--level", "smoke"].map(Path::new);
    let one = onesided([Path::new("expand"), &design(), level[0], level[1]]).valid();
    assert_eq!(one.stderr, "onesided: 8 runs in 1 block, 960ms of warm-up and measuring\n");
    let other = design().with_file_name("throughput-by-queue-pairs.toml");
    let both = onesided([Path::new("expand"), &design(), &other, level[0], level[1]]).valid();
    let told = "onesided: latency-by-queue-pairs: 8 runs in 1 block, 960ms\n\
                onesided: throughput-by-queue-pairs: 8 runs in 1 block, 960ms\n\
                onesided: 16 runs in 2 blocks, 1s 920ms of warm-up and measuring\n";
    assert_eq!(both.stderr, told);
}

#[test]
fn some_levels_of_a_factor_can_be_chosen_and_a_slip_is_told_with_what_there_is() {
    let only = |chosen: &'static str| {
        let design = design();
        let words = ["expand", "--level", "smoke", "--only", chosen].map(Path::new);
        onesided(words.into_iter().chain([design.as_path()]))
    };
    let whole = onesided([Path::new("expand"), Path::new("--level=smoke"), &design()]).valid();
    let part = only("queue_pairs=4").valid();
    assert!(part.stderr.starts_with("onesided: 4 runs in 1 block"), "{}", part.stderr);
    assert!(part.stdout.lines().all(|row| whole.stdout.contains(row)), "names stay as they are");
    only("queue_pair=4").could_not_run(&["\"queue_pair\" is no factor", "\"queue_pairs\""]);
    only("queue_pairs=5").could_not_run(&["queue_pairs = 5", "it has: 1, 4"]);
}

#[test]
fn a_level_of_effort_that_is_none_is_answered_with_those_that_there_are() {
    let level = ["--level", "smok"].map(Path::new);
    onesided([Path::new("expand"), &design(), level[0], level[1]]).could_not_run(&[
        "smok",
        "did you mean \"smoke\"",
        "full, reproduce, smoke",
    ]);
}

#[test]
fn a_design_under_another_name_or_not_there_is_told_with_its_path() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let text = std::fs::read_to_string(design()).expect("the design");
    let path = file(directory.path(), "other.toml", &text);
    onesided([Path::new("expand"), &path])
        .could_not_run(&["other.toml:", "\"latency-by-queue-pairs\"", "make them the same"])
        .in_one_line();
    onesided(["expand", "nowhere.toml"]).could_not_run(&["nowhere.toml", "No such file"]);
}

#[test]
fn a_design_that_is_given_twice_is_refused() {
    onesided([Path::new("expand"), &design(), &design()])
        .could_not_run(&["was one given twice?"])
        .in_one_line();
}

#[test]
fn the_same_designs_and_seed_expand_alike_to_the_byte_and_another_seed_does_not() {
    let designs = std::fs::read_dir(repository().join("experiments")).expect("designs");
    let mut designs: Vec<_> = designs.map(|entry| entry.expect("an entry").path()).collect();
    designs.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    designs.sort();
    let expand = |seed: &str| {
        let flags = ["--level", "smoke", "--seed", seed].map(Path::new);
        let designs = designs.iter().map(std::path::PathBuf::as_path);
        onesided([Path::new("expand")].into_iter().chain(designs).chain(flags)).valid().stdout
    };
    let first = expand("7");
    assert!(first.lines().count() > 8, "{first}");
    assert_eq!(first, expand("7"));
    assert_ne!(first, expand("8"));
}

#[test]
fn designs_of_more_runs_than_anybody_does_are_refused_at_once() {
    let text = std::fs::read_to_string(design()).expect("the design");
    let levels: Vec<_> = (1..=64).map(|level| level.to_string()).collect();
    let levels = levels.join(", ");
    let absurd = [
        text.replacen("replicates = ", "replicates = 42949672", 1),
        format!(
            "replicates = 1\n[experiment]\nname = \"wide\"\ntitle = \"Wide\"\nquestion = \"?\"\n[factors]\n{}",
            ["queue_pairs", "window", "post_list", "signal_every", "think_time_ns", "access_bytes"]
                .map(|factor| format!("{factor} = [{levels}]\n"))
                .concat()
        ),
    ];
    for (text, name) in absurd.iter().zip(["latency-by-queue-pairs.toml", "wide.toml"]) {
        let directory = tempfile::tempdir().expect("a directory");
        let design = file(directory.path(), name, text);
        let began = std::time::Instant::now();
        let words = [Path::new("expand"), &design, "--profile".as_ref(), "lab".as_ref()];
        onesided(words).could_not_run(&[name, "more than 200000 runs"]);
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }
}
