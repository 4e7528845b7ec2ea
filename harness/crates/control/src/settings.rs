//! The time limits of a connection, and how this side names itself.

use std::time::Duration;

/// How this side names itself and how long it waits.
///
/// The two sides need not agree: each judges the other by its own settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// This harness's version and build, such as `0.1.0+abc1234`, for the peer's records and
    /// errors.
    pub harness: String,
    /// Time for the whole handshake.
    pub handshake_within: Duration,
    /// Time for one frame from its first byte to its last, received or sent.
    pub frame_within: Duration,
    /// Clients that may be in their handshake at once; one more ends the oldest of them.
    pub most_unproven: usize,
    /// How the peer is watched.
    pub heartbeat: Heartbeat,
}

impl Default for Settings {
    /// This crate's version; 5 s for the handshake; 10 s for a frame, as long as the heartbeat's patience,
    /// in which [`crate::MAX_FRAME_BYTES`] come at 14 Mbit/s; 64 handshakes at once; the default heartbeat.
    /// Ours.
    fn default() -> Self {
        Self {
            harness: env!("CARGO_PKG_VERSION").to_owned(),
            handshake_within: Duration::from_secs(5),
            frame_within: Duration::from_secs(10),
            most_unproven: 64,
            heartbeat: Heartbeat::default(),
        }
    }
}

/// How often the peer is asked for a sign of life, and how long it may take to give one.
///
/// A peer that stops is noticed after at most their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    interval: Duration,
    patience: Duration,
}

/// Why an interval and a patience make no heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeartbeatError {
    /// The interval is so short that the channel would spin.
    #[error(
        "a heartbeat interval of {interval:?} would keep a processor busy, {minimum:?} are the least"
    )]
    TooFrequent {
        /// The interval asked for.
        interval: Duration,
        /// The shortest.
        minimum: Duration,
    },
    /// The patience does not exceed the interval.
    #[error("a patience of {patience:?} must exceed the heartbeat interval of {interval:?}")]
    Impatient {
        /// The interval asked for.
        interval: Duration,
        /// The patience asked for.
        patience: Duration,
    },
}

impl Heartbeat {
    /// Shortest interval. Ours: a wake-up each 10 ms costs well below a thousandth of a processor.
    pub const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

    /// Asks each `interval`, and gives the peer up that leaves a question unanswered for
    /// `patience`.
    ///
    /// # Errors
    /// The interval is below [`Heartbeat::SHORTEST_INTERVAL`], or the patience not above the
    /// interval.
    pub fn new(interval: Duration, patience: Duration) -> Result<Self, HeartbeatError> {
        if interval < Self::SHORTEST_INTERVAL {
            return Err(HeartbeatError::TooFrequent { interval, minimum: Self::SHORTEST_INTERVAL });
        }
        if patience <= interval {
            return Err(HeartbeatError::Impatient { interval, patience });
        }
        Ok(Self { interval, patience })
    }

    /// Time from one question to the next.
    #[must_use]
    pub fn interval(self) -> Duration {
        self.interval
    }

    /// Time that a question may stay unanswered.
    #[must_use]
    pub fn patience(self) -> Duration {
        self.patience
    }
}

impl Default for Heartbeat {
    /// Every 500 ms, and 10 s of patience. Ours: two wake-ups a second do not show in a measurement; a
    /// network that was away for 5 s, which a queue pair may well outlast, is found again by TCP 7 to 8 s
    /// after it went; and an emulated machine on a busy host may stand still for seconds.
    fn default() -> Self {
        Self { interval: Duration::from_millis(500), patience: Duration::from_secs(10) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_that_would_spin_or_give_up_at_once_is_refused() {
        let of = |interval, patience| {
            Heartbeat::new(Duration::from_millis(interval), Duration::from_millis(patience))
        };
        assert!(of(10, 11).is_ok());
        assert!(matches!(of(9, 100), Err(HeartbeatError::TooFrequent { .. })));
        assert!(matches!(of(0, 0), Err(HeartbeatError::TooFrequent { .. })));
        assert!(matches!(of(100, 100), Err(HeartbeatError::Impatient { .. })));
        let default = Heartbeat::default();
        assert_eq!(Heartbeat::new(default.interval(), default.patience()), Ok(default));
    }
}
