//! Does so many operations on memory of another node, and verifies them by content:
//! `cargo run --release -p onesided-rmc --example soak [OPERATIONS [SEED [REQUESTERS [defects]]]]`, 10^9, 1 and 1.
//!
//! ```text
//!   requester 0: node, thread ---.
//!   requester 1: node, thread ---+--> target: node, responder; memory of the heap and of a segment
//!   ...                      ---'
//! ```
//! - **Slots** (`slot.rs`) are a requester's alone: what it reads there is what it put there last.
//! - The **board** (`board.rs`) has some blocks for each requester, which alone writes them, a line a generation
//!   further each time, and which all read meanwhile: each line that is read must be whole, and of a
//!   generation between those that were complete before and begun after. It has counters, too, that all add to.
//!   With one requester there is none.
//!
//! Each has its memory on the heap, whose lines cross in packets, and in a segment, which requesters copy from
//! themselves. Prints a row of CSV; exits with 1 at the first word that is wrong, and with 2 where it cannot run.
//!
//! With `defects` the requesters' endpoints do something wrong (`defect.rs`), one defect after another, for so many
//! operations at the most. Prints a row for each: after how many it was found; exits with 1 where one was not.

mod board;
mod defect;
mod requester;
mod slot;

use std::{
    env,
    error::Error,
    process::ExitCode,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Instant,
};

use onesided_placement::{CpuId, CpuSet, cpus_of_current_thread, pin_current_thread};
use onesided_random::SplitMix64;
use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, RmcRegion};
use onesided_transport::{Access, Endpoint, RegisteredMemory, ResourceError, ZeroedMemory};

use self::{
    board::Board,
    defect::{Defect, Defective},
    requester::{Counted, Ended, PLACES, Requester, WRITERS},
};

/// Operations between two lines about progress.
const TELL: u64 = 50_000_000;

/// The most requesters. Ours: a node each, and some CPUs.
const MOST_REQUESTERS: u64 = 32;

/// Registered words.
pub type Words = RegisteredMemory<RmcRegion>;

/// Words of a target: on the heap, and in a segment.
pub fn of_both_kinds(device: &RmcDevice, words: usize) -> Result<[Words; 2], Box<dyn Error>> {
    let heap = ZeroedMemory::of_heap(8 * words).map_err(ResourceError::from)?;
    let heap = Words::of(device, heap, Access::REMOTE)?;
    Ok([heap, Words::new(device, 8 * words, Access::REMOTE)?])
}

/// 64 bits that look random and depend on `number` only.
pub fn mixed(number: u64) -> u64 {
    SplitMix64::new(number).next_bits()
}

/// What is asked for.
struct Asked {
    operations: u64,
    seed: u64,
    requesters: u64,
    /// Whether the soak itself is to be tried, by what it must find.
    has_defects: bool,
}

impl Asked {
    fn of_arguments() -> Result<Self, Box<dyn Error>> {
        let number = |place: usize, usual: u64| {
            env::args().nth(place).map_or(Ok(usual), |text| text.parse::<u64>())
        };
        let (operations, seed, requesters) =
            (number(1, 1_000_000_000)?, number(2, 1)?, number(3, 1)?);
        if !(1..=MOST_REQUESTERS).contains(&requesters) {
            return Err(format!("{requesters} requesters: 1 to {MOST_REQUESTERS}").into());
        }
        let has_defects = match env::args().nth(4).as_deref() {
            None => false,
            Some("defects") if requesters > 1 => true,
            Some("defects") => return Err("defects: 2 requesters at least, that meet".into()),
            Some(other) => return Err(format!("'{other}': defects, or nothing").into()),
        };
        Ok(Self { operations, seed, requesters, has_defects })
    }
}

/// What all requesters tell of while they run.
pub struct Progress {
    /// Operations of all.
    pub verified: AtomicU64,
    /// Whether somebody has found a word that is wrong, or could not go on: all end then.
    pub is_over: AtomicBool,
    all: u64,
    start: Instant,
}

impl Progress {
    /// So many more are verified.
    pub fn add(&self, operations: u64) {
        let before = self.verified.fetch_add(operations, Ordering::Relaxed);
        let now = before + operations;
        if before / TELL != now / TELL {
            let seconds = self.start.elapsed().as_secs_f64();
            eprintln!("soak: {now} of {}, {seconds:.0} s", self.all);
        }
    }
}

fn main() -> ExitCode {
    let ended = Asked::of_arguments().and_then(|asked| match asked.has_defects {
        true => all_defects(&asked),
        false => plain(&asked),
    });
    match ended {
        Ok(ended) => ended,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::from(2)
        }
    }
}

fn plain(asked: &Asked) -> Result<ExitCode, Box<dyn Error>> {
    let Soaked { counted, verified, seconds } = soak(asked, &|endpoint| endpoint)?;
    let Some(counted) = counted else { return Ok(ExitCode::FAILURE) };
    let Counted { reads, writes, atomics, board_reads, board_writes, board_adds } = counted;
    println!(
        "operations,requesters,reads,writes,atomics,board_reads,board_writes,board_adds,seconds,millions_per_second"
    );
    println!(
        "{verified},{},{reads},{writes},{atomics},{board_reads},{board_writes},{board_adds},{seconds:.1},{:.2}",
        asked.requesters,
        verified as f64 / seconds / 1e6
    );
    Ok(ExitCode::SUCCESS)
}

fn all_defects(asked: &Asked) -> Result<ExitCode, Box<dyn Error>> {
    println!("defect,operations,found");
    let mut ended = ExitCode::SUCCESS;
    for defect in Defect::ALL {
        let soaked = soak(asked, &|endpoint| Defective::new(endpoint, defect, PLACES))?;
        let is_found = soaked.counted.is_none();
        println!("{},{},{is_found}", defect.name(), soaked.verified);
        if !is_found {
            eprintln!("soak: {} was not found", defect.name());
            ended = ExitCode::FAILURE;
        }
    }
    Ok(ended)
}

/// What all requesters did.
struct Soaked {
    /// Operations of each sort; none where something was wrong, which was told.
    counted: Option<Counted>,
    verified: u64,
    seconds: f64,
}

/// Each requester asks by what `by` makes of its endpoint.
fn soak<E: Endpoint>(
    asked: &Asked,
    by: &dyn Fn(RmcEndpoint) -> E,
) -> Result<Soaked, Box<dyn Error>> {
    let Asked { operations, seed, requesters, .. } = *asked;
    let cpus: Vec<_> = cpus_of_current_thread()?.iter().collect();
    let [asking @ .., answering] = &cpus[..] else { return Err("two CPUs are needed".into()) };
    if asking.is_empty() {
        return Err("two CPUs are needed".into());
    }
    let folder = tempfile::tempdir_in("/dev/shm")?;
    let options = RmcOptions { fabric: folder.path().to_owned(), ..RmcOptions::default() };
    let responder_cpus = Some(CpuSet::of(*answering));
    let target = RmcDevice::open(&RmcOptions { responder_cpus, ..options.clone() })?;
    let board = Board::on(&target, requesters as usize * WRITERS)?;
    let nodes = (0..requesters).map(|_| RmcDevice::open(&options));
    let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
    let each = operations.div_ceil(requesters);
    let progress = Progress {
        verified: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        all: each * requesters,
        start: Instant::now(),
    };
    let made = |(number, node)| {
        Requester::new(number, node, &target, &board, mixed(seed.wrapping_add(number as u64)), by)
    };
    let made = nodes.iter().enumerate().map(made).collect::<Result<Vec<_>, _>>()?;
    let run = |requester: Requester<'_, E>, cpu: CpuId| {
        let pinned = pin_current_thread(&CpuSet::of(cpu)).map_err(|error| error.to_string());
        let ended = pinned.and_then(|()| requester.run(each, &progress));
        if !matches!(ended, Ok(Ended::Right(_))) {
            progress.is_over.store(true, Ordering::Relaxed);
        }
        ended
    };
    let run = &run;
    let ended = thread::scope(|scope| {
        let start = |(requester, cpu)| scope.spawn(move || run(requester, cpu));
        let cpus = asking.iter().copied().cycle();
        let all: Vec<_> = made.into_iter().zip(cpus).map(start).collect();
        all.into_iter()
            .map(|thread| thread.join().expect("a requester returns"))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let seconds = progress.start.elapsed().as_secs_f64();
    let verified = progress.verified.load(Ordering::Relaxed);
    let mut sum = Some(Counted::default());
    for ended in ended {
        sum = match (sum, ended) {
            (Some(sum), Ended::Right(counted)) => Some(sum.with(&counted)),
            (_, Ended::Wrong | Ended::Left) | (None, _) => None,
        };
    }
    if sum.is_some()
        && let Some(counter) = board.wrong_counter()
    {
        eprintln!("soak: {counter:?} of the board is not what was added to it");
        sum = None;
    }
    Ok(Soaked { counted: sum, verified, seconds })
}
