//! Threads on memory: what passing lets us claim is that a load does as many accesses, of the kind,
//! at the rate, from the CPUs that are asked for, until it is stopped, and says what it did.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use onesided_access::threads::{
    FirstTouch, Pace, Running, SharedMemory, StartError, ThreadPlan, ThreadReport, ThreadsPlan,
};
use onesided_load::worker::{WorkerOperation, WorkerPattern, WorkerPlan, WorkerPlanError};
use onesided_measure::Clock;
use onesided_placement::{
    AffinityError, BoundMemory, CpuSet, MemoryPolicy, PageSize, cpus_of_main_thread,
};

const BYTES: usize = 1 << 16;

/// One test at a time: each has threads that take whole CPUs.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn memory() -> Arc<BoundMemory> {
    Arc::new(BoundMemory::allocate(BYTES, PageSize::Base, None).unwrap())
}

fn words(memory: &BoundMemory) -> impl Iterator<Item = u64> {
    let start = memory.as_ptr().cast::<u64>();
    // SAFETY: whole words of the memory, which others access by atomics only.
    (0..memory.len() / 8)
        .map(move |index| unsafe { AtomicU64::from_ptr(start.add(index)) }.load(Relaxed))
}

fn plan(
    memory: &Arc<BoundMemory>,
    threads: u32,
    pattern: WorkerPattern,
    operation: WorkerOperation,
) -> ThreadsPlan {
    let access_bytes = match pattern {
        WorkerPattern::AsPublished if !operation.is_atomic() => 1,
        _ => 8,
    };
    let thread = |worker| ThreadPlan {
        cpus: None,
        accesses: WorkerPlan {
            pattern,
            operation,
            write_fraction: 0.3,
            object_bytes: 8,
            access_bytes,
            region_bytes: BYTES as u64,
            worker,
            workers: threads,
            seed: 11,
        },
        pace: Pace::Unpaced,
    };
    ThreadsPlan {
        memory: SharedMemory::of(memory.clone()),
        first_touch: FirstTouch::Done,
        threads: (0..threads).map(thread).collect(),
        clock: Clock::calibrate().unwrap(),
        window: Duration::from_millis(10),
        expected: Duration::from_secs(5),
    }
}

fn reports(plan: ThreadsPlan, for_ms: u64) -> Vec<ThreadReport> {
    reports_and_cpu_time(plan, for_ms).0
}

/// What the threads did, and for how long they had CPUs: less than the time that elapsed where the
/// machine has other work.
fn reports_and_cpu_time(plan: ThreadsPlan, for_ms: u64) -> (Vec<ThreadReport>, Duration) {
    let running = Running::start(plan).unwrap();
    let before = cpu_time();
    thread::sleep(Duration::from_millis(for_ms));
    assert_eq!(running.failure(), None);
    let had = cpu_time() - before;
    (running.stop().unwrap(), had)
}

/// CPU time of this process. Only the threads of one test run at a time.
fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(code, 0, "every process has this clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn additions_of_many_threads_to_one_word_add_up_to_their_accesses() {
    let _alone = alone();
    let memory = memory();
    let plan = plan(&memory, 4, WorkerPattern::SharedLine, WorkerOperation::FetchAndAdd);
    let reports = reports(plan, 200);
    let accesses: u64 = reports.iter().map(ThreadReport::accesses).sum();
    assert!(accesses > 0, "none in its time");
    assert_eq!(words(&memory).sum::<u64>(), accesses);
}

#[test]
fn swaps_of_many_threads_on_one_word_succeed_as_often_as_the_word_says() {
    let _alone = alone();
    let memory = memory();
    let plan = plan(&memory, 4, WorkerPattern::SharedLine, WorkerOperation::CompareAndSwap);
    let reports = reports(plan, 200);
    let swapped: u64 = reports.iter().map(|report| report.swapped).sum();
    assert!(swapped > 0, "none in its time");
    assert_eq!(words(&memory).sum::<u64>(), swapped);
}

#[test]
fn windows_and_what_is_after_them_add_up_to_reads_and_writes() {
    let _alone = alone();
    for operation in [WorkerOperation::Read, WorkerOperation::Mixed] {
        let memory = memory();
        let plan = plan(&memory, 2, WorkerPattern::Uniform, operation);
        let (clock, window) = (plan.clock, plan.window);
        for report in reports(plan, 95) {
            let counted = report.windows.iter().sum::<u64>() + report.after_windows;
            assert_eq!(counted, report.accesses());
            let ran = report.ended.0 - report.started.0;
            assert_eq!(report.windows.len() as u64, ran / clock.ticks_of(window));
            assert!(report.windows.len() >= 9 && report.accesses() > 0, "{report:?}");
            let writes = report.writes as f64 / report.accesses() as f64;
            let expected = if operation == WorkerOperation::Read { 0.0 } else { 0.3 };
            // A hundred thousand accesses and more: far beyond five standard deviations.
            assert!((writes - expected).abs() < 0.01, "{writes}");
        }
    }
}

/// Accesses of one thread and its time in microseconds.
fn paced(pace: Pace, operation: WorkerOperation, for_ms: u64) -> (f64, f64) {
    let memory = memory();
    let mut plan = plan(&memory, 1, WorkerPattern::Uniform, operation);
    plan.threads[0].pace = pace;
    let clock = plan.clock;
    let report = reports(plan, for_ms).remove(0);
    let nanoseconds = clock.nanoseconds(report.ended.0 - report.started.0);
    (report.accesses() as f64, nanoseconds as f64 / 1e3)
}

/// Attempts on a machine that may have other work: a thread that lost its CPU falls short, so the
/// best of them counts. None may exceed what was asked.
const ATTEMPTS: usize = 40;

#[test]
fn a_rate_is_kept_within_three_per_cent_over_200_ms() {
    let _alone = alone();
    for rate in [2_000.0, 100_000.0, 5_000_000.0] {
        let achieved = (0..ATTEMPTS).map(|_| {
            let (accesses, microseconds) = paced(Pace::Rate(rate), WorkerOperation::Read, 200);
            accesses / microseconds * 1e6 / rate
        });
        let near = |achieved: f64| {
            assert!(achieved < 1.03, "{achieved} of {rate}");
            achieved > 0.97
        };
        assert!(achieved.into_iter().any(near), "{rate} is never reached");
    }
}

#[test]
fn a_thread_that_thinks_accesses_as_often_as_its_pauses_allow_and_no_more() {
    let _alone = alone();
    let memory = memory();
    let mut plan = plan(&memory, 1, WorkerPattern::Uniform, WorkerOperation::Write);
    plan.threads[0].pace = Pace::Think(Duration::from_micros(100));
    let clock = plan.clock;
    let (reports, had) = reports_and_cpu_time(plan, 200);
    let elapsed = clock.nanoseconds(reports[0].ended.0 - reports[0].started.0);
    let most = elapsed as f64 / 100e3 + 1.0;
    // While another program has its CPU the thread neither accesses nor waits.
    let least = 0.8 * had.as_secs_f64() / 100e-6;
    let accesses = reports[0].accesses() as f64;
    assert!(accesses <= most, "{accesses}, of {most} that the pauses allow");
    assert!(accesses >= least, "{accesses}, of {least} in the CPU time that the thread had");
}

#[test]
fn threads_run_where_they_are_pinned_and_say_so() {
    let _alone = alone();
    for cpu in &cpus_of_main_thread().unwrap() {
        let memory = memory();
        let mut plan = plan(&memory, 1, WorkerPattern::Uniform, WorkerOperation::Read);
        plan.threads[0].cpus = Some(CpuSet::of(cpu));
        let report = reports(plan, 45).remove(0);
        assert_eq!(report.seen.len(), 1, "{report:?}");
        assert_eq!(report.seen[0].cpu, cpu);
        assert!(report.seen[0].samples >= 2);
    }
}

#[test]
fn all_threads_begin_at_one_moment_and_access_memory_when_start_returns() {
    let _alone = alone();
    let memory = memory();
    let plan = plan(&memory, 6, WorkerPattern::OwnLine, WorkerOperation::FetchAndAdd);
    let running = Running::start(plan).unwrap();
    let started = running.started();
    let reports = running.stop().unwrap();
    assert!(reports.iter().all(|report| report.started == started && report.accesses() > 0));
    let lines: Vec<u64> = words(&memory).step_by(8).take(6).collect();
    assert_eq!(lines, reports.iter().map(ThreadReport::accesses).collect::<Vec<_>>());
}

#[test]
fn stopping_is_prompt_and_so_is_dropping() {
    let _alone = alone();
    // A tenth of the shortest pause: prompt, on a machine with much other work as well.
    let limit = Duration::from_secs(10);
    for pace in [Pace::Unpaced, Pace::Rate(0.01), Pace::Think(Duration::from_secs(100))] {
        let memory = memory();
        let mut plan = plan(&memory, 2, WorkerPattern::Uniform, WorkerOperation::Read);
        plan.threads.iter_mut().for_each(|thread| thread.pace = pace);
        let running = Running::start(plan.clone()).unwrap();
        let before = Instant::now();
        running.stop().unwrap();
        assert!(before.elapsed() < limit, "{pace:?}: {:?}", before.elapsed());
        let running = Running::start(plan).unwrap();
        let before = Instant::now();
        drop(running);
        assert!(before.elapsed() < limit, "{pace:?}: {:?}", before.elapsed());
    }
    let memory = memory();
    let plan = plan(&memory, 2, WorkerPattern::SharedLine, WorkerOperation::FetchAndAdd);
    drop(Running::start(plan).unwrap());
    let left: u64 = words(&memory).sum();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(words(&memory).sum::<u64>(), left, "a thread goes on after its owner");
}

#[test]
fn a_thread_that_cannot_be_pinned_keeps_all_from_starting_and_is_named() {
    let _alone = alone();
    let memory = memory();
    let mut plan = plan(&memory, 3, WorkerPattern::Uniform, WorkerOperation::FetchAndAdd);
    plan.threads[1].cpus = Some("60000".parse().unwrap());
    let error = Running::start(plan).unwrap_err();
    assert!(
        matches!(
            &error,
            StartError::Pinning { thread: 1, source: AffinityError::NoUsableCpu { .. } }
        ),
        "{error}"
    );
    assert_eq!(words(&memory).sum::<u64>(), 0, "a thread accessed memory all the same");
}

#[test]
fn a_plan_that_cannot_be_is_refused_with_the_thread_and_the_reason() {
    let _alone = alone();
    let memory = memory();
    let refused = |change: &dyn Fn(&mut ThreadsPlan)| {
        let mut plan = plan(&memory, 2, WorkerPattern::Uniform, WorkerOperation::Read);
        change(&mut plan);
        Running::start(plan).unwrap_err()
    };
    assert!(matches!(refused(&|plan| plan.threads.clear()), StartError::NoThreads));
    assert!(matches!(
        refused(&|plan| plan.window = Duration::ZERO),
        StartError::Windows { window_ns: 0, .. }
    ));
    assert!(matches!(refused(&|plan| plan.expected = Duration::MAX), StartError::Windows { .. }));
    assert!(matches!(
        refused(&|plan| plan.threads[1].pace = Pace::Rate(0.0)),
        StartError::Rate { thread: 1, .. }
    ));
    assert!(matches!(
        refused(&|plan| plan.threads[1].accesses.region_bytes += 1),
        StartError::RegionBeyondMemory { thread: 1, .. }
    ));
    assert!(matches!(
        refused(&|plan| plan.threads[0].accesses.access_bytes = 5),
        StartError::Plan { thread: 0, source: WorkerPlanError::AccessBytes { access_bytes: 5 } }
    ));
}

#[test]
fn each_thread_touches_its_share_of_memory_that_nobody_touched() {
    let _alone = alone();
    let memory = BoundMemory::allocate_by(BYTES, PageSize::Base, MemoryPolicy::FirstTouch).unwrap();
    let memory = Arc::new(memory);
    assert_eq!(memory.residency().unwrap().unproven_pages, (BYTES / 4096) as u64);
    let mut plan = plan(&memory, 3, WorkerPattern::SharedLine, WorkerOperation::Read);
    plan.first_touch = FirstTouch::EachThreadItsShare { page_bytes: 4096 };
    let running = Running::start(plan).unwrap();
    assert_eq!(memory.residency().unwrap().unproven_pages, 0);
    drop(running);
}

#[test]
fn as_published_accesses_are_made_and_are_slower_than_without_its_clock_and_table() {
    let _alone = alone();
    let memory = memory();
    let accesses = |pattern| {
        let mut plan = plan(&memory, 1, pattern, WorkerOperation::Mixed);
        let thread = &mut plan.threads[0].accesses;
        (thread.access_bytes, thread.write_fraction) = (1, 0.9);
        reports(plan, 100)[0].accesses()
    };
    let (published, ours) =
        (accesses(WorkerPattern::AsPublished), accesses(WorkerPattern::Sequential));
    assert!(published > 100_000, "{published}");
    if cfg!(not(debug_assertions)) {
        assert!(ours > 2 * published, "{ours} against {published}");
    }
}
