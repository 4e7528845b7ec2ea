//! The workspace is cut as `docs/architecture.md` says.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

type Edges = BTreeMap<String, BTreeSet<String>>;

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/cli in a workspace")
}

/// Rows of the table: crate, layer, what it uses.
fn documented() -> BTreeMap<String, (u32, BTreeSet<String>)> {
    let page =
        workspace().parent().expect("harness/ in the repository").join("docs/architecture.md");
    let page = std::fs::read_to_string(page).expect("docs/architecture.md");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let layer = cells.get(1)?.parse().ok()?;
        let uses = cells[2].split(',').map(|name| name.trim().to_owned());
        Some((cells[0].to_owned(), (layer, uses.filter(|name| !name.is_empty()).collect())))
    });
    rows.collect()
}

/// Edges between our crates, tests' own left out.
fn real() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(workspace())
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let short = |name: &str| match name.strip_prefix("onesided-") {
        Some(rest) => Some(rest.to_owned()),
        None => (name == "onesided").then(|| "cli".to_owned()),
    };
    let package = |package: &serde_json::Value| {
        let name = short(package["name"].as_str()?)?;
        let ours = package["dependencies"].as_array()?.iter().filter(|edge| edge["kind"].is_null());
        Some((name, ours.filter_map(|edge| short(edge["name"].as_str()?)).collect()))
    };
    metadata["packages"].as_array().expect("packages").iter().filter_map(package).collect()
}

#[test]
fn crates_depend_on_each_other_as_the_architecture_says() {
    let documented = documented();
    let expected: Edges =
        documented.iter().map(|(name, (_, uses))| (name.clone(), uses.clone())).collect();
    assert_eq!(real(), expected);
}

#[test]
fn arrows_point_down_the_layers_and_only_cli_knows_all_back_ends() {
    let documented = documented();
    let back_ends: BTreeSet<_> = ["verbs", "rmc", "sim"].map(str::to_owned).into();
    for (name, (layer, uses)) in &documented {
        for used in uses {
            let below = documented[used].0;
            assert!(below < *layer, "{name} (layer {layer}) uses {used} (layer {below})");
        }
        // What predicts is about the simulator, and knows no other.
        let may: BTreeSet<_> =
            (name == "prediction").then(|| "sim".to_owned()).into_iter().collect();
        let known: BTreeSet<_> = uses.intersection(&back_ends).cloned().collect();
        assert!(name == "cli" || known.is_subset(&may), "{name} knows {known:?}");
    }
}
