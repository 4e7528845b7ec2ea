//! The commands, one file each: `Arguments` and `run`.

pub mod advise;
pub mod bundle;
pub mod calibrate;
pub mod check;
pub mod claims;
pub mod collect;
pub mod direct_io;
pub mod doctor;
pub mod expand;
pub mod fabric;
pub mod import;
pub mod join;
pub mod load;
pub mod memory_latency;
pub mod pcie;
pub mod run;
pub mod schema;
pub mod serve;
pub mod simulate;
pub mod topology;
pub mod visibility;

use clap::Subcommand;

use crate::ending::Ending;

/// What is to be done.
#[derive(Subcommand)]
pub enum Command {
    Topology(topology::Arguments),
    Doctor(doctor::Arguments),
    MemoryLatency(Box<memory_latency::Arguments>),
    #[command(subcommand)]
    Fabric(fabric::Experiment),
    Visibility(Box<visibility::Arguments>),
    Pcie(Box<pcie::Arguments>),
    Calibrate(Box<calibrate::Arguments>),
    Advise(Box<advise::Arguments>),
    Load(Box<load::Arguments>),
    Expand(expand::Arguments),
    Serve(serve::Arguments),
    Run(Box<run::Arguments>),
    Join(join::Arguments),
    Simulate(simulate::Arguments),
    Collect(collect::Arguments),
    Import(import::Arguments),
    Claims(claims::Arguments),
    Bundle(bundle::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    RestoreDirectIo(direct_io::Arguments),
}

impl Command {
    /// Does it.
    pub fn run(&self) -> anyhow::Result<Ending> {
        match self {
            Self::Topology(arguments) => topology::run(arguments),
            Self::Doctor(arguments) => doctor::run(arguments),
            Self::MemoryLatency(arguments) => memory_latency::run(arguments),
            Self::Fabric(experiment) => fabric::run(experiment),
            Self::Visibility(arguments) => visibility::run(arguments),
            Self::Pcie(arguments) => pcie::run(arguments),
            Self::Calibrate(arguments) => calibrate::run(arguments),
            Self::Advise(arguments) => advise::run(arguments),
            Self::Load(arguments) => load::run(arguments),
            Self::Expand(arguments) => expand::run(arguments),
            Self::Serve(arguments) => serve::run(arguments),
            Self::Run(arguments) => run::run(arguments),
            Self::Join(arguments) => join::run(arguments),
            Self::Simulate(arguments) => simulate::run(arguments),
            Self::Collect(arguments) => collect::run(arguments),
            Self::Import(arguments) => import::run(arguments),
            Self::Claims(arguments) => claims::run(arguments),
            Self::Bundle(arguments) => bundle::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::RestoreDirectIo(arguments) => direct_io::run(arguments),
        }
    }
}
