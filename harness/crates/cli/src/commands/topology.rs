//! `onesided topology`: the machine's nodes, distances and RDMA devices.

mod card;
mod machine;
mod processor;
mod profile_file;
mod tree;

use std::{
    io::{Write, stdout},
    path::PathBuf,
};

use clap::Args;
use onesided_experiment::ProfileName;
use onesided_placement::{DeviceLocality, Node, Topology};
use onesided_results::directory::Existing;
use serde::Serialize;

use crate::{
    ending::Ending,
    printed::{json, table},
};

/// Shows NUMA nodes, their distances, and the node of each RDMA device with the evidence.
///
/// With --profile, writes them and what else the kernel tells of the hardware as a profile: a file
/// of facts, to be read and added to by hand.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided topology
  onesided topology --profile mycluster      profiles/mycluster/machine.toml")]
pub struct Arguments {
    /// As JSON
    #[arg(long, conflicts_with = "profile")]
    json: bool,
    /// Write the machine as a hardware profile of this name, which must be a directory's
    #[arg(long, value_name = "NAME")]
    profile: Option<ProfileName>,
    /// Directory of profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles", requires = "profile")]
    out: PathBuf,
    /// Write it also where there is one of that name
    #[arg(long, requires = "profile")]
    replace: bool,
}

#[derive(Serialize)]
struct Report {
    topology: Topology,
    devices: Vec<DeviceLocality>,
    devices_unknown: Option<String>,
}

/// Prints the topology, or writes it as a profile.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if let Some(name) = &arguments.profile {
        let existing = if arguments.replace { Existing::Replace } else { Existing::Keep };
        profile_file::write(name, &arguments.out, existing)?;
        return Ok(Ending::Valid);
    }
    let topology = Topology::discover()?;
    let (devices, devices_unknown) = match onesided_verbs::devices() {
        Ok(names) => (names.iter().map(|name| DeviceLocality::of(name.as_str())).collect(), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let report = Report { topology, devices, devices_unknown };
    if arguments.json {
        json(&report)?;
    } else {
        print(&report)?;
    }
    Ok(Ending::Valid)
}

fn print(report: &Report) -> anyhow::Result<()> {
    let nodes = &report.topology.nodes;
    let header = ["node", "CPUs", "memory", "free"].map(str::to_owned).into_iter();
    let mut table = table(header.chain(nodes.iter().map(|node| format!("to {}", node.id))), ..0);
    for node in nodes {
        table.add_row(row(node, nodes));
    }
    writeln!(stdout(), "{table}")?;
    for device in &report.devices {
        writeln!(stdout(), "{device}")?;
    }
    match (&report.devices_unknown, report.devices.is_empty()) {
        (Some(why), _) => writeln!(stdout(), "RDMA devices: not known: {why}")?,
        (None, true) => writeln!(stdout(), "RDMA devices: none")?,
        (None, false) => {}
    }
    Ok(())
}

fn row(node: &Node, all: &[Node]) -> Vec<String> {
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    let cpus = node.cpus.as_ref().map_or("none".to_owned(), ToString::to_string);
    let distance = |to: &Node| node.distances.get(&to.id).map_or("?".to_owned(), u32::to_string);
    let facts =
        [node.id.to_string(), cpus, gibibytes(node.memory_bytes), gibibytes(node.free_bytes)];
    facts.into_iter().chain(all.iter().map(distance)).collect()
}
