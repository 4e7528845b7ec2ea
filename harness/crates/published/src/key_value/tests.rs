use super::*;

const GOOD: &str = "1\t300.0\t200.0\t250.0\t1.5\t1.2\n32\t100.0\t50.0\t80.0\t2.0\t1.25";

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = read(Path::new("f"), text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn lines_are_clients_and_three_throughputs_and_the_last_needs_no_end() {
    let rows = read(Path::new("f"), GOOD.as_bytes()).unwrap();
    let expected = [(1, [300.0, 200.0, 250.0]), (32, [100.0, 50.0, 80.0])];
    assert_eq!(rows, expected.map(|(clients, ops)| Row { clients, ops }));
}

#[test]
fn what_is_not_of_the_form_is_named_with_its_line() {
    refused(&GOOD.replace("32\t", "many\t"), "f:2: \"many\t");
    refused(&GOOD.replace("80.0", "x"), "f:2:");
    refused(&GOOD.replace("\t1.25", ""), "f:2:");
    refused(&GOOD.replace("80.0", "-80.0"), "f:2: the rate -80 is negative");
    refused(&GOOD.replace("80.0", "nan"), "f:2:");
    refused("", "f is empty");
}

#[test]
fn a_ratio_that_does_not_follow_is_refused() {
    refused(&GOOD.replace("1.25", "1.26"), "f:2: the ratio of both local to client local is 1.26");
    refused(&GOOD.replace("\t1.5\t", "\t1.6\t"), "f:1: the ratio of both local to both remote");
}
