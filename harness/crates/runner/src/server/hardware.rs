//! What a run does to the server's hardware, and what that counts: caches, Direct I/O, counters
//! outside the cores.

use onesided_measure::Clock;
use onesided_placement::CpuSet;
use onesided_platform::{
    cache::{self, CacheProof, CacheVerdict},
    direct_io::{DirectIo, Guard, Restored},
    uncore::{Counters, Opened, Reading, USUAL_LIMIT},
};
use onesided_results::{
    record::{CacheRecord, CounterRecord, DirectIoRecord},
    vocabulary::{CacheFinding, CacheState, Ddio, DirectIoFinding, Phase},
};
use onesided_transport::Transport;

use crate::{
    error::RunError,
    places::Placed,
    site::{DirectIoControl, Site},
    thread::pin,
};

/// Direct I/O during a run.
pub(super) struct DirectIoState {
    record: DirectIoRecord,
    guard: Option<Guard>,
}

impl DirectIoState {
    /// Looks at it, and switches it off if the run asks for that by name.
    pub(super) fn set<T: Transport>(site: &Site<'_, T>, asked: Ddio) -> Result<Self, RunError> {
        let failed = |what: String| {
            let what = format!("ddio = {asked}: {what}");
            RunError::plain(Phase::SetUp, what)
        };
        let device = &site.transport.description().name;
        let Some(control) = &site.direct_io else {
            return match asked {
                Ddio::Default => Ok(Self::unknown("this server does not look at it")),
                Ddio::Off => {
                    Err(failed("this server may not change it: start it with --change-ddio".into()))
                }
            };
        };
        let DirectIoControl { roots, may_change, .. } = control;
        if asked == Ddio::Default {
            return Ok(Self { record: record_of(&roots.state(device), false), guard: None });
        }
        if !may_change {
            return Err(failed(
                "this server may not change it: start it with --change-ddio".into(),
            ));
        }
        let off = |source| RunError::new(Phase::SetUp, format!("ddio = {asked}"), source);
        // What an earlier server left behind when it was killed along with its guardian.
        roots.recover().map_err(off)?;
        let guard = roots.switch_off(device, control.guardian()).map_err(off)?;
        let record = record_of(&roots.state(device), guard.changed());
        if record.state != DirectIoFinding::Off {
            // The guard gives back what it may have changed.
            return Err(failed(format!("it is {} after it was switched off", record.state)));
        }
        Ok(Self { record, guard: Some(guard) })
    }

    fn unknown(why: &str) -> Self {
        let record = DirectIoRecord {
            state: DirectIoFinding::Unknown,
            evidence: why.into(),
            changed: false,
            changed_back: false,
        };
        Self { record, guard: None }
    }

    /// Gives it back; says how it was during the run.
    pub(super) fn restore(mut self) -> Result<DirectIoRecord, RunError> {
        if let Some(guard) = self.guard {
            let restored = guard.restore().map_err(|source| {
                RunError::new(Phase::Verify, "ddio cannot be restored", source)
            })?;
            self.record.changed_back = restored == Restored::FoundOn;
        }
        Ok(self.record)
    }
}

fn record_of(state: &DirectIo, changed: bool) -> DirectIoRecord {
    let at_port = "register of the root port above the card".to_owned();
    let (state, evidence) = match state {
        DirectIo::On => (DirectIoFinding::On, at_port),
        DirectIo::Off => (DirectIoFinding::Off, at_port),
        DirectIo::Unsupported { why } => (DirectIoFinding::Unsupported, why.clone()),
    };
    DirectIoRecord { state, evidence, changed, changed_back: false }
}

/// Counters of the card and outside the cores, around a run.
pub(super) struct Counting {
    uncore: Counters,
    refused: Vec<String>,
    before: Reading,
    record: CounterRecord,
}

impl Counting {
    /// Opens what there is, and reads it.
    pub(super) fn start<T: Transport>(site: &Site<'_, T>) -> Self {
        let Opened { counters: mut uncore, refused } = Counters::open(USUAL_LIMIT);
        let before = uncore.read();
        let mut record = site.counting_begins();
        record.before.extend(before.counts.iter().map(|(name, count)| (name.clone(), count.value)));
        Self { uncore, refused, before, record }
    }

    /// Reads them again.
    pub(super) fn finish<T: Transport>(mut self, site: &Site<'_, T>) -> CounterRecord {
        let after = self.uncore.read();
        let counted = after.since(&self.before);
        let mut record = self.record;
        site.counting_ends(&mut record);
        // Counters that had the hardware for a part of the run are scaled up to the whole of it, so
        // the difference is what counts.
        for (name, count) in counted.counts {
            let before = self.before.counts.get(&name).map_or(0, |before| before.value);
            record.after.insert(name, before + count);
        }
        let scaled = counted.estimated.iter().map(|name| {
            format!("{name} shared its hardware with other counters: its increase is scaled up")
        });
        record.notes.extend([self.refused, self.before.failed, after.failed].concat());
        record.notes.extend(scaled);
        let idle = record.before.keys().filter(|name| !record.after.contains_key(*name));
        let idle: Vec<_> = idle.map(|name| format!("{name} was not counted")).collect();
        record.notes.extend(idle);
        record
    }
}

/// How often caches are set, at most. Ours: to lose the CPU three times in a millisecond is no accident.
const TRIES: u32 = 3;

/// Flushes or warms the region as asked, and proves it; nothing if nothing is asked.
///
/// Whole pages of it: the line that a small region lies on is all its own. Done on `cpus`, those of
/// the region's node: the caches near them are those that matter to accesses of its memory.
pub(super) fn set_caches(
    region: &Placed,
    asked: CacheState,
    cpus: Option<&CpuSet>,
    clock: Clock,
) -> Result<Option<CacheRecord>, RunError> {
    if asked == CacheState::Default {
        return Ok(None);
    }
    let proof = timed(region, cpus, |start, length| {
        // SAFETY: the region is mapped as long as it is borrowed.
        until_as_asked(asked, || unsafe {
            match asked {
                CacheState::Flushed => cache::flush_and_prove(start, length),
                CacheState::Warm | CacheState::Default => cache::warm_and_prove(start, length),
            }
        })
    })?;
    let proof = proof
        .map_err(|source| RunError::new(Phase::SetUp, format!("cache_state = {asked}"), source))?;
    Ok(Some(record(asked, &proof, clock)))
}

/// Sets caches until they are as asked, or it cannot be told: a thread that loses its CPU between setting
/// and proving may find its lines taken by others. What stays otherwise is told as it is.
fn until_as_asked<E>(
    asked: CacheState,
    mut set: impl FnMut() -> Result<CacheProof, E>,
) -> Result<CacheProof, E> {
    let contrary = match asked {
        CacheState::Flushed => CacheVerdict::Cached,
        CacheState::Warm | CacheState::Default => CacheVerdict::NotCached,
    };
    let mut proof = set()?;
    for _ in 1..TRIES {
        if proof.verdict != contrary {
            break;
        }
        proof = set()?;
    }
    Ok(proof)
}

/// Adds to a record what timing says of the region now that the run is over.
pub(super) fn look_at_caches(
    region: &Placed,
    caches: &mut Option<CacheRecord>,
    cpus: Option<&CpuSet>,
) -> Result<(), RunError> {
    let Some(caches) = caches else { return Ok(()) };
    let proof = timed(region, cpus, |start, length| {
        // SAFETY: the region is mapped as long as it is borrowed.
        unsafe { cache::prove(start, length) }
    })?;
    // What could be timed before can be timed again.
    if let Ok(proof) = proof {
        caches.found_after = Some(finding(proof.verdict).0);
        caches.cached_fraction_after = proof.cached_share;
    }
    Ok(())
}

/// Calls `body` with the region on a thread of its own on `cpus`, so that this one stays where it
/// may run.
fn timed<R: Send>(
    region: &Placed,
    cpus: Option<&CpuSet>,
    body: impl FnOnce(*const u8, usize) -> R + Send,
) -> Result<R, RunError> {
    let life = || {
        pin(cpus)?;
        Ok(body(region.memory.as_ptr().cast_const(), region.memory.len()))
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("caches".to_owned());
        let running = thread.spawn_scoped(scope, life).map_err(|source| {
            RunError::new(Phase::SetUp, "the thread that sets and reads caches", source)
        })?;
        running.join().expect("flushing and reading memory does not panic")
    })
}

fn finding(verdict: CacheVerdict) -> (CacheFinding, Option<String>) {
    match verdict {
        CacheVerdict::Cached => (CacheFinding::Cached, None),
        CacheVerdict::NotCached => (CacheFinding::NotCached, None),
        CacheVerdict::Inconclusive { why } => (CacheFinding::Inconclusive, Some(why.to_string())),
    }
}

fn record(asked: CacheState, proof: &CacheProof, clock: Clock) -> CacheRecord {
    let ns = |ticks: u64| clock.nanoseconds(ticks) as f64;
    let (found, why) = finding(proof.verdict);
    let method = match asked {
        // It has flushed by it just now.
        CacheState::Flushed => cache::flush_instruction().unwrap_or("none"),
        CacheState::Warm | CacheState::Default => "loads",
    };
    CacheRecord {
        asked,
        method: method.to_owned(),
        found,
        why,
        lines_timed: proof.sample_lines as u64,
        cached_fraction: proof.cached_share,
        load_ns: proof.region_median_ticks.map(ns),
        hit_ns: Some(ns(proof.hit_median_ticks)),
        miss_ns: Some(ns(proof.miss_median_ticks)),
        found_after: None,
        cached_fraction_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(verdict: CacheVerdict) -> CacheProof {
        CacheProof {
            sample_lines: 64,
            region_median_ticks: Some(1),
            hit_median_ticks: 1,
            miss_median_ticks: 2,
            cached_share: None,
            verdict,
        }
    }

    /// How often caches are set where these are the verdicts, and what is found in the end.
    fn set(asked: CacheState, verdicts: [CacheVerdict; 3]) -> (usize, CacheVerdict) {
        let mut left = verdicts.into_iter();
        let found = until_as_asked(asked, || left.next().map(proof).ok_or("once too often"));
        (verdicts.len() - left.len(), found.unwrap().verdict)
    }

    #[test]
    fn caches_that_are_not_as_asked_are_set_again_twice_at_most() {
        use CacheVerdict::{Cached, NotCached};
        let open = CacheVerdict::Inconclusive { why: cache::Doubt::Indistinguishable };
        let (warm, flushed) = (CacheState::Warm, CacheState::Flushed);
        assert_eq!(set(warm, [Cached, NotCached, NotCached]), (1, Cached));
        assert_eq!(set(warm, [NotCached, Cached, NotCached]), (2, Cached));
        assert_eq!(set(warm, [NotCached, NotCached, NotCached]), (3, NotCached));
        assert_eq!(set(flushed, [Cached, NotCached, Cached]), (2, NotCached));
        assert_eq!(set(flushed, [open, NotCached, NotCached]), (1, open));
    }
}
