//! Claims on experiments of a fabric.

use std::fs;

use onesided_results::{row::FabricReadsRow, table::Row, version};

use super::{Place, read};

/// Three replicates of reads of 64 bytes and of fetch-and-adds, and one of both sides that is
/// crowded.
const READS: [(&str, u32, &str, f64, &str); 7] = [
    ("read", 64, "single", 200.0, ""),
    ("read", 64, "single", 201.0, ""),
    ("read", 64, "single", 199.0, ""),
    ("fetch-and-add", 8, "single", 220.0, ""),
    ("fetch-and-add", 8, "single", 221.0, ""),
    ("fetch-and-add", 8, "single", 219.0, ""),
    ("read", 64, "double", 900.0, "crowded"),
];

const CLAIMS: &str = "\
sources = ['emulated']

[[claim]]
id = 'atomics'
paper = 'sonuma'
section = '7.4'
statement = 'a fetch-and-add takes what a read takes'
unit = 'fetch-and-add over read'
figure = 'fabric-reads'
quantifier = 'typically'
[[claim.part]]
table = 'fabric-reads'
where = { sides = 'single' }
value = 'latency_ns'
contrast = [{ factor = 'operation', of = 'fetch-and-add', over = 'read', along = ['access_bytes'] }]
as = 'ratio'
expect = { at-most = 1.2 }
";

/// Claims and a table of reads, no runs.
fn place(source: &str) -> Place {
    let place = Place::new();
    fs::remove_file(place.path("tables/runs.csv.gz")).unwrap();
    place.claims(CLAIMS);
    let columns = FabricReadsRow::columns();
    let mut text = columns.join(",") + "\n";
    for (number, (operation, bytes, sides, latency_ns, doubts)) in READS.into_iter().enumerate() {
        let cell = |column: &&str| match *column {
            "schema_version" => version::FABRIC.written.to_string(),
            "source" => source.to_owned(),
            "back_end" => "rmc".to_owned(),
            "profile" => "box".to_owned(),
            "operation" => operation.to_owned(),
            "access_bytes" => bytes.to_string(),
            "sides" => sides.to_owned(),
            "latency_ns" => latency_ns.to_string(),
            "core_round_trip_ns" => "100".to_owned(),
            "replicate" => (number + 1).to_string(),
            "doubts" => doubts.to_owned(),
            _ => String::new(),
        };
        text += &(columns.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    place.table("fabric-reads.csv.gz", &text);
    place
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
fn reads_on_a_fabric_are_judged_without_any_run_beside_them_and_by_their_source() {
    let row = verdict(&place("emulated"));
    assert!(row.contains(",atomics,sonuma,7.4,emulated,box,1.1"), "{row}");
    assert!(row.contains(",supported,the value certainly holds; 6 measurements"), "{row}");
}

#[test]
fn a_source_that_a_claim_does_not_name_cannot_speak_to_it() {
    let row = verdict(&place("measured"));
    assert!(row.contains(",not-testable,measured data cannot speak to it"), "{row}");
}

#[test]
fn crowded_rows_are_left_out_and_that_is_told() {
    let place = place("emulated");
    place.claims(&CLAIMS.replace("sides = 'single'", "sides = 'double'"));
    let row = verdict(&place);
    assert!(
        row.contains(",not-testable,\"1 row, which is not valid: crowded\"")
            || row.contains(",not-testable,1 row, which is not valid: crowded"),
        "{row}"
    );
}

#[test]
fn round_trips_of_cores_are_what_latencies_can_be_held_against() {
    let place = place("emulated");
    let of_reads = CLAIMS.replace("value = 'latency_ns'", "value = 'core_round_trips'");
    let of_reads = of_reads.replace("{ sides = 'single' }", "{ operation = 'read' }");
    let alone =
        of_reads.lines().filter(|line| !line.starts_with("contrast") && !line.starts_with("as"));
    let text = alone
        .collect::<Vec<_>>()
        .join("\n")
        .replace("at-most = 1.2", "equal = 2, tolerance = 0.05");
    place.claims(&text);
    let row = verdict(&place);
    assert!(row.contains(",supported,"), "{row}");
}
