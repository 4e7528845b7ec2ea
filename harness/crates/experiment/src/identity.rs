//! Names and seeds of runs, which follow from what the runs do.
//!
//! A name is made from the experiment, the replicate, the design's seed and every field that is
//! not at its default. So it stays when factors or levels are added to the design, when fields are
//! added to the configuration, and between machines: the profile is not in it.

use std::fmt::Write as _;

use onesided_results::RunConfiguration;
use sha2::{Digest as _, Sha256};
use toml::Table;

use crate::design::parts::default_table;

/// Version of what names mean. It is not the schema's: a new column or message changes how results
/// are written and not what a run does, and results that are stored are found by their names. It
/// changes when a default does, for then the same text means another run.
const MEANING: u32 = 2;

/// What a run does, as text that is the same wherever it is made.
pub(crate) struct Identity(String);

impl Identity {
    /// The identity of `configuration`, whose own name and seed do not count, under the design's
    /// `seed`.
    ///
    /// # Panics
    /// Never: TOML can say every configuration that came from TOML.
    pub(crate) fn of(configuration: &RunConfiguration, seed: u64) -> Self {
        let mut text = format!(
            "version {MEANING}\nexperiment {}\nreplicate {}\nseed {seed}\n",
            configuration.experiment, configuration.replicate
        );
        let values = Table::try_from(configuration).expect("TOML can say a configuration");
        let defaults = default_table();
        for factor in RunConfiguration::factors() {
            match values.get(factor) {
                Some(value) if defaults.get(factor) != Some(value) => {
                    // Writing into a String cannot fail.
                    let _ = writeln!(text, "{factor} {value}");
                }
                _ => {}
            }
        }
        Self(text)
    }

    /// The run's name: what people want to see first, then what makes it unique.
    pub(crate) fn run_id(&self, configuration: &RunConfiguration) -> String {
        let digest = self.digest("name");
        let hex: String = digest[..5].iter().map(|byte| format!("{byte:02x}")).collect();
        format!(
            "{}-{}-{}b-{}qp-r{}-{hex}",
            configuration.operation,
            configuration.server_region.replace(':', ""),
            configuration.access_bytes,
            configuration.queue_pairs,
            configuration.replicate,
        )
    }

    /// The run's seed, below 2^53.
    pub(crate) fn seed(&self) -> u64 {
        number(&self.digest("seed")) >> 11
    }

    fn digest(&self, purpose: &str) -> [u8; 32] {
        Sha256::digest(format!("{purpose}\n{}", self.0)).into()
    }
}

/// A number that looks random and follows from `words`.
pub(crate) fn scatter(words: &[&str]) -> u64 {
    number(&Sha256::digest(words.join("\n")).into())
}

fn number(digest: &[u8; 32]) -> u64 {
    digest[..8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_id(change: impl FnOnce(&mut RunConfiguration), seed: u64) -> String {
        let mut configuration = RunConfiguration::default();
        change(&mut configuration);
        Identity::of(&configuration, seed).run_id(&configuration)
    }

    #[test]
    fn a_name_is_readable_and_stays_the_same_for_ever() {
        // Stored results are found by these names: if this fails, they are lost.
        assert_eq!(run_id(|_| {}, 1), "read-rdma-local-8b-1qp-r1-2394286237");
    }

    #[test]
    fn whatever_changes_the_run_changes_its_name() {
        let plain = run_id(|_| {}, 1);
        assert_ne!(run_id(|_| {}, 2), plain);
        assert_ne!(run_id(|c| c.replicate = 2, 1), plain);
        assert_ne!(run_id(|c| c.experiment = "other".into(), 1), plain);
        assert_ne!(run_id(|c| c.think_time_ns = 1, 1), plain);
        assert_ne!(run_id(|c| c.gid_index = Some(0), 1), plain);
        assert_ne!(run_id(|c| c.client_hosts = 2, 1), plain);
    }

    #[test]
    fn where_and_when_it_runs_does_not_change_its_name() {
        let plain = run_id(|_| {}, 1);
        assert_eq!(run_id(|c| c.profile = "other".into(), 1), plain);
        assert_eq!(run_id(|c| (c.block, c.order) = (3, 99), 1), plain);
        assert_eq!(run_id(|c| (c.seed, c.run_id) = (5, "x".into()), 1), plain);
    }

    #[test]
    fn a_name_can_name_a_directory_whatever_the_place() {
        let mut configuration =
            RunConfiguration { server_region: "node:1".into(), ..RunConfiguration::default() };
        let identity = Identity::of(&configuration, 1);
        configuration.run_id = identity.run_id(&configuration);
        configuration.seed = identity.seed();
        configuration.check().unwrap();
        assert!(configuration.run_id.starts_with("read-node1-8b-1qp-r1-"));
    }
}
