use std::{
    fs, thread,
    time::{Duration, Instant},
};

use onesided_placement::{CpuSet, current_cpu, pin_current_thread};

use super::*;

fn calibrated(threshold_ticks: Option<u64>) -> Calibration {
    Calibration { hit_median_ticks: 30, miss_median_ticks: 200, threshold_ticks }
}

#[test]
fn the_verdict_follows_the_share_of_lines_below_the_threshold() {
    let verdict = |fast: usize, slow: usize| {
        let times = [vec![40; fast], vec![300; slow]].concat();
        judge(times, &calibrated(Some(115))).verdict
    };
    assert_eq!(verdict(100, 0), CacheVerdict::Cached);
    assert_eq!(verdict(90, 10), CacheVerdict::Cached);
    assert_eq!(verdict(50, 50), CacheVerdict::Inconclusive { why: Doubt::Mixed });
    assert_eq!(verdict(10, 90), CacheVerdict::NotCached);
    assert_eq!(verdict(0, 100), CacheVerdict::NotCached);
}

#[test]
fn without_a_threshold_nothing_is_said_however_clear_the_times_are() {
    let proof = judge(vec![40; 100], &calibrated(None));
    assert_eq!(proof.verdict, CacheVerdict::Inconclusive { why: Doubt::Indistinguishable });
    assert_eq!((proof.cached_share, proof.region_median_ticks), (None, Some(40)));
}

#[test]
fn an_empty_region_is_not_judged() {
    let proof = judge(Vec::new(), &calibrated(Some(115)));
    assert_eq!(proof.verdict, CacheVerdict::Inconclusive { why: Doubt::NoLines });
    assert_eq!((proof.sample_lines, proof.region_median_ticks), (0, None));
}

/// Whether this machine shows the difference; if not, says what is skipped.
fn shows_caches() -> bool {
    let flusher = match lines::Flusher::of_this_cpu() {
        Ok(flusher) => flusher,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return false;
        }
    };
    let calibration = Calibration::here(&flusher);
    if calibration.threshold_ticks.is_none() {
        eprintln!("SKIPPED: hits and misses cannot be told apart here: {calibration:?}");
    }
    calibration.threshold_ticks.is_some()
}

/// What any server's caches hold.
const HALF_A_MEBIBYTE: usize = 512 * 1024;
/// What a second-level cache holds beside the calibration's own buffer.
const LITTLE: usize = 64 * 1024;

type Act = unsafe fn(*const u8, usize) -> Result<CacheProof, CacheError>;

/// The proof of a buffer of so many bytes.
fn proof_after(bytes: usize, act: Act) -> CacheProof {
    // Caches belong to a CPU; a thread that moves leaves them behind.
    pin_current_thread(&CpuSet::of(current_cpu().0)).unwrap();
    let memory = vec![1_u8; bytes];
    // SAFETY: the buffer is ours, from its second line on.
    let proof = unsafe { act(memory.as_ptr().add(100), memory.len() - 100) }.unwrap();
    eprintln!("{proof:?}");
    proof
}

/// How long it is tried. Ours: a machine that starts others all the time has moments without.
const PATIENCE: Duration = Duration::from_secs(20);

/// Whether it is so once: other processes push lines out of shared caches, for some time in a row.
/// Where they never stop, it cannot be seen, and is skipped.
#[track_caller]
fn shown(attempt: impl Fn() -> bool) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if (0..20).any(|_| attempt()) {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let told = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = told.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    assert!(load >= cpus as f64, "not within {PATIENCE:?}, at a load of {load} on {cpus} CPUs");
    eprintln!("SKIPPED: other work takes this machine's caches (load {load} on {cpus} CPUs)");
}

#[test]
fn a_flushed_region_is_proven_not_cached_and_a_warmed_one_cached() {
    if shows_caches() {
        shown(|| proof_after(HALF_A_MEBIBYTE, flush_and_prove).verdict == CacheVerdict::NotCached);
        shown(|| proof_after(HALF_A_MEBIBYTE, warm_and_prove).verdict == CacheVerdict::Cached);
    }
}

#[test]
fn proving_a_flushed_region_leaves_it_flushed_and_proving_alone_does_not() {
    unsafe fn twice(start: *const u8, length: usize) -> Result<CacheProof, CacheError> {
        // SAFETY: the caller vouches for the region.
        unsafe { flush_and_prove(start, length).and_then(|_| prove(start, length)) }
    }
    unsafe fn proven_between(start: *const u8, length: usize) -> Result<CacheProof, CacheError> {
        // SAFETY: the caller vouches for the region.
        unsafe { twice(start, length).and_then(|_| prove(start, length)) }
    }
    if shows_caches() {
        shown(|| proof_after(HALF_A_MEBIBYTE, twice).verdict == CacheVerdict::NotCached);
        // By time, not by verdict: the calibrations between push lines out of the nearest caches.
        shown(|| {
            let proof = proof_after(LITTLE, proven_between);
            let ticks = proof.region_median_ticks.unwrap();
            ticks as f64 * calibration::LEAST_FACTOR <= proof.miss_median_ticks as f64
        });
    }
}

#[test]
fn flushing_and_warming_change_no_byte_and_go_no_further_than_the_region() {
    if let Err(error) = lines::Flusher::of_this_cpu() {
        eprintln!("SKIPPED: {error}");
        return;
    }
    let island = Island::new();
    let end = ISLAND_BYTES;
    for (start, length) in [(0, end), (0, 1), (end - 1, 1), (end - 65, 65), (63, 2), (end, 0)] {
        // SAFETY: the part lies in the island; what lies beyond it ends the process.
        unsafe {
            warm(island.0.add(start), length);
            flush(island.0.add(start), length).unwrap();
        }
    }
    for index in 0..ISLAND_BYTES {
        // SAFETY: within the island.
        assert_eq!(unsafe { *island.0.add(index) }, index as u8, "byte {index}");
    }
}

/// Two pages of x86-64, where alone lines are flushed.
const ISLAND_BYTES: usize = 8192;

/// Bytes that count up, between pages that nobody may touch: `clflush` needs the rights of a load.
struct Island(*mut u8);

impl Island {
    fn new() -> Self {
        let (sea, anonymous) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a mapping of its own, of which the inner part is then opened and filled.
        unsafe {
            let whole = libc::mmap(std::ptr::null_mut(), 2 * ISLAND_BYTES, sea, anonymous, -1, 0);
            assert_ne!(whole, libc::MAP_FAILED);
            let start = whole.cast::<u8>().add(ISLAND_BYTES / 2);
            let open = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(start.cast(), ISLAND_BYTES, open), 0);
            (0..ISLAND_BYTES).for_each(|index| start.add(index).write(index as u8));
            Self(start)
        }
    }
}

impl Drop for Island {
    fn drop(&mut self) {
        // SAFETY: the whole mapping of `new`, to which nothing refers any more.
        unsafe { libc::munmap(self.0.sub(ISLAND_BYTES / 2).cast(), 2 * ISLAND_BYTES) };
    }
}
