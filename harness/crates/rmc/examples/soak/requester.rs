//! A node that asks for the target's memory.

use std::{
    error::Error,
    sync::atomic::{AtomicU64, Ordering},
};

use onesided_rmc::{RmcDevice, RmcEndpoint};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    Opcode, Payload, ReceiveQueues, RemoteSegment, Service, Signal, Transport, WorkCompletion,
    WorkRequest,
};

use crate::{
    Progress, Words,
    board::{Board, Counter, LINE_WORDS, LINES, Lines},
    mixed, of_both_kinds,
    slot::{Kind, ROOM, Slot},
};

/// Slots, as many on each queue pair.
const SLOTS: usize = 64;
const QUEUE_PAIRS: usize = 4;

/// Blocks of the board that are a requester's, with a write under way to each; and reads of all blocks.
pub const WRITERS: usize = 4;
const READERS: usize = 12;

/// Additions to the board's counters.
const ADDERS: usize = 4;

/// The numbers of the first write to the board, of the first read, and of the first addition.
const FIRST_WRITER: usize = SLOTS;
const FIRST_READER: usize = FIRST_WRITER + WRITERS;
const FIRST_ADDER: usize = FIRST_READER + READERS;

/// Places where operations have their own words.
pub const PLACES: usize = FIRST_ADDER + ADDERS;

/// Operations of each sort.
#[derive(Clone, Copy, Default)]
pub struct Counted {
    pub reads: u64,
    pub writes: u64,
    pub atomics: u64,
    pub board_reads: u64,
    pub board_writes: u64,
    pub board_adds: u64,
}

impl Counted {
    /// And another's.
    pub fn with(self, other: &Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            atomics: self.atomics + other.atomics,
            board_reads: self.board_reads + other.board_reads,
            board_writes: self.board_writes + other.board_writes,
            board_adds: self.board_adds + other.board_adds,
        }
    }
}

/// How a requester ended.
pub enum Ended {
    /// All was right.
    Right(Counted),
    /// A word was wrong, which was told.
    Wrong,
    /// Another one ended before.
    Left,
}

/// What is under way of the board.
struct OnBoard {
    lines: Lines,
    /// Generations that were complete before.
    complete: [u64; LINES],
}

/// An addition to a counter that is under way.
#[derive(Clone, Copy, Default)]
struct Adding {
    counter: Counter,
    add: u64,
    /// What was complete before.
    complete: u64,
}

/// Both sides' memory, and what is known of it.
pub struct Requester<'a, E> {
    number: usize,
    endpoint: E,
    _far: RmcEndpoint,
    source: Words,
    landing: Words,
    /// Of the slots: on the heap, and in a segment.
    remote: [Words; 2],
    board: &'a Board,
    slots: Vec<Slot>,
    on_board: Vec<OnBoard>,
    adding: [Adding; ADDERS],
    counted: Counted,
    seed: u64,
    posted: u64,
}

/// The kind of memory that a slot's is in: of the long ones and of the short ones every other.
fn kind_of(place: usize) -> usize {
    (place / 10 + place) % 2
}

impl<'a, E: Endpoint> Requester<'a, E> {
    /// Connected, with slots of its own; it asks by what `by` makes of its endpoint.
    pub fn new(
        number: usize,
        node: &RmcDevice,
        target: &RmcDevice,
        board: &'a Board,
        seed: u64,
        by: &dyn Fn(RmcEndpoint) -> E,
    ) -> Result<Self, Box<dyn Error>> {
        let [endpoint, far] = connected(node, target)?;
        let own = || Words::new(node, PLACES * ROOM * 8, Access::REMOTE);
        let nothing = || OnBoard { lines: Lines { kind: 0, range: 0..0 }, complete: [0; LINES] };
        Ok(Self {
            number,
            endpoint: by(endpoint),
            _far: far,
            source: own()?,
            landing: own()?,
            remote: of_both_kinds(target, SLOTS * ROOM)?,
            board,
            slots: (0..SLOTS).map(Slot::new).collect(),
            on_board: (FIRST_WRITER..FIRST_ADDER).map(|_| nothing()).collect(),
            adding: [Adding::default(); ADDERS],
            counted: Counted::default(),
            seed,
            posted: 0,
        })
    }

    /// Does so many operations, and reads each slot once more.
    pub fn run(mut self, all: u64, progress: &Progress) -> Result<Ended, String> {
        // The first operations write, each slot other words.
        for place in 0..SLOTS {
            self.post_slot(place, mixed(self.seed.wrapping_add(self.posted)) & !7)?;
        }
        // Nobody else writes what one requester alone reads: it has slots only.
        let is_alone = self.board.blocks() == WRITERS;
        for place in FIRST_WRITER..if is_alone { FIRST_WRITER } else { PLACES } {
            self.post_board(place)?;
        }
        let (mut verified, mut completions) = (0, [WorkCompletion::EMPTY; 32]);
        while verified < self.posted {
            if progress.is_over.load(Ordering::Relaxed) {
                return Ok(Ended::Left);
            }
            let polled = self.endpoint.poll(&mut completions).map_err(|error| error.to_string())?;
            for completion in &completions[..polled] {
                if !self.verify(completion) {
                    return Ok(Ended::Wrong);
                }
                self.go_on(completion.id as usize, all)?;
            }
            verified += polled as u64;
            if polled > 0 {
                progress.add(polled as u64);
            }
        }
        Ok(Ended::Right(self.counted))
    }

    /// Posts what comes next of a place: at the end, whatever was last of a slot, one read more.
    fn go_on(&mut self, place: usize, all: u64) -> Result<(), String> {
        let random = mixed(self.seed.wrapping_add(self.posted));
        let has_more = self.posted < all;
        match place < SLOTS {
            true if has_more => self.post_slot(place, random),
            true if !std::mem::replace(&mut self.slots[place].is_last, true) => {
                self.post_slot(place, 4)
            }
            false if has_more => self.post_board(place),
            true | false => Ok(()),
        }
    }

    fn post_slot(&mut self, place: usize, random: u64) -> Result<(), String> {
        let slot = &mut self.slots[place];
        let at = place * ROOM + slot.first;
        let (opcode, words) =
            slot.next(random, words_at(&self.source, at), words_at(&self.landing, at));
        let remote = segment(&self.remote[kind_of(place)], at);
        self.post(place, opcode, (at, words), remote)
    }

    fn post_board(&mut self, place: usize) -> Result<(), String> {
        let random = mixed(!self.seed.wrapping_add(self.posted));
        let at = place * ROOM;
        if let Some(adder) = place.checked_sub(FIRST_ADDER) {
            return self.post_add(adder, random);
        }
        let under_way = &mut self.on_board[place - FIRST_WRITER];
        let own = self.number * WRITERS;
        let opcode = if place < FIRST_READER {
            under_way.lines = Board::of_block(random, own + place - FIRST_WRITER);
            self.board.begin(&under_way.lines, words_at(&self.source, at));
            Opcode::Write
        } else {
            under_way.lines = self.board.of_any(random);
            self.board.look(&under_way.lines, &mut under_way.complete);
            // No generation is as large.
            let landing = words_at(&self.landing, at);
            landing[..LINES * LINE_WORDS].iter().for_each(|word| word.store(!0, Ordering::Relaxed));
            Opcode::Read
        };
        let Lines { kind, range } = &under_way.lines;
        let words = range.len() * LINE_WORDS;
        let remote = segment(&self.board.words[*kind], range.start * LINE_WORDS);
        self.post(place, opcode, (at, words), remote)
    }

    fn post_add(&mut self, adder: usize, random: u64) -> Result<(), String> {
        let (place, at) = (FIRST_ADDER + adder, (FIRST_ADDER + adder) * ROOM);
        let (counter, add) = (Counter::of(random), 1 + (random >> 32) % 1000);
        self.adding[adder] = Adding { counter, add, complete: self.board.begin_add(counter, add) };
        // No sum is as large.
        words_at(&self.landing, at)[0].store(!0, Ordering::Relaxed);
        let remote = segment(&self.board.counters[counter.kind], counter.word());
        self.post(place, Opcode::FetchAndAdd { add }, (at, 1), remote)
    }

    fn post(
        &mut self,
        place: usize,
        opcode: Opcode,
        (at, words): (usize, usize),
        remote: RemoteSegment,
    ) -> Result<(), String> {
        let memory = if opcode == Opcode::Write { &self.source } else { &self.landing };
        let request = WorkRequest {
            id: place as u64,
            opcode,
            local: memory.segment(8 * at, 8 * words as u32),
            remote,
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        self.posted += 1;
        // SAFETY: all memory outlives what is under way, and is accessed by atomics.
        let posted = unsafe { self.endpoint.post(place % QUEUE_PAIRS, &[request]) };
        posted.map_err(|error| error.to_string())
    }

    /// Whether an operation has done what it should; else that is told.
    fn verify(&mut self, completion: &WorkCompletion) -> bool {
        let place = completion.id as usize;
        let is_done = completion.status == CompletionStatus::Success;
        let right = is_done
            && if place < SLOTS { self.verify_slot(place) } else { self.verify_board(place) };
        if !right {
            eprintln!(
                "soak: requester {}, place {place}, after {} operations: {:?}",
                self.number, self.posted, completion.status
            );
        }
        right
    }

    fn verify_slot(&mut self, place: usize) -> bool {
        let at = place * ROOM + self.slots[place].first;
        let Some(kind) = self.slots[place].verify(words_at(&self.landing, at)) else {
            return false;
        };
        *match kind {
            Kind::Read => &mut self.counted.reads,
            Kind::Write => &mut self.counted.writes,
            Kind::Add(_) | Kind::Swap(_) => &mut self.counted.atomics,
        } += 1;
        true
    }

    fn verify_board(&mut self, place: usize) -> bool {
        if let Some(adder) = place.checked_sub(FIRST_ADDER) {
            return self.verify_add(adder);
        }
        let OnBoard { lines, complete } = &self.on_board[place - FIRST_WRITER];
        if place < FIRST_READER {
            self.board.complete(lines);
            self.counted.board_writes += 1;
            return true;
        }
        self.counted.board_reads += 1;
        let wrong = self.board.wrong(lines, words_at(&self.landing, place * ROOM), complete);
        if let Some(line) = wrong {
            eprintln!("soak: line {line} of the board, of memory {}", lines.kind);
        }
        wrong.is_none()
    }

    fn verify_add(&mut self, adder: usize) -> bool {
        let Adding { counter, add, complete } = self.adding[adder];
        self.counted.board_adds += 1;
        let found =
            words_at(&self.landing, (FIRST_ADDER + adder) * ROOM)[0].load(Ordering::Relaxed);
        let right = self.board.complete_add(counter, add, complete, found);
        if !right {
            eprintln!("soak: {counter:?} of the board was {found}, and {complete} before");
        }
        right
    }
}

/// The words from one on.
fn words_at(words: &Words, first: usize) -> &[AtomicU64] {
    &words.words()[first..]
}

/// Where a peer has the words from one on.
fn segment(words: &Words, first: usize) -> RemoteSegment {
    let remote = words.remote();
    RemoteSegment { address: remote.address + 8 * first as u64, key: remote.key }
}

fn connected(here: &RmcDevice, there: &RmcDevice) -> Result<[RmcEndpoint; 2], Box<dyn Error>> {
    let attributes = EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: QUEUE_PAIRS,
        send_queue_depth: PLACES as u32,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    };
    let (mut one, mut other) =
        (here.create_endpoint(&attributes)?, there.create_endpoint(&attributes)?);
    let connection = ConnectionAttributes::reliable(PLACES as u8);
    other.connect(&one.address(None), &connection)?;
    one.connect(&other.address(None), &connection)?;
    Ok([one, other])
}
