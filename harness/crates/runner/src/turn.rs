//! Whose turn it is to measure on this host: one measurement at a time.

use std::time::Duration;

use onesided_control::message::Measurement;
use onesided_platform::measuring::{HostHeld, HostLock, HostLockError, LONGEST_WORDS};
use onesided_results::vocabulary::Phase;

use crate::{error::RunError, site::Site};

/// How long a server or a further client host waits for another measurement to end. Ours: less than
/// the client waits for an answer.
const WITHIN: Duration = Duration::from_secs(20);

/// This host, as long as a measurement has it.
#[derive(Debug)]
pub struct Turn {
    measurement: Measurement,
    /// Absent where another part of the same measurement holds the lock.
    held: Option<HostHeld>,
}

impl Turn {
    /// Takes this host for a measurement, waiting `within` for others. `tell` is told who has it.
    ///
    /// # Errors
    /// Others still have it, or the lock cannot be used.
    pub fn take(
        lock: &HostLock,
        measurement: Measurement,
        within: Option<Duration>,
        tell: impl FnMut(&str),
    ) -> Result<Self, HostLockError> {
        let held = if measurement.beside {
            lock.beside(&measurement.words)
        } else {
            lock.take(&measurement.words, within, tell)?
        };
        Ok(Self { measurement, held })
    }

    /// The measurement that has it.
    pub(crate) fn measurement(&self) -> &Measurement {
        &self.measurement
    }

    /// Who else measured here meanwhile. What cannot be looked at any more was disturbed, too.
    pub fn others(&self) -> Option<String> {
        let others = self.held.as_ref().map(HostHeld::others)?;
        others.unwrap_or_else(|error| Some(format!("unknown: {error}")))
    }
}

impl<T> Site<'_, T> {
    /// This host's turn for a client's measurement; absent where the client takes none, or this host
    /// has no lock.
    pub(crate) fn turn_for(
        &self,
        measurement: Option<&Measurement>,
    ) -> Result<Option<Turn>, RunError> {
        let (Some(lock), Some(measurement)) = (&self.host_lock, measurement) else {
            return Ok(None);
        };
        let bytes = measurement.words.len();
        if bytes > LONGEST_WORDS {
            let what = format!(
                "the client names its measurement in {bytes} bytes: {LONGEST_WORDS} are allowed"
            );
            return Err(RunError::plain(Phase::SetUp, what));
        }
        let turn = Turn::take(lock, measurement.clone(), Some(WITHIN), |_| {});
        let turn = turn.map_err(|source| {
            let what = "wait until it has ended, or run with --beside, which marks such runs";
            RunError::new(Phase::SetUp, what, source)
        })?;
        Ok(Some(turn))
    }
}
