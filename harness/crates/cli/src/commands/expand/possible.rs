//! Runs that this machine or the simulator cannot do, left out of a table and counted.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::bail;
use clap::Args;
use onesided_results::{
    RunConfiguration,
    bundle::Member,
    table::{Row, write_table},
};
use serde::{Deserialize, Serialize};

use super::here::Here;
use crate::{arguments::BackEnd, commands::simulate::machine::Machines, printed::counted};

/// Whether runs are left out that cannot be done.
#[derive(Args)]
pub struct Possible {
    /// Leave out runs that this machine cannot do with both sides on it, over --back-end: for want of
    /// NUMA nodes or CPUs, because its device lacks their service or shared receive queues of it, or,
    /// over rmc, because they change what is of a card. Reports how many, and why
    #[arg(long, group = "possible")]
    possible_here: bool,
    /// What is to carry the runs that are possible here. Over verbs the device is opened and asked;
    /// without one all runs are left out
    #[arg(long, value_name = "NAME", requires = "possible_here", default_value = "rmc")]
    back_end: BackEnd,
    /// RDMA device, with --back-end verbs [default: $ONESIDED_DEVICE, else the first with an active
    /// port]
    #[arg(long, requires = "possible_here")]
    device: Option<String>,
    /// Leave out runs that `simulate` would refuse with the parameters of --profile. Reports how
    /// many, and because of which factor
    #[arg(long, group = "possible")]
    possible_simulated: bool,
    /// Directory of the profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// NUMA node that the emulated controller will be on, as `serve` is told [default: the only
    /// one]; of an RDMA device, where the kernel does not know it or is wrong
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
        match (self.back_end, &self.device) {
            (BackEnd::Rmc, Some(device)) => {
                bail!("--device {device} is an RDMA device: add --back-end verbs, or leave it out")
            }
            (BackEnd::Rmc, None) => {
                let here = Here::emulated(self.device_node)?;
                Ok(Some(Doer::ThisMachine(Box::new(here))))
            }
            (BackEnd::Verbs, device) => {
                // As `run` and `serve` choose one; the variable says nothing about the other back end.
                let device = device.clone().or_else(|| std::env::var("ONESIDED_DEVICE").ok());
                let here = Here::with_device(device.as_deref(), self.device_node)?;
                Ok(Some(match here {
                    Ok(here) => Doer::ThisMachine(Box::new(here)),
                    Err(error) => Doer::Nobody(format!("{:#}", anyhow::Error::new(error))),
                }))
            }
        }
    }

    /// Writes down what was left out, where that is asked.
    pub fn keep(&self, left_out: &[LeftOut]) -> anyhow::Result<()> {
        Ok(self.left_out.as_ref().map_or(Ok(()), |path| write_table(path, left_out))?)
    }
}

/// Who is to do the runs.
pub enum Doer {
    /// This machine.
    ThisMachine(Box<Here>),
    /// Nobody, since this machine has no RDMA device that can be used, and why.
    Nobody(String),
    /// The simulator, with the machines of a profile.
    Simulator(Machines),
}

impl Doer {
    /// Why a run cannot be done; absent if it can.
    pub fn obstacle(&self, run: &RunConfiguration) -> Option<String> {
        match self {
            Self::ThisMachine(here) => here.obstacle(run),
            Self::Nobody(why) => Some(why.clone()),
            Self::Simulator(machines) => machines.obstacle(run),
        }
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
    let are = if left_out.len() == 1 { "is" } else { "are" };
    let cannot = match doer {
        Some(Doer::Simulator(_)) => format!("{are} not covered by the model"),
        _ => "cannot be done on this machine".to_owned(),
    };
    if !left_out.is_empty() {
        say!("{} {cannot} and {are} left out:", counted(left_out.len(), "run"));
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (why, count) in reasons {
        say!("{count:>6}: {why}");
    }
}
