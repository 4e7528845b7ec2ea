//! `onesided claims` through the real program.
//!
//! What passing lets us claim: verdicts are written whatever they are, and the same for the same
//! tables; what is wrong with a file of claims or a table ends it by status 2 with a message that
//! names file, entry, key and value, and leaves no table behind.

mod designs;
mod fabric;
mod memory;
mod papers;
mod shapes;

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use onesided_claims::{Claim, Claims};
use onesided_experiment::Design;
use onesided_results::version;
use tempfile::TempDir;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it")
}

/// Runs the program in the repository; it succeeds.
#[track_caller]
fn onesided(arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    let output = command.args(arguments).current_dir(repository()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
}

/// The committed claims, by their names.
fn claims() -> BTreeMap<String, Claim> {
    let claims =
        Claims::read(&repository().join("paper/claims.toml")).expect("the committed claims");
    claims.0.into_iter().map(|claim| (claim.id.clone(), claim)).collect()
}

/// The committed designs.
fn designs() -> Vec<Design> {
    let entries = fs::read_dir(repository().join("experiments")).expect("the designs");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let designs = paths.filter(|path| path.extension() == Some(OsStr::new("toml")));
    designs.map(|path| Design::read(&path).expect("a design")).collect()
}

/// Two local and two remote reads of each of two sizes; at 64 bytes remote ones are faster.
const RUNS: &str = "\
schema_version,source,back_end,profile,nic,experiment,run_id,replicate,operation,worker_operation,\
locality,client_locality,worker_locality,queue_pairs,threads,access_bytes,mtu_bytes,max_rd_atomic,\
window,loop,workers,worker_write_fraction,load_kind,load_bytes,load_node,slot_layout,cache_state,\
ddio,operations,throughput_published_ops,throughput_ops,throughput_low_ops,throughput_high_ops,\
latency_mean_ns,latency_sd_ns,latency_p50_ns,latency_p99_ns,latency_p999_ns,samples,valid,doubts,\
address_pattern,working_set_bytes,think_time_ns,post_list,signal_every,inline_bytes,\
client_memory_locality,client_ring_locality,server_ring_locality,worker_threads,worker_pattern,\
worker_access_bytes,worker_think_time_ns,worker_rate_per_second,worker_accesses_per_second,\
load_process,load_thread_count,load_threads,load_memory,load_write_fraction,load_pattern,\
load_accesses_per_second,client_hosts
RUN,a1,1,read,none,rdma-local,rdma-local,,8,1,8,REST,10,1000,999,1001,,,,,,END
RUN,a2,1,read,none,rdma-remote,rdma-local,,8,1,8,REST,10,900,899,901,,,,,,END
RUN,b1,1,read,none,rdma-local,rdma-local,,8,1,64,REST,10,1000,999,1001,,,,,,END
RUN,b2,1,read,none,rdma-remote,rdma-local,,8,1,64,REST,10,1200,1199,1201,,,,,,END
";

const CLAIMS: &str = "\
sources = ['measured']

[[claim]]
id = 'loss'
paper = 'paper'
section = 'V'
quote = 'remote reads are slower'
unit = '% loss'
figure = 'none'
quantifier = 'typically'
[[claim.part]]
where = { operation = 'read' }
value = 'throughput_ops'
contrast = [{ factor = 'locality', of = 'rdma-remote', over = 'rdma-local' }]
as = 'loss-percent'
expect = { range = [5, 15], no-effect = 0 }
";

/// A directory with claims and a table of runs.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path("tables")).unwrap();
        place.claims(CLAIMS);
        place.runs(RUNS);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn claims(&self, text: &str) {
        fs::write(self.path("claims.toml"), text).unwrap();
    }

    fn runs(&self, text: &str) {
        self.runs_of("measured", text);
    }

    fn runs_of(&self, source: &str, text: &str) {
        let run = format!("{},{source},verbs,cluster,ConnectX-6,size", version::RUNS.oldest);
        let rest = "256,16,128,saturating,0,,none,,none,padded,default,default,80000";
        let end = format!(",true,{}", ",".repeat(23));
        let text = text.replace("RUN", &run).replace("REST", rest).replace("END", &end);
        self.table("runs.csv.gz", &text);
    }

    /// Writes a compressed table.
    fn table(&self, name: &str, text: &str) {
        let file = fs::File::create(self.path("tables").join(name)).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
        gzip.finish().unwrap();
    }

    /// Exit status, stdout and stderr of `onesided claims` here with `more` arguments.
    fn claims_with(&self, more: &[&OsStr]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        command.arg("claims").arg("--claims").arg(self.path("claims.toml"));
        command.arg("--table").arg(self.path("tables")).args(more);
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn written(&self) -> (Option<i32>, String, String) {
        self.claims_with(&[OsStr::new("--out"), self.path("out/claims.csv").as_os_str()])
    }

    /// What is said of wrong input: one line, status 2, and no table.
    fn refused(&self) -> String {
        let (status, stdout, stderr) = self.written();
        assert_eq!((status, stdout.as_str()), (Some(2), ""), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(!self.path("out/claims.csv").exists());
        stderr.replace(&*self.0.path().to_string_lossy(), "")
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_verdict_is_written_for_every_claim_and_counted_on_stdout() {
    let place = Place::new();
    let (status, stdout, stderr) = place.written();
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let words: Vec<_> = stdout.split_whitespace().collect();
    assert!(
        words.windows(8).any(|w| w == ["measured", "claim", "paper", "0", "0", "0", "1", "0"]),
        "{stdout}"
    );
    let table = read(&place.path("out/claims.csv"));
    let row = table.lines().nth(1).unwrap();
    let begin = format!("{},loss,paper,V,measured,cluster,-5.0,", version::CLAIMS.written);
    assert!(row.starts_with(&begin), "{row}");
    assert!(
        row.contains(
            ",% loss,5 to 15,too-imprecise,\"of 2 values 0 certainly hold, 0 certainly fail, 2 are \
             unsure; by points alone: true-in-part; 4 runs;"
        ),
        "{row}"
    );
    assert!(row.ends_with(",,remote reads are slower,claim,typically,true-in-part,"), "{row}");
    assert_eq!(table.lines().count(), 2);
}

#[test]
fn verdicts_are_no_failure_and_the_same_bytes_each_time() {
    let place = Place::new();
    place.claims(&CLAIMS.replace("[5, 15]", "[50, 60]").replace(", no-effect = 0", ""));
    assert_eq!(place.written().0, Some(0));
    let first = read(&place.path("out/claims.csv"));
    assert!(first.contains(",claim,typically,contradicted,"), "{first}");
    assert_eq!(place.written().0, Some(0));
    assert_eq!(read(&place.path("out/claims.csv")), first);
}

#[test]
fn every_value_behind_a_verdict_can_be_looked_at() {
    let place = Place::new();
    let (status, stdout, _) = place.claims_with(&["--explain", "loss"].map(OsStr::new));
    assert_eq!(status, Some(0));
    for expected in ["access_bytes 8", "access_bytes 64", "unsure", "within single"] {
        assert!(stdout.contains(expected), "{expected}: {stdout}");
    }
    let (status, _, stderr) = place.claims_with(&["--explain", "los"].map(OsStr::new));
    assert_eq!(status, Some(2));
    assert!(stderr.contains("there is no claim \"los\", did you mean \"loss\"?"), "{stderr}");
}

#[test]
fn every_value_is_written_with_the_runs_of_both_sides() {
    let place = Place::new();
    let (table, cells) = (place.path("out/claims.csv"), place.path("out/cells.csv"));
    let flags = ["--out".as_ref(), table.as_os_str(), "--cells".as_ref(), cells.as_os_str()];
    let (status, _, stderr) = place.claims_with(&flags);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let verdicts = read(&table);
    assert_eq!(place.written().0, Some(0));
    assert_eq!(read(&table), verdicts, "without --cells the verdicts are the same bytes");
    let begin = format!("{},loss,measured,cluster,1,", version::CLAIM_CELLS.written);
    let rest = "% loss,throughput_ops,operations/s,5 to 15,unsure,within single runs,";
    let row = |cell, size, value: &str, of, over| {
        let runs = format!("cluster/size/{of},cluster/size/{over}");
        format!("{begin}{cell},access_bytes {size},{value},{rest}{runs}")
    };
    let rows = read(&cells);
    let rows: Vec<_> = rows.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (row, expected) in
        rows.iter().zip([row(1, 64, "-20.0,-20.1", "b2", "b1"), row(2, 8, "10.0,9.8", "a2", "a1")])
    {
        let (value, ends) = expected.split_at(expected.find(",% loss").unwrap());
        assert!(row.starts_with(value) && row.ends_with(ends), "{row}, expected {expected}");
    }
    // A verdict is not overwritten by what is behind it.
    let flags = ["--out".as_ref(), cells.as_os_str(), "--cells".as_ref(), cells.as_os_str()];
    let (status, _, stderr) = place.claims_with(&flags);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("--out and --cells"), "{stderr}");
}

#[test]
fn a_wrong_claim_is_told_with_file_line_entry_key_and_value() {
    let place = Place::new();
    for (from, to, expected) in [
        (
            "{ operation",
            "{ opration",
            "part[0].where: there is no column \"opration\", did you mean \"operation\"?",
        ),
        ("'read' }", "'raed' }", "part[0].where.operation: unknown word of this column \"raed\""),
        ("'none'", "'non'", "figure: there is no figure \"non\""),
        ("[5, 15]", "[15, 5]", "part[0].expect: its lower end is above its upper end"),
        ("[5, 15]", "[-5, 15]", "part[0].expect: no-effect agrees with it, too"),
        ("'loss-percent'", "'los-percent'", "part[0].as: unknown variant `los-percent`"),
    ] {
        place.claims(&CLAIMS.replacen(from, to, 1));
        let told = place.refused();
        assert!(told.starts_with("onesided: /claims.toml:3: claim \"loss\": "), "{told}");
        assert!(told.contains(expected), "{told}");
    }
    place.claims(&CLAIMS.replacen("quote =", "quote", 1));
    assert!(place.refused().starts_with("onesided: /claims.toml:7:"), "{}", place.refused());
}

#[test]
fn a_wrong_table_is_told_with_file_line_and_column() {
    let place = Place::new();
    for (from, to, expected) in [
        (",read,", ",raed,", "/tables/runs.csv.gz:2: column \"operation\": \"raed\""),
        ("RUN,a1", "99,measured,verbs,cluster,ConnectX-6,size,a1", "schema version \"99\""),
        (",throughput_ops,", ",ops,", "column \"throughput_ops\" is missing"),
        (",1000,999,", ",fast,999,", "column \"throughput_ops\": \"fast\""),
    ] {
        place.runs(&RUNS.replacen(from, to, 1));
        let told = place.refused();
        assert!(told.contains(expected), "{told}");
    }
    fs::remove_file(place.path("tables/runs.csv.gz")).unwrap();
    assert!(place.refused().starts_with("onesided: cannot open /tables/runs.csv.gz"));
}

/// [`RUNS`] with the columns that only published runs have.
fn published_runs() -> String {
    let own = "raw_path,raw_sha256,code_generation,campaign,operation_label,\
        worker_operation_label,access_bytes_label,closure,window_fraction,fast_regime_fraction,\
        stalled_ns,throughput_running_ops,status,duplicate_of";
    let lines = RUNS.trim_end().replacen("doubts", &format!("doubts,{own}"), 1);
    let values = "a.result,0,v2,a,cread,sread,8,1,1,,,,ok,";
    lines.replace("END", &format!(",true,,{values}{}", ",".repeat(23))) + "\n"
}

#[test]
fn published_runs_that_lack_a_column_of_theirs_are_not_taken_for_our_own() {
    let place = Place::new();
    for column in ["closure", "campaign", "status"] {
        place.runs_of("published", &published_runs().replacen(column, "other", 1));
        let told = place.refused();
        let expected = format!("/tables/runs.csv.gz: column \"{column}\" is missing");
        assert!(told.contains(&expected), "{told}");
    }
    place.runs_of("published", RUNS);
    assert!(place.refused().contains("column \"raw_path\" is missing"), "{}", place.refused());
}

#[test]
fn published_runs_without_their_conditions_are_refused() {
    let place = Place::new();
    place.runs_of("published", &published_runs());
    let told = place.refused();
    let expected =
        "onesided: /tables/conditions.csv.gz is missing: import the published runs again";
    assert!(told.starts_with(expected), "{told}");
    place.runs_of("measured", RUNS);
    assert_eq!(place.written().0, Some(0), "those of our own runs follow from the runs");
}

#[test]
fn a_value_that_the_table_of_a_claim_cannot_have_is_told() {
    let place = Place::new();
    place.claims(&CLAIMS.replacen("value =", "table = 'clients'\nvalue =", 1));
    let told = place.refused();
    assert!(told.contains("part[0].value: clients have no throughput_ops; they have: "), "{told}");
}

#[test]
fn claims_that_are_not_there_are_told() {
    let place = Place::new();
    fs::remove_file(place.path("claims.toml")).unwrap();
    assert!(place.refused().starts_with("onesided: cannot read /claims.toml: "));
}
