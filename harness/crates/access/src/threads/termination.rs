//! Being asked to end, without a signal handler.

use std::{fmt, io, mem::MaybeUninit, ptr, time::Duration};

/// What asks a program to end, kept from ending it at once (`sigprocmask(2)`, `sigtimedwait(2)`).
#[derive(Clone, Copy, Debug)]
pub struct Termination {
    signals: libc::sigset_t,
}

/// A signal that asks a program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`, as a terminal sends it.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
}

impl Signal {
    /// What a shell says of a process that the signal ended: 128 and its number.
    #[must_use]
    pub const fn exit_status(self) -> i32 {
        128 + match self {
            Self::Interrupt => libc::SIGINT,
            Self::Terminate => libc::SIGTERM,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        })
    }
}

impl Termination {
    /// Blocks the signals in the calling thread and in threads that it creates from now on: call
    /// it first of all in the main thread. They stay blocked.
    ///
    /// # Errors
    /// The system refuses to block them.
    pub fn hold() -> io::Result<Self> {
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the set is initialised by sigemptyset before anything reads it; the signals'
        // numbers are valid.
        let signals = unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGINT);
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
            signals.assume_init()
        };
        // SAFETY: the set is valid; the previous mask is not asked for.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &signals, ptr::null_mut()) } {
            0 => Ok(Self { signals }),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    /// Lets a wait in this process return, as a signal would.
    ///
    /// # Errors
    /// The system does not let this process send itself a signal.
    pub fn wake() -> io::Result<()> {
        // SAFETY: no memory is involved; the signal is blocked, as `hold` was called first.
        match unsafe { libc::kill(libc::getpid(), libc::SIGTERM) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Waits for a signal, so long at the most.
    pub fn wait(&self, at_most: Duration) -> Option<Signal> {
        let timeout = libc::timespec {
            tv_sec: libc::time_t::try_from(at_most.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        // SAFETY: both pointers are valid for reads; details of the signal are not asked for.
        match unsafe { libc::sigtimedwait(&self.signals, ptr::null_mut(), &timeout) } {
            libc::SIGINT => Some(Signal::Interrupt),
            libc::SIGTERM => Some(Signal::Terminate),
            // Timed out, or interrupted by another signal: the caller asks again.
            _ => None,
        }
    }
}
