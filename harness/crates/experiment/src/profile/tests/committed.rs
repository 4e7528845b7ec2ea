//! The profiles of the repository.

use std::{collections::BTreeMap, fs, path::PathBuf};

use onesided_results::machine::{NicKind, ProfileKind};

use super::super::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn all() -> BTreeMap<String, MachineProfile> {
    let folders = fs::read_dir(repository().join("profiles")).unwrap();
    let folders = folders.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    folders
        .map(|folder| {
            let profile = read(&folder.path().join(FILE)).unwrap_or_else(|error| panic!("{error}"));
            (folder.file_name().into_string().unwrap(), profile)
        })
        .collect()
}

#[test]
fn every_committed_profile_is_one_and_writes_back_the_same() {
    let profiles = all();
    for (name, profile) in &profiles {
        let path = Path::new("profiles").join(name).join(FILE);
        assert_eq!(parse(&path, &to_text(profile, &[])).unwrap(), *profile, "{name}");
    }
    let templates = profiles.values().filter(|it| it.profile.kind == ProfileKind::Template);
    assert_eq!(templates.count(), 1);
}

#[test]
fn every_machine_of_the_published_tables_has_a_profile_with_its_node() {
    let profiles = all();
    // What the importer takes for RDMA-local: data/README.md.
    for (name, node) in [("nurdma-cx3", 0), ("nurdma-cx4", 1), ("nurdma-apt", 1)] {
        let host = &profiles[name].hosts[0];
        assert_eq!(host.nics[0].node, Some(node), "{name}");
        assert_eq!(profiles[name].profile.kind, ProfileKind::Published);
    }
    let stated = fs::read_to_string(repository().join("data/stated/memory-latency.csv")).unwrap();
    for line in stated.lines().skip(1) {
        let cells: Vec<_> = line.split(',').collect();
        let latencies = &profiles[cells[2]].hosts[0].latencies;
        let number = |cell: &str| cell.parse::<f64>().ok();
        let is_same = |known: &onesided_results::machine::Latency| {
            let node_fits =
                |known: Option<u32>, cell: &str| known.is_none_or(|node| node.to_string() == cell);
            node_fits(known.cpu_node, cells[3])
                && node_fits(known.memory_node, cells[4])
                && known.latency_ns == number(cells[5])
                && known.latency_low_ns == number(cells[6])
                && known.latency_high_ns == number(cells[7])
        };
        assert!(latencies.iter().any(is_same), "no latency of the profile is that of {line}");
    }
}

/// The value of `NAME=value` in a script of the lab.
fn lab(script: &str, name: &str) -> u32 {
    let path = repository().join("ci/lab.d").join(script);
    let text = fs::read_to_string(&path).unwrap();
    let words = text.split_whitespace();
    let value = words.filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).next();
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in {script}"))
}

#[test]
fn the_labs_profile_is_what_the_lab_boots() {
    let profile = &all()["soft-roce-lab"];
    assert_eq!(profile.profile.kind, ProfileKind::Emulated);
    let host = &profile.hosts[0];
    let (nodes, cpus) = (lab("options.bash", "LAB_NODES"), lab("options.bash", "LAB_CPUS"));
    assert_eq!(host.nodes.len(), nodes as usize);
    assert_eq!(host.logical_cpus.unwrap().get(), nodes * cpus);
    let memory = u64::from(lab("options.bash", "LAB_MEMORY_MIB")) << 20;
    let own = lab("machine.bash", "LAB_DISTANCE_LOCAL");
    let other = lab("machine.bash", "LAB_DISTANCE_REMOTE");
    for (index, node) in host.nodes.iter().enumerate() {
        let first = node.node * cpus;
        assert_eq!(node.cpus, Some(format!("{first}-{}", first + cpus - 1)));
        assert_eq!(node.memory_bytes, Some(memory));
        let mut distances = vec![other; nodes as usize];
        distances[index] = own;
        assert_eq!(node.distances, Some(distances));
    }
    assert_eq!(host.nics[0].kind, NicKind::SoftRdma);
    assert_eq!(host.nics[0].node, Some(1), "of more than one node the lab takes the second");
    let mtu = profile.network.as_ref().unwrap().mtu_bytes.unwrap().get();
    assert_eq!(mtu, lab("options.bash", "LAB_MTU"));
}
