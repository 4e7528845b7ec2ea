//! What a requester does while nothing comes: rarely, and never while something does.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{set_up::RmcEndpoint, sink::Sink};

/// Time between two looks whether the peer lives: asking the kernel takes below a microsecond.
const LIFE: Duration = Duration::from_millis(1);

/// What it sleeps where others want its CPU; the kernel adds some 50 µs.
const MOMENT: Duration = Duration::from_micros(1);

impl RmcEndpoint {
    /// Looks whether the peer sleeps, lives, or answers no more; lets others have the CPU.
    #[cold]
    pub(super) fn look_around(&mut self) {
        if self.idle.preemption.is_recent() {
            // Whoever we wait for may need this CPU.
            thread::sleep(MOMENT);
        }
        let Some(channel) = &self.channel else { return };
        if self.in_flight.count() == 0 {
            return self.idle.over();
        }
        channel.wake();
        let now = Instant::now();
        // Who has not looked for long was stopped, as its peer may have been, and has not waited meanwhile.
        if self.idle.asked.is_some_and(|asked| now - asked > self.patience / 2) {
            self.idle.since = None;
        }
        let since = *self.idle.since.get_or_insert(now);
        if self.idle.asked.is_some_and(|asked| now - asked < LIFE) {
            return;
        }
        self.idle.asked = Some(now);
        if !channel.peer.is_alive() {
            // What it answered while it lived counts; a delay on the fabric is not waited for.
            self.collect(&mut Sink::new(&mut []));
            self.lose();
        } else if now - since > self.patience {
            self.lose();
        }
    }
}
