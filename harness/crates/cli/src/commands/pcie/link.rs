//! The link that is asked about: a profile's, or given.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use onesided_experiment::profile;
use onesided_pcie::{Generation, Link};
use onesided_results::MachineProfile;

use crate::arguments::{bytes, profile_name};

/// Which link.
#[derive(Args)]
pub struct LinkArguments {
    /// Take generation and lanes of the network card in profiles/NAME/machine.toml, the first
    /// that has both, for instance of atc16-cib
    #[arg(long, value_name = "NAME", value_parser = profile_name, conflicts_with = "generation",
          required_unless_present = "generation")]
    profile: Option<String>,
    /// Directory of profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// Generation of PCI Express: 1.0, 2.0, 3.0, 4.0 or 5.0
    #[arg(long, value_name = "NUMBER", requires = "lanes")]
    generation: Option<Generation>,
    /// Lanes: 1, 2, 4, 8, 16 or 32
    #[arg(long, value_name = "NUMBER", requires = "generation", conflicts_with = "profile")]
    lanes: Option<u8>,
    /// Most bytes of a read completion: the CPU's read completion combining size, C_rc
    #[arg(long, value_name = "BYTES", default_value = "128B", value_parser = bytes)]
    read_completion: u64,
    /// Most bytes of a packet that the card writes
    #[arg(long, value_name = "BYTES", default_value = "128B", value_parser = bytes)]
    max_payload: u64,
    /// Most bytes that the card asks for in a packet
    #[arg(long, value_name = "BYTES", default_value = "512B", value_parser = bytes)]
    max_read_request: u64,
}

/// A link, and whose it is.
pub struct Linked {
    /// The link.
    pub link: Link,
    /// The profile that it is from.
    pub profile: Option<String>,
}

impl LinkArguments {
    /// The link.
    pub fn linked(&self) -> anyhow::Result<Linked> {
        let link = match (&self.profile, self.generation, self.lanes) {
            (Some(name), _, _) => link_of(&self.profiles, name)?,
            (None, Some(generation), Some(lanes)) => {
                Link::new(generation, lanes).with_context(|| format!("--lanes {lanes}"))?
            }
            _ => anyhow::bail!("no link: say --profile NAME, or --generation 3.0 --lanes 16"),
        };
        let link = link
            .with_read_completion(self.read_completion)
            .context("--read-completion")?
            .with_max_payload(self.max_payload)
            .context("--max-payload")?
            .with_max_read_request(self.max_read_request)
            .context("--max-read-request")?;
        Ok(Linked { link, profile: self.profile.clone() })
    }
}

/// The link of the first card that states it.
fn link_of(profiles: &Path, name: &str) -> anyhow::Result<Link> {
    let path = profiles.join(name).join(profile::FILE);
    let machine = profile::read(&path).with_context(|| format!("--profile {name}"))?;
    let (generation, lanes) = stated(&machine).with_context(|| {
        format!(
            "--profile {name}: {} has no network card with its link: add pcie_generation and \
             pcie_lanes to a [[host.nic]], or say --generation 3.0 --lanes 16",
            path.display()
        )
    })?;
    let link = Generation::of(generation).and_then(|generation| Link::new(generation, lanes));
    link.with_context(|| format!("--profile {name}: {}", path.display()))
}

fn stated(machine: &MachineProfile) -> Option<(u8, u8)> {
    let mut cards = machine.hosts.iter().flat_map(|host| &host.nics);
    cards.find_map(|nic| Some((nic.pcie_generation?, nic.pcie_lanes?)))
}
