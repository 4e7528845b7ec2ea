//! Bytes that look random and are the same in every run.

use onesided_random::SplitMix64;

/// `length` bytes that differ from seed to seed and from place to place.
pub(crate) fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut sequence = SplitMix64::new(seed);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&sequence.next_bits().to_ne_bytes());
    }
    bytes.truncate(length);
    bytes
}
