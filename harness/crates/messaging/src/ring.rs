//! The ring that a peer writes its messages into, as its receiver looks at it.

#[cfg(all(test, loom))]
mod model;

use crate::{
    line::{Line, Tag},
    packet::{Header, Way, lines_of},
};

/// A message that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its first line.
    pub position: u64,
    /// How many it takes.
    pub lines: u64,
    /// How it travels, and its length.
    pub header: Header,
    /// What it tells of the other direction.
    pub told: u64,
    /// The word behind that: of a pull, where it is.
    pub place: u64,
}

/// What is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// How far a ring was looked through.
#[derive(Default)]
pub struct Scan {
    position: u64,
    /// Lines of the message at `position` that have arrived.
    arrived: u64,
}

impl Scan {
    /// The next message, if all of it is there. A line is looked at until it is, and not again.
    #[inline]
    pub fn next(&mut self, ring: &[Line]) -> Result<Option<Found>, Malformed> {
        let count = ring.len() as u64;
        let line = |position: u64| &ring[(position % count) as usize];
        let tag = |position: u64| Tag::of(position, count);
        let first = line(self.position);
        if self.arrived == 0 {
            if !first.has_arrived(tag(self.position)) {
                return Ok(None);
            }
            self.arrived = 1;
        }
        let header = Header::from_bits(first.bits(0)).ok_or(Malformed)?;
        let lines = match header.way {
            Way::Push => lines_of(header.length as usize),
            Way::Pull => 1,
        };
        if lines > count {
            return Err(Malformed);
        }
        while self.arrived < lines {
            let position = self.position + self.arrived;
            if !line(position).has_arrived(tag(position)) {
                return Ok(None);
            }
            self.arrived += 1;
        }
        let (position, told, place) = (self.position, first.bits(1), first.bits(2));
        self.position += lines;
        self.arrived = 0;
        Ok(Some(Found { position, lines, header, told, place }))
    }
}

/// The bits of a message's words from one of the first line on.
#[inline]
pub fn words(ring: &[Line], position: u64, first: usize) -> impl FnMut() -> u64 {
    let mut line = (position % ring.len() as u64) as usize;
    let mut word = first;
    move || {
        let bits = ring[line].bits(word);
        word += 1;
        if word == crate::line::WORDS {
            word = 0;
            line = if line + 1 < ring.len() { line + 1 } else { 0 };
        }
        bits
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::line::{WORDS, pack, unpack};

    fn ring(lines: usize) -> Vec<Line> {
        (0..lines).map(|_| Line(std::array::from_fn(|_| AtomicU64::new(0)))).collect()
    }

    /// The words of a pushed message, each with its place in the ring.
    fn pushed(position: u64, lines: u64, bytes: &[u8]) -> Vec<(usize, usize, u64)> {
        let header = Header { way: Way::Push, length: bytes.len() as u32 };
        let mut all = vec![header.bits(), 77];
        pack(bytes, |bits| all.push(bits));
        all.resize(lines_of(bytes.len()) as usize * WORDS, 0);
        let place = |(index, bits)| {
            let at = position + (index / WORDS) as u64;
            ((at % lines) as usize, index % WORDS, Tag::of(at, lines).word(bits))
        };
        all.into_iter().enumerate().map(place).collect()
    }

    #[test]
    fn a_message_is_found_when_its_last_word_is_there_whichever_that_is() {
        let (lines, bytes) = (5, Vec::from_iter(0..150_u8));
        for last in 0..lines_of(150) as usize * WORDS {
            let ring = ring(lines);
            let mut scan = Scan { position: 13, arrived: 0 };
            let mut words_of_it = pushed(13, lines as u64, &bytes);
            let late = words_of_it.remove(last);
            for (line, word, value) in words_of_it {
                ring[line].0[word].store(value, Ordering::Relaxed);
                assert_eq!(scan.next(&ring), Ok(None));
            }
            ring[late.0].0[late.1].store(late.2, Ordering::Relaxed);
            let found = scan.next(&ring).unwrap().unwrap();
            assert_eq!((found.position, found.lines, found.told), (13, lines_of(150), 77));
            let mut back = vec![0; 150];
            unpack(&mut back, words(&ring, 13, 2));
            assert_eq!(back, bytes);
            assert_eq!(scan.next(&ring), Ok(None));
        }
    }

    #[test]
    fn what_is_no_message_is_said_to_be_none() {
        let ring = ring(2);
        let write = |bits| {
            let tag = Tag::of(0, 2);
            ring[0].0.iter().for_each(|word| word.store(tag.word(bits), Ordering::Relaxed));
        };
        write(9);
        assert_eq!(Scan::default().next(&ring), Err(Malformed));
        write(Header { way: Way::Push, length: 99 }.bits());
        assert_eq!(Scan::default().next(&ring), Err(Malformed), "it is longer than the ring");
    }
}
