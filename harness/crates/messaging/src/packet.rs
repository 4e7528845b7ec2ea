//! Messages as words of lines.
//!
//! ```text
//!   first line  word 0      kind 7..0 | length in bytes 39..8
//!               word 1      what is told of the other direction (`told`)
//!               words 2..7  push: 42 bytes;  pull: where it is in the outbox 27..0 | its end 55..28
//!   next lines  words 0..7  push: 56 bytes each
//! ```

use crate::line::{WORD_PAYLOAD, WORDS};

/// Words of the first line that are not payload.
pub const HEADER_WORDS: usize = 2;

/// Bytes of payload in the first line.
pub const FIRST_PAYLOAD: usize = (WORDS - HEADER_WORDS) * WORD_PAYLOAD;

/// Bytes of payload in each further line.
pub const NEXT_PAYLOAD: usize = WORDS * WORD_PAYLOAD;

/// Lines that a message of this length takes when it is pushed.
#[inline]
pub fn lines_of(length: usize) -> u64 {
    1 + length.saturating_sub(FIRST_PAYLOAD).div_ceil(NEXT_PAYLOAD) as u64
}

/// The longest message that is pushed in so many lines.
pub const fn longest_in(lines: u32) -> usize {
    FIRST_PAYLOAD + (lines as usize - 1) * NEXT_PAYLOAD
}

/// How a message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Its bytes are in the ring.
    Push,
    /// Its bytes are in the sender's outbox.
    Pull,
}

/// The first word of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How it travels.
    pub way: Way,
    /// Bytes.
    pub length: u32,
}

impl Header {
    /// As 56 bits.
    #[inline]
    pub fn bits(self) -> u64 {
        u64::from(self.length) << 8 | self.way as u64
    }

    /// From 56 bits; absent where they are no header.
    #[inline]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let way = match bits & 0xff {
            0 => Way::Push,
            1 => Way::Pull,
            _ => return None,
        };
        (bits >> 40 == 0).then_some(Self { way, length: (bits >> 8) as u32 })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_the_way_through_their_bits_and_others_are_refused() {
        for way in [Way::Push, Way::Pull] {
            let header = Header { way, length: 0x8765_4321 };
            assert_eq!(Header::from_bits(header.bits()), Some(header));
        }
        assert_eq!(Header::from_bits(2), None);
        assert_eq!(Header::from_bits(1 << 40), None);
    }

    #[test]
    fn a_message_takes_as_few_lines_as_hold_it() {
        for (length, lines) in [(0, 1), (42, 1), (43, 2), (98, 2), (99, 3)] {
            assert_eq!(lines_of(length), lines);
        }
        for lines in 1..50 {
            let longest = longest_in(lines);
            let taken = (lines_of(longest), lines_of(longest + 1));
            assert_eq!(taken, (lines.into(), u64::from(lines) + 1));
        }
    }
}
