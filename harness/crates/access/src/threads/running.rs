//! Starting and stopping threads.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use onesided_measure::{Clock, Ticks};

use super::{
    StartError, ThreadFailure, ThreadReport, ThreadsPlan,
    drive::drive,
    task::{Counting, Task, tasks},
};

/// Between two looks at whether every thread accesses memory yet. Ours: short beside creating a
/// thread.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// What the threads share; while they run nothing of it is written.
#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    t0: OnceLock<Ticks>,
    /// Held to begin or to stop, so that no thread misses either between looking and sleeping.
    gate: Mutex<()>,
    opened: Condvar,
    accessing: AtomicUsize,
    failure: Mutex<Option<ThreadFailure>>,
}

/// Threads that access memory, until this value is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Option<ThreadReport>>>,
}

impl Running {
    /// Starts the threads, and returns when all of them access memory: each has been pinned, has
    /// made its tables and touched its pages before any began.
    ///
    /// # Errors
    /// The plan cannot be carried out, or a thread cannot be had or pinned. None is left running.
    pub fn start(plan: ThreadsPlan) -> Result<Self, StartError> {
        let (clock, counting) = (plan.clock, Counting::of(&plan)?);
        Self::of_tasks(tasks(plan)?, clock, counting)
    }

    /// Starts threads that do these tasks.
    pub(super) fn of_tasks(
        tasks: Vec<Task>,
        clock: Clock,
        counting: Counting,
    ) -> Result<Self, StartError> {
        let (prepared, answers) = mpsc::channel();
        let mut running = Self { shared: Arc::default(), threads: Vec::with_capacity(tasks.len()) };
        let count = tasks.len();
        for (index, task) in tasks.into_iter().enumerate() {
            let (shared, prepared) = (running.shared.clone(), prepared.clone());
            let body = move || run(index, task, clock, counting, &shared, prepared);
            let thread = thread::Builder::new().name(format!("load-{index}")).spawn(body);
            let thread = thread.map_err(|source| StartError::Thread { thread: index, source })?;
            running.threads.push(thread);
        }
        drop(prepared);
        // Ends when every thread has answered, or has died and with it its end of the channel.
        for answer in answers {
            answer?;
        }
        running.alive()?;
        running.shared.begin(clock.now());
        while running.shared.accessing.load(Ordering::Acquire) < count {
            running.alive()?;
            thread::sleep(LOOK_AGAIN);
        }
        Ok(running)
    }

    fn alive(&self) -> Result<(), ThreadFailure> {
        self.failure().map_or(Ok(()), Err)
    }

    /// The first thread that died, if one did.
    pub fn failure(&self) -> Option<ThreadFailure> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When the threads began: their windows count from then.
    ///
    /// # Panics
    /// Never: they have begun when `start` returns.
    pub fn started(&self) -> Ticks {
        *self.shared.t0.get().expect("set before `start` returned")
    }

    /// Stops the threads, each after its batch, and says what each did, in the order of the plan.
    ///
    /// # Errors
    /// A thread died.
    pub fn stop(mut self) -> Result<Vec<ThreadReport>, ThreadFailure> {
        let reports = self.halt();
        self.alive()?;
        Ok(reports.into_iter().flatten().collect())
    }

    fn halt(&mut self) -> Vec<Option<ThreadReport>> {
        self.shared.stop();
        let threads = self.threads.drain(..);
        threads.map(|thread| thread.join().expect("a thread's panic is caught in it")).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.halt();
    }
}

/// One thread's life. Nothing comes of one that was stopped before it began, or that died.
fn run(
    index: usize,
    task: Task,
    clock: Clock,
    counting: Counting,
    shared: &Shared,
    prepared: mpsc::Sender<Result<(), StartError>>,
) -> Option<ThreadReport> {
    let life = AssertUnwindSafe(|| {
        let ready = task.prepare();
        let (answer, ready) = match ready {
            Ok(ready) => (Ok(()), Some(ready)),
            Err(error) => (Err(error), None),
        };
        // Nobody listens any more when another thread failed first.
        let _ = prepared.send(answer);
        drop(prepared);
        let (mut batch, pacing) = ready?;
        let tally = counting.tally();
        let t0 = shared.meet()?;
        shared.accessing.fetch_add(1, Ordering::AcqRel);
        Some(drive(&mut *batch, pacing, clock, t0, tally, &shared.stop))
    });
    catch_unwind(life).unwrap_or_else(|panic| {
        shared.fail(index, &*panic);
        None
    })
}

impl Shared {
    fn begin(&self, t0: Ticks) {
        let gate = self.closed();
        self.t0.set(t0).expect("threads begin once");
        drop(gate);
        self.opened.notify_all();
    }

    fn stop(&self) {
        let gate = self.closed();
        self.stop.store(true, Ordering::Relaxed);
        drop(gate);
        self.opened.notify_all();
    }

    /// Waits for the common start; nothing when it does not come.
    ///
    /// Asleep, not looking again and again: of hundreds of threads on a few CPUs, those that look
    /// would keep the rest from preparing.
    fn meet(&self) -> Option<Ticks> {
        let early = |_: &mut ()| self.t0.get().is_none() && !self.stop.load(Ordering::Relaxed);
        let gate = self.opened.wait_while(self.closed(), early);
        drop(gate.unwrap_or_else(PoisonError::into_inner));
        self.t0.get().copied()
    }

    fn closed(&self) -> MutexGuard<'_, ()> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, thread: usize, panic: &(dyn Any + Send)) {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let why = text.unwrap_or_else(|| "it panicked".to_owned());
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(ThreadFailure { thread, why });
    }
}

#[cfg(test)]
mod tests;
