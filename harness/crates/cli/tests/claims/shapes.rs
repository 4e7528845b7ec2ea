//! Claims on simulated sweeps and on arithmetic: the committed ones, of the committed machines.
//!
//! What passing lets us claim: what the documentation says of each number of Kalia et al. and of
//! Scale-Out NUMA is what the model and PCI Express say, misses included.

use std::{collections::BTreeMap, path::Path};

use onesided_results::{
    row::ClaimRow,
    table::{Extra, TableReader},
    vocabulary::{Source, Verdict},
};

use super::onesided;

/// Verdicts and values of the claims of simulated sweeps and of arithmetic.
fn verdicts() -> BTreeMap<String, (Verdict, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let cards = "size,outbound,window,atomics,key-value";
    let machines = [
        ("atc16-cx3", cards),
        ("atc16-cib", cards),
        ("asplos14-simulated", "fabric,messages-pushed,messages-pulled"),
    ];
    for (machine, studies) in machines {
        onesided(&["simulate", "--study", studies, "--profile", machine, "--out", &path(machine)]);
    }
    let [cx3, cib, fabric] = machines.map(|(machine, _)| path(machine));
    let out = path("claims.csv");
    let folders = [cx3.as_str(), cib.as_str(), fabric.as_str(), "data/arithmetic"];
    let tables = folders.map(|folder| ["--table", folder]).concat();
    onesided(&[&["claims", "--out", &out], &tables[..]].concat());
    let rows = TableReader::<ClaimRow>::open(Path::new(&out), Extra::Refused).unwrap();
    rows.map(|row| row.unwrap())
        .filter(|row| row.source == Source::Simulated)
        .filter(|row| row.paper.starts_with("kalia") || row.id.starts_with("sonuma-model"))
        .map(|row| (row.id, (row.verdict, row.value.unwrap_or(f64::NAN))))
        .collect()
}

#[test]
fn the_model_says_of_each_stated_number_what_the_documentation_tells() {
    let found = verdicts();
    let expected = [
        ("kalia-transition-cib", Verdict::Supported, 0.709),
        ("kalia-transition-cx3", Verdict::Contradicted, 0.81),
        ("kalia-read-128-cib", Verdict::Contradicted, 86.3e6),
        ("kalia-outbound-write-cib", Verdict::Contradicted, 87.5e6),
        ("kalia-drtm-10-cib", Verdict::Contradicted, 27.0),
        ("kalia-drtm-100-cx3", Verdict::Contradicted, 0.0346),
        ("kalia-drtm-10-cx3", Verdict::Contradicted, 73.7),
        ("kalia-drtm-100-cib", Verdict::Contradicted, 0.127),
        ("kalia-window-cx3", Verdict::NotTestable, -19.9),
        ("kalia-window-cib", Verdict::NotTestable, 0.0),
        ("kalia-atomics-cx3", Verdict::NotTestable, 2.7e6),
        ("kalia-atomics-cib", Verdict::NotTestable, 2.24e6),
        ("kalia-read-64-cib", Verdict::NotTestable, 121.6e6),
        ("kalia-outbound-read-cib", Verdict::NotTestable, 88e6),
        ("kalia-send-fetch-limit-cib", Verdict::NotTestable, 105.02e6),
        ("kalia-send-store-limit-cib", Verdict::NotTestable, 175.04e6),
        ("kalia-send-lists-cib", Verdict::Supported, 103.56e6),
        ("kalia-send-singly-cib", Verdict::Contradicted, 87.52e6),
        ("kalia-send-lists-gain-cib", Verdict::Contradicted, 18.3),
        ("kalia-send-header-only-cib", Verdict::Contradicted, 97.2),
        ("kalia-recv-inline-cx3", Verdict::TrueInPart, 17.7),
        ("sonuma-model-read", Verdict::Supported, 273.0),
        ("sonuma-model-add", Verdict::Supported, 263.0),
        ("sonuma-model-bandwidth", Verdict::Contradicted, 96.0),
        ("sonuma-model-within-4x-of-dram", Verdict::Contradicted, 273.0),
        ("sonuma-model-message", Verdict::Contradicted, 187.0),
        ("sonuma-model-messages-4k", Verdict::NotTestable, 11.8),
    ];
    let only_a_card_can_tell = [
        "kalia-transition-cx",
        "kalia-atomics-cx3-uncached",
        "kalia-atomics-slots",
        "kalia-recv-rates",
        "kalia-send-queue-pairs-cib",
        "kalia-send-four-cores-cib",
        "kalia-card-send-lists",
        "kalia-card-send-queue-pairs",
        "kalia-card-inbound-size",
        "kalia-card-atomics-counters",
        "kalia-card-atomics-slots",
        "kalia-card-outbound",
        "kalia-card-receives",
        "kalia-card-window",
        "kalia-card-connections",
        "kalia-card-header-only",
        "kalia-pcie-counted",
        "kalia-complete-unseen",
        "kalia-writes-in-order",
        "kalia-ws-echo",
    ];
    for id in only_a_card_can_tell {
        assert_eq!(found[id].0, Verdict::NotTestable, "{id}");
    }
    let all = expected.len() + only_a_card_can_tell.len();
    assert_eq!(found.len(), all, "{:?}", found.keys());
    for (id, verdict, value) in expected {
        let (found_verdict, found_value) = found[id];
        assert_eq!(found_verdict, verdict, "{id}: {found_value}");
        let off = (found_value - value).abs();
        assert!(off <= 0.01 * value.abs() + 0.002, "{id}: {found_value} instead of {value}");
    }
}
