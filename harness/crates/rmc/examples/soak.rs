//! Does so many operations on memory of another node, and verifies them by content:
//! `cargo run --release -p onesided-rmc --example soak [OPERATIONS [SEED]]`, 10^9 and 1.
//!
//! Each slot has a part of the other node's memory to itself and one operation at a time under way:
//! a write puts new words there, a read must bring what was put last, an atomic must find it. What
//! they bring lands where other words are, so that nothing passes for it. A write is verified by the
//! next operation of its slot, the last ones by a read at the end. Every tenth slot has another
//! length, up to more than a train of lines, and another place in its first line; the others are of
//! one line. Prints a row of CSV; exits with 1 at the first word that is wrong, and with 2 where it
//! cannot run.

use std::{env, error::Error, process::ExitCode, time::Instant};

use onesided_placement::{CpuSet, cpus_of_current_thread, pin_current_thread};
use onesided_random::SplitMix64;
use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, RmcRegion};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    LocalSegment, Opcode, Payload, PostError, Region, RemoteSegment, Service, Signal, Transport,
    WorkCompletion, WorkRequest,
};

/// Slots, as many on each queue pair.
const SLOTS: usize = 64;
const QUEUE_PAIRS: usize = 4;

/// Words that a slot has room for.
const ROOM: usize = 512;

/// Words of slots; the others have eight.
const LONG: [usize; 6] = [1, 3, 9, 40, 300, 500];

/// Operations between two lines about progress.
const TELL: u64 = 50_000_000;

/// Words that are registered and never freed.
struct Words {
    region: RmcRegion,
    start: *mut u64,
}

impl Words {
    fn on(device: &RmcDevice) -> Result<Self, Box<dyn Error>> {
        let words = Box::leak(vec![0_u64; SLOTS * ROOM + 8].into_boxed_slice());
        let start = words.as_mut_ptr();
        let start = start.wrapping_add(start.align_offset(64));
        // SAFETY: the memory is never freed; here it is accessed while nothing is under way to it.
        let region = unsafe { device.register(start.cast(), SLOTS * ROOM * 8, Access::REMOTE) }?;
        Ok(Self { region, start })
    }

    fn of(&self, slot: usize, first: usize) -> *mut u64 {
        assert!(slot < SLOTS && first < ROOM);
        self.start.wrapping_add(slot * ROOM + first)
    }
}

/// What is under way, or is known, of a slot.
struct Slot {
    first: usize,
    words: usize,
    /// What the words are made of that were written last.
    seed: u64,
    /// What was added to the first word since.
    added: u64,
    under_way: Kind,
    /// Whether it is read once more, at the end.
    is_last: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Write,
    Read,
    Add(u64),
    Swap(u64),
}

/// 64 bits that look random and depend on `number` only.
fn mixed(number: u64) -> u64 {
    SplitMix64::new(number).next_bits()
}

impl Slot {
    fn new(number: usize) -> Self {
        let words = if number.is_multiple_of(10) { LONG[number / 10 % LONG.len()] } else { 8 };
        let first = if number.is_multiple_of(10) { number % 7 } else { 0 };
        Self { first, words, seed: 0, added: 0, under_way: Kind::Write, is_last: false }
    }

    fn word(&self, index: usize) -> u64 {
        let added = if index == 0 { self.added } else { 0 };
        mixed(self.seed.wrapping_add(index as u64)).wrapping_add(added)
    }

    /// Whether what has landed is right; notes what the operation did.
    fn verify(&mut self, landed: *const u64, counted: &mut [u64; 3]) -> bool {
        // SAFETY: the slot's own words, and nothing of it is under way.
        let found = |index: usize| unsafe { landed.add(index).read() };
        let right = match self.under_way {
            // By what comes next.
            Kind::Write => true,
            Kind::Read => (0..self.words).all(|index| found(index) == self.word(index)),
            Kind::Add(_) | Kind::Swap(_) => found(0) == self.word(0),
        };
        counted[match self.under_way {
            Kind::Read => 0,
            Kind::Write => 1,
            Kind::Add(_) | Kind::Swap(_) => 2,
        }] += 1;
        match self.under_way {
            Kind::Add(add) => self.added = self.added.wrapping_add(add),
            Kind::Swap(new) => self.added = new.wrapping_sub(mixed(self.seed)),
            _ => {}
        }
        right
    }

    /// What comes next: half reads, a quarter writes, a quarter atomics.
    fn next(&mut self, random: u64, [source, landing]: [*mut u64; 2]) -> (Opcode, usize) {
        let operand = mixed(random);
        let (kind, opcode, words) = match random % 8 {
            0 | 1 => {
                (self.seed, self.added) = (operand, 0);
                for index in 0..self.words {
                    // SAFETY: as above.
                    unsafe { source.add(index).write(self.word(index)) };
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
            for index in 0..words {
                // SAFETY: as above.
                unsafe { landing.add(index).write(!self.word(index)) };
            }
        }
        self.under_way = kind;
        (opcode, words)
    }
}

fn connected(here: &RmcDevice, there: &RmcDevice) -> Result<[RmcEndpoint; 2], Box<dyn Error>> {
    let attributes = EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: QUEUE_PAIRS,
        send_queue_depth: SLOTS as u32,
        receive_queue_depth: 0,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    };
    let (mut one, mut other) =
        (here.create_endpoint(&attributes)?, there.create_endpoint(&attributes)?);
    let connection = ConnectionAttributes::reliable(SLOTS as u8);
    other.connect(&one.address(None), &connection)?;
    one.connect(&other.address(None), &connection)?;
    Ok([one, other])
}

fn main() -> ExitCode {
    match soak() {
        Ok(ended) => ended,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::from(2)
        }
    }
}

/// Both sides' memory, and what is known of it.
struct Soak {
    endpoint: RmcEndpoint,
    source: Words,
    landing: Words,
    remote: Words,
    slots: Vec<Slot>,
    /// Reads, writes and atomics.
    counted: [u64; 3],
}

impl Soak {
    /// Posts what comes next of a slot.
    fn post(&mut self, place: usize, random: u64) -> Result<(), PostError> {
        let slot = &mut self.slots[place];
        let (from, to) = (self.source.of(place, slot.first), self.landing.of(place, slot.first));
        let (opcode, words) = slot.next(random, [from, to]);
        let (local, region) = match opcode {
            Opcode::Write => (from, &self.source.region),
            _ => (to, &self.landing.region),
        };
        let (address, length) = (local as u64, words as u32 * 8);
        let request = WorkRequest {
            id: place as u64,
            opcode,
            local: LocalSegment { address, length, key: region.local_key() },
            remote: RemoteSegment {
                address: self.remote.of(place, slot.first) as u64,
                key: self.remote.region.remote().key,
            },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        // SAFETY: all memory lives as long as the program, and the slot's words are its own.
        unsafe { self.endpoint.post(place % QUEUE_PAIRS, &[request]) }
    }

    /// Whether an operation has done what it should.
    fn verify(&mut self, completion: &WorkCompletion) -> bool {
        let place = completion.id as usize;
        let landed = self.landing.of(place, self.slots[place].first);
        let right = completion.status == CompletionStatus::Success
            && self.slots[place].verify(landed, &mut self.counted);
        if !right {
            eprintln!("soak: slot {place} after {:?}: {:?}", self.counted, completion.status);
        }
        right
    }
}

fn soak() -> Result<ExitCode, Box<dyn Error>> {
    let number = |place: usize, usual: u64| {
        env::args().nth(place).map_or(Ok(usual), |text| text.parse::<u64>())
    };
    let (all, seed) = (number(1, 1_000_000_000)?, number(2, 1)?);
    let cpus: Vec<_> = cpus_of_current_thread()?.iter().collect();
    let [cpu, other, ..] = cpus[..] else { return Err("two CPUs are needed".into()) };
    let folder = tempfile::tempdir_in("/dev/shm")?;
    let options = RmcOptions { fabric: folder.path().to_owned(), ..RmcOptions::default() };
    let here = RmcDevice::open(&options)?;
    let responder_cpus = Some(CpuSet::of(other));
    let there = RmcDevice::open(&RmcOptions { responder_cpus, ..options })?;
    pin_current_thread(&CpuSet::of(cpu))?;
    let [endpoint, _far] = connected(&here, &there)?;
    let mut soak = Soak {
        endpoint,
        source: Words::on(&here)?,
        landing: Words::on(&here)?,
        remote: Words::on(&there)?,
        slots: (0..SLOTS).map(Slot::new).collect(),
        counted: [0; 3],
    };
    let start = Instant::now();
    // The first operations write, each slot other words, and the last ones read.
    let random = |posted: u64| match posted {
        _ if posted < SLOTS as u64 => 8 * posted,
        _ if posted >= all => 4,
        _ => mixed(seed.wrapping_add(posted)),
    };
    (0..SLOTS).try_for_each(|place| soak.post(place, random(place as u64)))?;
    let (mut posted, mut verified) = (SLOTS as u64, 0);
    let mut completions = [WorkCompletion::EMPTY; 32];
    while verified < posted {
        let polled = soak.endpoint.poll(&mut completions)?;
        for completion in &completions[..polled] {
            if !soak.verify(completion) {
                return Ok(ExitCode::FAILURE);
            }
            verified += 1;
            if verified.is_multiple_of(TELL) {
                eprintln!("soak: {verified} of {all}, {:.0} s", start.elapsed().as_secs_f64());
            }
            // Whatever was last of a slot, one read more.
            let place = completion.id as usize;
            if posted < all || !std::mem::replace(&mut soak.slots[place].is_last, true) {
                soak.post(place, random(posted))?;
                posted += 1;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let [reads, writes, atomics] = soak.counted;
    println!("operations,reads,writes,atomics,seconds,millions_per_second");
    println!(
        "{verified},{reads},{writes},{atomics},{seconds:.1},{:.2}",
        verified as f64 / seconds / 1e6
    );
    Ok(ExitCode::SUCCESS)
}
