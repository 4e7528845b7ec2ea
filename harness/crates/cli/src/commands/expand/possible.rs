//! Runs that this machine or the simulator cannot do, left out of a table and counted.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::bail;
use clap::Args;
use onesided_placement::{DeviceLocality, NodeId, Topology};
use onesided_results::{
    RunConfiguration,
    bundle::Member,
    table::{Row, write_table},
    vocabulary::Ddio,
};
use onesided_runner::check_on_one_host;
use serde::{Deserialize, Serialize};

use crate::{arguments::cpus_of, commands::simulate::machine::Machines};

/// Whether runs are left out that cannot be done.
#[derive(Args)]
pub struct Possible {
    /// Leave out runs that this machine cannot do with both sides on it, over the rmc back end: for
    /// want of NUMA nodes or CPUs, or because they change what is of a card. How many, and why, is
    /// told
    #[arg(long, group = "possible")]
    possible_here: bool,
    /// Leave out runs that `simulate` would refuse with the parameters of --profile. How many, and
    /// because of which factor, is told
    #[arg(long, group = "possible")]
    possible_simulated: bool,
    /// Directory of the profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// NUMA node that the emulated controller will be on, as `serve` is told [default: the only
    /// one]
    #[arg(long, value_name = "NODE", requires = "possible_here")]
    device_node: Option<u32>,
    /// File for the runs that are left out, a row each with the reason
    #[arg(long, value_name = "FILE", requires = "possible")]
    left_out: Option<PathBuf>,
}

impl Possible {
    /// Looks at this machine, or at the one of `profile` in the simulator, where that is asked.
    pub fn look(&self, profile: &str) -> anyhow::Result<Option<Doer>> {
        if self.possible_simulated {
            return Ok(Some(Doer::Simulator(Machines::read(&self.profiles, profile, &[])?)));
        }
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
        Ok(Some(Doer::ThisMachine(Box::new(topology), locality)))
    }

    /// Writes down what was left out, where that is asked.
    pub fn keep(&self, left_out: &[LeftOut]) -> anyhow::Result<()> {
        Ok(self.left_out.as_ref().map_or(Ok(()), |path| write_table(path, left_out))?)
    }
}

/// Who is to do the runs.
pub enum Doer {
    /// This machine, with an emulated controller at a node.
    ThisMachine(Box<Topology>, DeviceLocality),
    /// The simulator, with the machines of a profile.
    Simulator(Machines),
}

impl Doer {
    /// Why a run cannot be done; absent if it can.
    pub fn obstacle(&self, run: &RunConfiguration) -> Option<String> {
        let (topology, locality) = match self {
            Self::ThisMachine(topology, locality) => (topology, locality),
            Self::Simulator(machines) => return machines.obstacle(run),
        };
        if run.ddio == Ddio::Off {
            let why = "ddio = off: an emulated controller is behind no root port to change";
            return Some(why.to_owned());
        }
        check_on_one_host(topology, locality, run).err().map(|error| error.cause())
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

    /// The design that it is of.
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// Its name.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }
}

impl Row for LeftOut {
    const FILE: &'static str = Member::LEFT_OUT_FILE;
}

/// Says how many are left out, each reason once.
pub fn tell(doer: Option<&Doer>, left_out: &[LeftOut]) {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for left in left_out {
        *reasons.entry(&left.why).or_default() += 1;
    }
    let cannot = match doer {
        Some(Doer::Simulator(_)) => "are not covered by the model",
        _ => "cannot be done on this machine",
    };
    if !left_out.is_empty() {
        say!("{} runs {cannot} and are left out:", left_out.len());
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (why, count) in reasons {
        say!("{count:>6}: {why}");
    }
}
