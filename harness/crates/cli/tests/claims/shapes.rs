//! Claims on simulated sweeps: the committed ones, of the committed machines.
//!
//! What passing lets us claim: what the documentation says of each number of Kalia et al. and of
//! Scale-Out NUMA is what the model says, misses included.

use std::{collections::BTreeMap, path::Path, process::Command};

use onesided_results::{
    row::ClaimRow,
    table::{Extra, TableReader},
    vocabulary::{Source, Verdict},
};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it")
}

#[track_caller]
fn onesided(arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    let output = command.args(arguments).current_dir(repository()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
}

/// Verdicts and values of the claims of simulated sweeps.
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
    onesided(&["claims", "--table", &cx3, "--table", &cib, "--table", &fabric, "--out", &out]);
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
        ("sonuma-model-read", Verdict::Supported, 273.0),
        ("sonuma-model-add", Verdict::Supported, 263.0),
        ("sonuma-model-bandwidth", Verdict::Contradicted, 96.0),
        ("sonuma-model-within-4x-of-dram", Verdict::Contradicted, 273.0),
        ("sonuma-model-message", Verdict::Contradicted, 187.0),
        ("sonuma-model-messages-4k", Verdict::NotTestable, 11.8),
    ];
    assert_eq!(found["kalia-transition-cx"].0, Verdict::NotTestable);
    assert_eq!(found.len(), expected.len() + 1, "{:?}", found.keys());
    for (id, verdict, value) in expected {
        let (found_verdict, found_value) = found[id];
        assert_eq!(found_verdict, verdict, "{id}: {found_value}");
        let off = (found_value - value).abs();
        assert!(off <= 0.01 * value.abs() + 0.002, "{id}: {found_value} instead of {value}");
    }
}
