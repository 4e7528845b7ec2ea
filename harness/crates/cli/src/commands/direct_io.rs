//! `onesided restore-direct-io`: the guardian of a run with Direct I/O off; the program starts it
//! for itself.

use std::io::{stdin, stdout};
use std::path::PathBuf;

use clap::Args;
use onesided_platform::direct_io::{Restored, Roots, Watched, stand_guard};

use crate::ending::Ending;

/// Restores Direct I/O when the run that switched it off is gone; not for use by hand.
///
/// After a run whose guardian was killed as well, the next `onesided serve` restores when it
/// starts, and so does a server before a run with --ddio off.
#[derive(Args)]
#[command(hide = true)]
pub struct Arguments {
    /// Where sysfs is
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sys: PathBuf,
    /// What the run wrote down before it changed anything
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
}

/// Watches until stdin ends.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let folder = arguments.journal.parent().unwrap_or(&arguments.journal);
    let roots = Roots::new(&arguments.sys, folder);
    match stand_guard(&roots, &arguments.journal, &mut stdin().lock(), &mut stdout())? {
        Watched::Dismissed => {}
        Watched::SteppedIn { port, restored: Restored::FoundOn } => {
            say!("the run is gone; Direct I/O at root port {port} was on already");
        }
        Watched::SteppedIn { port, .. } => {
            say!("the run is gone; switched Direct I/O at root port {port} on again");
        }
    }
    Ok(Ending::Valid)
}
