//! Runs that this machine cannot do by itself, left out of a table and counted.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::bail;
use clap::Args;
use onesided_placement::{DeviceLocality, NodeId, Topology};
use onesided_results::{
    RunConfiguration,
    table::{Row, write_table},
    vocabulary::Ddio,
};
use onesided_runner::check_on_one_host;
use serde::{Deserialize, Serialize};

use crate::arguments::cpus_of;

/// Whether runs are left out that this machine cannot do.
#[derive(Args)]
pub struct PossibleHere {
    /// Leave out runs that this machine cannot do with both sides on it, over the rmc back end: for
    /// want of NUMA nodes or CPUs, or because they change what is of a card. How many, and why, is
    /// told
    #[arg(long)]
    possible_here: bool,
    /// NUMA node that the emulated controller will be on, as `serve` is told [default: the only
    /// one]
    #[arg(long, value_name = "NODE", requires = "possible_here")]
    device_node: Option<u32>,
    /// File for the runs that are left out, a row each with the reason
    #[arg(long, value_name = "FILE", requires = "possible_here")]
    left_out: Option<PathBuf>,
}

impl PossibleHere {
    /// Looks at this machine, where that is asked.
    pub fn look(&self) -> anyhow::Result<Option<Here>> {
        if !self.possible_here {
            return Ok(None);
        }
        let topology = Topology::discover()?;
        let locality = match self.device_node {
            Some(node) => {
                cpus_of(NodeId(node))?;
                DeviceLocality::given(onesided_rmc::BACK_END, NodeId(node))
            }
            None => DeviceLocality::of_emulation(onesided_rmc::BACK_END, &topology),
        };
        if locality.node.is_none() {
            bail!("--possible-here: {locality}");
        }
        Ok(Some(Here { topology, locality }))
    }

    /// Writes down what was left out, where that is asked.
    pub fn keep(&self, left_out: &[LeftOut]) -> anyhow::Result<()> {
        Ok(self.left_out.as_ref().map_or(Ok(()), |path| write_table(path, left_out))?)
    }
}

/// This machine, with an emulated controller.
pub struct Here {
    topology: Topology,
    locality: DeviceLocality,
}

impl Here {
    /// Why a run cannot be done here; absent if it can.
    pub fn obstacle(&self, run: &RunConfiguration) -> Option<String> {
        if run.ddio == Ddio::Off {
            let why = "ddio = off: an emulated controller is behind no root port to change";
            return Some(why.to_owned());
        }
        check_on_one_host(&self.topology, &self.locality, run).err().map(|error| error.cause())
    }
}

/// A run that is left out.
#[derive(Debug, Serialize, Deserialize)]
pub struct LeftOut {
    experiment: String,
    run_id: String,
    why: String,
}

impl LeftOut {
    /// A run and why it is left out.
    pub fn new(run: &RunConfiguration, why: String) -> Self {
        Self { experiment: run.experiment.clone(), run_id: run.run_id.clone(), why }
    }
}

impl Row for LeftOut {
    const FILE: &'static str = "left-out.csv";
}

/// Says how many are left out, each reason once.
pub fn tell(left_out: &[LeftOut]) {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for left in left_out {
        *reasons.entry(&left.why).or_default() += 1;
    }
    if !left_out.is_empty() {
        say!("{} runs cannot be done on this machine and are left out:", left_out.len());
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (why, count) in reasons {
        say!("{count:>6}: {why}");
    }
}
