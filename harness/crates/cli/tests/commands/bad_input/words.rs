//! Wrong commands, flags, words, numbers and units on the command line; and the help.

use crate::program::{command, ended, onesided};

const COMMANDS: [&str; 11] = [
    "topology",
    "doctor",
    "memory-latency",
    "load",
    "expand",
    "serve",
    "run",
    "collect",
    "bundle",
    "check",
    "schema",
];

/// Runs `run` with `arguments` (separated by blanks); it must be refused with all of `fragments`.
#[track_caller]
fn refused(arguments: &str, fragments: &[&str]) {
    onesided(["run"].into_iter().chain(arguments.split_whitespace())).could_not_run(fragments);
}

#[test]
fn a_wrong_command_or_flag_is_named_with_the_nearest_one() {
    onesided(["serv"]).could_not_run(&["'serv'", "'serve'"]);
    onesided(["topologie"]).could_not_run(&["'topologie'", "'topology'"]);
    refused("--operaton read", &["'--operaton'", "'--operation'"]);
    refused("--queue-pair 2", &["'--queue-pair'", "'--queue-pairs'"]);
}

#[test]
fn a_wrong_word_is_named_with_the_nearest_one_and_all_that_there_are() {
    refused("--operation raed", &["raed", "did you mean \"read\"", "compare-and-swap"]);
    refused("--loop opne", &["opne", "did you mean \"open\"", "ping-pong"]);
    refused("--slot-layout paded", &["paded", "did you mean \"padded\"", "unaligned"]);
    refused("--address-pattern zpif", &["zpif", "did you mean \"zipf\"", "own-slot"]);
    refused("--completion-queues per-tread", &["per-tread", "\"per-thread\"", "per-queue-pair"]);
    refused("--service udd", &["udd", "did you mean \"ud\"", "rc"]);
    refused("--receive-queues sharde", &["sharde", "did you mean \"shared\"", "own"]);
    refused("--arrivals poison", &["poison", "did you mean \"poisson\"", "fixed"]);
}

#[test]
fn a_quantity_without_or_with_a_wrong_unit_is_answered_with_the_right_ones() {
    refused("--duration 10", &["'10'", "a unit is missing", "10ms"]);
    refused("--duration 3lightyears", &["lightyears", "ms"]);
    refused("--think-time 5n", &["\"n\"", "ns"]);
    refused("--access 4kb", &["'kb'", "KiB"]);
    refused("--working-set 99999999999GiB", &["99999999999GiB", "too much"]);
    refused("--duration 1500us", &["1500us", "--duration", "whole number of milliseconds"]);
}

#[test]
fn a_value_that_cannot_be_is_named_with_what_can() {
    refused("--queue-pairs many", &["'many'", "--queue-pairs"]);
    refused("--queue-pairs 0", &["--queue-pairs is 0", "1 to 2097152"]);
    refused("--queue-pairs 2 --threads 3", &["--threads is 3", "--queue-pairs, which is 2"]);
    refused("--mtu 1500", &["--mtu (bytes) is 1500", "256, 512, 1024, 2048, 4096"]);
    refused("--retry-count 7", &["--retry-count is 7", "0 to 6"]);
    refused("--window 200", &["--window is 200", "--send-queue-depth, which is 128"]);
    refused(
        "--duration 15ms",
        &["--duration (ms) is 15", "--counting-window (ms) = 10", "multiple"],
    );
    refused("--device-port 300", &["300", "0..=255"]);
    refused(
        "--operation compare-and-swap --access 64",
        &["--access (bytes) is 64", "allows only 8"],
    );
    refused("--run-id ../../etc", &["\"../../etc\"", "it names a directory"]);
}

#[test]
fn factors_that_need_or_exclude_each_other_are_named_both() {
    refused("--loop open", &["--rate is missing", "--loop = open"]);
    refused("--rate 100", &["--rate is 100", "--loop = closed"]);
    refused("--write-fraction 0.5", &["--write-fraction is 0.5", "--operation = read"]);
    for one_sided in ["read", "write", "fetch-and-add"] {
        let asked = format!("--operation {one_sided} --receive-queues shared");
        let because = format!("--operation = {one_sided}; leave it out");
        refused(&asked, &["--receive-queues is shared, but has no meaning with", &because]);
    }
    for (service, lacking, there) in [
        ("ud", "read", "allows only send"),
        ("ud", "write", "allows only send"),
        ("uc", "fetch-and-add", "allows only write, write-with-immediate, send"),
    ] {
        let asked = format!("--operation {lacking} --service {service}");
        let (is, because) =
            (format!("--operation is {lacking}"), format!("--service = {service} {there}"));
        refused(&asked, &[&is, &because]);
    }
    let datagram = "--operation send --service ud --access 1025 --slot-layout padded";
    refused(datagram, &["--access (bytes) is 1025", "--mtu (bytes), which is 1024"]);
    let empty = "1 or more (only a send may be header-only)";
    refused("--operation write --access 0", &["--access (bytes) is 0", empty]);
    let of_turns = "1 or more (whose turn it is stands in the message)";
    refused("--operation send --loop ping-pong --access 0", &["--loop = ping-pong", of_turns]);
    refused("--address-pattern zipf --working-set 4KiB", &["--zipf-exponent is missing"]);
    refused("--table runs.csv --operation read", &["--table", "--operation"]);
    refused("--again", &["--table"]);
}

#[test]
fn a_place_that_is_none_is_named_with_the_words_for_places() {
    refused("--server-region moon", &["\"moon\"", "rdma-local, rdma-remote"]);
    refused("--client-threads cpus:x", &["\"cpus:x\"", "cpus:0-3,8"]);
}

#[test]
fn every_fault_of_a_configuration_is_told_at_once() {
    refused(
        "--mtu 1 --retry-count 9 --hop-limit 0",
        &["--mtu (bytes)", "--retry-count", "--hop-limit"],
    );
}

#[test]
fn a_token_cannot_be_given_on_the_command_line() {
    refused("--token hunter2hunter2hunter2", &["'--token'", "'--token-file'"]);
}

#[test]
fn a_schema_that_is_none_is_answered_with_the_names() {
    onesided(["schema", "nonsense"]).could_not_run(&["'nonsense'", "run-record"]).in_one_line();
}

#[test]
fn every_command_has_help_on_stdout_and_those_with_choices_have_examples() {
    for name in COMMANDS {
        let help = onesided([name, "--help"]).valid();
        assert!(help.stderr.is_empty() && help.stdout.contains("Usage: onesided"), "{help:#?}");
        let choices = name != "doctor";
        let mut lines = help.stdout.lines().filter(|line| !line.is_empty());
        if choices {
            let example = lines.next().unwrap_or_default();
            assert!(example.starts_with(&format!("Example: onesided {name}")), "{name}: {example}");
        }
        let first = lines.next().unwrap_or_default();
        assert!(first.split(' ').count() > 4, "{name}: no sentence first: {first}");
        assert_eq!(help.stdout.contains("Example"), choices, "{name}: {}", help.stdout);
    }
    let all = onesided(["--help"]).valid().stdout;
    assert!(COMMANDS.iter().all(|name| all.contains(name)), "{all}");
    assert!(all.contains("Exit status"), "{all}");
}

#[test]
fn every_flag_of_run_that_takes_a_value_says_which_in_its_help() {
    let help = onesided(["run", "--help"]).valid().stdout;
    let options = help.split("Examples:").next().expect("options");
    let flags: Vec<_> =
        options.lines().map(str::trim).filter(|line| line.starts_with("--")).collect();
    assert!(flags.len() > 40, "{flags:?}");
    for flag in flags {
        let bare = !flag.contains('<');
        let is_switch = ["--again", "--as-published", "--beside"].contains(&flag);
        assert!(!bare || is_switch, "{flag} names no value");
    }
}

#[test]
fn an_example_of_the_help_is_understood() {
    let help = onesided(["run", "--help"]).valid().stdout;
    let examples = help.split("Examples:").nth(1).expect("examples").replace("\\\n", " ");
    let examples: Vec<_> = examples.lines().filter(|line| line.contains("onesided run")).collect();
    assert!(examples.len() >= 2, "{examples:?}");
    for example in examples {
        let mut run = command();
        run.args(example.split_whitespace().skip(1));
        let ended = ended(&mut run);
        // It gets as far as this machine allows: to the missing table, the missing library, or,
        // without one, to the missing secret of a server.
        let ends = ["libibverbs", "open runs.csv", "give --token-file"];
        let beyond = ends.iter().any(|end| ended.stderr.contains(end));
        assert!(beyond, "{example}: {}", ended.stderr);
    }
}

#[test]
fn a_profile_that_would_be_taken_for_something_else_is_refused() {
    refused("--profile default", &["--profile", "Snakemake"]);
    refused("--profile a/b", &["--profile", "letters, digits"]);
    onesided(["expand", "nothing.toml", "--profile", "default", "--out", "runs.csv"])
        .could_not_run(&["--profile", "Snakemake"]);
}
