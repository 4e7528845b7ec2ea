//! What the further client hosts did, added to what the lead did.

use onesided_control::message::{CountedQueuePair, PartFinished, TogetherFinished, Verification};
use onesided_results::{
    Doubt, RunConfiguration,
    record::{ClientClockRecord, DoubtRecord},
    vocabulary::{Phase, Side},
};

use super::settle::Settled;
use crate::{counted, error::RunError, partial_record::PartialRecord};

/// One part in so many of a counting window that hosts' clocks may be apart. Ours: so much of a
/// window's operations may be counted beside those of another window on another host.
const CLOCK_SHARE_OF_WINDOW: u64 = 10;

/// Adds the further hosts to the lead's record and numbers.
pub(super) fn add(
    partial: &mut PartialRecord,
    configuration: &RunConfiguration,
    settled: &mut Settled,
    together: TogetherFinished,
    counted: Vec<CountedQueuePair>,
) -> Result<(), RunError> {
    for queue_pair in counted {
        counted::add(&mut settled.counts, queue_pair)
            .map_err(|source| RunError::new(Phase::Verify, "counts of a client host", source))?;
    }
    let (found, due) = (settled.counts.queue_pairs().len(), configuration.queue_pairs as usize);
    if found != due {
        let what = format!("the client hosts counted {found} queue pairs, the run has {due}");
        return Err(RunError::plain(Phase::Verify, what));
    }
    for part in together.parts {
        // Numbers of another host, which may be any.
        let totals = &mut settled.totals;
        totals.signaled = totals.signaled.saturating_add(part.signaled);
        totals.reported = totals.reported.saturating_add(part.completions);
        totals.completed = totals.completed.saturating_add(part.completed.operations);
        settled.measured_ns = settled.measured_ns.max(part.measured_ns);
        tell_of(partial, part);
    }
    let window_ns = configuration.window_ms * 1_000_000;
    together.clocks.iter().for_each(|clock| doubt_clock(clock, window_ns, &mut partial.doubts));
    partial.client_clocks = together.clocks;
    Ok(())
}

fn tell_of(partial: &mut PartialRecord, part: PartFinished) {
    let host = part.record.side.host.hostname.clone();
    let named = |doubt: DoubtRecord| DoubtRecord {
        explanation: format!("client host {host}: {}", doubt.explanation),
        ..doubt
    };
    partial.further_doubts.extend(part.doubts.into_iter().map(named));
    let verification = match part.verification {
        Verification::Checked(mut record) => {
            record.what = format!("client host {host}: {}", record.what);
            Verification::Checked(record)
        }
        other => other,
    };
    partial.verify(Side::Client, verification);
    partial.further_clients.push(part.record);
}

/// What speaks against one host's start.
fn doubt_clock(clock: &ClientClockRecord, window_ns: u64, doubts: &mut Vec<Doubt>) {
    let ClientClockRecord { host, uncertainty_ns, late_ns, .. } = clock.clone();
    if late_ns > window_ns {
        doubts.push(Doubt::HostMissedWindows { host: host.clone(), late_ns, window_ns });
    } else if late_ns > 0 {
        doubts.push(Doubt::HostStartedLate { host: host.clone(), late_ns });
    }
    if uncertainty_ns > window_ns / CLOCK_SHARE_OF_WINDOW {
        doubts.push(Doubt::OffsetUncertain { host, uncertainty_ns, window_ns });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW_NS: u64 = 10_000_000;

    fn doubts(uncertainty_ns: u64, late_ns: u64) -> Vec<(&'static str, bool)> {
        let clock = ClientClockRecord {
            host: "c".to_owned(),
            offset_ns: 5,
            uncertainty_ns,
            round_trips: 16,
            drift_ppm: 0.0,
            drift_uncertainty_ppm: 1.0,
            late_ns,
        };
        let mut doubts = Vec::new();
        doubt_clock(&clock, WINDOW_NS, &mut doubts);
        assert!(doubts.iter().all(|doubt| doubt.explain().contains("client host c")));
        doubts.iter().map(|doubt| (doubt.name(), doubt.invalidates())).collect()
    }

    #[test]
    fn a_host_is_doubted_that_starts_late_and_does_not_count_if_it_misses_a_window() {
        assert_eq!(doubts(WINDOW_NS / 10, 0), []);
        assert_eq!(doubts(0, WINDOW_NS), [("host-started-late", false)]);
        assert_eq!(doubts(0, WINDOW_NS + 1), [("host-missed-windows", true)]);
    }

    #[test]
    fn an_offset_is_doubted_that_may_be_wrong_by_more_than_a_tenth_of_a_window() {
        assert_eq!(doubts(WINDOW_NS / 10 + 1, 0), [("offset-uncertain", false)]);
    }
}
