//! A bounded ring with one sender and one receiver: a virtual lane between two processes.
//!
//! ```text
//!   headers  | 0 | 1 | ... | SLOTS-1 |     32 or 16 bytes each: several a cache line
//!   lines    | 0 | 1 | ... | SLOTS-1 |     one cache line each: the payload
//! ```
//! A slot is a header and a line of the same index. The low 16 bits of a header's first word are
//! the number of the lap in which it was written: it is stored last (release), so a receiver that
//! finds the lap that it waits for (acquire) sees the rest of the header and the line. Nothing else
//! says how full a ring is, so a packet costs its own cache lines and no more.
//!
//! A packet of several lines is a *train*: it has as many slots, the first one's header and all
//! their lines, which follow each other. It does not go round the end of the ring.
//!
//! A sender must know from elsewhere that a slot is free. Here a requester counts its credits: a
//! request and its reply are one credit, given back by the reply (`endpoint::in_flight`).

use std::ptr::NonNull;

use super::atomic::{AtomicU64, Ordering, SharedLine};
pub use super::atomic::{LINE_BYTES, SLOTS};

/// Packets that a receiver looks at before it takes them one by one. Ours: with the one before, as
/// many cache lines as a core fetches at a time, and as completions are often polled at a time.
const BATCH: usize = 15;

/// Slots between what a sender writes and what it has fetched meanwhile. Ours: some cache lines.
const LATER: usize = 8;

/// Bits of a header's first word that hold the lap.
pub const LAP_BITS: u32 = 16;

/// Where the lines of the packet are in a header's first word: eight bits.
pub const LINES_SHIFT: u32 = 32;

/// Laps after which headers that trains pass over are written all the same, so that none is ever
/// as old as a lap's number takes to return.
const REFRESH: u64 = 1 << (LAP_BITS - 2);

/// A header of so many words, as it is in shared memory.
#[repr(C)]
struct Header<const WORDS: usize>([AtomicU64; WORDS]);

/// One direction of a channel. All zeroes is an empty lane.
#[repr(C, align(64))]
pub struct Lane<const WORDS: usize> {
    headers: [Header<WORDS>; SLOTS],
    lines: [SharedLine; SLOTS],
}

// SAFETY: headers are atomics; a line is accessed by the sender before it publishes the slot's
// header and by the receiver after it has seen it, never by both (`Sender::publish`).
unsafe impl<const WORDS: usize> Sync for Lane<WORDS> {}

impl<const WORDS: usize> Lane<WORDS> {
    /// Empties the lane. No sender or receiver may be at work on it.
    pub fn clear(&self) {
        for word in self.headers.iter().flat_map(|header| &header.0) {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// The lap of a position. Stale headers are of one of the [`REFRESH`] laps before, or zero.
const fn lap(position: u64) -> u64 {
    (position / SLOTS as u64 + 1) & ((1 << LAP_BITS) - 1)
}

/// A place in a lane; both ends count packets alike.
struct Place<const WORDS: usize> {
    lane: NonNull<Lane<WORDS>>,
    position: u64,
    lap: u64,
}

impl<const WORDS: usize> Place<WORDS> {
    fn start(lane: NonNull<Lane<WORDS>>) -> Self {
        Self { lane, position: 0, lap: lap(0) }
    }

    fn index(&self) -> usize {
        self.position as usize % SLOTS
    }

    fn words(&self) -> &[AtomicU64; WORDS] {
        // SAFETY: the lane outlives the place (`Sender::new`, `Receiver::new`), and headers are
        // atomics that may be shared.
        unsafe { &self.lane.as_ref().headers[self.index()].0 }
    }

    fn lines(&self) -> *const [SharedLine; SLOTS] {
        // SAFETY: as above; lines are addresses until they are accessed.
        unsafe { &raw const (*self.lane.as_ptr()).lines }
    }

    /// The address of the header of the packet that is so many slots from here.
    #[inline]
    fn header_at(&self, slots: usize) -> *const u8 {
        let index = (self.index() + slots) % SLOTS;
        // SAFETY: the lane outlives the place; an address is no access.
        unsafe { (&raw const (*self.lane.as_ptr()).headers[index]).cast() }
    }

    /// The address of its payload.
    #[inline]
    fn payload_at(&self, slots: usize) -> *const u8 {
        let index = (self.index() + slots) % SLOTS;
        self.lines().cast::<u8>().wrapping_add(index * size_of::<SharedLine>())
    }

    /// Slots from here to the end of the ring.
    #[inline]
    fn room(&self) -> usize {
        SLOTS - self.index()
    }

    /// Slots of the packet with this first word: a packet without lines has one, too. A peer that
    /// writes garbage shall not make us leave the ring.
    #[inline]
    fn slots_of(&self, first: u64) -> usize {
        ((first >> LINES_SHIFT) as u8 as usize).clamp(1, self.room())
    }

    #[inline]
    fn step(&mut self, slots: usize) {
        self.position += slots as u64;
        if self.index() == 0 {
            self.lap = lap(self.position);
        }
    }
}

/// Has the cache fetch a line, to be read.
#[inline]
pub fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint about any address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Has the cache fetch a line, to be written: it is nobody else's then.
#[inline]
fn prefetch_to_write(line: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint about any address; a processor without it does nothing.
    unsafe {
        std::arch::asm!("prefetchw [{line}]", line = in(reg) line, options(nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// The end that writes.
pub struct Sender<const WORDS: usize>(Place<WORDS>);

// SAFETY: a place is an address and a count; what it points to is `Sync`.
unsafe impl<const WORDS: usize> Send for Sender<WORDS> {}

impl<const WORDS: usize> Sender<WORDS> {
    /// A sender at the start of an empty lane.
    ///
    /// # Safety
    /// The lane outlives it, and there is no other sender.
    pub unsafe fn new(lane: NonNull<Lane<WORDS>>) -> Self {
        Self(Place::start(lane))
    }

    /// The payload of the next packet, aligned to a cache line; as many lines may be written as
    /// slots are free, up to [`Sender::room`].
    #[inline]
    pub fn line(&self) -> *mut u8 {
        // SAFETY: the index is one of the lane's, which outlives the place.
        unsafe { SharedLine::to_write(self.0.lines(), self.0.index()) }
    }

    /// Most lines that the next packet can have.
    #[inline]
    pub fn room(&self) -> usize {
        self.0.room()
    }

    /// Sends the next packet; how many slots it took. The low [`LAP_BITS`] of the first word must
    /// be zero, its lines at [`LINES_SHIFT`].
    ///
    /// # Safety
    /// Its slots are free: the receiver has advanced over the packets that were in them.
    #[inline]
    pub unsafe fn publish(&mut self, words: [u64; WORDS]) -> usize {
        let slots = self.0.slots_of(words[0]);
        if slots > 1 && self.0.lap.is_multiple_of(REFRESH) {
            self.refresh(slots);
        }
        self.write(words);
        self.0.step(slots);
        slots
    }

    /// As [`Sender::publish`], of a packet that has one line, or none.
    ///
    /// # Safety
    /// Its slot is free.
    #[inline]
    pub unsafe fn publish_line(&mut self, words: [u64; WORDS]) {
        self.write(words);
        self.0.step(1);
    }

    #[inline]
    fn write(&self, words: [u64; WORDS]) {
        let header = self.0.words();
        // By index, which the compiler takes apart; an iterator of arrays it does not.
        for index in 1..WORDS {
            header[index].store(words[index], Ordering::Relaxed);
        }
        header[0].store(words[0] | self.0.lap, Ordering::Release);
    }

    /// Has the cache fetch header and payload of the next packet, to be written: both at a time.
    #[inline]
    pub fn prefetch(&self) {
        prefetch_to_write(self.0.payload_at(0));
        prefetch_to_write(self.0.header_at(0));
    }

    /// Has the cache fetch the header of a packet that comes later, and its payload if it will have
    /// one, to be written: nobody looks at them meanwhile.
    #[inline]
    pub fn prefetch_later(&self, has_payload: bool) {
        if has_payload {
            prefetch_to_write(self.0.payload_at(LATER));
        }
        prefetch_to_write(self.0.header_at(LATER));
    }

    /// Writes the headers that a train passes over. The receiver passes over them, too, and never
    /// looks at them in this lap.
    #[cold]
    fn refresh(&mut self, slots: usize) {
        let index = self.0.index();
        // SAFETY: the lane outlives the place; headers are atomics that may be shared.
        let headers = unsafe { &self.0.lane.as_ref().headers };
        for header in &headers[index + 1..index + slots] {
            header.0[0].store(self.0.lap, Ordering::Relaxed);
        }
    }
}

/// The end that reads.
pub struct Receiver<const WORDS: usize>(Place<WORDS>);

// SAFETY: as for `Sender`.
unsafe impl<const WORDS: usize> Send for Receiver<WORDS> {}

impl<const WORDS: usize> Receiver<WORDS> {
    /// A receiver at the start of an empty lane.
    ///
    /// # Safety
    /// The lane outlives it, and there is no other receiver.
    pub unsafe fn new(lane: NonNull<Lane<WORDS>>) -> Self {
        Self(Place::start(lane))
    }

    /// The header of the next packet, if there is one.
    #[inline]
    pub fn peek(&self) -> Option<[u64; WORDS]> {
        let header = self.0.words();
        let first = header[0].load(Ordering::Acquire);
        if first & ((1 << LAP_BITS) - 1) != self.0.lap {
            return None;
        }
        let mut words = [first; WORDS];
        for index in 1..WORDS {
            words[index] = header[index].load(Ordering::Relaxed);
        }
        Some(words)
    }

    /// How many packets are there, up to a batch; has the cache fetch the payload of those that
    /// `has_payload` by their first words. What is fetched together comes in the time of one.
    #[inline]
    pub fn look_ahead(&self, has_payload: impl Fn(u64) -> bool) -> usize {
        // SAFETY: the lane outlives the place; headers are atomics that may be shared.
        let lane = unsafe { self.0.lane.as_ref() };
        let mut index = self.0.index();
        let mut ahead = 0;
        while index < SLOTS && ahead < BATCH {
            let first = lane.headers[index].0[0].load(Ordering::Acquire);
            if first & ((1 << LAP_BITS) - 1) != self.0.lap {
                break;
            }
            if has_payload(first) {
                // SAFETY: the index is one of the lane's.
                prefetch(unsafe { SharedLine::to_read(self.0.lines(), index) });
            }
            index += ((first >> LINES_SHIFT) as u8 as usize).max(1);
            ahead += 1;
        }
        ahead
    }

    /// Has the cache fetch the payload of the next packet, which may not be there yet: with its
    /// header, it comes in the time of one.
    #[inline]
    pub fn prefetch_line(&self) {
        prefetch(self.0.payload_at(0));
    }

    /// The payload of the packet that [`Receiver::peek`] found; it may be read until the sender
    /// is told that the slot is free.
    #[inline]
    pub fn line(&self) -> *const u8 {
        // SAFETY: the index is one of the lane's, which outlives the place.
        unsafe { SharedLine::to_read(self.0.lines(), self.0.index()) }
    }

    /// Most lines that the next packet can have.
    #[inline]
    pub fn room(&self) -> usize {
        self.0.room()
    }

    /// Goes on to the packet after one that has one line, or none.
    #[inline]
    pub fn advance_line(&mut self) {
        self.0.step(1);
    }

    /// Goes on to the packet after the one with this first word.
    #[inline]
    pub fn advance(&mut self, first: u64) {
        let slots = self.0.slots_of(first);
        self.0.step(slots);
    }
}

#[cfg(all(test, loom))]
mod model;

#[cfg(all(test, not(loom)))]
mod tests;
