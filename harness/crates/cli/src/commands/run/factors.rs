//! The factors of a single run, as flags.

use std::time::SystemTime;

use clap::Args;
use onesided_results::{RunConfiguration, word::Word};

use super::flag_names::by_flags;

/// Sets each field whose flag was given.
macro_rules! set {
    ($configuration:ident from $flags:ident: $($field:ident = $flag:ident),+ $(,)?) => {
        $(if let Some(value) = &$flags.$flag { $configuration.$field = value.clone().into(); })+
    };
}

mod client;
mod host;
mod workers;

use client::ClientFactors;
use host::HostFactors;
use workers::WorkerFactors;

/// A word of the vocabulary; the error lists the words that there are.
fn word<W: Word + std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<W, String> {
    text.parse().map_err(|error: W::Err| error.to_string())
}

/// What a run does; absent ones are as in the default configuration.
///
/// Each group says itself that it excludes a run table: clap leaves the members of a flattened
/// group out of the group around it.
#[derive(Args, Clone, Debug)]
#[group(id = "Factors", multiple = true)]
pub struct Factors {
    #[command(flatten)]
    client: ClientFactors,
    #[command(flatten)]
    workers: WorkerFactors,
    #[command(flatten)]
    host: HostFactors,
}

impl Factors {
    /// The whole configuration of the run.
    pub fn configuration(&self, started: SystemTime) -> anyhow::Result<RunConfiguration> {
        let time = humantime::format_rfc3339_seconds(started).to_string().replace(':', "");
        let mut run = RunConfiguration { run_id: format!("adhoc-{time}"), ..Default::default() };
        self.client.set(&mut run)?;
        self.workers.set(&mut run);
        self.host.set(&mut run);
        run.check().map_err(|error| anyhow::anyhow!(by_flags(&error.to_string())))?;
        Ok(run)
    }
}

#[cfg(test)]
mod tests;
