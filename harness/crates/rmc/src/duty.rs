//! Who executes what others ask of a node: one thread at a time, which has the duty.
//!
//! ```text
//!   Serving::Thread   the responder has it from its start to its end
//!   Serving::Polls    whoever polls an endpoint of the node has it for a round;
//!                     the responder looks every millisecond whether anybody does, and
//!                     stands in where nobody has
//! ```
//! What others ask is executed although no thread of the process polls: one-sided operations need
//! nothing of their target. By polls it only takes no CPU of its own meanwhile.

use std::{
    cell::UnsafeCell,
    marker::PhantomData,
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    local::LocalNode,
    responder::{self, CENSUS, Responder},
    serving::Serving,
};

/// Time between two looks whether anybody polls. Ours: below what anybody waits for where nobody
/// does, and a hundredth of it is spent looking.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The duty and the state of who has it.
#[repr(align(128))]
pub struct Duty {
    is_taken: AtomicBool,
    /// Whether somebody wanted it who did not get it.
    is_wanted: AtomicBool,
    /// Rounds by polls, so that the responder sees that there are any.
    polled: AtomicU64,
    responder: UnsafeCell<Responder>,
}

// SAFETY: the responder's state is reached through `Held` only, of which there is one at a time;
// the state itself may move between threads.
unsafe impl Sync for Duty {}

/// The duty, held; by one thread, whose it stays.
pub struct Held<'a>(&'a Duty, PhantomData<*mut ()>);

impl Duty {
    /// Nobody has it.
    pub fn new() -> Self {
        Self {
            is_taken: AtomicBool::new(false),
            is_wanted: AtomicBool::new(false),
            polled: AtomicU64::new(0),
            responder: UnsafeCell::new(Responder::new()),
        }
    }

    /// Takes it, unless somebody has it.
    #[inline]
    fn take(&self) -> Option<Held<'_>> {
        // Made only where it is held: its drop gives it back.
        (!self.is_taken.swap(true, Ordering::Acquire)).then(|| Held(self, PhantomData))
    }
}

impl Deref for Held<'_> {
    type Target = Responder;

    fn deref(&self) -> &Responder {
        // SAFETY: this is the only one.
        unsafe { &*self.0.responder.get() }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Responder {
        // SAFETY: this is the only one.
        unsafe { &mut *self.0.responder.get() }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.is_taken.store(false, Ordering::Release);
    }
}

/// A round by a thread that polls.
#[inline]
pub fn serve(local: &LocalNode, duty: &Duty) {
    match duty.take() {
        Some(mut held) => {
            // One writer at a time.
            let polled = duty.polled.load(Ordering::Relaxed);
            duty.polled.store(polled.wrapping_add(1), Ordering::Relaxed);
            held.look_at_changes(local);
            held.round(local);
        }
        None => duty.is_wanted.store(true, Ordering::Relaxed),
    }
}

/// What a node's own thread does until the node ends.
pub fn run(local: &LocalNode, duty: &Duty) {
    match local.serving {
        Serving::Thread => {
            let mut held = duty.take().expect("nobody else takes it");
            responder::run(local, &mut held);
        }
        Serving::Polls => stand_in(local, duty),
    }
}

fn stand_in(local: &LocalNode, duty: &Duty) {
    let mut census = Instant::now();
    while !local.has_ended() {
        let polled = duty.polled.load(Ordering::Relaxed);
        thread::sleep(LOOK_AGAIN);
        if polled == duty.polled.load(Ordering::Relaxed)
            && let Some(mut held) = duty.take()
        {
            duty.is_wanted.store(false, Ordering::Relaxed);
            responder::run_while_busy(local, &mut held, || duty.is_wanted.load(Ordering::Relaxed));
        }
        // Also of those whose requester has died while others poll.
        if census.elapsed() >= CENSUS
            && let Some(mut held) = duty.take()
        {
            held.take_census(local);
            census = Instant::now();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
