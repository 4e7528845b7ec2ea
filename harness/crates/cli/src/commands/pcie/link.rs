//! The link that is asked about: a profile's, or given.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use onesided_experiment::profile;
use onesided_pcie::{Generation, Link, LinkError, LinkLayer};
use onesided_results::{MachineProfile, machine::Nic};

use crate::arguments::{bytes, profile_name, word};

/// Which link.
#[derive(Args)]
pub struct LinkArguments {
    /// Take generation and lanes of the network card in profiles/NAME/machine.toml, the first
    /// that has both, for instance of atc16-cib
    #[arg(long, value_name = "NAME", value_parser = profile_name, conflicts_with = "generation",
          required_unless_present_any = ["generation", "verbs"])]
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
    /// Network below the card, which decides what comes with a datagram: infiniband or ethernet
    /// [default: that of the profile's card; of a link by itself infiniband, as the paper's]
    #[arg(long, value_name = "LAYER", value_parser = word::<LinkLayer>())]
    link_layer: Option<LinkLayer>,
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
    /// The network below the card, if that is known.
    pub link_layer: Option<LinkLayer>,
}

impl LinkArguments {
    /// The link.
    pub fn linked(&self) -> anyhow::Result<Linked> {
        let (link, stated) = match (&self.profile, self.generation, self.lanes) {
            (Some(name), _, _) => link_of(&self.profiles, name)?,
            (None, Some(generation), Some(lanes)) => {
                let link =
                    Link::new(generation, lanes).with_context(|| format!("--lanes {lanes}"))?;
                (link, Some(LinkLayer::Infiniband))
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
        let link_layer = self.link_layer.or(stated);
        Ok(Linked { link, profile: self.profile.clone(), link_layer })
    }

    /// The profile by itself, with its name.
    pub fn machine(&self) -> anyhow::Result<(&str, MachineProfile)> {
        let name = self.profile.as_deref().context("--hosts: say --profile NAME")?;
        Ok((name, read(&self.profiles, name)?))
    }
}

fn read(profiles: &Path, name: &str) -> anyhow::Result<MachineProfile> {
    let path = profiles.join(name).join(profile::FILE);
    profile::read(&path).with_context(|| format!("--profile {name}"))
}

/// The link of the first card that states it, and the network below that card.
fn link_of(profiles: &Path, name: &str) -> anyhow::Result<(Link, Option<LinkLayer>)> {
    let path = profiles.join(name).join(profile::FILE);
    let machine = read(profiles, name)?;
    let mut cards = machine.hosts.iter().flat_map(|host| &host.nics);
    let card = cards.find(|nic| nic.pcie_generation.is_some() && nic.pcie_lanes.is_some());
    let card = card.with_context(|| {
        format!(
            "--profile {name}: {} has no network card with its link: add pcie_generation and \
             pcie_lanes to a [[host.nic]], or say --generation 3.0 --lanes 16",
            path.display()
        )
    })?;
    let link = stated(card).with_context(|| format!("--profile {name}: {}", path.display()))?;
    Ok((link.expect("it states both"), card.link_layer))
}

/// The link that a card states, if it states it whole.
///
/// # Errors
/// When there is no such link.
pub fn stated(card: &Nic) -> Result<Option<Link>, LinkError> {
    let (Some(generation), Some(lanes)) = (card.pcie_generation, card.pcie_lanes) else {
        return Ok(None);
    };
    Link::new(Generation::of(generation)?, lanes).map(Some)
}
