//! Bytes and choices that look random and are the same in every run.

/// The SplitMix64 generator (Steele, Lea and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195).
pub(crate) struct Sequence {
    state: u64,
}

impl Sequence {
    /// The sequence of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; slightly uneven, which matters to no property.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// `length` bytes that differ from seed to seed and from place to place.
pub(crate) fn pattern(seed: u64, length: usize) -> Vec<u8> {
    let mut sequence = Sequence::new(seed);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&sequence.next().to_ne_bytes());
    }
    bytes.truncate(length);
    bytes
}
