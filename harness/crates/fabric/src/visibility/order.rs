//! Which of two words is seen first.

use std::{
    ops::RangeFrom,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use onesided_transport::{Signal, Transport};

use super::{Ends, LOOKS, Requester, WORD_BYTES, Waiting, Watched, behind, check, word_at};
use crate::error::FabricError;

/// What a thread saw that loaded both words again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Rounds, in each of which both words came to be written.
    pub rounds: u64,
    /// Those in which the earlier word was seen without the later one.
    pub earlier_alone: u64,
    /// Those in which the later word was seen without the earlier one: out of order.
    pub later_alone: u64,
}

impl Order {
    /// Rounds in which both words were new when either was seen first: of their order they say nothing.
    pub fn together(&self) -> u64 {
        self.rounds.saturating_sub(self.earlier_alone + self.later_alone)
    }
}

/// What three loads after each other found, each of a word that is new or is not.
#[derive(Clone, Copy, Debug)]
struct Look {
    later: bool,
    earlier: bool,
    later_again: bool,
}

/// Of one round.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    earlier_alone: bool,
    later_alone: bool,
}

impl Seen {
    /// Takes a look; whether it was the last one that the round needs.
    fn take(&mut self, look: Look) -> bool {
        // The word that was missing was loaded after the one that was there.
        self.later_alone |= look.later && !look.earlier;
        self.earlier_alone |= look.earlier && !look.later_again;
        look.earlier && look.later_again
    }
}

/// The watching thread and the requester's, about their rounds.
#[derive(Default)]
struct Turns {
    /// The last round of which all was seen.
    seen: AtomicU64,
    is_over: AtomicBool,
}

impl<T: Transport> Ends<T> {
    /// Writes so many bytes as long as `goes_on` says so before a round, while another thread watches two
    /// words of it.
    ///
    /// # Errors
    /// When an operation fails, or nothing comes for 10 s.
    ///
    /// # Panics
    /// Of a WRITE that is too short, too long, or not of whole words.
    pub fn order(
        &mut self,
        bytes: u32,
        watched: Watched,
        goes_on: impl FnMut() -> bool,
    ) -> Result<Order, FabricError> {
        check(bytes);
        let last = word_at(bytes - WORD_BYTES);
        let (earlier, later) = match watched {
            Watched::OneWrite => (0, last),
            Watched::TwoWrites => (last, word_at(behind(bytes))),
        };
        let Self { requester, target, .. } = self;
        let (turns, first) = (Turns::default(), requester.round + 1);
        let [earlier, later] = [earlier, later].map(|word| &target.words()[word]);
        thread::scope(|scope| {
            let watching = scope.spawn(|| watch(earlier, later, first.., &turns));
            let asked = requester.ask(bytes, watched, &turns, goes_on);
            turns.is_over.store(true, Ordering::Release);
            let order = watching.join().expect("it only loads");
            asked.map(|()| order)
        })
    }
}

/// Counts what is seen of each round, until nobody asks any more.
fn watch(earlier: &AtomicU64, later: &AtomicU64, rounds: RangeFrom<u64>, turns: &Turns) -> Order {
    let mut order = Order::default();
    for round in rounds {
        let is_new = |word: &AtomicU64| word.load(Ordering::Acquire) == round;
        let (mut seen, mut looks) = (Seen::default(), 0);
        // Each load is after the one before it, which an acquire makes sure of.
        while !seen.take(Look {
            later: is_new(later),
            earlier: is_new(earlier),
            later_again: is_new(later),
        }) {
            looks += 1;
            if looks == LOOKS {
                looks = 0;
                thread::yield_now();
                if turns.is_over.load(Ordering::Acquire) {
                    return order;
                }
            }
        }
        order.rounds += 1;
        order.earlier_alone += u64::from(seen.earlier_alone);
        order.later_alone += u64::from(seen.later_alone);
        turns.seen.store(round, Ordering::Release);
    }
    order
}

impl<T: Transport> Requester<T> {
    fn ask(
        &mut self,
        bytes: u32,
        watched: Watched,
        turns: &Turns,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<(), FabricError> {
        while goes_on() {
            let round = self.next_round(bytes);
            match watched {
                Watched::OneWrite => self.done(&[self.write(0, bytes, Signal::Signaled)])?,
                Watched::TwoWrites => self.done(&[
                    self.write(0, bytes, Signal::Unsignaled),
                    self.write(behind(bytes), WORD_BYTES, Signal::Signaled),
                ])?,
            }
            let mut waiting = Waiting::begin();
            while turns.seen.load(Ordering::Acquire) != round {
                waiting.look(round)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(looks: &[[bool; 3]]) -> (bool, bool, bool) {
        let (mut seen, mut is_last) = (Seen::default(), false);
        for &[later, earlier, later_again] in looks {
            assert!(!is_last, "{looks:?} go on");
            is_last = seen.take(Look { later, earlier, later_again });
        }
        (seen.earlier_alone, seen.later_alone, is_last)
    }

    #[test]
    fn only_a_word_that_is_missing_after_the_other_was_there_tells_an_order() {
        let (no, yes) = (false, true);
        assert_eq!(seen(&[[no, no, no]]), (no, no, no));
        assert_eq!(seen(&[[no, no, no], [yes, yes, yes]]), (no, no, yes));
        assert_eq!(seen(&[[no, yes, no], [yes, yes, yes]]), (yes, no, yes));
        assert_eq!(seen(&[[yes, no, yes], [yes, yes, yes]]), (no, yes, yes));
        // Between the first load of the later word and the second both came: in which order nobody saw.
        assert_eq!(seen(&[[no, yes, yes]]), (no, no, yes));
        assert_eq!(seen(&[[no, no, yes], [yes, yes, yes]]), (no, no, yes));
    }
}
