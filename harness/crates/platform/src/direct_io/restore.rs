//! Giving the bit back.

use std::path::Path;

use super::config::ConfigSpace;
use super::error::DirectIoError;
use super::journal::Change;

/// What giving it back came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restored {
    /// The bit is as it was before; it was off until now.
    Restored,
    /// It was on already: somebody else had switched it on meanwhile, and what was measured may not
    /// have been with Direct I/O off; or the guard was killed before it had switched it off.
    FoundOn,
    /// It had been off before anything was asked for, so there was nothing to give back.
    WasOff,
}

/// Gives back what a journal says. Writes only the one bit, whatever the others are by now.
pub(super) fn restore(sys: &Path, change: &Change) -> Result<Restored, DirectIoError> {
    let space = ConfigSpace::of(sys, change.port.clone());
    let found = space.id()?;
    if found != change.id {
        let (found, expected) = (found.to_string(), change.id.to_string());
        return Err(DirectIoError::OtherPort { port: change.port.clone(), found, expected });
    }
    let (offset, mask) = (change.register.offset, change.register.allocating);
    let current = space.byte(offset)?;
    if (current ^ change.original) & mask == 0 {
        return Ok(Restored::FoundOn);
    }
    space.write(offset, (current & !mask) | (change.original & mask), mask)?;
    Ok(Restored::Restored)
}
