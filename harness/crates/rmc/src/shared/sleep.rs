//! How a responder sleeps, and how others wake it.
//!
//! It says that it sleeps in a word of shared memory, looks for work once more, and waits for the
//! word to change (`futex(2)`). A requester looks at the word when it has sent something, without a
//! barrier before; should both look too early, its next looks while it waits see the word.

use std::{
    ptr,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Says that this thread is about to sleep.
pub fn announce(word: &AtomicU32) {
    word.store(1, Ordering::SeqCst);
}

/// Takes it back, having found work.
pub fn withdraw(word: &AtomicU32) {
    word.store(0, Ordering::Relaxed);
}

/// Sleeps until it is woken or the time is over, or for no reason.
pub fn sleep(word: &AtomicU32, at_most: Duration) {
    let time = libc::timespec {
        tv_sec: at_most.as_secs() as libc::time_t,
        tv_nsec: at_most.subsec_nanos().into(),
    };
    // SAFETY: the word and the time live; without FUTEX_PRIVATE other processes can wake.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            1_u32,
            &raw const time,
            ptr::null::<u32>(),
            0_u32,
        );
    }
    withdraw(word);
}

/// Wakes the responder if it sleeps; costs a read otherwise.
#[inline]
pub fn wake(word: &AtomicU32) {
    if word.load(Ordering::Relaxed) != 0 {
        wake_asleep(word);
    }
}

#[cold]
fn wake_asleep(word: &AtomicU32) {
    if word.swap(0, Ordering::SeqCst) != 0 {
        // SAFETY: the kernel takes the address of a word that lives.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1_u32) };
    }
}
