//! The doubts.

use std::num::NonZeroU32;

use onesided_vocabulary::Side;

// One list, and longer than 500 lines: a macro makes one enum of it, in the order of data/schema/doubts.csv, so it
// cannot be parted; no entry has code.
doubts! {
    // Of imported runs.
    /// There is nothing in the file.
    Empty = "empty" invalid;

    /// Nothing was completed.
    AllZero = "all-zero" invalid;

    /// The file is a copy of another one; that one counts.
    Duplicate = "duplicate" invalid;

    /// And it lies in the folder of other factors.
    Misfiled = "misfiled" invalid;

    /// Queue pairs ran one after the other.
    OneAtATime = "one-at-a-time" counts;

    /// More spinning threads than CPUs: what was measured contains scheduling, and of the study's runs it
    /// is an upper bound.
    Oversubscribed {
        /// Whose threads.
        of: String,
        /// Spinning threads.
        threads: usize,
        /// CPUs that they may use.
        cpus: usize,
    } = "oversubscribed" counts,
        "{threads} spinning threads of {of} share {cpus} CPUs: what is measured \
         contains scheduling";

    /// The release's estimator does not add up to the operations done.
    ClockNotClosed = "clock-not-closed" counts;

    /// All clients together were active for less than five epochs.
    NoCommonWindow = "no-common-window" counts;

    /// Writes ran in a slow regime, which nothing in the set-up tells beforehand.
    RegimeSlow = "regime-slow" counts;

    /// Writes changed their regime within the run.
    RegimeMixed = "regime-mixed" counts;

    /// Writes ran in their fast regime, which nothing in the set-up tells beforehand.
    RegimeFast = "regime-fast" counts;

    /// A factor is not what the folder says.
    LabelCorrected = "label-corrected" counts;

    /// The access size is in no path, and taken to be 8 bytes.
    SizeAssumed = "size-assumed" counts;

    /// The size of the load is not recorded.
    LoadSizeUnknown = "load-size-unknown" counts;

    /// Where the client's threads ran is not known.
    ClientPlaceUnknown = "client-place-unknown" counts;

    /// Which machines these were is concluded from the numbers.
    TestbedInferred = "testbed-inferred" counts;

    // Of runs that were done.
    /// Pages are on another node than asked.
    PagesMisplaced {
        /// Whose memory.
        what: String,
        /// Which pages, where they are, where they should be.
        pages: String,
    } = "pages-misplaced" invalid,
        "{what}: {pages}";

    /// The kernel did not say where pages are.
    PagesUnproven {
        /// Whose memory.
        what: String,
        /// How many pages.
        pages: u64,
        /// Of how many.
        of: u64,
    } = "pages-unproven" counts,
        "{what}: the kernel did not say where {pages} of {of} pages are";

    /// Memory was preferred on a node that could not give all of it.
    PreferenceNotFollowed {
        /// Whose memory.
        what: String,
        /// As it was asked for.
        asked: String,
        /// Where it is.
        found: String,
    } = "preference-not-followed" counts,
        "{what} was asked for as {asked}, and is: pages {found}";

    /// It was not looked up in the middle of the run where pages are.
    NotProvenDuring {
        /// On which side.
        side: Side,
        /// Whose memory.
        what: String,
    } = "not-proven-during" counts,
        "where {what} is was not looked up in the middle of the run: the {side} came too \
         late for it";

    /// A thread was seen on a CPU that it was not asked to run on.
    ThreadMoved {
        /// Which thread.
        thread: String,
        /// Where it was seen.
        cpu: u32,
        /// Where it should have been.
        asked: String,
    } = "thread-moved" invalid,
        "{thread} ran on CPU {cpu}, asked: {asked}";

    /// Two pinned threads share a core.
    CoreShared {
        /// On which side.
        side: Side,
        /// The pairs of CPUs.
        pairs: String,
    } = "core-shared" counts,
        "threads of the {side} are pinned to CPUs of one core ({pairs}), which take turns: \
         pin them apart, or switch SMT off";

    /// The time-stamp counter is not known to run at one rate.
    ClockNotInvariant = "clock-not-invariant" counts,
        "the time-stamp counter is not marked invariant on this machine";

    /// The clock ran at another rate than when it was calibrated.
    ClockDrifted {
        /// Difference, in parts per million.
        parts_per_million: f64,
    } = "clock-drifted" counts,
        "the clock's rate changed by {parts_per_million:.0} ppm since it was calibrated";

    /// Latencies beyond the histogram's range; they are counted in its last bucket.
    LatencySaturated {
        /// How many.
        samples: u64,
    } = "latency-saturated" counts,
        "{samples} latencies were beyond the histogram's 60 s";

    /// A thread was not ready when the measured interval began.
    LateStart {
        /// How much of the interval the last one missed, in ns.
        late_ns: u64,
    } = "late-start" counts,
        "a thread missed the first {late_ns} ns of the measured interval";

    /// One of several client hosts heard too late when the warm-up begins, by a window at the most.
    HostStartedLate {
        /// Which.
        host: String,
        /// By how much, in ns.
        late_ns: u64,
    } = "host-started-late" counts,
        "client host {host} began {late_ns} ns after the common start: is its control \
         connection slow, or its machine busy?";

    /// The same, by more than a counting window.
    HostMissedWindows {
        /// Which.
        host: String,
        /// By how much, in ns.
        late_ns: u64,
        /// Length of a counting window.
        window_ns: u64,
    } = "host-missed-windows" invalid,
        "client host {host} began {late_ns} ns after the common start, more than a counting \
         window of {window_ns} ns: is its control connection slow, or its machine busy?";

    /// It is not known well how far a client host's clock is from the server's.
    OffsetUncertain {
        /// Whose.
        host: String,
        /// How far the offset may be off, in ns.
        uncertainty_ns: u64,
        /// Length of a counting window.
        window_ns: u64,
    } = "offset-uncertain" counts,
        "the clock of client host {host} is known to {uncertainty_ns} ns against the \
         server's, where a counting window is {window_ns} ns: its windows may be counted \
         beside others; use a longer window or a faster control connection";

    /// An open loop could not keep its schedule.
    BehindSchedule {
        /// How long the operation that was due next had waited at the end, in ns.
        behind_ns: u64,
    } = "behind-schedule" counts,
        "the schedule was {behind_ns} ns ahead of what could be posted at the end: the rate \
         is above what the system carries, and latency grows with the length of the run";

    /// Fewer reads or atomics may be outstanding than asked.
    MaxRdAtomicLowered {
        /// Asked for.
        asked: u8,
        /// Agreed.
        agreed: u8,
    } = "max-rd-atomic-lowered" counts,
        "max_rd_atomic {asked} was asked for, the two devices agreed on {agreed}";

    /// Memory does not hold what the operations should have left there.
    ContentWrong {
        /// Where, what was found, what was due.
        what: String,
    } = "content-wrong" invalid,
        "memory is not as it should be: {what}";

    /// The content could not be checked for this operation and pattern.
    ContentUnverified {
        /// Why.
        why: String,
    } = "content-unverified" counts,
        "content was not checked: {why}";

    /// The kernel may move pages behind the run's back.
    NumaBalancing {
        /// On which side.
        side: Side,
    } = "numa-balancing" counts,
        "automatic NUMA balancing is on at the {side}: \
         echo 0 > /proc/sys/kernel/numa_balancing";

    /// The device's NUMA node is not known, so that local and remote cannot be told.
    DeviceNodeUnknown {
        /// On which side.
        side: Side,
        /// Why.
        why: String,
    } = "device-node-unknown" counts,
        "the node of the {side}'s device is unknown: {why}";

    /// The device is software: function, never performance.
    SoftwareDevice {
        /// Its driver.
        driver: String,
    } = "software-device" counts,
        "{driver} is software: it shows function, never the performance of a NIC";

    /// CPUs may change their frequency.
    FrequencyScaling {
        /// On which side.
        side: Side,
        /// The governor in force.
        governor: String,
    } = "frequency-scaling" counts,
        "the frequency governor of the {side} is {governor}; \
         cpupower frequency-set -g performance";

    /// CPUs may exceed their nominal frequency, by as much as others leave them.
    Turbo {
        /// On which side.
        side: Side,
    } = "turbo" counts,
        "CPUs of the {side} may exceed their nominal frequency, the fewer are busy the \
         more: in /sys/devices/system/cpu, echo 1 > intel_pstate/no_turbo, or where that \
         is not there echo 0 > cpufreq/boost";

    /// Memory that a library took may have become huge pages, or not.
    TransparentHugePages {
        /// On which side.
        side: Side,
    } = "transparent-huge-pages" counts,
        "transparent huge pages are always on at the {side}: the rings may be on them or \
         not; echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";

    /// The run's memory takes most of what may be locked.
    MemoryLockTight {
        /// On which side.
        side: Side,
        /// What may be locked.
        limit_bytes: u64,
        /// What the run registered.
        registered_bytes: u64,
    } = "memory-lock-tight" counts,
        "the {side} registered {registered_bytes} bytes of the {limit_bytes} that it may \
         lock (ulimit -l): a little more is refused";

    /// The caches are not in the state that was asked for.
    CachesNotAsAsked {
        /// Asked for.
        asked: String,
        /// Found.
        found: String,
    } = "caches-not-as-asked" invalid,
        "the region's lines were to be {asked}, loads from them say: {found}";

    /// It cannot be told in which state the caches are.
    CachesUnproven {
        /// Asked for.
        asked: String,
        /// Why not.
        why: String,
    } = "caches-unproven" counts,
        "whether the region's lines were {asked} cannot be told: {why}";

    /// Direct I/O was to be off, and somebody switched it on during the run.
    DirectIoChangedBack = "direct-io-changed-back" invalid,
        "Direct I/O was to be off, and was found switched on again at the end";

    /// A worker or a load thread accessed nothing in the measured interval.
    LoadIdle {
        /// What it is for, and its index.
        thread: String,
    } = "load-idle" invalid,
        "{thread} accessed nothing in the measured interval: was it given a CPU?";

    /// No window of a worker or a load thread lay within the measured interval.
    LoadRateUnknown {
        /// What it is for, and its index.
        thread: String,
    } = "load-rate-unknown" counts,
        "what {thread} did in the measured interval is not known: no window of it lay \
         within; use a longer duration or a shorter window";

    /// Workers made fewer accesses than they were asked to.
    LoadBehindRate {
        /// Asked for, in a second, all together.
        asked: f64,
        /// Made.
        achieved: f64,
    } = "load-behind-rate" counts,
        "workers made {achieved:.0} accesses a second where {asked:.0} were asked for";

    /// Workers made more accesses than they were asked to: a paced thread makes up for what it missed.
    LoadAheadOfRate {
        /// Asked for, in a second, all together.
        asked: f64,
        /// Made.
        achieved: f64,
    } = "load-ahead-of-rate" counts,
        "workers made {achieved:.0} accesses a second where {asked:.0} were asked for: they made up \
         for what they missed before, when they had no CPU";

    /// More than one of a hundred messages did not arrive: what is counted is what was sent.
    MessagesLost {
        /// Messages that did not arrive.
        lost: u64,
        /// Messages sent.
        of: u64,
        /// Why, and what to do about it.
        why: String,
    } = "messages-lost" counts,
        "{lost} of {of} messages did not arrive, {why}";

    /// No message over an unreliable service arrived: the rate is only of what was sent.
    NothingArrived {
        /// Messages sent.
        of: u64,
    } = "nothing-arrived" invalid,
        "none of {of} messages arrived, so the rate is only of what was sent: leave out --drop-every if it was \
         given; else see what the server printed, and give its threads a CPU of their own";

    /// A side was asked to lose messages on purpose: what was measured is of a fabric that does.
    LossesAsked {
        /// Which side.
        side: Side,
        /// Every how many messages of a queue pair one is lost.
        every: NonZeroU32,
    } = "losses-asked" counts,
        "the {side} was asked to lose 1 in {every} messages of each queue pair (--drop-every): do not compare \
         rates and counts with those of runs without it";

    /// The server got datagrams that no client of the run sent; they are not counted as received.
    ForeignDatagrams {
        /// How many.
        datagrams: u64,
    } = "foreign-datagrams" counts,
        "the server got {datagrams} datagrams that no client of this run sent; they are not in \
         messages_received, but used receive requests: find who else sends to this device, and run again";

    /// A counter of lost, repeated or refused packets moved during the run.
    LinkTrouble {
        /// On which side.
        side: Side,
        /// The device counters, each with its increase.
        counters: String,
    } = "link-trouble" counts,
        "packets were lost, repeated or refused; device counters of the {side} rose: {counters}";

    /// The network told senders to slow down.
    Congested {
        /// On which side.
        side: Side,
        /// The device counters, each with its increase.
        counters: String,
    } = "congested" counts,
        "congestion control slowed senders down; device counters of the {side} rose: {counters}";

    /// The port of a device was not active any more when the run ended.
    PortLost {
        /// On which side.
        side: Side,
        /// Its state.
        state: String,
    } = "port-lost" counts,
        "the port of the {side}'s device was {state} when the run had ended";

    /// Nothing completed in the measured interval: the load had ended, or had not begun.
    NothingMeasured = "nothing-measured" invalid,
        "no operation completed in the measured interval: were all done in the warm-up?"
                    ;

    /// Nothing completed for a while, although requests were in flight: for longer than a counting window
    /// and a hundred median latencies; in the study's runs for 2 % of the time or more.
    Stalled {
        /// Client threads for which nothing did.
        threads: usize,
        /// Of how many.
        of: usize,
        /// The longest time, in ms.
        longest_ms: f64,
    } = "stalled" counts,
        "for {threads} of {of} client threads nothing completed for up to {longest_ms:.1} ms, \
         although requests were in flight";

    /// The same, and in half of the run's windows or more, one after another, nothing completed at all.
    Standstill {
        /// Windows one after another in which nothing completed.
        empty: usize,
        /// Of how many.
        windows: usize,
        /// The longest time, in ms.
        longest_ms: f64,
    } = "standstill" invalid,
        "in {empty} of {windows} windows, one after another, nothing completed, although requests were in \
         flight (for {longest_ms:.1} ms): was the server stopped, or did the machine have other things to do?";

    /// Threads that spin had no CPU for a hundredth of their time or more, and for a counting window at
    /// least.
    Preempted {
        /// On which side.
        side: Side,
        /// The one that was without for longest.
        thread: String,
        /// How much of its time.
        percent: f64,
        /// How many threads were.
        threads: usize,
        /// Of how many.
        of: usize,
    } = "preempted" counts,
        "{thread} of the {side} had no CPU for {percent:.1} % of its time ({threads} of {of} such \
         threads for 1 % or more): other work wants its CPU, and latencies contain that";

    /// The thread that executes requests of others slept before a part of them.
    ResponderSlept {
        /// On which side.
        side: Side,
        /// How often it slept.
        sleeps: u64,
        /// Requests that it executed.
        requests: u64,
    } = "responder-slept" counts,
        "the responder of the {side} slept {sleeps} times for {requests} requests: latencies contain \
         its waking, because the load leaves long pauses or the CPU is wanted by others";

    /// Another measurement was under way on the same machine.
    AnotherMeasurement {
        /// On which side.
        side: Side,
        /// Whose.
        whose: String,
    } = "another-measurement" counts,
        "something else was measured on the {side}'s machine at the same time: {whose}";

    /// The hypervisor gave CPUs to others for a hundredth of the time or more.
    CpuStolen {
        /// On which side.
        side: Side,
        /// Time that was taken, of all CPUs, in ms.
        stolen_ms: u64,
        /// Length of warm-up and measured interval, in ms.
        around_ms: u64,
    } = "cpu-stolen" counts,
        "the hypervisor took {stolen_ms} ms of CPU time from the {side}'s machine within \
         {around_ms} ms (steal in /proc/stat)";

    /// Queue pairs that completed nothing while others did.
    QueuePairsIdle {
        /// How many.
        idle: usize,
        /// Of how many.
        of: usize,
    } = "queue-pairs-idle" counts,
        "{idle} of {of} queue pairs completed nothing in the measured interval: was their \
         thread given a CPU?";

    /// The run ended before its limit of operations.
    EndedByTime {
        /// Operations done, warm-up included.
        operations: u64,
        /// Operations asked for.
        asked: u64,
    } = "ended-by-time" counts,
        "time ended the run after {operations} of {asked} operations";

    // Of simulated runs.
    /// Only a part of what was asked for was simulated.
    ShareOnly {
        /// Virtual time that was measured.
        measured_ns: u64,
        /// What was asked for.
        asked_ns: u64,
    } = "simulated-in-part" counts,
        "{measured_ns} ns of the {asked_ns} ns that were asked for were simulated, and as \
         large a share of everything else";

    /// Places were left open, and the model took one.
    PlacesAssumed {
        /// Factors, and what was taken.
        places: String,
    } = "places-assumed" counts,
        "any place would do, and was taken: {places}";

    /// Load of other extent than the parameters know.
    LoadAsCalibrated {
        /// How many threads it was to have.
        threads: String,
        /// Its share of writes.
        write_fraction: String,
    } = "load-as-calibrated" counts,
        "the model knows load by its place and size only: {threads} threads with a share of writes \
         of {write_fraction} were taken for as much load as the parameters were fitted to";

    /// There is no table of what workers and load did.
    HostAccessesNotCounted = "host-accesses-not-counted" counts,
        "the model has of workers and load what they do to \
                                             requests; their own accesses are not counted"
                ;

    // Of memory latency.
    /// The processor is made up by software.
    EmulatedProcessor = "emulated-processor" counts;

    /// The matrix's working set is hardly larger than the last-level cache.
    WorkingSetNearCache = "working-set-near-cache" counts;

    /// Most of the same loads took another time, by more than a tenth.
    LatencyUnsteady = "latency-unsteady" counts;
}
