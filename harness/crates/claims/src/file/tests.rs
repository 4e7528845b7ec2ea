use super::*;

const HEAD: &str = "sources = ['published']\n\
    [selection.reads]\nwhere = { operation = 'read' }\n";

/// A file with one claim of one part; `from` is replaced by `to` before it is read.
fn read(from: &str, to: &str) -> Result<Claims, ClaimsError> {
    let claim = "[[claim]]\nid = 'one'\npaper = 'paper'\nsection = 'V'\nquote = 'Reads are slow'\n\
        unit = '%'\nfigure = 'none'\nquantifier = 'all'\n\
        [[claim.part]]\nselect = ['reads']\nwhere = { queue_pairs = 8 }\nvalue = 'throughput_ops'\n\
        contrast = [{ factor = 'locality', of = 'rdma-remote', over = 'rdma-local' }]\n\
        as = 'percent'\nexpect = { at-most = 0 }\n";
    assert!(claim.contains(from), "{from}");
    let text = format!("{HEAD}{}", claim.replacen(from, to, 1));
    Claims::parse(Path::new("claims.toml"), &text)
}

fn told(from: &str, to: &str) -> String {
    let error = read(from, to).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    format!("{error} {source}")
}

#[test]
fn a_claim_is_read_with_its_selection() {
    let claims = read("'one'", "'one'").unwrap();
    let Question::Parts(parts) = &claims.0[0].question else { panic!("{claims:?}") };
    let columns: Vec<_> = parts[0].filters_of(Source::Published).flat_map(BTreeMap::keys).collect();
    assert_eq!(columns, ["queue_pairs", "operation"]);
    assert_eq!(claims.0[0].sources, [Source::Published]);
}

#[test]
fn a_filter_for_one_source_is_not_for_another() {
    let claims = read("value", "where-in.published = { campaign = 'a' }\nvalue").unwrap();
    let Question::Parts(parts) = &claims.0[0].question else { panic!("{claims:?}") };
    let of = |source| parts[0].filters_of(source).flatten().count();
    assert_eq!((of(Source::Published), of(Source::Measured)), (3, 2));
}

#[test]
fn what_is_wrong_is_told_with_file_line_entry_key_and_value() {
    for (from, to, expected) in [
        (
            "queue_pairs",
            "queue_pars",
            "claims.toml:4: claim \"one\": part[0].where: there is no column \"queue_pars\", did you mean \"queue_pairs\"?",
        ),
        (
            "queue_pairs = 8",
            "operation = 'raed'",
            "part[0].where.operation: unknown word of this column \"raed\", did you mean \"read\"?",
        ),
        ("['reads']", "['raeds']", "there is no selection \"raeds\", did you mean \"reads\"?"),
        (
            "throughput_ops",
            "troughput_ops",
            "there is no value \"troughput_ops\", did you mean \"throughput_ops\"?",
        ),
        (
            "value = ",
            "table = 'clients'\nvalue = ",
            "part[0].value: clients have no throughput_ops; they have: latency_mean_ns,",
        ),
        (
            "'throughput_ops'",
            "'closure'",
            "part[0].value: conditions have no closure; they have: throughput_ops,",
        ),
        (
            "select = ['reads']\nwhere = { queue_pairs",
            "table = 'memory-latency'\nwhere = { cpu_nod",
            "part[0].where: there is no column \"cpu_nod\", did you mean \"cpu_node\"?",
        ),
        (
            "select = ['reads']\nwhere = { queue_pairs = 8",
            "table = 'memory-latency'\nwhere = { level = 'l5'",
            "part[0].where.level: unknown word of this column \"l5\"",
        ),
        (
            "select = ['reads']\nwhere = { queue_pairs = 8",
            "table = 'memory-latency'\nwhere = { cpu_node = 0",
            "part[0].value: memory latencies have no throughput_ops; they have: latency_ns,",
        ),
        (
            "'throughput_ops'",
            "'latency_ns'",
            "part[0].value: conditions have no latency_ns; they have: throughput_ops,",
        ),
        ("'none'", "'nine'", "figure: there is no figure \"nine\""),
        ("'locality'", "'lokality'", "there is no column \"lokality\""),
        (
            "'locality', of = 'rdma-remote', over = 'rdma-local'",
            "'experiments', over = 'x'",
            "experiments is no factor",
        ),
        ("of = 'rdma-remote'", "of = 'rdma-local'", "of and over are the same level"),
        ("'rdma-local'", "'rdma-lokal'", "did you mean \"rdma-local\"?"),
        ("as = 'percent'\n", "", "a contrast needs `as`"),
        ("'percent'", "'promille'", "part[0].as: unknown variant `promille`"),
        ("at-most = 0", "range = [3, 1]", "part[0].expect: its lower end is above its upper end"),
        ("at-most = 0", "atmost = 0", "part[0].expect.atmost: unknown field `atmost`"),
        ("as = ", "aggregate = 'count'\nas = ", "say which cells are counted"),
        ("as = ", "counted = { above = 1 }\nas = ", "count cells"),
        (
            "as = ",
            "aggregate = 'count'\ncounted = { above = 1, below = 1 }\nas = ",
            "no value is counted",
        ),
        ("quantifier = 'all'\n", "", "quantifier: missing: say of how many values"),
        ("'all'", "'al'", "quantifier: unknown quantifier \"al\", did you mean \"all\"?"),
        ("'%'", "'% of reads'", "unit: \"% of\" is of shares, and this is a change"),
        ("'all'", "'up-to'", "quantifier: up-to needs a value to reach"),
        ("quantifier", "basis = 'fitted'\nquantifier", "basis: no simulated value is asked"),
        ("figure", "sources = ['simulated']\nfigure", "basis: missing: say what simulated values"),
        ("figure", "why-not = 'x'\nfigure", "either parts or why-not"),
        ("quote", "statement", "a claim needs a quote"),
        (
            "'Reads are slow'",
            "'a b c d e f g h i j k l m n o p'",
            "quote: 16 words: quote at most 15",
        ),
        ("'paper'\n", "'papers'\n", "paper: unknown variant `papers`"),
        ("figure", "sources = []\nfigure", "sources: empty"),
        ("unit", "units", "units: unknown field `units`"),
        (
            "queue_pairs = 8",
            "queue_pairs = { at-least = 9, at-most = 8 }",
            "part[0].where.queue_pairs: at-least is above at-most",
        ),
    ] {
        let told = told(from, to);
        assert!(told.contains(expected), "{to}: {told}");
        assert!(told.starts_with("claims.toml:4: claim \"one\": "), "{told}");
    }
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    assert!(told("id = ", "id ").starts_with("claims.toml:5:"));
    let error = Claims::parse(Path::new("claims.toml"), "sources = ['here']").unwrap_err();
    assert!(error.to_string().starts_with("claims.toml:1:11: unknown source \"here\""), "{error}");
}

#[test]
fn a_wrong_selection_is_told_by_its_name() {
    let text = "sources = []\nclaim = []\n[selection.reads]\nwere = {}\n";
    let error = Claims::parse(Path::new("claims.toml"), text).unwrap_err();
    assert!(error.to_string().starts_with("claims.toml:3: selection \"reads\": were:"), "{error}");
}

#[test]
fn an_id_stands_for_one_claim() {
    let entry = "[[claim]]\nid = 'x'\npaper = 'paper'\nsection = 'V'\nquote = 'q'\nunit = '-'\n\
        figure = 'none'\nwhy-not = 'because'\n";
    let text = format!("sources = ['published']\n{entry}{entry}");
    let error = Claims::parse(Path::new("claims.toml"), &text).unwrap_err();
    let told = format!("{error}");
    assert!(told.starts_with("claims.toml:10: claim \"x\": id: line 2 has the same id"), "{told}");
}

#[test]
fn one_claim_can_be_picked_and_a_misspelt_one_is_suggested() {
    assert_eq!(read("'one'", "'one'").unwrap().only("one").unwrap().0.len(), 1);
    let error = read("'one'", "'some-claim'").unwrap().only("some-clam").unwrap_err();
    assert!(error.to_string().contains("did you mean \"some-claim\"?"), "{error}");
}
