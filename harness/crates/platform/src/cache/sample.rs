//! Which lines of a region are timed.

use std::collections::BTreeSet;

use onesided_random::SplitMix64;

/// The page that address translation works with at least (Intel SDM volume 3, 4.3). Larger pages
/// consist of such.
const PAGE_BYTES: usize = 4096;

/// The start of the page that an address is in.
pub(super) fn first_of_page(address: *const u8) -> *const u8 {
    address.wrapping_sub(address.addr() % PAGE_BYTES)
}

/// One line is timed out of each block of so many bytes at most. Ours: from neighbouring loads the
/// prefetchers of current CPUs guess at others of the page; where every second line is timed they
/// make every sixth of a flushed region look cached, here less than one in a hundred.
const BLOCK_BYTES: usize = 1024;

/// At most `most` lines of a region, in random order, no two out of one block, none among the first
/// two of a page: the first one is read to have the page's translation at hand, and the second one
/// comes with it. The choice is the same in every call.
pub(super) fn lines_of(
    start: *const u8,
    length: usize,
    line_bytes: usize,
    most: usize,
) -> Vec<*const u8> {
    let end = start.addr().saturating_add(length);
    let first_block = start.addr() / BLOCK_BYTES;
    let blocks = end.div_ceil(BLOCK_BYTES) - first_block;
    let mut random = SplitMix64::new(0x9e37_79b9_7f4a_7c15);
    let mut sample = Vec::with_capacity(most.min(blocks));
    for block in in_random_order(blocks, most, &mut random) {
        let from = (first_block + block) * BLOCK_BYTES;
        let lines = (from..from + BLOCK_BYTES).step_by(line_bytes);
        let usable = |line: &usize| {
            *line >= start.addr() && line + line_bytes <= end && line % PAGE_BYTES >= 2 * line_bytes
        };
        let usable: Vec<usize> = lines.filter(usable).collect();
        if !usable.is_empty() {
            let line = usable[random.below(usable.len())];
            sample.push(start.wrapping_add(line - start.addr()));
        }
    }
    sample
}

/// At most `most` different numbers below `end`, in random order.
fn in_random_order(end: usize, most: usize, random: &mut SplitMix64) -> Vec<usize> {
    if end <= 2 * most {
        let mut all: Vec<usize> = (0..end).collect();
        for index in (1..end).rev() {
            all.swap(index, random.below(index + 1));
        }
        all.truncate(most);
        return all;
    }
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::with_capacity(most);
    while chosen.len() < most {
        let number = random.below(end);
        if seen.insert(number) {
            chosen.push(number);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_whole_lines_of_the_region_one_a_block_and_none_of_the_first_two_of_a_page() {
        for (start, length, expected) in [
            (0x10_0000, 64 << 20, 4096),
            (0x10_0001, 1 << 20, 1024),
            (0x10_0000, 4096, 4),
            (0x10_0000, 1024, 1),
            (0x10_0fc1, 127, 0),
            (0x10_0fc0, 64, 1),
            (0x10_0fc0, 63, 0),
            (0x10_0000, 128, 0),
            (0x10_0080, 0, 0),
        ] {
            let sample = lines_of(std::ptr::without_provenance(start), length, 64, 4096);
            let blocks: BTreeSet<usize> = sample.iter().map(|line| line.addr() / 1024).collect();
            assert_eq!((sample.len(), blocks.len()), (expected, expected), "{start:x} {length}");
            for line in sample.iter().map(|line| line.addr()) {
                assert!(line % 64 == 0 && line % 4096 >= 128, "{line:x}");
                assert!(line >= start && line + 64 <= start + length, "{line:x}");
            }
        }
    }

    #[test]
    fn a_sample_is_spread_over_the_region_and_not_in_order() {
        let start = 0x10_0000;
        let sample = lines_of(std::ptr::without_provenance(start), 64 << 20, 64, 4096);
        let upper = sample.iter().filter(|line| line.addr() - start >= 32 << 20).count();
        assert!((1850..=2250).contains(&upper), "{upper} of 4096, seven standard deviations off");
        let ascending = sample.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!((1850..=2250).contains(&ascending), "{ascending} of 4095 steps go up");
    }
}
