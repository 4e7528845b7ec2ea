//! What a process says at its end when memory that it shares with a peer is gone.
//!
//! A member of a context can make a node's file shorter, and who touches what was there gets a bus
//! error (`mmap(2)`), which nobody can go on from. A program may install a handler that says so,
//! lest somebody look for a mistake in the program. Mappings are registered for it in a fixed table, as a
//! handler may neither lock nor allocate (`signal-safety(7)`).

use std::{
    io,
    sync::{
        Once,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Mappings that are registered at a time, at the most; another one that is lost ends the program by the
/// signal, as without this. Ours: four for each node of a full context.
const MAPPINGS_AT_MOST: usize = 4096;

/// Written with one call.
const MESSAGE: &[u8] = b"onesided: the memory of a node of the emulated fabric is gone: somebody made its \
file shorter, which every member of a context can do. What was being done is lost, finished runs are kept. \
Let only those into the fabric's folder whom you trust, and begin again\n";

/// Exit status of what was begun and did not come to a valid end.
const STATUS: libc::c_int = 1;

/// Start and end of each registered mapping; both 0 in a free place.
static MAPPINGS: [[AtomicUsize; 2]; MAPPINGS_AT_MOST] =
    [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; MAPPINGS_AT_MOST];

/// Ends this process with a message when shared memory is gone, instead of by a signal alone.
///
/// For programs: it is the handler of SIGBUS of the whole process.
///
/// # Errors
/// The kernel refuses it.
pub fn handle_lost_memory() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut done = Ok(());
    ONCE.call_once(|| done = install());
    done
}

fn install() -> io::Result<()> {
    // SAFETY: a structure of numbers, for which zeroes will do.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_bus_error as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, and does only what a handler may.
    match unsafe { libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn on_bus_error(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel gives a valid structure.
    let code = unsafe { (*info).si_code };
    // Neither a fault of the memory itself nor a signal that somebody sent.
    // SAFETY: for this code the kernel gives the address of the fault.
    if code == libc::BUS_ADRERR && is_registered(unsafe { (*info).si_addr() } as usize) {
        // SAFETY: both may be called in a handler; the text is a constant.
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(STATUS);
        }
    }
    // SAFETY: both may be called in a handler. The signal is the process's end once the handler is left.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn is_registered(address: usize) -> bool {
    MAPPINGS.iter().any(|[start, end]| {
        (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&address)
    })
}

/// Registers a mapping until what is given back is dropped.
pub(super) fn register(start: usize, length: usize) -> Registration {
    let take = |place: &&[AtomicUsize; 2]| {
        // With the release below: the end of who had the place before is 0 by now.
        place[0].compare_exchange(0, start, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let place = MAPPINGS.iter().find(take);
    if let Some([_, end]) = place {
        end.store(start + length, Ordering::Relaxed);
    }
    Registration(place)
}

/// A registered mapping, if there was a place for it.
pub(super) struct Registration(Option<&'static [AtomicUsize; 2]>);

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some([start, end]) = self.0 {
            end.store(0, Ordering::Relaxed);
            start.store(0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_registered_while_its_mapping_is() {
        // No address of this process: tests beside this one have mappings.
        let start = usize::MAX - 9_000;
        let registration = register(start, 4096);
        assert!(is_registered(start) && is_registered(start + 4095));
        assert!(!is_registered(start - 1) && !is_registered(start + 4096));
        drop(registration);
        assert!(!is_registered(start));
    }
}
