//! In which order a chase visits the lines of its working set.

use std::num::NonZeroU64;

use onesided_load::Random;

use super::Order;

/// Bytes from one visited line to the next in memory: a cache line of x86-64 and of most 64-bit
/// ARM. Where lines are of 128 bytes each is visited twice a lap, far apart in time.
pub const LINE_BYTES: u64 = 64;

/// Bytes that a chase in blocks visits before it goes on to the next block: 64 base pages of
/// 4 KiB, which the first-level TLB of current processors holds. The same as multichase's default.
pub const BLOCK_BYTES: u64 = 256 << 10;

/// Neighbouring lines of which one lap in blocks visits one each pass. Ours, because fetching a
/// line's neighbour in the same 128 bytes is common (Intel's "spatial prefetcher"), and pairs of
/// those are the next step; it is also multichase's default stride.
pub const GROUP_BYTES: u64 = 256;

const LINES_OF_BLOCK: usize = (BLOCK_BYTES / LINE_BYTES) as usize;
const LINES_OF_GROUP: usize = (GROUP_BYTES / LINE_BYTES) as usize;

/// The lines `0..lines` in the order of their visit, each once; the first follows the last.
///
/// A list shuffled by Fisher and Yates's method and closed to a ring is each of the cycles over
/// all lines with equal probability, as Sattolo's (1986) is. Of [`Order::Blocks`], lines that fill
/// no whole group are left out: call it with multiples of [`GROUP_BYTES`].
///
/// In blocks the latency is that of memory: a translation that was walked for is used by 16 loads of a
/// page of 4 KiB, so that what is measured is hardly the page walk's. A lap makes four passes, and
/// each visits one line of every [`GROUP_BYTES`]: a neighbour that a prefetcher has fetched is needed
/// only when a quarter of the working set has been visited in between. Over the whole range it is that
/// of memory and of its translation, as a program meets it that goes anywhere: on base pages nearly
/// every load walks the page table.
pub fn visits(lines: u32, order: Order, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, u64::from(lines));
    match order {
        Order::WholeRange => {
            let mut all: Vec<u32> = (0..lines).collect();
            shuffle(&mut all, &mut random);
            all
        }
        Order::Blocks => in_blocks(lines as usize, &mut random),
    }
}

fn in_blocks(lines: usize, random: &mut Random) -> Vec<u32> {
    let groups = lines / LINES_OF_GROUP;
    let turns: Vec<u8> = (0..groups).map(|_| random.next_bits() as u8).collect();
    let mut blocks: Vec<u32> = (0..lines.div_ceil(LINES_OF_BLOCK) as u32).collect();
    let mut groups_of_block: Vec<u32> = Vec::with_capacity(LINES_OF_BLOCK / LINES_OF_GROUP);
    let mut order = Vec::with_capacity(lines);
    for pass in 0..LINES_OF_GROUP {
        shuffle(&mut blocks, random);
        for block in &blocks {
            let first = *block as usize * (LINES_OF_BLOCK / LINES_OF_GROUP);
            let end = groups.min(first + LINES_OF_BLOCK / LINES_OF_GROUP);
            groups_of_block.clear();
            groups_of_block.extend(first as u32..end as u32);
            shuffle(&mut groups_of_block, random);
            order.extend(groups_of_block.iter().map(|group| {
                let within = line_in_group(turns[*group as usize], pass);
                group * LINES_OF_GROUP as u32 + within as u32
            }));
        }
    }
    order
}

/// Which line of its group a pass visits: from where the group's number says, up or down by it.
fn line_in_group(turn: u8, pass: usize) -> usize {
    let (first, step) = (usize::from(turn >> 1), usize::from(turn & 1) * 2 + 1);
    (first + pass * step) % LINES_OF_GROUP
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        let count = NonZeroU64::new(last as u64 + 1).expect("one more than a whole number");
        items.swap(last, random.below(count) as usize);
    }
}
