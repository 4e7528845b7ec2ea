//! A part of the target's memory that one requester has to itself, with one operation at a time under way:
//! a write puts new words there, a read must bring what was put last, an atomic must find it.
//!
//! What they bring lands where other words are, so that nothing passes for it. A write is verified by the
//! next operation of its slot, the last ones by a read at the end. Every tenth slot has another length, up to
//! more than a train of lines, and another place in its first line; the others are of one line.

use std::sync::atomic::{AtomicU64, Ordering};

use onesided_transport::Opcode;

use crate::mixed;

/// Words that a slot has room for.
pub const ROOM: usize = 512;

/// Words of slots; the others have eight.
const LONG: [usize; 6] = [1, 3, 9, 40, 300, 500];

/// What is under way, or is known, of a slot.
pub struct Slot {
    /// Its first word, of those that it has room for.
    pub first: usize,
    words: usize,
    /// What the words are made of that were written last.
    seed: u64,
    /// What was added to the first word since.
    added: u64,
    under_way: Kind,
    /// Whether it is read once more, at the end.
    pub is_last: bool,
}

/// What is under way.
#[derive(Clone, Copy)]
pub enum Kind {
    Write,
    Read,
    Add(u64),
    Swap(u64),
}

impl Slot {
    pub fn new(number: usize) -> Self {
        let words = if number.is_multiple_of(10) { LONG[number / 10 % LONG.len()] } else { 8 };
        let first = if number.is_multiple_of(10) { number % 7 } else { 0 };
        Self { first, words, seed: 0, added: 0, under_way: Kind::Write, is_last: false }
    }

    fn word(&self, index: usize) -> u64 {
        let added = if index == 0 { self.added } else { 0 };
        mixed(self.seed.wrapping_add(index as u64)).wrapping_add(added)
    }

    /// What is under way, if what has landed of it is right; notes what the operation did.
    pub fn verify(&mut self, landed: &[AtomicU64]) -> Option<Kind> {
        let found = |index: usize| landed[index].load(Ordering::Relaxed);
        let kind = self.under_way;
        let right = match kind {
            // By what comes next.
            Kind::Write => true,
            Kind::Read => (0..self.words).all(|index| found(index) == self.word(index)),
            Kind::Add(_) | Kind::Swap(_) => found(0) == self.word(0),
        };
        match kind {
            Kind::Add(add) => self.added = self.added.wrapping_add(add),
            Kind::Swap(new) => self.added = new.wrapping_sub(mixed(self.seed)),
            Kind::Read | Kind::Write => {}
        }
        right.then_some(kind)
    }

    /// What comes next, and its words: half reads, a quarter writes, a quarter atomics.
    pub fn next(
        &mut self,
        random: u64,
        source: &[AtomicU64],
        landing: &[AtomicU64],
    ) -> (Opcode, usize) {
        let operand = mixed(random);
        let (kind, opcode, words) = match random % 8 {
            0 | 1 => {
                (self.seed, self.added) = (operand, 0);
                for (index, word) in source[..self.words].iter().enumerate() {
                    word.store(self.word(index), Ordering::Relaxed);
                }
                (Kind::Write, Opcode::Write, self.words)
            }
            2 => (Kind::Add(operand), Opcode::FetchAndAdd { add: operand }, 1),
            3 => {
                let opcode = Opcode::CompareAndSwap { compare: self.word(0), swap: operand };
                (Kind::Swap(operand), opcode, 1)
            }
            _ => (Kind::Read, Opcode::Read, self.words),
        };
        if !matches!(kind, Kind::Write) {
            for (index, word) in landing[..words].iter().enumerate() {
                word.store(!self.word(index), Ordering::Relaxed);
            }
        }
        self.under_way = kind;
        (opcode, words)
    }
}
