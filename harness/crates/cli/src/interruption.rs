//! Being asked to end by a command that has something temporary on the disk, or nodes of an emulated fabric.

use std::{process, thread, time::Duration};

use anyhow::Context as _;
use onesided_access::threads::termination::Termination;
use onesided_results::atomic::remove_unfinished;
use onesided_rmc::remove_own_nodes;

/// From now on SIGINT and SIGTERM remove what this process has made and not finished, and its nodes of emulated
/// fabrics, before they end it.
/// To be called before any other thread is made.
///
/// # Errors
/// The system refuses a thread that waits for them.
pub fn leave_nothing_behind() -> anyhow::Result<()> {
    let termination = Termination::hold().context("cannot wait for signals")?;
    let wait = move || loop {
        let Some(signal) = termination.wait(Duration::MAX) else { continue };
        let _removed = remove_unfinished();
        remove_own_nodes();
        say!(
            "{signal}: ended; what is complete is kept, and nothing that is unfinished was left behind"
        );
        process::exit(signal.exit_status());
    };
    let waiter = thread::Builder::new().name("signals".to_owned());
    waiter.spawn(wait).context("cannot wait for signals")?;
    Ok(())
}
