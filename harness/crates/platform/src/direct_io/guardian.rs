//! The guardian: a second process that restores when the first one cannot.
//!
//! ```text
//! guard    --- stdin:  "done" and end: dismissed ---> guardian
//!          --- stdin:  end alone: it was killed  --->   restores, removes the journal
//!          <-- stdout: "ready"                   ----
//! ```
//! The kernel closes the pipe of a killed process, by whichever signal, so this needs no polling.

use std::io::{Read, Write};
use std::path::Path;

use super::error::{DirectIoError, file};
use super::journal;
use super::restore::{self, Restored};
use super::{PciAddress, Roots};

/// What a guardian says when it is prepared.
pub(super) const READY: &[u8] = b"ready\n";

/// What a guard says when nothing is left to do.
pub(super) const DONE: &[u8] = b"done\n";

/// How a guardian's watch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// The guard gave everything back by itself.
    Dismissed,
    /// The guard was gone; this is what restoring came to.
    SteppedIn {
        /// The root port.
        port: PciAddress,
        /// What restoring came to.
        restored: Restored,
    },
}

/// Signals that end a run and must not end its guardian: those of a terminal and of service
/// managers, and the one that would stop it for speaking to a terminal from the background.
const IGNORED: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE, libc::SIGTTOU];

/// Watches over a guard until it dismisses this process or is gone, then restores.
///
/// The calling process is to do nothing else: it ignores SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE
/// and SIGTTOU from now on. `guard` is the pipe from the guard, `answer` the one to it.
///
/// # Errors
/// The journal cannot be used, or the register cannot be restored; the journal is kept then.
pub fn stand_guard(
    roots: &Roots,
    journal: &Path,
    guard: &mut impl Read,
    answer: &mut impl Write,
) -> Result<Watched, DirectIoError> {
    for signal in IGNORED {
        // SAFETY: SIG_IGN runs no code of ours; the process is this function's own by contract.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    let shared = journal::share(journal)?;
    let written = answer.write_all(READY).and_then(|()| answer.flush());
    written.map_err(file("answer the guard of", journal))?;
    let mut said = Vec::new();
    // A pipe that breaks is one that ends: either way the guard is gone.
    let _ = guard.read_to_end(&mut said);
    if said == DONE {
        return Ok(Watched::Dismissed);
    }
    let restored = restore::restore(roots.sys(), &shared.change)?;
    journal::remove(journal)?;
    Ok(Watched::SteppedIn { port: shared.change.port, restored })
}
