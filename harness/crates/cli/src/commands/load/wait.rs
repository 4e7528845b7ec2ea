//! What ends a load.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use onesided_access::threads::{
    Running,
    termination::{Signal, Termination},
};

/// Between two looks at what is not a signal. Ours: short for a person and for a run, long for a
/// processor.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What ends a load, watched from the moment that this is made.
pub struct Ends {
    termination: Termination,
    duration: Option<Duration>,
    stdin: Arc<Stdin>,
}

/// What came on stdin.
#[derive(Default)]
struct Stdin {
    closed: AtomicBool,
    /// Lines: each asks where the memory is.
    lines: AtomicUsize,
}

impl Ends {
    /// Watches for a signal, a time, and, if that is asked for, the end of stdin.
    pub fn watch(
        termination: Termination,
        duration: Option<Duration>,
        until_stdin_closes: bool,
    ) -> Self {
        let stdin = Arc::new(Stdin::default());
        if until_stdin_closes {
            let heard = stdin.clone();
            // It may never end, and is not waited for.
            thread::spawn(move || {
                read_to_the_end(&heard.lines);
                heard.closed.store(true, Ordering::Relaxed);
            });
        }
        Self { termination, duration, stdin }
    }

    /// Waits for the end; says which it was. `answer` is called for each line on stdin.
    pub fn wait(
        &self,
        running: &Running,
        mut answer: impl FnMut() -> anyhow::Result<()>,
    ) -> anyhow::Result<&'static str> {
        let mut answered = 0;
        let deadline = self.duration.and_then(|duration| Instant::now().checked_add(duration));
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let pause = left.map_or(LOOK_AGAIN, |left| left.min(LOOK_AGAIN));
            match self.termination.wait(pause) {
                Some(Signal::Interrupt) => return Ok("interrupted"),
                Some(Signal::Terminate) => return Ok("terminated"),
                None => {}
            }
            if let Some(failure) = running.failure() {
                return Err(failure.into());
            }
            while answered < self.stdin.lines.load(Ordering::Relaxed) {
                answered += 1;
                answer()?;
            }
            if self.stdin.closed.load(Ordering::Relaxed) {
                return Ok("stdin was closed");
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok("the time is over");
            }
        }
    }
}

/// An error ends it as well: nothing more is to come.
fn read_to_the_end(lines: &AtomicUsize) {
    let mut bytes = [0; 256];
    let mut stdin = io::stdin().lock();
    loop {
        match stdin.read(&mut bytes) {
            Ok(0) => return,
            Ok(read) => {
                let ended = bytes[..read].iter().filter(|byte| **byte == b'\n').count();
                lines.fetch_add(ended, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
