//! Every doubt that a simulated run can raise about itself: a closed list, written into the data.
//!
//! Those of measured runs are in `onesided-runner`, which knows no model; a word that is in both
//! lists means the same.

use onesided_results::record::DoubtRecord;

/// One reason to look twice at a simulated run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SimulatedDoubt {
    /// Only a part of what was asked for was simulated.
    ShareOnly {
        /// Virtual time that was measured.
        measured_ns: u64,
        /// What was asked for.
        asked_ns: u64,
    },
    /// Places were left open, and the model took one.
    PlacesAssumed {
        /// Factors, and what was taken.
        places: Vec<(&'static str, &'static str)>,
    },
    /// Load of other extent than the parameters know.
    LoadAsCalibrated {
        /// How many threads it was to have.
        threads: Option<u32>,
        /// Its share of writes.
        write_fraction: Option<f64>,
    },
    /// There is no table of what workers and load did.
    HostAccessesNotCounted,
    /// Latencies beyond the histogram's range; they are counted in its last bucket.
    LatencySaturated {
        /// How many.
        samples: u64,
    },
    /// An open loop could not keep its schedule.
    BehindSchedule {
        /// How long the last operation took from when it was due, in ns.
        behind_ns: u64,
    },
    /// Nothing completed in the measured interval.
    NothingMeasured,
    /// Queue pairs that completed nothing while others did.
    QueuePairsIdle {
        /// How many.
        idle: usize,
        /// Of how many.
        of: usize,
    },
    /// The run ended before its limit of operations.
    EndedByTime {
        /// Operations done, warm-up included.
        operations: u64,
        /// Operations asked for.
        asked: u64,
    },
}

impl SimulatedDoubt {
    /// Whether the run must not be used.
    pub fn invalidates(&self) -> bool {
        matches!(self, Self::NothingMeasured)
    }

    /// The word that stands in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ShareOnly { .. } => "simulated-in-part",
            Self::PlacesAssumed { .. } => "places-assumed",
            Self::LoadAsCalibrated { .. } => "load-as-calibrated",
            Self::HostAccessesNotCounted => "host-accesses-not-counted",
            Self::LatencySaturated { .. } => "latency-saturated",
            Self::BehindSchedule { .. } => "behind-schedule",
            Self::NothingMeasured => "nothing-measured",
            Self::QueuePairsIdle { .. } => "queue-pairs-idle",
            Self::EndedByTime { .. } => "ended-by-time",
        }
    }

    /// As it is written down.
    pub fn record(&self) -> DoubtRecord {
        DoubtRecord {
            doubt: self.name().to_owned(),
            invalidates: self.invalidates(),
            explanation: self.explain(),
        }
    }

    fn explain(&self) -> String {
        match self {
            Self::ShareOnly { measured_ns, asked_ns } => format!(
                "{measured_ns} ns of the {asked_ns} ns that were asked for were simulated, and as \
                 large a share of everything else"
            ),
            Self::PlacesAssumed { places } => {
                let each = places.iter().map(|(factor, place)| format!("{factor} as {place}"));
                let each: Vec<_> = each.collect();
                format!("any place would do, and was taken: {}", each.join(", "))
            }
            Self::LoadAsCalibrated { threads, write_fraction } => format!(
                "the model knows load by its place and size only: {} threads with a share of writes \
                 of {} were taken for as much load as the parameters were fitted to",
                threads.map_or_else(|| "any number of".to_owned(), |count| count.to_string()),
                write_fraction.map_or_else(|| "any".to_owned(), |share| share.to_string()),
            ),
            Self::HostAccessesNotCounted => "the model has of workers and load what they do to \
                                             requests; their own accesses are not counted"
                .to_owned(),
            Self::LatencySaturated { samples } => {
                format!("{samples} latencies were beyond the histogram's 60 s")
            }
            Self::BehindSchedule { behind_ns } => format!(
                "the last operation completed {behind_ns} ns after it was due: the rate is above \
                 what the system carries, and latency grows with the length of the run"
            ),
            Self::NothingMeasured => {
                "no operation completed in the measured interval: were all done in the warm-up?"
                    .to_owned()
            }
            Self::QueuePairsIdle { idle, of } => {
                format!("{idle} of {of} queue pairs completed nothing in the measured interval")
            }
            Self::EndedByTime { operations, asked } => {
                format!("time ended the run after {operations} of {asked} operations")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn all() -> Vec<SimulatedDoubt> {
        use SimulatedDoubt::*;
        vec![
            ShareOnly { measured_ns: 1, asked_ns: 2 },
            PlacesAssumed { places: vec![("server_region", "rdma-local")] },
            LoadAsCalibrated { threads: None, write_fraction: Some(0.5) },
            HostAccessesNotCounted,
            LatencySaturated { samples: 1 },
            BehindSchedule { behind_ns: 1 },
            NothingMeasured,
            QueuePairsIdle { idle: 1, of: 2 },
            EndedByTime { operations: 1, asked: 2 },
        ]
    }

    #[test]
    fn the_methodology_says_of_every_doubt_what_it_means_for_simulated_runs() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let page = std::fs::read_to_string(repository.join("docs/methodology.md")).unwrap();
        let (_, of_simulated) = page.split_once("Of a simulated run").expect("a part of it");
        let (of_simulated, _) = of_simulated.split_once("\nA run is").expect("its end");
        for doubt in all() {
            let name = format!("`{}`", doubt.name());
            assert_eq!(of_simulated.matches(&name).count(), 1, "{name}");
            assert!(!doubt.explain().is_empty());
        }
    }
}
