//! How long a thread had a CPU, and how long it had to wait for one.

use std::{fs::File, io, os::unix::fs::FileExt, time::Instant};

use crate::preemption::preemptions;

/// The kernel's file of one thread (`proc_pid_schedstat(5)`): time on a CPU, time in a run queue, and
/// slices of time.
#[derive(Debug)]
pub struct ThreadTimes {
    file: File,
}

impl ThreadTimes {
    /// Of the calling thread.
    ///
    /// # Errors
    /// There is no such file: /proc is not mounted, or the kernel was built without it.
    pub fn of_current_thread() -> io::Result<Self> {
        Self::open("/proc/thread-self/schedstat")
    }

    /// Of a thread of this process, by its id (`gettid(2)`).
    ///
    /// # Errors
    /// As [`Self::of_current_thread`], and where there is no such thread.
    pub fn of_thread(id: i32) -> io::Result<Self> {
        Self::open(&format!("/proc/self/task/{id}/schedstat"))
    }

    fn open(path: &str) -> io::Result<Self> {
        let times = Self { file: File::open(path)? };
        times.waited_ns()?;
        Ok(times)
    }

    /// Time in ns that the thread was ready to run and had no CPU, since it began. One `pread(2)`, some
    /// microseconds.
    ///
    /// # Errors
    /// The thread has ended, or the kernel does not keep these times.
    pub fn waited_ns(&self) -> io::Result<u64> {
        let mut text = [0; 64];
        let length = self.file.read_at(&mut text, 0)?;
        let text = String::from_utf8_lossy(&text[..length]);
        waited(&text).ok_or_else(|| {
            io::Error::other(format!("the kernel keeps no times of threads ({})", text.trim()))
        })
    }
}

/// The second number. The first one is behind by up to a tick of the kernel's clock. A thread that is
/// looked at has had a slice of time: a kernel that says 0 slices counts nothing.
fn waited(text: &str) -> Option<u64> {
    let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
    let [_, waited_ns, slices]: [u64; 3] = [numbers.next()??, numbers.next()??, numbers.next()??];
    (slices > 0).then_some(waited_ns)
}

/// Time in ns that the calling thread had a CPU, since it began (`clock_gettime(2)`,
/// CLOCK_THREAD_CPUTIME_ID): to the nanosecond, at the price of a system call.
fn ran_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives. Every thread has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// The id of the calling thread, by which [`ThreadTimes::of_thread`] finds it.
pub fn current_thread_id() -> i32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

/// Time in ms that a hypervisor gave this machine's CPUs to others, since boot, of all CPUs together
/// (`proc_stat(5)`, steal).
///
/// # Errors
/// /proc is not mounted, or says no such thing.
pub fn stolen_ms() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/stat")?;
    // SAFETY: a query without pointers.
    let ticks_a_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let ticks_a_second = u64::try_from(ticks_a_second).unwrap_or(0).max(1);
    let ticks = stolen(&text).ok_or_else(|| io::Error::other("/proc/stat has no steal time"))?;
    Ok(ticks.saturating_mul(1000) / ticks_a_second)
}

/// The eighth number of the line of all CPUs.
fn stolen(text: &str) -> Option<u64> {
    let all = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    all.split_whitespace().nth(7)?.parse().ok()
}

/// What the calling thread has of its CPUs since a moment.
#[derive(Debug)]
pub struct SchedulingWatch {
    times: io::Result<ThreadTimes>,
    ran_ns: u64,
    waited_ns: u64,
    preemptions: u64,
}

/// What a thread had of its CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduling {
    /// Time in ns that it had one.
    pub ran_ns: u64,
    /// Time in ns that it was ready to run and had none, or why that is not known.
    pub waited_ns: Result<u64, String>,
    /// How often it was taken off its CPU while it would have run on.
    pub preemptions: u64,
}

impl Default for Scheduling {
    /// Of a thread that has not begun.
    fn default() -> Self {
        Self { ran_ns: 0, waited_ns: Ok(0), preemptions: 0 }
    }
}

impl SchedulingWatch {
    /// Of the calling thread, from now on.
    pub fn begin() -> Self {
        let times = ThreadTimes::of_current_thread();
        let mut watch = Self { times, ran_ns: 0, waited_ns: 0, preemptions: 0 };
        watch.restart();
        watch
    }

    /// From now on. Three system calls, some microseconds.
    pub fn restart(&mut self) {
        self.preemptions = preemptions();
        self.waited_ns = self.waited().unwrap_or(0);
        self.ran_ns = ran_ns();
    }

    /// Since it began, or began again.
    pub fn end(&self) -> Scheduling {
        Scheduling {
            ran_ns: ran_ns().saturating_sub(self.ran_ns),
            waited_ns: self.waited().map(|now| now.saturating_sub(self.waited_ns)),
            preemptions: preemptions().saturating_sub(self.preemptions),
        }
    }

    fn waited(&self) -> Result<u64, String> {
        match &self.times {
            Ok(times) => times.waited_ns().map_err(|error| error.to_string()),
            Err(error) => Err(format!("/proc/thread-self/schedstat: {error}")),
        }
    }
}

/// How much of its time a thread that spins has no CPU. For a thread that blocks it says nothing.
#[derive(Debug)]
pub struct SpinningWatch {
    since: Instant,
    ran_ns: u64,
}

impl SpinningWatch {
    /// Of the calling thread, from now on. Two system calls at most.
    pub fn begin() -> Self {
        let ran_ns = ran_ns();
        Self { since: Instant::now(), ran_ns }
    }

    /// The share of the time since then, 0 to 1. For the same thread. Asking takes some time of a CPU,
    /// which counts as such: of a time as short as that the share is too small, and never too large.
    pub fn without_cpu(&self) -> f64 {
        let elapsed_ns = self.since.elapsed().as_nanos().max(1) as f64;
        let ran_ns = ran_ns().saturating_sub(self.ran_ns) as f64;
        (1.0 - ran_ns / elapsed_ns).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;
    use crate::{CpuSet, cpus_of_current_thread, pin_current_thread};

    #[test]
    fn a_file_of_zeros_and_one_without_numbers_say_nothing() {
        assert_eq!(waited("12 345 6\n"), Some(345));
        // One that has just begun.
        assert_eq!(waited("0 17866 1\n"), Some(17_866));
        assert_eq!([waited("0 0 0\n"), waited(""), waited("x y z")], [None; 3]);
    }

    #[test]
    fn a_thread_that_sleeps_half_of_its_time_is_without_a_cpu_for_that() {
        let watch = SpinningWatch::begin();
        thread::sleep(std::time::Duration::from_millis(20));
        let slept = watch.since.elapsed();
        let ran_before = ran_ns();
        while watch.since.elapsed() < 2 * slept {}
        let (ran, elapsed) = (ran_ns() - ran_before, watch.since.elapsed().as_nanos() as f64);
        // Others may have had the CPU meanwhile, so it is compared with what this thread had of it.
        let (share, expected) = (watch.without_cpu(), 1.0 - ran as f64 / elapsed);
        assert!(share >= 0.45 && (share - expected).abs() < 0.05, "{share}, not {expected}");
    }

    #[test]
    fn steal_time_is_the_eighth_number_of_all_cpus() {
        let text = "cpu  1 2 3 4 5 6 7 25 9 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(stolen(text), Some(25));
        assert_eq!(stolen("cpu  1 2 3\n"), None);
        assert!(stolen_ms().is_ok());
    }

    #[test]
    fn threads_that_spin_on_one_cpu_wait_for_each_other_and_others_can_see_it() {
        let cpu = CpuSet::of(cpus_of_current_thread().unwrap().first());
        let stop = AtomicBool::new(false);
        // For so much time of the CPU, however many others there are.
        let spin = |most_ns: u64| {
            pin_current_thread(&cpu).unwrap();
            let (watch, began_ns) = (SchedulingWatch::begin(), ran_ns());
            while ran_ns() - began_ns < most_ns && !stop.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
            (watch.end(), current_thread_id())
        };
        let (two, seen_by_others) = thread::scope(|scope| {
            let other = scope.spawn(|| spin(20_000_000_000));
            let own = scope.spawn(|| {
                let (own, id) = spin(100_000_000);
                (own, ThreadTimes::of_thread(id).unwrap().waited_ns().unwrap())
            });
            let (own, seen) = own.join().unwrap();
            stop.store(true, Ordering::Relaxed);
            ([own, other.join().unwrap().0], seen)
        });
        for one in &two {
            let waited_ns = one.waited_ns.clone().unwrap();
            assert!(waited_ns > 20_000_000, "as long as it ran, or nearly so: {one:?}");
            assert!(one.ran_ns > 20_000_000, "{one:?}");
            assert!(one.preemptions > 0, "{one:?}");
        }
        assert!(seen_by_others > 20_000_000, "{seen_by_others}");
        assert!(ThreadTimes::of_thread(0x7fff_ffff).is_err());
    }
}
