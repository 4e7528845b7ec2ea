//! A cache line that says of itself whether it has arrived.
//!
//! ```text
//!   63..56  55..0
//!   tag     7 bytes      eight such words a line
//! ```
//! The tag is that of the lap of the ring in which the line was written, and every word has it. A
//! line has arrived when all its words have the tag that is waited for. Nothing is assumed of the
//! order in which words or lines become visible, only that the tag of a word, its last byte, is not
//! seen before the others.

use crate::atomic::{AtomicU64, Ordering};

/// Bytes of a line.
pub const LINE_BYTES: usize = 64;

/// Words of a line.
pub const WORDS: usize = 8;

/// Bytes that a word carries.
pub const WORD_PAYLOAD: usize = 7;

/// Bits that a word carries.
pub const WORD_BITS: u32 = 56;

/// Laps until a tag returns. Every line is written in every lap, so what is stale is of the last.
const LAPS: u64 = 255;

/// What the words of a lap have in common; never that of memory that was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u64);

impl Tag {
    /// The tag of a position in a ring of so many lines.
    #[inline]
    pub fn of(position: u64, lines: u64) -> Self {
        Self((1 + position / lines % LAPS) << WORD_BITS)
    }

    /// A word with this tag.
    #[inline]
    pub fn word(self, bits: u64) -> u64 {
        debug_assert!(bits >> WORD_BITS == 0, "a word carries 56 bits");
        bits | self.0
    }
}

/// The bits that a word carries.
#[inline]
pub fn bits_of(word: u64) -> u64 {
    word & ((1 << WORD_BITS) - 1)
}

/// A line of memory that a peer writes and this side polls.
#[repr(C, align(64))]
pub struct Line(pub [AtomicU64; WORDS]);

impl Line {
    /// Whether all of it is of the lap of this tag.
    #[inline]
    pub fn has_arrived(&self, tag: Tag) -> bool {
        self.0.iter().all(|word| word.load(Ordering::Acquire) & !((1 << WORD_BITS) - 1) == tag.0)
    }

    /// The bits of a word of a line that has arrived.
    #[inline]
    pub fn bits(&self, word: usize) -> u64 {
        bits_of(self.0[word].load(Ordering::Relaxed))
    }
}

/// Cuts bytes into the bits of words, as many as they need; the last is filled up with zeroes.
#[inline]
pub fn pack(bytes: &[u8], mut put: impl FnMut(u64)) {
    let mut rest = bytes;
    // Eight bytes are loaded where there are as many, and seven used.
    while let Some((eight, _)) = rest.split_first_chunk::<8>() {
        put(bits_of(u64::from_le_bytes(*eight)));
        rest = &rest[WORD_PAYLOAD..];
    }
    if !rest.is_empty() {
        // Seven at the most.
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        put(u64::from_le_bytes(last));
    }
}

/// Fills bytes from the bits of words, as many as they need.
#[inline]
pub fn unpack(bytes: &mut [u8], mut take: impl FnMut() -> u64) {
    let mut done = 0;
    while let Some(eight) = bytes.get_mut(done..done + 8) {
        // The eighth is of the next word.
        eight.copy_from_slice(&take().to_le_bytes());
        done += WORD_PAYLOAD;
    }
    let rest = &mut bytes[done..];
    if !rest.is_empty() {
        rest.copy_from_slice(&take().to_le_bytes()[..rest.len()]);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_length_survive_the_way_through_words() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..200 {
            let mut words = Vec::new();
            pack(&bytes[..length], |word| words.push(word));
            assert_eq!(words.len(), length.div_ceil(WORD_PAYLOAD));
            assert!(words.iter().all(|word| word >> WORD_BITS == 0));
            let (mut found, mut next) = (vec![0xee; length], words.iter());
            unpack(&mut found, || *next.next().expect("a word for it"));
            assert_eq!(found, bytes[..length]);
            assert_eq!(next.next(), None);
        }
    }

    #[test]
    fn tags_of_neighbouring_laps_differ_and_none_is_that_of_fresh_memory() {
        for lap in 0..2 * LAPS {
            let (this, next) = (Tag::of(4 * lap + 3, 4), Tag::of(4 * lap + 4, 4));
            assert_ne!(this, next);
            assert_ne!(this.0, 0);
        }
    }

    #[test]
    fn a_line_of_which_one_word_is_missing_has_not_arrived() {
        let tag = Tag::of(0, 4);
        let line = Line(std::array::from_fn(|_| AtomicU64::new(tag.word(7))));
        assert!(line.has_arrived(tag) && !line.has_arrived(Tag::of(4, 4)));
        for word in &line.0 {
            word.store(Tag::of(4, 4).word(7), Ordering::Relaxed);
            assert!(!line.has_arrived(tag));
            word.store(tag.word(7), Ordering::Relaxed);
        }
    }
}
