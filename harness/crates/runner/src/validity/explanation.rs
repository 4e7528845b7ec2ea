//! What each doubt says to a reader.

use super::Doubt;

impl Doubt {
    /// One sentence: what was seen and what it means.
    pub fn explain(&self) -> String {
        match self {
            Self::PagesMisplaced { what, pages } => format!("{what}: {pages}"),
            Self::PagesUnproven { what, pages, of } => {
                format!("{what}: the kernel did not say where {pages} of {of} pages are")
            }
            Self::ThreadMoved { thread, cpu, asked } => {
                format!("{thread} ran on CPU {cpu}, asked: {asked}")
            }
            Self::Oversubscribed { side, threads, cpus } => format!(
                "{threads} spinning threads of the {side} share {cpus} CPUs: what is measured \
                 contains scheduling"
            ),
            Self::PreferenceNotFollowed { what, asked, found } => {
                format!("{what} was asked for as {asked}, and is: pages {found}")
            }
            Self::LoadRateUnknown { thread } => format!(
                "what {thread} did in the measured interval is not known: no window of it lay \
                 within; use a longer duration or a shorter window"
            ),
            Self::NotProvenDuring { side, what } => format!(
                "where {what} is was not looked up in the middle of the run: the {side} came too \
                 late for it"
            ),
            Self::CoreShared { side, pairs } => format!(
                "threads of the {side} are pinned to CPUs of one core ({pairs}), which take turns: \
                 pin them apart, or switch SMT off"
            ),
            Self::Turbo { side } => format!(
                "CPUs of the {side} may exceed their nominal frequency, the fewer are busy the \
                 more: in /sys/devices/system/cpu, echo 1 > intel_pstate/no_turbo, or where that \
                 is not there echo 0 > cpufreq/boost"
            ),
            Self::TransparentHugePages { side } => format!(
                "transparent huge pages are always on at the {side}: the rings may be on them or \
                 not; echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
            ),
            Self::MemoryLockTight { side, limit_bytes, registered_bytes } => format!(
                "the {side} registered {registered_bytes} bytes of the {limit_bytes} that it may \
                 lock (ulimit -l): a little more is refused"
            ),
            Self::CachesNotAsAsked { asked, found } => {
                format!("the region's lines were to be {asked}, loads from them say: {found}")
            }
            Self::CachesUnproven { asked, why } => {
                format!("whether the region's lines were {asked} cannot be told: {why}")
            }
            Self::DirectIoChangedBack => {
                "Direct I/O was to be off, and was found switched on again at the end".to_owned()
            }
            Self::LoadIdle { thread } => {
                format!("{thread} accessed nothing in the measured interval: was it given a CPU?")
            }
            Self::LoadBehindRate { asked, achieved } => format!(
                "workers made {achieved:.0} accesses a second where {asked:.0} were asked for"
            ),
            Self::ClockNotInvariant => {
                "the time-stamp counter is not marked invariant on this machine".to_owned()
            }
            Self::ClockDrifted { parts_per_million } => format!(
                "the clock's rate changed by {parts_per_million:.0} ppm since it was calibrated"
            ),
            Self::LatencySaturated { samples } => {
                format!("{samples} latencies were beyond the histogram's 60 s")
            }
            Self::LateStart { late_ns } => {
                format!("a thread missed the first {late_ns} ns of the measured interval")
            }
            Self::HostStartedLate { host, late_ns } => format!(
                "client host {host} began {late_ns} ns after the common start: is its control \
                 connection slow, or its machine busy?"
            ),
            Self::HostMissedWindows { host, late_ns, window_ns } => format!(
                "client host {host} began {late_ns} ns after the common start, more than a counting \
                 window of {window_ns} ns: is its control connection slow, or its machine busy?"
            ),
            Self::OffsetUncertain { host, uncertainty_ns, window_ns } => format!(
                "the clock of client host {host} is known to {uncertainty_ns} ns against the \
                 server's, where a counting window is {window_ns} ns: its windows may be counted \
                 beside others; use a longer window or a faster control connection"
            ),
            Self::BehindSchedule { behind_ns } => format!(
                "the schedule was {behind_ns} ns ahead of what could be posted at the end: the rate \
                 is above what the system carries, and latency grows with the length of the run"
            ),
            Self::MaxRdAtomicLowered { asked, agreed } => {
                format!("max_rd_atomic {asked} was asked for, the two devices agreed on {agreed}")
            }
            Self::ContentWrong { what } => format!("memory is not as it should be: {what}"),
            Self::ContentUnverified { why } => format!("content was not checked: {why}"),
            Self::NumaBalancing { side } => format!(
                "automatic NUMA balancing is on at the {side}: \
                 echo 0 > /proc/sys/kernel/numa_balancing"
            ),
            Self::DeviceNodeUnknown { side, why } => {
                format!("the node of the {side}'s device is unknown: {why}")
            }
            Self::SoftwareDevice { driver } => {
                format!("{driver} is software: it shows function, never the performance of a NIC")
            }
            Self::FrequencyScaling { side, governor } => format!(
                "the frequency governor of the {side} is {governor}; \
                 cpupower frequency-set -g performance"
            ),
            Self::LinkTrouble { side, counter, increase } => {
                format!("device counter {counter} of the {side} rose by {increase} during the run")
            }
            Self::QueuePairsIdle { idle, of } => format!(
                "{idle} of {of} queue pairs completed nothing in the measured interval: was their \
                 thread given a CPU?"
            ),
            Self::NothingMeasured => {
                "no operation completed in the measured interval: were all done in the warm-up?"
                    .to_owned()
            }
            Self::EndedByTime { operations, asked } => {
                format!("time ended the run after {operations} of {asked} operations")
            }
        }
    }
}
