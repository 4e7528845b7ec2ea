//! Every doubt that a run can raise about itself: a closed list, written into the data.
//!
//! A doubt that [`Doubt::invalidates`] means that the numbers are not of the design point that was
//! asked for. The others mean that a reader should know.

mod explanation;

use onesided_results::{record::DoubtRecord, vocabulary::Side};

/// One reason to look twice at a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Doubt {
    /// Pages are on another node than asked.
    PagesMisplaced {
        /// Whose memory.
        what: String,
        /// Which pages, where they are, where they should be.
        pages: String,
    },
    /// The kernel did not say where pages are.
    PagesUnproven {
        /// Whose memory.
        what: String,
        /// How many pages.
        pages: u64,
        /// Of how many.
        of: u64,
    },
    /// Memory was preferred on a node that could not give all of it.
    PreferenceNotFollowed {
        /// Whose memory.
        what: String,
        /// As it was asked for.
        asked: String,
        /// Where it is.
        found: String,
    },
    /// It was not looked up in the middle of the run where pages are.
    NotProvenDuring {
        /// On which side.
        side: Side,
        /// Whose memory.
        what: String,
    },
    /// A thread was seen on a CPU that it was not asked to run on.
    ThreadMoved {
        /// Which thread.
        thread: String,
        /// Where it was seen.
        cpu: u32,
        /// Where it should have been.
        asked: String,
    },
    /// More spinning threads than CPUs to run them on: latencies contain scheduling.
    Oversubscribed {
        /// On which side.
        side: Side,
        /// Spinning threads.
        threads: usize,
        /// CPUs that they may use.
        cpus: usize,
    },
    /// Two pinned threads share a core.
    CoreShared {
        /// On which side.
        side: Side,
        /// The pairs of CPUs.
        pairs: String,
    },
    /// The time-stamp counter is not known to run at one rate.
    ClockNotInvariant,
    /// The clock ran at another rate than when it was calibrated.
    ClockDrifted {
        /// Difference, in parts per million.
        parts_per_million: f64,
    },
    /// Latencies beyond the histogram's range; they are counted in its last bucket.
    LatencySaturated {
        /// How many.
        samples: u64,
    },
    /// A thread was not ready when the measured interval began.
    LateStart {
        /// How much of the interval the last one missed, in ns.
        late_ns: u64,
    },
    /// One of several client hosts heard too late when the warm-up begins, by a window at the most.
    HostStartedLate {
        /// Which.
        host: String,
        /// By how much, in ns.
        late_ns: u64,
    },
    /// The same, by more than a counting window.
    HostMissedWindows {
        /// Which.
        host: String,
        /// By how much, in ns.
        late_ns: u64,
        /// Length of a counting window.
        window_ns: u64,
    },
    /// It is not known well how far a client host's clock is from the server's.
    OffsetUncertain {
        /// Whose.
        host: String,
        /// How far the offset may be off, in ns.
        uncertainty_ns: u64,
        /// Length of a counting window.
        window_ns: u64,
    },
    /// An open loop could not keep its schedule.
    BehindSchedule {
        /// How long the operation that was due next had waited at the end, in ns.
        behind_ns: u64,
    },
    /// Fewer reads or atomics may be outstanding than asked.
    MaxRdAtomicLowered {
        /// Asked for.
        asked: u8,
        /// Agreed.
        agreed: u8,
    },
    /// Memory does not hold what the operations should have left there.
    ContentWrong {
        /// Where, what was found, what was due.
        what: String,
    },
    /// The content could not be checked for this operation and pattern.
    ContentUnverified {
        /// Why.
        why: String,
    },
    /// The kernel may move pages behind the run's back.
    NumaBalancing {
        /// On which side.
        side: Side,
    },
    /// The device's NUMA node is not known, so that local and remote cannot be told.
    DeviceNodeUnknown {
        /// On which side.
        side: Side,
        /// Why.
        why: String,
    },
    /// The device is software: function, never performance.
    SoftwareDevice {
        /// Its driver.
        driver: String,
    },
    /// CPUs may change their frequency.
    FrequencyScaling {
        /// On which side.
        side: Side,
        /// The governor in force.
        governor: String,
    },
    /// CPUs may exceed their nominal frequency, by as much as others leave them.
    Turbo {
        /// On which side.
        side: Side,
    },
    /// Memory that a library took may have become huge pages, or not.
    TransparentHugePages {
        /// On which side.
        side: Side,
    },
    /// The run's memory takes most of what may be locked.
    MemoryLockTight {
        /// On which side.
        side: Side,
        /// What may be locked.
        limit_bytes: u64,
        /// What the run registered.
        registered_bytes: u64,
    },
    /// The caches are not in the state that was asked for.
    CachesNotAsAsked {
        /// Asked for.
        asked: String,
        /// Found.
        found: String,
    },
    /// It cannot be told in which state the caches are.
    CachesUnproven {
        /// Asked for.
        asked: String,
        /// Why not.
        why: String,
    },
    /// Direct I/O was to be off, and somebody switched it on during the run.
    DirectIoChangedBack,
    /// A worker or a load thread accessed nothing in the measured interval.
    LoadIdle {
        /// What it is for, and its index.
        thread: String,
    },
    /// No window of a worker or a load thread lay within the measured interval.
    LoadRateUnknown {
        /// What it is for, and its index.
        thread: String,
    },
    /// Workers made fewer accesses than they were asked to.
    LoadBehindRate {
        /// Asked for, in a second, all together.
        asked: f64,
        /// Made.
        achieved: f64,
    },
    /// A counter of lost or repeated packets moved during the run.
    LinkTrouble {
        /// On which side.
        side: Side,
        /// The device counter.
        counter: String,
        /// By how much.
        increase: u64,
    },
    /// Nothing completed in the measured interval: the load had ended, or had not begun.
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

/// Beyond this the clock itself is a suspect. Ours: 200 ppm is ten times what an undisciplined
/// crystal drifts, and still below a thousandth of any ratio that is reported.
pub const CLOCK_TOLERANCE_PPM: f64 = 200.0;

/// One part in so many of a counting window that hosts' clocks may be apart. Ours: so much of a
/// window's operations may be counted beside those of another window on another host.
pub const CLOCK_SHARE_OF_WINDOW: u64 = 10;

impl Doubt {
    /// Whether the run must not be used.
    pub fn invalidates(&self) -> bool {
        matches!(
            self,
            Self::PagesMisplaced { .. }
                | Self::ThreadMoved { .. }
                | Self::ContentWrong { .. }
                | Self::CachesNotAsAsked { .. }
                | Self::LoadIdle { .. }
                | Self::DirectIoChangedBack
                | Self::NothingMeasured
                | Self::HostMissedWindows { .. }
        )
    }

    /// The word that stands in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PagesMisplaced { .. } => "pages-misplaced",
            Self::PagesUnproven { .. } => "pages-unproven",
            Self::ThreadMoved { .. } => "thread-moved",
            Self::Oversubscribed { .. } => "oversubscribed",
            Self::ClockNotInvariant => "clock-not-invariant",
            Self::ClockDrifted { .. } => "clock-drifted",
            Self::LatencySaturated { .. } => "latency-saturated",
            Self::LateStart { .. } => "late-start",
            Self::HostStartedLate { .. } => "host-started-late",
            Self::HostMissedWindows { .. } => "host-missed-windows",
            Self::OffsetUncertain { .. } => "offset-uncertain",
            Self::BehindSchedule { .. } => "behind-schedule",
            Self::MaxRdAtomicLowered { .. } => "max-rd-atomic-lowered",
            Self::ContentWrong { .. } => "content-wrong",
            Self::ContentUnverified { .. } => "content-unverified",
            Self::NumaBalancing { .. } => "numa-balancing",
            Self::DeviceNodeUnknown { .. } => "device-node-unknown",
            Self::SoftwareDevice { .. } => "software-device",
            Self::FrequencyScaling { .. } => "frequency-scaling",
            Self::PreferenceNotFollowed { .. } => "preference-not-followed",
            Self::LoadRateUnknown { .. } => "load-rate-unknown",
            Self::NotProvenDuring { .. } => "not-proven-during",
            Self::CoreShared { .. } => "core-shared",
            Self::Turbo { .. } => "turbo",
            Self::TransparentHugePages { .. } => "transparent-huge-pages",
            Self::MemoryLockTight { .. } => "memory-lock-tight",
            Self::CachesNotAsAsked { .. } => "caches-not-as-asked",
            Self::CachesUnproven { .. } => "caches-unproven",
            Self::DirectIoChangedBack => "direct-io-changed-back",
            Self::LoadIdle { .. } => "load-idle",
            Self::LoadBehindRate { .. } => "load-behind-rate",
            Self::LinkTrouble { .. } => "link-trouble",
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
}

#[cfg(test)]
mod tests;
