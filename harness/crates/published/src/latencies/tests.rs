use super::*;

const GOOD: &str = "0\t2000ns\t0.1ns\n1\t3000ns\t0.3ns\ntotal\t2500ns\t0.2ns\n";

#[track_caller]
fn refused(text: &str, clients: u32, expected: &str) {
    let error = super::read(Path::new("f"), text.as_bytes(), clients).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn deviations_come_back_multiplied_by_the_root_of_a_million() {
    let clients = read(Path::new("f"), GOOD.as_bytes(), 2).unwrap();
    assert_eq!(clients[0], Latency { mean_ns: 2000.0, sd_ns: 100.0 });
    assert_eq!(clients[1], Latency { mean_ns: 3000.0, sd_ns: 300.0 });
}

#[test]
fn the_deviation_of_all_is_within_and_between_clients() {
    let clients = read(Path::new("f"), GOOD.as_bytes(), 2).unwrap();
    // (100² + 300²) / 2 + 500² = 300 000.
    let together = together(&clients).unwrap();
    assert_eq!((together.mean_ns, together.sd_ns), (2500.0, 300_000_f64.sqrt()));
    assert_eq!(super::together(&[]), None);
}

#[test]
fn what_is_not_of_the_form_is_named_with_its_line() {
    refused(&GOOD.replace("3000ns", "3000"), 2, "f:2: \"1\t3000\t0.3ns\", expected client, mean");
    refused(&GOOD.replace("0.3ns", "nanns"), 2, "f:2:");
    refused(&GOOD.replace("0.3ns", "infns"), 2, "f:2:");
    refused(&GOOD.replace("3000ns", "-3000ns"), 2, "f:2: the rate -3000ns is negative");
    refused(&GOOD.replace("\t0.3ns", ""), 2, "f:2:");
    refused(
        &format!("{GOOD}2\t1ns\t1ns\n"),
        2,
        "f:4: \"2\t1ns\t1ns\", expected nothing after total",
    );
}

#[test]
fn a_truncated_file_is_refused() {
    refused("0\t2000ns\t0.1ns\n1\t30", 2, "f:2: \"1\t30\" has no line end");
    refused("0\t2000ns\t0.1ns\n1\t3000ns\t0.3ns\n", 2, "f:3: \"\", expected \"total\"");
    refused("", 2, "f:1: \"\", expected \"total\"");
}

#[test]
fn clients_are_those_of_the_path_in_their_order() {
    refused(GOOD, 3, "f: client 2, counted from 0, is missing");
    refused(GOOD, 1, "f:2: client 1, counted from 0, but by its path the run has clients = 1");
    refused(&GOOD.replace("1\t3000", "0\t3000"), 2, "client 1, counted from 0, is missing");
}

#[test]
fn a_total_that_is_not_the_mean_of_its_clients_is_refused() {
    refused(&GOOD.replace("2500", "2600"), 2, "f:3: total mean is 2600, but follows as 2500");
    refused(&GOOD.replace("0.2ns", "0.21ns"), 2, "f:3: total deviation is 0.21, but");
}
