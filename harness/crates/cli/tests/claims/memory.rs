//! Claims on latencies of memory.

use super::*;

/// Two nodes; memory of the other one takes half as long again from each. Beside the matrix a
/// cache of node 0.
const LATENCIES: &str = "\
schema_version,source,profile,cpu_node,memory_node,latency_ns,latency_low_ns,latency_high_ns,\
replicate,part,working_set_bytes,level,latency_min_ns,repetitions,loads,cpu,pages,page_bytes,order,\
seed,placement,load_threads,load_node,load_bytes,load_write_fraction,load_rate_per_second,doubts
ROW,0,0,100,98,101,1,matrix,536870912,memory,REST
ROW,0,0,100,99,102,2,matrix,536870912,memory,REST
ROW,0,1,150,148,150,1,matrix,536870912,memory,REST
ROW,0,1,150,149,152,2,matrix,536870912,memory,REST
ROW,1,0,150,148,150,1,matrix,536870912,memory,REST
ROW,1,0,150,150,153,2,matrix,536870912,memory,REST
ROW,1,1,100,99,101,1,matrix,536870912,memory,REST
ROW,1,1,100,99,101,2,matrix,536870912,memory,REST
ROW,0,0,112,111,113,1,sweep,8388608,l3,REST
";

const CLAIMS: &str = "\
sources = ['measured']

[[claim]]
id = 'longer'
paper = 'paper'
section = 'II'
quote = 'memory of other nodes is slower'
unit = '% remote over local'
figure = 'memory-latency'
quantifier = 'typically'
[[claim.part]]
table = 'memory-latency'
where = { part = 'matrix', load_threads = 0 }
value = 'latency_ns'
contrast = [{ factor = 'numa_locality', of = 'numa-remote', over = 'numa-local' }]
as = 'percent'
expect = { range = [40, 60], no-effect = 0 }
";

/// Claims and a table of memory latencies, no runs.
fn place() -> Place {
    let place = Place::new();
    fs::remove_file(place.path("tables/runs.csv.gz")).unwrap();
    place.claims(CLAIMS);
    latencies(&place, "measured", LATENCIES);
    place
}

fn latencies(place: &Place, source: &str, text: &str) {
    let row = format!("{},{source},cluster", version::MEMORY_LATENCY.written);
    let rest = "95,15,262144,0,huge-2m,2097152,blocks,1,proven,0,,,,,";
    place.table("memory-latency.csv.gz", &text.replace("ROW", &row).replace("REST", rest));
}

/// The only row of the table that is written.
fn verdict(place: &Place) -> String {
    let (status, _, stderr) = place.written();
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    let table = read(&place.path("out/claims.csv"));
    assert_eq!(table.lines().count(), 2, "{table}");
    table.lines().nth(1).unwrap().to_owned()
}

#[test]
fn latencies_of_memory_are_judged_without_any_run_beside_them() {
    let row = verdict(&place());
    assert!(row.contains(",longer,paper,II,measured,cluster,50.0"), "{row}");
    let told = ",supported,\"of 2 values 2 certainly hold, 0 certainly fail, 0 are unsure; 8 measurements; median";
    assert!(row.contains(told), "{row}");
}

#[test]
fn what_the_text_states_is_not_its_own_evidence() {
    let place = place();
    latencies(&place, "published", LATENCIES);
    place.claims(&CLAIMS.replacen("['measured']", "['published']", 1));
    let row = verdict(&place);
    assert!(row.contains(",not-testable,published memory latencies are only"), "{row}");
}

#[test]
fn runs_without_latencies_of_memory_say_what_would_write_them() {
    let place = Place::new();
    place.claims(CLAIMS);
    let row = verdict(&place);
    assert!(
        row.contains(",not-testable,there is no table of memory latencies: `onesided"),
        "{row}"
    );
}

#[test]
fn a_wrong_table_of_latencies_is_told_with_file_line_and_column() {
    let place = place();
    for (from, to, expected) in [
        (
            ",matrix,",
            ",matrices,",
            "/tables/memory-latency.csv.gz:2: column \"part\": \"matrices\"",
        ),
        (",100,98,", ",fast,98,", "column \"latency_ns\": \"fast\""),
        ("ROW,0,0", "99,measured,cluster,0,0", "schema version \"99\""),
        (",memory_node,", ",memory,", "/tables/memory-latency.csv.gz: column \"memory_node\" is"),
    ] {
        latencies(&place, "measured", &LATENCIES.replacen(from, to, 1));
        let told = place.refused();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_column_that_latencies_do_not_have_is_told_with_file_line_entry_and_key() {
    let place = place();
    for (from, to, expected) in [
        (
            "load_threads = 0",
            "load_thread = 0",
            "part[0].where: there is no column \"load_thread\", did you mean \"load_threads\"?",
        ),
        ("'numa-remote'", "'rdma-remote'", "part[0].contrast.numa_locality: unknown word"),
        ("load_threads = 0", "operation = 'read'", "there is no column \"operation\""),
    ] {
        place.claims(&CLAIMS.replacen(from, to, 1));
        let told = place.refused();
        assert!(told.starts_with("onesided: /claims.toml:3: claim \"longer\": "), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

/// Nothing is said of the numbers: this machine may have one node, be emulated or busy.
#[test]
fn the_table_that_memory_latency_writes_here_can_be_asked() {
    let place = place();
    let table = place.path("tables/memory-latency.csv.gz");
    fs::remove_file(&table).unwrap();
    let little = "--loads 4096 --repetitions 3 --replicates 1 --working-set 1MiB --profile here";
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    let output = command.arg("memory-latency").args(little.split(' ')).arg("--out").arg(&table);
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    place.claims(&format!(
        "{}contrast = []\naggregate = 'count'\ncounted = {{ above = 0 }}\nexpect = {{ at-least = 1 }}\n",
        CLAIMS
            .split_inclusive('\n')
            .filter(|line| !["contrast", "as =", "expect"].iter().any(|key| line.starts_with(key)))
            .collect::<String>()
            .replacen("part = 'matrix'", "valid = ['true', 'false']", 1)
    ));
    let row = verdict(&place);
    assert!(row.contains(",measured,here,") && row.contains(",supported,"), "{row}");
}
