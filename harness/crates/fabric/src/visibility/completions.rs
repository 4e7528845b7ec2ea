//! Whether the bytes are there when the requester is told so.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use onesided_transport::{Signal, Transport};

use super::{Ends, WORD_BYTES, Waiting, Waits, check, word_at};
use crate::error::FabricError;

/// What was found right after completions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// WRITEs, each of which was looked at once.
    pub rounds: u64,
    /// Those of which some word was not there yet.
    pub unseen: u64,
    /// The longest time from such a look to the one that found all words.
    pub longest: Duration,
}

impl<T: Transport> Ends<T> {
    /// Writes so many bytes as long as `goes_on` says so before a round, and looks for them as soon as the
    /// completion is there.
    ///
    /// # Errors
    /// When an operation fails, or nothing comes for 10 s.
    ///
    /// # Panics
    /// Of a WRITE that is too short, too long, or not of whole words.
    pub fn completions(
        &mut self,
        bytes: u32,
        waits: Waits,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Completions, FabricError> {
        check(bytes);
        let mut found = Completions::default();
        while goes_on() {
            let requester = &mut self.requester;
            let round = requester.next_round(bytes);
            match waits {
                Waits::ForTheWrite => {
                    requester.done(&[requester.write(0, bytes, Signal::Signaled)])?;
                }
                Waits::ForAReadBehindIt => {
                    let write = requester.write(0, bytes, Signal::Unsignaled);
                    let read = requester.read(bytes - WORD_BYTES, WORD_BYTES);
                    requester.done(&[write, read])?;
                }
            }
            found.rounds += 1;
            if !self.is_there(bytes, round) {
                found.unseen += 1;
                found.longest = found.longest.max(self.until_there(bytes, round)?);
            }
        }
        Ok(found)
    }

    /// Looks from the last word on, which would be written last.
    fn is_there(&self, bytes: u32, round: u64) -> bool {
        let words = &self.target.words()[..word_at(bytes)];
        words.iter().rev().all(|word| word.load(Ordering::Acquire) == round)
    }

    fn until_there(&self, bytes: u32, round: u64) -> Result<Duration, FabricError> {
        let (start, mut waiting) = (Instant::now(), Waiting::begin());
        while !self.is_there(bytes, round) {
            waiting.look(round)?;
        }
        Ok(start.elapsed())
    }
}
