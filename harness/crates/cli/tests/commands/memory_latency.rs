//! `onesided memory-latency` through the real program, on the machine the tests run on.
//!
//! What passing lets us claim: the table has the columns that figures read, a row for every pair
//! and working set that was asked for, memory proven to be on its node; and bad input ends with
//! status 2, a message that names it and what would be right, and nothing on stdout.

use std::collections::BTreeSet;

use flate2::read::GzDecoder;
use onesided_placement::{NodeId, Topology};
use onesided_results::{
    row::MemoryLatencyRow,
    vocabulary::{LatencyPart, LatencyPlacement},
};

use crate::program::{Ended, command, ended, repository};

/// Little enough for a debug build: what is measured is not looked at here.
const LITTLE: [&str; 6] = ["--loads", "4096", "--repetitions", "3", "--working-set", "1MiB"];

/// A working set of 1 MiB is near some machine's last-level cache, and below most.
const KNOWN_DOUBTS: [&str; 4] =
    ["", "working-set-near-cache", "emulated-processor", "latency-unsteady"];

fn memory_latency(arguments: &[&str]) -> Ended {
    let mut command = command();
    command.env("ONESIDED_HOST_LOCK", concat!(env!("CARGO_TARGET_TMPDIR"), "/memory-latency"));
    ended(command.arg("memory-latency").args(arguments))
}

#[track_caller]
fn refused(arguments: &[&str], fragments: &[&str]) {
    memory_latency(arguments).could_not_run(fragments);
}

fn rows(csv: impl std::io::Read) -> Vec<MemoryLatencyRow> {
    let mut reader = csv::Reader::from_reader(csv);
    reader.deserialize().collect::<Result<_, _>>().expect("rows of the table")
}

/// Pairs of nodes of this machine that memory and CPUs can be asked of.
fn pairs() -> usize {
    let nodes = Topology::discover().expect("a topology").nodes;
    let with_cpus = nodes.iter().filter(|node| node.cpus.is_some()).count();
    with_cpus * nodes.iter().filter(|node| node.memory_bytes > 0).count()
}

fn node_with_cpus() -> NodeId {
    let nodes = Topology::discover().expect("a topology").nodes;
    nodes.iter().find(|node| node.cpus.is_some()).expect("a node with CPUs").id
}

#[test]
fn the_table_has_the_columns_of_the_stated_one_and_a_row_a_pair_and_replicate() {
    let few = ["--csv", "--sweep", "none", "--replicates", "2", "--profile", "this-1.x"];
    let csv = memory_latency(&[&LITTLE[..], &few].concat()).valid().stdout;
    let stated = repository().join("data/stated/memory-latency.csv");
    let stated = std::fs::read_to_string(stated).expect("the table");
    let header = stated.lines().next().expect("a header");
    assert!(csv.starts_with(&format!("{header},replicate,part,")), "{csv}");
    let rows = rows(csv.as_bytes());
    assert_eq!(rows.len(), 2 * pairs());
    for row in &rows {
        assert_eq!((row.profile.as_str(), row.part), ("this-1.x", Some(LatencyPart::Matrix)));
        assert_eq!(row.placement, Some(LatencyPlacement::Proven));
        assert_eq!((row.working_set_bytes, row.load_threads), (Some(1 << 20), Some(0)));
        let [low, median, high] = [row.latency_low_ns, row.latency_ns, row.latency_high_ns]
            .map(|time| time.expect("a measured time"));
        let words = row.doubts.as_deref().unwrap_or_default();
        assert!(words.split(' ').all(|word| KNOWN_DOUBTS.contains(&word)), "{words}");
        assert!(0.0 < low && low <= median && median <= high, "{low} {median} {high}");
    }
    let replicates: BTreeSet<_> = rows.iter().map(|row| row.replicate).collect();
    assert_eq!(replicates, [Some(1), Some(2)].into());
}

#[test]
fn the_file_holds_the_sweep_too_and_stdout_the_tables() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("new/memory-latency.csv.gz");
    let out = ["--out", path.to_str().expect("text"), "--replicates", "1", "--pages", "base"];
    let printed = memory_latency(&[&LITTLE[..], &out].concat()).valid().stdout;
    assert!(printed.contains("from CPUs of") && printed.contains("median of 1"), "{printed}");
    assert!(printed.trim_end().ends_with("memory-latency.csv.gz"), "{printed}");
    let rows = rows(GzDecoder::new(std::fs::File::open(&path).expect("the table")));
    let sweep = rows.iter().filter(|row| row.part == Some(LatencyPart::Sweep));
    let first = sweep.clone().map(|row| row.cpu_node).min().expect("a sweep");
    let sizes: Vec<u64> = sweep
        .filter(|row| row.cpu_node == first)
        .map(|row| row.working_set_bytes.expect("a size"))
        .collect();
    assert_eq!((sizes[0], sizes.last()), (4096, Some(&(1 << 20))));
    assert!(sizes.is_sorted() && sizes.len() >= 16, "{sizes:?}");
    assert!(rows.iter().all(|row| row.page_bytes.is_some_and(|bytes| bytes < 1 << 20)));
}

/// What is in the matrix and in the sweep is the same loads: that they took as long is checked, not assumed.
#[test]
fn each_replicate_has_its_sweep_and_unsteady_loads_are_told() {
    let few = ["--csv", "--sweep", "local", "--replicates", "3", "--pages", "base"];
    let ran = memory_latency(&[&LITTLE[..], &few].concat()).valid();
    let rows = rows(ran.stdout.as_bytes());
    let of = |part| rows.iter().filter(move |row| row.part == Some(part));
    let replicates = |part| of(part).map(|row| row.replicate).collect::<BTreeSet<_>>();
    assert_eq!(replicates(LatencyPart::Sweep), replicates(LatencyPart::Matrix));
    assert_eq!(replicates(LatencyPart::Sweep).len(), 3);
    let same = |one: &MemoryLatencyRow, other: &MemoryLatencyRow| {
        (one.cpu_node, one.memory_node, one.working_set_bytes)
            == (other.cpu_node, other.memory_node, other.working_set_bytes)
    };
    let mut marked = 0;
    for row in &rows {
        let times = rows.iter().filter(|other| same(row, other)).filter_map(|row| row.latency_ns);
        let mut times: Vec<f64> = times.collect();
        times.sort_by(f64::total_cmp);
        let usual = times[(times.len() - 1) / 2];
        let off = row.latency_ns.unwrap() / usual;
        let is_marked = row.doubts.as_deref().is_some_and(|it| it.contains("latency-unsteady"));
        assert_eq!(is_marked, !(1.0 / 1.1..=1.1).contains(&off), "{usual}: {row:?}");
        marked += usize::from(is_marked);
    }
    assert_eq!(ran.stderr.contains("(latency-unsteady)"), marked > 0, "{}", ran.stderr);
}

#[test]
fn json_holds_the_matrix_the_caches_and_every_row() {
    let few = ["--json", "--replicates", "1", "--order", "whole-range"];
    let json = memory_latency(&[&LITTLE[..], &few].concat()).valid().stdout;
    let outcome: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(outcome["source"], "measured");
    assert_eq!(outcome["working_set_bytes"], 1 << 20);
    assert_eq!(outcome["matrix"].as_array().map(Vec::len), Some(pairs()));
    assert!(outcome["matrix"][0]["latency_ns"].as_f64().is_some_and(|time| time > 0.0));
    assert!(outcome["rows"].as_array().is_some_and(|rows| rows.len() > pairs()));
    assert_eq!(outcome["rows"][0]["order"], "whole-range");
}

#[test]
fn under_load_every_pair_is_measured_twice_and_the_load_is_told() {
    let node = node_with_cpus();
    let topology = Topology::discover().expect("a topology");
    let cpus = topology.node(node).and_then(|node| node.cpus.as_ref());
    if cpus.is_none_or(|cpus| cpus.count() < 2) {
        let line = b"SKIPPED: the node has one CPU, which measures\n";
        std::io::Write::write_all(&mut std::io::stderr(), line).expect("standard error");
        return;
    }
    let node = node.to_string();
    let load = ["--load-threads", "1", "--load-node", &node, "--load-bytes", "1MiB"];
    let few = ["--csv", "--sweep", "none", "--replicates", "1", "--load-write-fraction", "0.25"];
    let rows = rows(memory_latency(&[&LITTLE[..], &load, &few].concat()).valid().stdout.as_bytes());
    let (loaded, idle): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.load_threads == Some(1));
    assert_eq!((idle.len(), loaded.len()), (pairs(), pairs()));
    for row in loaded {
        assert_eq!((row.load_node, row.load_bytes), (node.parse().ok(), Some(1 << 20)));
        assert_eq!(row.load_write_fraction, Some(0.25));
        assert!(row.load_rate_per_second.is_some_and(|rate| rate > 0.0), "{row:?}");
    }
    assert!(idle.iter().all(|row| row.load_rate_per_second.is_none()));
}

#[test]
fn a_node_that_does_not_exist_is_answered_with_those_that_do() {
    let node = node_with_cpus();
    for flag in ["--cpu-node", "--memory-node"] {
        refused(&[flag, "1023"], &["there is no node 1023", &format!("has: {node}")]);
    }
    refused(&["--memory-node", "zero"], &["`zero`", "node number"]);
    refused(&["--load-threads", "1", "--load-node", "1023"], &["--load-node 1023", "no such node"]);
}

#[test]
fn a_working_set_that_no_node_holds_or_no_line_fits_is_refused_before_anything_is_measured() {
    refused(&["--working-set", "1048576GiB"], &["--working-set", "in all", "ask for less"]);
    refused(&["--working-set", "1000"], &["--working-set 1000", "multiple of 256"]);
    refused(&["--working-set", "0"], &["--working-set 0", "multiple of 256"]);
    refused(&["--working-set", "64kb"], &["no unit of memory"]);
}

#[test]
fn a_profile_that_is_no_name_of_a_directory_is_refused() {
    for name in ["", "../up", "a b", ".hidden", "ä"] {
        refused(&["--profile", name], &["--profile", "letters, digits"]);
    }
}

#[test]
fn loads_that_cannot_be_are_refused_with_what_could() {
    let node = node_with_cpus().to_string();
    refused(&["--load-threads", "9999", "--load-node", &node], &["9999", "CPUs beside the core"]);
    refused(&["--load-threads", "0", "--load-node", &node], &["--load-threads 0", "1 or more"]);
    refused(&["--load-threads", "1"], &["--load-node"]);
    refused(&["--load-write-fraction", "1.5"], &["0 to 1"]);
    refused(&["--order", "sideways"], &["blocks", "whole-range"]);
    refused(&["--pages", "huge-3m"], &["huge-2m", "transparent-huge"]);
}

#[test]
fn where_the_table_cannot_be_written_is_told_before_measuring() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().to_str().expect("text");
    refused(&["--out", path], &[path, "is a directory"]);
}
