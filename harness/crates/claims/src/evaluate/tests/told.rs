//! What a row tells about its value.

use super::*;

/// What is told of a claim about `runs`, whose parts have these keys and look at rates if they do
/// not say.
fn why(runs: &[RunRow], parts: &[&str]) -> String {
    let head = "sources = ['measured']\n[[claim]]\nid = 'rate'\npaper = 'paper'\nsection = 'V'\n\
        quote = 'q'\nunit = '-'\nfigure = 'none'\nquantifier = 'typically'\n";
    let part = |part: &&str| {
        let value = if part.contains("value") { "" } else { "value = 'throughput_ops'\n" };
        format!("[[claim.part]]\n{value}{part}\nexpect = {{ at-least = 0 }}\n")
    };
    let text = head.to_owned() + &parts.iter().map(part).collect::<String>();
    only(runs, &Claims::parse(Path::new("claims.toml"), &text).unwrap()).why
}

#[test]
fn an_extreme_of_many_values_says_of_how_many_and_that_its_interval_does_not() {
    let runs = [pair(8, 0.9), pair(64, 0.8)].concat();
    let told = "largest of 4: its interval does not allow for that";
    assert!(why(&runs, &["aggregate = 'max'"]).contains(&format!("; 3 runs; {told}; intervals")));
    assert!(why(&runs, &["aggregate = 'min'"]).contains("; smallest of 4: its interval"));
    assert!(!why(&runs, &["aggregate = 'mean'"]).contains("of 4"));
    let alone = "aggregate = 'max'\nwhere = { access_bytes = 8, locality = 'rdma-local' }";
    assert!(!why(&runs, &[alone]).contains("largest"), "there is no other");
    let settings = why(&runs, &["value = 'access_bytes'\naggregate = 'max'"]);
    assert!(settings.ends_with("; 3 runs; largest of 4"), "a setting has no interval: {settings}");
}

#[test]
fn a_row_says_which_part_its_value_is_of() {
    let runs = pair(8, 0.9);
    let parts = why(&runs, &["aggregate = 'mean'", "aggregate = 'max'"]);
    assert!(parts.contains("; value of part 1; part 2: largest of 2: its"), "{parts}");
    let parts = why(&runs, &["", "aggregate = 'mean'"]);
    assert!(parts.contains("; value of part 1: median of 2 values, [low, high] spans"), "{parts}");
    let settings = why(&runs, &["value = 'access_bytes'"]);
    assert!(settings.ends_with("; median of 2 values, [low, high] spans them"), "{settings}");
    let parts = why(&runs, &["where = { operation = 'write' }", "aggregate = 'mean'"]);
    assert!(parts.contains("; value of part 2;"), "{parts}");
}
