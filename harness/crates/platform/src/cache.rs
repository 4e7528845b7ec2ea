//! Cache lines: flushed, warmed, and the proof of either by timing.
//!
//! A proof times single loads from a random sample of the region's lines, and in the same call what
//! a load costs here that certainly hits (a line just read) and one that certainly misses (a line
//! just flushed). Where these two cannot be told apart, as in a machine that is emulated, the proof
//! says so and nothing else.
//!
//! Timed loads bring lines into the cache: [`flush_and_prove`] flushes its sample again. Within one
//! page a line that is not in the sample is read before each load, so that a miss of the address
//! translation is not taken for one of the cache.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CLFLUSH,
//! CLFLUSHOPT, LFENCE, RDTSCP.

mod calibration;
mod sample;
#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(not(target_arch = "x86_64"))]
#[path = "cache/elsewhere.rs"]
mod x86_64;

use std::fmt;

use calibration::Calibration;
use x86_64 as lines;

/// At most so many lines are timed. Ours: a share is then known to within 2 % (twice the standard
/// error at one half), and the proof takes about a millisecond.
const SAMPLE_LINES: usize = 4096;

/// Shares of cached lines up to which a region counts as not cached, and from which as cached.
/// Ours: interrupts and prefetching touch a few lines of any region.
const SOME_SHARE: f64 = 0.1;
const MOST_SHARE: f64 = 0.9;

/// Why lines could not be flushed or timed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The instructions are known for x86-64 only.
    #[error("cache lines can be flushed and timed on x86-64 only, this is {architecture}")]
    Unsupported {
        /// This machine's.
        architecture: &'static str,
    },
    /// The CPU has not even `clflush`.
    #[error("this CPU has neither clflush nor clflushopt (CPUID leaf 1, EDX bit 19)")]
    NoFlush,
}

/// What a proof says of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CacheVerdict {
    /// 90 % of its lines or more are in a cache near the calling thread.
    Cached,
    /// 10 % or less are.
    NotCached,
    /// It cannot be said.
    Inconclusive {
        /// Why.
        why: Doubt,
    },
}

/// Why a proof says nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// Loads that hit and loads that miss take the same time here.
    Indistinguishable,
    /// Some lines are cached, others are not: it may be larger than the caches.
    Mixed,
    /// No line could be sampled: the region is empty, or lies in first lines of pages only.
    NoLines,
}

impl fmt::Display for Doubt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Indistinguishable => "loads that hit and loads that miss take the same time here",
            Self::Mixed => "some of the lines are cached and others are not",
            Self::NoLines => "there is no line to time",
        })
    }
}

/// Times of loads, in ticks of the time stamp counter, with what surrounds every load.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheProof {
    /// Lines of the region that were timed.
    pub sample_lines: usize,
    /// Median of the region's lines; absent where none was timed.
    pub region_median_ticks: Option<u64>,
    /// Median of lines that were just read.
    pub hit_median_ticks: u64,
    /// Median of lines that were just flushed.
    pub miss_median_ticks: u64,
    /// Share of the region's lines that took less than the threshold between hits and misses,
    /// 0 to 1; absent where there is no threshold or no line.
    pub cached_share: Option<f64>,
    /// What follows.
    pub verdict: CacheVerdict,
}

/// The instruction that flushes on this CPU: `clflushopt`, which many lines at once can wait for, or
/// `clflush`.
///
/// # Errors
/// Not x86-64, or a CPU without either.
pub fn flush_instruction() -> Result<&'static str, CacheError> {
    Ok(lines::Flusher::of_this_cpu()?.name())
}

/// Writes all lines of a region back and takes them out of every cache of the machine, by
/// `clflushopt` where the CPU has it, else `clflush`. What is stored before is in memory afterwards.
///
/// # Errors
/// Not x86-64, or a CPU without the instruction.
///
/// # Safety
/// The region is mapped and readable during the call. Others may write to it meanwhile.
pub unsafe fn flush(start: *const u8, length: usize) -> Result<(), CacheError> {
    let flusher = lines::Flusher::of_this_cpu()?;
    // SAFETY: the caller vouches for the region.
    unsafe { flusher.region(start, length) };
    Ok(())
}

/// Reads every line of a region twice from the calling thread, in ascending order: afterwards as
/// much of it as fits is in the caches of the CPU that the thread runs on. How much that is the
/// proof tells: of a region larger than the last-level cache, or of its share in a virtual machine,
/// the first lines are gone when the last ones are read.
///
/// # Safety
/// The region is mapped and readable during the call. Others may write to it meanwhile.
pub unsafe fn warm(start: *const u8, length: usize) {
    for _ in 0..2 {
        // A step below any line's size, 32 bytes, reads every line without asking for the size.
        for offset in (0..length).step_by(32).chain(length.checked_sub(1)) {
            // SAFETY: within the region; volatile, as others may write to it.
            unsafe { start.add(offset).read_volatile() };
        }
    }
}

/// Times a sample of a region's lines, and judges whether they are cached. Pin the thread before.
///
/// Leaves the sampled lines, and the first lines of their pages, cached.
///
/// # Errors
/// Not x86-64, or a CPU without the instructions.
///
/// # Safety
/// The region is mapped and readable during the call. Others may write to it meanwhile.
pub unsafe fn prove(start: *const u8, length: usize) -> Result<CacheProof, CacheError> {
    let flusher = lines::Flusher::of_this_cpu()?;
    let sample = sample::lines_of(start, length, flusher.line_bytes(), SAMPLE_LINES);
    // SAFETY: the sample lies in the region, which the caller vouches for.
    Ok(unsafe { proof(&sample, &flusher) })
}

/// Flushes a region, proves it, and flushes again what the proof brought into the caches.
///
/// # Errors
/// Not x86-64, or a CPU without the instructions.
///
/// # Safety
/// As [`flush`].
pub unsafe fn flush_and_prove(start: *const u8, length: usize) -> Result<CacheProof, CacheError> {
    let flusher = lines::Flusher::of_this_cpu()?;
    let sample = sample::lines_of(start, length, flusher.line_bytes(), SAMPLE_LINES);
    // SAFETY: the caller vouches for the region, in which the sample lies; the first lines of its
    // pages are mapped as the rest of the pages is.
    unsafe {
        flusher.region(start, length);
        let proof = proof(&sample, &flusher);
        flusher.each(sample.iter().flat_map(|line| [*line, sample::first_of_page(*line)]));
        Ok(proof)
    }
}

/// Warms a region and proves it.
///
/// # Errors
/// Not x86-64, or a CPU without the instructions.
///
/// # Safety
/// As [`warm`].
pub unsafe fn warm_and_prove(start: *const u8, length: usize) -> Result<CacheProof, CacheError> {
    // SAFETY: the caller vouches for the region.
    unsafe {
        warm(start, length);
        prove(start, length)
    }
}

/// # Safety
/// The lines and the first lines of their pages are mapped and readable.
unsafe fn proof(sample: &[*const u8], flusher: &lines::Flusher) -> CacheProof {
    // SAFETY: the caller vouches for the lines.
    let times: Vec<u64> = sample.iter().map(|line| unsafe { time_of(*line) }).collect();
    judge(times, &Calibration::here(flusher))
}

/// The ticks that one load takes, its page's translation at hand.
///
/// # Safety
/// The line and the first line of its page are mapped and readable.
unsafe fn time_of(line: *const u8) -> u64 {
    // SAFETY: the caller vouches for both lines.
    unsafe {
        sample::first_of_page(line).read_volatile();
        lines::timed_load(line)
    }
}

fn judge(mut times: Vec<u64>, calibration: &Calibration) -> CacheProof {
    times.sort_unstable();
    let doubt = |why| CacheVerdict::Inconclusive { why };
    let share = calibration.threshold_ticks.filter(|_| !times.is_empty()).map(|threshold| {
        times.partition_point(|ticks| *ticks < threshold) as f64 / times.len() as f64
    });
    let verdict = match share {
        _ if times.is_empty() => doubt(Doubt::NoLines),
        None => doubt(Doubt::Indistinguishable),
        Some(share) if share >= MOST_SHARE => CacheVerdict::Cached,
        Some(share) if share <= SOME_SHARE => CacheVerdict::NotCached,
        Some(_) => doubt(Doubt::Mixed),
    };
    CacheProof {
        sample_lines: times.len(),
        region_median_ticks: times.get(times.len() / 2).copied(),
        hit_median_ticks: calibration.hit_median_ticks,
        miss_median_ticks: calibration.miss_median_ticks,
        cached_share: share,
        verdict,
    }
}

#[cfg(test)]
mod tests;
