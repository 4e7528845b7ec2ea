//! What the way between two devices does to messages of unreliable services, where a test asks for it.
//!
//! None of it breaks the contract, which a [`super::Defect`] does: such a service may lose what it sends, and
//! datagrams may overtake each other. Over a connection they may not: its packets have sequence numbers
//! (IB spec vol. 1, 9.8), and a message that a later one has overtaken is dropped when it arrives. What a
//! reliable service sends again is seen by nobody, so nothing happens to it here.
//!
//! ```text
//!   send queue --> lost?  --> gone, and its sender told that it was sent
//!              '-> late?  --> held for some steps of the fabric --.
//!              '------------------------------------------------->+--> the receiver
//! ```

use std::num::NonZeroU64;

use onesided_random::SplitMix64;

use super::fabric::Posted;

/// Most steps that a message is late. Ours: some polls, and far fewer than a test waits for what must not come.
const LATEST: usize = 32;

/// What a medium does, and what it has done.
#[derive(Default)]
pub struct Medium {
    losses: Option<Losses>,
    delays: Option<SplitMix64>,
    /// Messages that are late, in the order in which they were sent.
    late: Vec<Late>,
    steps: u64,
    lost: u64,
}

/// Which messages are lost.
enum Losses {
    /// One of so many; how many have come since.
    Every { every: NonZeroU64, since: u64 },
    /// Each with a probability, in 2^64ths.
    Share { share: u64, drawn: SplitMix64 },
}

/// A message on its way.
pub struct Message {
    /// Its request, with the bytes that it had when it was sent.
    pub posted: Posted,
    /// The queue pair that it is for.
    pub peer: u32,
    /// Bytes of a packet.
    pub mtu: u32,
    /// Over a connection, its place among all that its queue pair sent.
    pub sequence: Option<u64>,
}

struct Late {
    message: Message,
    due: u64,
}

impl Medium {
    /// Loses one of so many from now on.
    pub fn drop_every(&mut self, every: NonZeroU64) {
        self.losses = Some(Losses::Every { every, since: 0 });
    }

    /// Loses each with this probability, from 0 to 1, drawn from a seed.
    pub fn lose(&mut self, share: f64, seed: u64) {
        assert!(
            (0.0..=1.0).contains(&share),
            "a share of messages to lose is from 0 to 1: {share}"
        );
        let (share, drawn) = ((share * u64::MAX as f64) as u64, SplitMix64::new(seed));
        self.losses = Some(Losses::Share { share, drawn });
    }

    /// Delays messages so that they overtake each other, drawn from a seed.
    pub fn delay(&mut self, seed: u64) {
        self.delays = Some(SplitMix64::new(seed));
    }

    /// Whether it does anything.
    pub fn disturbs(&self) -> bool {
        self.losses.is_some() || self.delays.is_some()
    }

    /// Messages that were lost, those included that were overtaken where they may not be.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Notes that a message which was overtaken was dropped.
    pub fn drop_overtaken(&mut self) {
        self.lost += 1;
    }

    /// Whether the next message is lost.
    pub fn loses_next(&mut self) -> bool {
        let is_lost = match &mut self.losses {
            None => false,
            Some(Losses::Every { every, since }) => {
                *since = (*since + 1) % every.get();
                *since == 0
            }
            Some(Losses::Share { share, drawn }) => drawn.next_bits() < *share,
        };
        self.lost += u64::from(is_lost);
        is_lost
    }

    /// By how many steps the next message is late, if it is: every second one.
    pub fn delays_next(&mut self) -> Option<u64> {
        let drawn = self.delays.as_mut()?;
        (drawn.below(2) == 0).then(|| 1 + drawn.below(LATEST) as u64)
    }

    /// Holds a message for so many steps.
    pub fn hold(&mut self, message: Message, steps: u64) {
        self.late.push(Late { message, due: self.steps + steps });
    }

    /// One step more: the messages that have been late for long enough.
    pub fn step(&mut self) -> Vec<Message> {
        self.steps += 1;
        let now = self.steps;
        let due = self.late.extract_if(.., |late| late.due <= now);
        due.map(|late| late.message).collect()
    }
}
