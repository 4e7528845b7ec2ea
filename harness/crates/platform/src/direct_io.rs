//! Intel Data Direct I/O at a card's root port: read, and for the time of a run switched off.
//!
//! ```text
//! class/infiniband/mlx5_0/device -> devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0
//!                                                      ^ root port   ^ the card
//! bus/pci/devices/0000:3a:00.0/config[0x180] bit 7: writes may allocate in the last-level cache
//! ```
//! With the bit cleared what the card writes goes to memory. The port is shared by everything
//! below it, and the bit outlives the process that cleared it, so a [`Guard`] gives it back on
//! every way out:
//!
//! | way out | who restores |
//! |---|---|
//! | end, error, panic | the guard when it is dropped |
//! | SIGINT, SIGTERM, SIGKILL | the guardian, a second process at the other end of a pipe |
//! | both killed | [`Roots::recover`] at the next start, from the journal |
//! | reset of the machine | the firmware sets the register anew |
//!
//! Only the one bit is ever written, and only where it still is as the guard left it: what someone
//! else changed meanwhile stays as they want it, and is told ([`Restored::FoundOn`]).
//!
//! Off does not cover writes that carry a TPH steering hint (`TPHDIS` of `perfctrlsts_1` is left
//! alone): network cards send none unless told to.

mod config;
mod error;
mod guard;
mod guardian;
mod journal;
mod known;
mod port;
mod restore;

use std::path::{Path, PathBuf};

pub use config::PciAddress;
pub use error::DirectIoError;
pub use guard::Guard;
pub use guardian::{Watched, stand_guard};
pub use journal::{LeftOver, Owner};
pub use restore::Restored;

use config::ConfigSpace;

/// Whether a card's writes may allocate in the last-level cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectIo {
    /// They may: what machines start with.
    On,
    /// They go to memory.
    Off,
    /// Not known here, and not to be changed.
    Unsupported {
        /// Why: no PCI device, no root port of a known Intel CPU, or no right to look.
        why: String,
    },
}

/// What recovering one port came to.
pub type Recovered = Result<(PciAddress, Restored), DirectIoError>;

/// Where the kernel's tree and the journals are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    sys: PathBuf,
    journals: PathBuf,
}

impl Default for Roots {
    /// This machine's: `/sys`, and `/run/onesided`, which like the register does not survive a
    /// restart of the machine.
    fn default() -> Self {
        Self::new("/sys", "/run/onesided")
    }
}

impl Roots {
    /// Others than this machine's, for a tree of files that is made up.
    pub fn new(sys: impl Into<PathBuf>, journals: impl Into<PathBuf>) -> Self {
        Self { sys: sys.into(), journals: journals.into() }
    }

    /// Where sysfs is.
    pub fn sys(&self) -> &Path {
        &self.sys
    }

    /// Where journals are kept.
    pub fn journals(&self) -> &Path {
        &self.journals
    }

    /// The state at the root port above an RDMA device such as `mlx5_0`. Changes nothing; needs
    /// root, without which the kernel shows only the first 64 bytes of configuration space.
    pub fn state(&self, device: &str) -> DirectIo {
        let read = || {
            let (space, register) = self.register_of(device)?;
            Ok::<_, DirectIoError>(space.byte(register.offset)? & register.allocating)
        };
        match read() {
            Ok(0) => DirectIo::Off,
            Ok(_) => DirectIo::On,
            Err(DirectIoError::Unsupported { why, .. }) => DirectIo::Unsupported { why },
            Err(error) => DirectIo::Unsupported { why: error.to_string() },
        }
    }

    /// Journals of guards whose process and guardian are gone, or are still at work. Empty where
    /// nothing was left. Changes nothing.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn left_over(&self) -> Result<Vec<LeftOver>, DirectIoError> {
        journal::list(&self.journals)
    }

    /// Gives back what journals of ended guards say, and removes them; a journal that is in use is
    /// left alone. Call it before anything is switched off.
    ///
    /// # Errors
    /// As [`Roots::recover_each`], the first of them: what can be given back is, all the same.
    pub fn recover(&self) -> Result<Vec<(PciAddress, Restored)>, DirectIoError> {
        self.recover_each()?.into_iter().collect()
    }

    /// As [`Roots::recover`], with what came of each journal, in the order of their names.
    ///
    /// # Errors
    /// The folder of the journals is there and cannot be read. Of a journal: a register cannot be
    /// written, or the journal does not fit this machine; it is kept then.
    pub fn recover_each(&self) -> Result<Vec<Recovered>, DirectIoError> {
        let left = self.left_over()?.into_iter().filter(|left| left.owner == Owner::Gone);
        Ok(left.filter_map(|left| self.recover_one(&left.journal).transpose()).collect())
    }

    fn recover_one(&self, path: &Path) -> Result<Option<(PciAddress, Restored)>, DirectIoError> {
        let Some(claimed) = journal::claim(path)? else { return Ok(None) };
        let restored = restore::restore(&self.sys, &claimed.change)?;
        journal::remove(path)?;
        Ok(Some((claimed.change.port, restored)))
    }

    fn register_of(&self, device: &str) -> Result<(ConfigSpace, known::Register), DirectIoError> {
        let unsupported = |why| DirectIoError::Unsupported { device: device.to_owned(), why };
        let port = port::above(&self.sys, device).map_err(unsupported)?;
        let space = ConfigSpace::of(&self.sys, port);
        let register = known::register(space.id()?).map_err(unsupported)?;
        space.require_extended().map_err(unsupported)?;
        Ok((space, register))
    }
}
