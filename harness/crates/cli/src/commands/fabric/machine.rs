//! The CPUs and nodes of an experiment.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_placement::{CpuId, CpuSet, Settings, Topology, cpus_of_current_thread};
use onesided_results::record::HostManifest;
use onesided_rmc::{RmcDevice, RmcOptions, Serving};
use onesided_runner::host_manifest;

use crate::{
    arguments::{duration, profile_name},
    back_end,
    measuring::MeasuringArguments,
};

/// Where to measure, and what fabric.
#[derive(Args)]
pub struct MachineArguments {
    /// Name of the hardware profile that rows are filed under
    #[arg(long, default_value = "unnamed", value_parser = profile_name)]
    pub profile: String,
    /// CPUs for the threads, in the order in which they are taken, as 0,2,4-7 [default: all that
    /// this process may use, one of each core first]
    #[arg(long, value_name = "CPUS", value_parser = cpu_list)]
    cpus: Option<CpuOrder>,
    /// Delay of each hop that the emulated fabric adds; a request takes one and its reply another
    /// [default: none; the paper has 50ns]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    hop_delay: Option<Duration>,
    /// Folder of the emulated fabric [default: one of this user below /dev/shm]
    #[arg(long, env = "ONESIDED_FABRIC", value_name = "DIRECTORY")]
    fabric: Option<PathBuf>,
    #[command(flatten)]
    pub measuring: MeasuringArguments,
}

/// CPUs in the order that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CpuOrder(Vec<CpuId>);

fn cpu_list(text: &str) -> Result<CpuOrder, String> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let set: CpuSet = part.trim().parse().map_err(|error| {
            format!("'{part}' is no CPU nor a range of them, such as 3 or 0-3: {error}")
        })?;
        cpus.extend(set.iter());
    }
    Ok(CpuOrder(cpus))
}

/// The machine as an experiment uses it.
pub struct Machine {
    /// CPUs in the order in which threads take them.
    pub cpus: Vec<CpuId>,
    topology: Topology,
    options: RmcOptions,
}

impl Machine {
    /// Looks at the machine, and refuses CPUs that this process may not use.
    pub fn of(arguments: &MachineArguments) -> anyhow::Result<Self> {
        let topology = Topology::discover()?;
        let allowed = cpus_of_current_thread()?;
        let cpus = match &arguments.cpus {
            Some(CpuOrder(cpus)) => cpus.clone(),
            None => one_of_each_core_first(&topology, &allowed),
        };
        if let Some(stranger) = cpus.iter().find(|cpu| !allowed.contains(**cpu)) {
            anyhow::bail!("--cpus: this process may not use CPU {stranger}, it may use {allowed}");
        }
        let twice = cpus.iter().enumerate().find(|(place, cpu)| cpus[..*place].contains(cpu));
        ensure!(twice.is_none(), "--cpus: CPU {} is named twice", twice.expect("found").1);
        let defaults = RmcOptions::default();
        let options = RmcOptions {
            fabric: arguments.fabric.clone().unwrap_or(defaults.fabric),
            hop_delay: arguments.hop_delay.unwrap_or(defaults.hop_delay),
            ..RmcOptions::default()
        };
        Ok(Self { cpus, topology, options })
    }

    /// The CPU of a thread by its number; from the first again where there are more threads.
    pub fn cpu(&self, thread: usize) -> CpuId {
        self.cpus[thread % self.cpus.len()]
    }

    /// Makes a node that is served on `cpu`; says what was cleaned up.
    pub fn node(&self, cpu: CpuId) -> anyhow::Result<RmcDevice> {
        let responder_cpus = Some(CpuSet::of(cpu));
        Self::open(&RmcOptions { responder_cpus, ..self.options.clone() })
    }

    /// Makes a node that is served by the threads that poll it.
    pub fn polled_node(&self) -> anyhow::Result<RmcDevice> {
        Self::open(&RmcOptions { serving: Serving::Polls, ..self.options.clone() })
    }

    fn open(options: &RmcOptions) -> anyhow::Result<RmcDevice> {
        let device = back_end::open_node(options).context("a node of the emulated fabric")?;
        back_end::tell_swept(&device);
        Ok(device)
    }

    /// What each hop is delayed by.
    pub fn hop_ns(&self) -> u64 {
        // The delay is refused by the fabric long before that.
        u64::try_from(self.options.hop_delay.as_nanos()).unwrap_or(u64::MAX)
    }

    /// This machine, as it is written down.
    pub fn host(&self) -> HostManifest {
        host_manifest(&self.topology, &Settings::read(), &back_end::harness(None))
    }

    /// NUMA nodes of CPUs, as they are written down.
    pub fn nodes_of(&self, cpus: &[CpuId]) -> String {
        let node = |cpu: &CpuId| {
            self.topology.node_of_cpu(*cpu).map_or_else(|| "?".to_owned(), |node| node.to_string())
        };
        cpus.iter().map(node).collect::<Vec<_>>().join(" ")
    }
}

/// CPUs as they are written down.
pub fn written(cpus: &[CpuId]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// By number; those that share a core with an earlier one come last.
fn one_of_each_core_first(topology: &Topology, allowed: &CpuSet) -> Vec<CpuId> {
    let (mut first, mut others): (Vec<CpuId>, Vec<CpuId>) = (Vec::new(), Vec::new());
    for cpu in allowed.iter() {
        let siblings = topology.siblings_of(cpu);
        let is_taken = |taken: &CpuId| siblings.is_some_and(|siblings| siblings.contains(*taken));
        match first.iter().any(is_taken) {
            true => others.push(cpu),
            false => first.push(cpu),
        }
    }
    first.extend(others);
    first
}

/// Whether two of the threads that work at the same time have one CPU.
pub fn share_a_cpu(threads: &[CpuId], responders: &[CpuId]) -> bool {
    let all = [threads, responders].concat();
    all.iter().enumerate().any(|(place, cpu)| all[..place].contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_keep_the_order_that_was_typed() {
        assert_eq!(cpu_list("3,0-1"), Ok(CpuOrder(vec![CpuId(3), CpuId(0), CpuId(1)])));
        assert!(cpu_list("3,x").unwrap_err().contains("'x'"));
    }
}
