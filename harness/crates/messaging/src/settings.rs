//! What is chosen for a channel.

use serde::{Deserialize, Serialize};

use crate::{credits::COUNT_BITS, line::LINE_BYTES, packet::longest_in};

/// A threshold by which every message is pulled.
pub const ALWAYS_PULL: u32 = 0;

/// A threshold by which every message is pushed.
pub const ALWAYS_PUSH: u32 = u32::MAX;

/// Length in bytes from which on messages are pulled where nothing else is asked for.
///
/// Measured: the length from which on a ping-pong over rmc is faster by pulls than by pushes, as
/// `cargo run --release -p onesided-messaging --example threshold` prints it: the median of seven
/// runs, which gave 384 to 1536 on two CPUs of a virtual machine beside other work. Of a stream
/// pulls are about as fast or faster at every length there, as one thread has both ends and reads
/// overlap. The paper's development platform had 1 KB (004, Fig. 8c).
pub const DEFAULT_THRESHOLD_BYTES: u32 = 768;

/// Choices of one end of a channel, for what it sends and for the ring that it receives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Lines of 64 bytes of the ring that this end receives in.
    pub ring_lines: u32,
    /// Bytes of the memory that this end's messages are pulled from.
    pub outbox_bytes: u32,
    /// Messages below this length are pushed, others pulled: [`ALWAYS_PULL`], [`ALWAYS_PUSH`], or
    /// any length.
    pub threshold_bytes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { ring_lines: 2048, outbox_bytes: 1 << 20, threshold_bytes: DEFAULT_THRESHOLD_BYTES }
    }
}

/// Why settings are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The ring is too short or too long.
    #[error("a ring of {given} lines cannot be: it has 2 to {most}")]
    RingLines {
        /// What was asked for.
        given: u32,
        /// The most.
        most: u32,
    },
    /// The outbox is empty or too long.
    #[error("an outbox of {given} bytes cannot be: it has 64 to {most}")]
    OutboxBytes {
        /// What was asked for.
        given: u32,
        /// The most.
        most: u32,
    },
}

/// Longest ring: its bytes are below what a write may have, 2^31. Ours, far above what helps.
const MOST_LINES: u32 = 1 << 20;

/// Longest outbox. Ours: half of what its lines are counted in, so that news are told from old.
const MOST_OUTBOX: u32 = 1 << 30;

const _: () = assert!((MOST_OUTBOX as usize / LINE_BYTES) < 1 << (COUNT_BITS - 1));

impl Settings {
    /// Checks that there can be such a channel.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if !(2..=MOST_LINES).contains(&self.ring_lines) {
            return Err(SettingsError::RingLines { given: self.ring_lines, most: MOST_LINES });
        }
        if !(LINE_BYTES as u32..=MOST_OUTBOX).contains(&self.outbox_bytes) {
            return Err(SettingsError::OutboxBytes { given: self.outbox_bytes, most: MOST_OUTBOX });
        }
        Ok(())
    }

    /// Lines of the outbox.
    pub(crate) fn outbox_lines(&self) -> u64 {
        u64::from(self.outbox_bytes) / LINE_BYTES as u64
    }

    /// The longest message that a peer can push to this end.
    pub fn longest_pushed_to(&self) -> usize {
        longest_in(self.ring_lines)
    }
}
