//! Memory of the target that each requester writes some blocks of, and that all read meanwhile.
//!
//! A line is of a generation: its first word. The others follow from it, from the line's place and from what
//! kind of memory it is in. A writer says which generation it begins before it posts the write, and which is
//! complete after the write's completion, so a reader knows what it may find: no earlier one than was complete
//! before it asked, and no later one than had begun when its read completed.
//!
//! Counters are words that all add to. Of each is known as much: what has been added by fetch-and-adds that are
//! complete, and by all that have begun.

use std::{
    error::Error,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
};

use onesided_rmc::RmcDevice;

use crate::{Words, mixed, of_both_kinds};

/// Lines of a block, to which one write at a time is under way: as many as a train has, so that an operation
/// may have 2 KiB.
pub const LINES: usize = 32;

/// Words of a line.
pub const LINE_WORDS: usize = 8;

/// Counters of each kind of memory, a line each: fewer than there are additions under way, so that they meet.
const COUNTERS: usize = 2;

/// Generations of a line, or sums of a counter.
#[derive(Default)]
struct Generations {
    begun: AtomicU64,
    complete: AtomicU64,
}

fn generations(count: usize) -> Vec<Generations> {
    (0..count).map(|_| Generations::default()).collect()
}

/// The memory, and what is known of it.
pub struct Board {
    /// On the heap, and in a segment.
    pub words: [Words; 2],
    /// On the heap, and in a segment, too.
    pub counters: [Words; 2],
    /// Of each kind of memory, line by line.
    generations: [Vec<Generations>; 2],
    /// Of each kind of memory, counter by counter.
    sums: [Vec<Generations>; 2],
    blocks: usize,
}

/// One of the counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    /// Which kind of memory.
    pub kind: usize,
    number: usize,
}

impl Counter {
    /// The one that `random` names.
    pub fn of(random: u64) -> Self {
        Self { kind: (random & 1) as usize, number: (random >> 1) as usize % COUNTERS }
    }

    /// Its word, of those of its kind.
    pub fn word(self) -> usize {
        self.number * LINE_WORDS
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..2).flat_map(|kind| (0..COUNTERS).map(move |number| Self { kind, number }))
    }
}

/// Some neighbouring lines of a block.
#[derive(Clone)]
pub struct Lines {
    /// Which kind of memory.
    pub kind: usize,
    /// Of all lines.
    pub range: Range<usize>,
}

impl Board {
    /// So many blocks, all lines of generation 0.
    pub fn on(device: &RmcDevice, blocks: usize) -> Result<Self, Box<dyn Error>> {
        let lines = blocks * LINES;
        let words = of_both_kinds(device, lines * LINE_WORDS)?;
        for (kind, memory) in words.iter().enumerate() {
            for (place, word) in memory.words().iter().enumerate() {
                let (line, index) = (place / LINE_WORDS, place % LINE_WORDS);
                word.store(word_of(kind, line, 0, index), Ordering::Release);
            }
        }
        let counters = of_both_kinds(device, COUNTERS * LINE_WORDS)?;
        let generations_of = |count: usize| [(); 2].map(|()| generations(count));
        let (generations, sums) = (generations_of(lines), generations_of(COUNTERS));
        Ok(Self { words, counters, generations, sums, blocks })
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Lines that `random` names, of that block.
    pub fn of_block(random: u64, block: usize) -> Lines {
        let kind = (random & 1) as usize;
        let first = (random >> 8) as usize % LINES;
        // A quarter one line, a quarter some, half all of them: those of 1 KiB are copied, of a segment.
        let (first, count) = match random >> 1 & 3 {
            0 => (first, 1),
            1 => (first, 1 + (random >> 16) as usize % (LINES - first)),
            _ => (0, LINES),
        };
        let start = block * LINES + first;
        Lines { kind, range: start..start + count }
    }

    /// Lines that `random` names, of any block.
    pub fn of_any(&self, random: u64) -> Lines {
        Self::of_block(random, (random >> 32) as usize % self.blocks)
    }

    /// Puts the next generation of the lines into `source`; for the only writer of the block.
    pub fn begin(&self, lines: &Lines, source: &[AtomicU64]) {
        for (line, words) in lines.range.clone().zip(source.chunks(LINE_WORDS)) {
            let of_line = &self.generations[lines.kind][line];
            let generation = of_line.begun.load(Ordering::Relaxed) + 1;
            of_line.begun.store(generation, Ordering::Release);
            for (index, word) in words.iter().enumerate() {
                word.store(word_of(lines.kind, line, generation, index), Ordering::Relaxed);
            }
        }
    }

    /// The write of the lines is complete.
    pub fn complete(&self, lines: &Lines) {
        for of_line in &self.generations[lines.kind][lines.range.clone()] {
            of_line.complete.store(of_line.begun.load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Generations that are complete, into `complete`.
    pub fn look(&self, lines: &Lines, complete: &mut [u64]) {
        let of_lines = &self.generations[lines.kind][lines.range.clone()];
        for (of_line, complete) in of_lines.iter().zip(complete) {
            *complete = of_line.complete.load(Ordering::Acquire);
        }
    }

    /// The first line that is wrong, of those that have landed; `complete` is what was before they were read.
    pub fn wrong(&self, lines: &Lines, landed: &[AtomicU64], complete: &[u64]) -> Option<usize> {
        let mut all = lines.range.clone().zip(landed.chunks(LINE_WORDS)).zip(complete);
        let is_wrong = |((line, words), complete): &((usize, &[AtomicU64]), &u64)| {
            let found = |index: usize| words[index].load(Ordering::Relaxed);
            let begun = self.generations[lines.kind][*line].begun.load(Ordering::Acquire);
            let generation = found(0);
            !(**complete..=begun).contains(&generation)
                || (1..LINE_WORDS)
                    .any(|index| found(index) != word_of(lines.kind, *line, generation, index))
        };
        all.find(is_wrong).map(|((line, _), _)| line)
    }
}

impl Board {
    fn sums(&self, counter: Counter) -> &Generations {
        &self.sums[counter.kind][counter.number]
    }

    /// Something is to be added; what additions that are complete have come to.
    pub fn begin_add(&self, counter: Counter, add: u64) -> u64 {
        let sums = self.sums(counter);
        let complete = sums.complete.load(Ordering::Acquire);
        sums.begun.fetch_add(add, Ordering::AcqRel);
        complete
    }

    /// It is added; whether what was found before it can be, after the `complete` of [`Board::begin_add`].
    pub fn complete_add(&self, counter: Counter, add: u64, complete: u64, found: u64) -> bool {
        let sums = self.sums(counter);
        let begun = sums.begun.load(Ordering::Acquire);
        sums.complete.fetch_add(add, Ordering::AcqRel);
        (complete..=begun - add).contains(&found)
    }

    /// The first counter that is not what all additions come to, when none is under way.
    pub fn wrong_counter(&self) -> Option<Counter> {
        let is_wrong = |counter: &Counter| {
            let word = &self.counters[counter.kind].words()[counter.word()];
            word.load(Ordering::Acquire) != self.sums(*counter).complete.load(Ordering::Acquire)
        };
        Counter::all().find(is_wrong)
    }
}

/// A word of a line.
fn word_of(kind: usize, line: usize, generation: u64, index: usize) -> u64 {
    match index {
        0 => generation,
        _ => mixed(generation << 20 ^ ((line << 4 | index) << 1 | kind) as u64),
    }
}
