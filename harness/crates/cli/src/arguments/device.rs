//! Which device to use, on which back end.

use std::{
    num::NonZeroU32,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use onesided_experiment::profile;
use onesided_placement::{NodeId, Topology, topology::Node};
use onesided_results::vocabulary::Service;
use onesided_rmc::RmcOptions;

use super::{duration, profile_name};

/// A back end that runs can be done on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackEnd {
    /// RDMA, through rdma-core
    Verbs,
    /// A remote memory controller emulated over shared memory: processes of this machine, no RDMA
    Rmc,
}

/// Which device to use.
#[derive(Args, Clone, Debug)]
pub struct DeviceArguments {
    /// What carries the operations; both sides name the same
    #[arg(long, env = "ONESIDED_BACK_END", value_name = "NAME", default_value = "verbs")]
    pub back_end: BackEnd,
    /// RDMA device, for instance mlx5_0 or rxe0 [default: the first with an active port]; on the
    /// rmc back end a node of the fabric, rmc0 to rmc1023 [default: the first that is free]
    #[arg(long, env = "ONESIDED_DEVICE")]
    pub device: Option<String>,
    /// Port of the device [default: its first active port]
    #[arg(long, value_name = "NUMBER")]
    pub device_port: Option<u8>,
    /// Index in the port's GID table [default: RoCEv2, routable, in the peer's subnet first]
    #[arg(long, value_name = "INDEX")]
    pub gid_index: Option<u32>,
    /// NUMA node of the device, where the kernel does not know it or is wrong; of an emulated
    /// controller, the node that its thread is to run on
    #[arg(long, value_name = "NODE")]
    pub device_node: Option<u32>,
    /// Folder of the emulated fabric, the same on both sides [default: one of this user below
    /// /dev/shm]
    #[arg(long, env = "ONESIDED_FABRIC", value_name = "DIRECTORY")]
    pub fabric: Option<PathBuf>,
    /// Context of the emulated fabric: who may enter its folder may access what is registered in
    /// it [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub context: Option<u32>,
    /// Delay of each hop that the emulated fabric adds, the same on both sides; a request takes
    /// one and its reply another [default: none]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub hop_delay: Option<Duration>,
    /// The delay that the hardware profile of this name states: network.latency_ns of
    /// profiles/NAME/machine.toml, for instance of asplos14-simulated
    #[arg(long, value_name = "NAME", value_parser = profile_name, conflicts_with = "hop_delay")]
    pub hop_delay_of: Option<String>,
    /// Lose every N-th message that each queue pair of this side sends over uc or ud; emulated fabric
    /// only [default: lose none]
    #[arg(long, value_name = "N", value_parser = every)]
    pub drop_every: Option<NonZeroU32>,
}

impl DeviceArguments {
    /// Refuses flags that mean nothing on the back end. A variable of the environment may be there
    /// for other commands.
    pub fn check(&self) -> anyhow::Result<()> {
        let meaningless: &[(&str, bool)] = match self.back_end {
            BackEnd::Verbs => &[
                ("--context", self.context.is_some()),
                ("--hop-delay", self.hop_delay.is_some()),
                ("--hop-delay-of", self.hop_delay_of.is_some()),
                ("--drop-every", self.drop_every.is_some()),
            ],
            BackEnd::Rmc => &[
                ("--device-port", self.device_port.is_some()),
                ("--gid-index", self.gid_index.is_some()),
            ],
        };
        match (meaningless.iter().find(|(_, given)| *given), self.back_end) {
            (Some((flag, _)), BackEnd::Verbs) => {
                bail!("{flag} is of the emulated fabric: add --back-end rmc, or leave it out")
            }
            (Some((flag, _)), BackEnd::Rmc) => {
                bail!("{flag} is of an RDMA port, and --back-end rmc has none: leave it out")
            }
            (None, _) => Ok(()),
        }
    }

    /// Refuses to lose messages of a run that can lose none.
    pub fn check_losses(&self, service: Service) -> anyhow::Result<()> {
        if self.back_end == BackEnd::Rmc && self.drop_every.is_some() && service.is_reliable() {
            bail!(
                "--drop-every loses messages of uc and ud only, and --service is {service}: add \
                 --service uc or --service ud, or leave --drop-every out"
            );
        }
        Ok(())
    }

    /// The node to open on the rmc back end.
    pub fn rmc_options(&self) -> anyhow::Result<RmcOptions> {
        let defaults = RmcOptions::default();
        let responder_cpus = match self.device_node {
            Some(node) => Some(cpus_of(NodeId(node))?),
            None => None,
        };
        Ok(RmcOptions {
            fabric: self.fabric.clone().unwrap_or(defaults.fabric),
            context: self.context.unwrap_or(defaults.context),
            node: self.device.as_deref().map(|name| rmc_node("--device", name)).transpose()?,
            hop_delay: self.hop_delay()?.unwrap_or(defaults.hop_delay),
            responder_cpus,
            serving: defaults.serving,
            memory_node: defaults.memory_node,
            hop_distances: defaults.hop_distances,
            drop_every: self.drop_every,
        })
    }

    /// The delay of a hop, given or a profile's.
    fn hop_delay(&self) -> anyhow::Result<Option<Duration>> {
        match &self.hop_delay_of {
            Some(name) => hop_delay_of(Path::new(PROFILES), name).map(Some),
            None => Ok(self.hop_delay),
        }
    }
}

/// Every how many messages one is lost.
fn every(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("it must be 1 to {}; to lose none, leave the flag out", u32::MAX))
}

/// Where hardware profiles are, from where the program runs.
const PROFILES: &str = "profiles";

/// The delay of a hop that a profile states.
fn hop_delay_of(profiles: &Path, name: &str) -> anyhow::Result<Duration> {
    let path = profiles.join(name).join(profile::FILE);
    let machine = profile::read(&path).with_context(|| format!("--hop-delay-of {name}"))?;
    let stated = machine.network.and_then(|network| network.latency_ns);
    let nanoseconds = stated.with_context(|| {
        format!(
            "--hop-delay-of {name}: {} has no latency_ns in [network], which is the delay of a \
             hop: name a profile that has, or say --hop-delay 50ns",
            path.display()
        )
    })?;
    // Delays are counted in whole nanoseconds.
    Ok(Duration::from_nanos(nanoseconds.round() as u64))
}

/// The number of a node by its name, as rmc3, that a flag names.
pub fn rmc_node(flag: &str, name: &str) -> anyhow::Result<u16> {
    let number = name.strip_prefix(onesided_rmc::BACK_END).and_then(|text| text.parse().ok());
    number.with_context(|| {
        format!(
            "{flag} {name} is no node of an emulated fabric: they are rmc0 to rmc{}",
            onesided_rmc::NODES - 1
        )
    })
}

/// A NUMA node of this machine that a flag names.
pub fn node_of<'a>(topology: &'a Topology, flag: &str, node: NodeId) -> anyhow::Result<&'a Node> {
    topology.node(node).with_context(|| {
        let present: Vec<_> = topology.nodes.iter().map(|node| node.id.to_string()).collect();
        format!("{flag} {node} is not there: this machine has node {}", present.join(", "))
    })
}

/// The CPUs that an emulated controller may have on a node of this machine.
pub fn cpus_of(node: NodeId) -> anyhow::Result<onesided_placement::CpuSet> {
    let topology = Topology::discover()?;
    let found = node_of(&topology, "--device-node", node)?;
    let allowed = topology.allowed.as_ref().and_then(|allowed| allowed.cpus.as_ref());
    let cpus = found.cpus.as_ref().and_then(|cpus| match allowed {
        Some(allowed) => cpus.intersection(allowed),
        None => Some(cpus.clone()),
    });
    cpus.with_context(|| format!("--device-node {node} has no CPU that this process may use"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_fabric_have_names_with_a_number() {
        assert_eq!(rmc_node("--device", "rmc12").unwrap(), 12);
        for wrong in ["rmc", "rmc-1", "mlx5_0", "12", "rmc99999"] {
            let refused = rmc_node("--device", wrong).unwrap_err().to_string();
            assert!(refused.contains("rmc0 to rmc1023"), "{refused}");
        }
    }

    #[test]
    fn the_delay_of_a_hop_is_one_that_a_profile_states() {
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../profiles");
        let simulated = hop_delay_of(&profiles, "asplos14-simulated").unwrap();
        assert_eq!(simulated, Duration::from_nanos(50), "ASPLOS 2014, table 1");
        let silent = format!("{:#}", hop_delay_of(&profiles, "nurdma-cx3").unwrap_err());
        assert!(silent.contains("nurdma-cx3/machine.toml has no latency_ns"), "{silent}");
        let absent = format!("{:#}", hop_delay_of(&profiles, "nowhere").unwrap_err());
        assert!(absent.starts_with("--hop-delay-of nowhere: cannot read"), "{absent}");
    }

    #[test]
    fn a_node_that_is_not_there_is_refused_with_those_that_are() {
        let refused = cpus_of(NodeId(4_000)).unwrap_err().to_string();
        assert!(
            refused.contains("--device-node 4000") && refused.contains("has node 0"),
            "{refused}"
        );
    }
}
