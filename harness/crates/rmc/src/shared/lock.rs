//! Who holds a node, told by a lock on its file.
//!
//! The kernel releases a lock when its holder ends, however it ends. These are open file
//! description locks (`fcntl(2)`): two openings within one process are two holders, and a lock can
//! be asked about without being taken.

use std::{fs::File, io, os::fd::AsRawFd};

fn whole_file() -> libc::flock {
    // SAFETY: a plain structure of numbers, for which zeroes are the whole file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock
}

/// Takes the lock, unless another holds it.
///
/// # Errors
/// What the kernel says, but for the lock being held.
pub fn try_hold(file: &File) -> io::Result<bool> {
    let lock = whole_file();
    // SAFETY: the kernel reads the structure.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) } {
        0 => Ok(true),
        _ => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
            error => Err(error),
        },
    }
}

/// Whether another holds the lock.
///
/// # Errors
/// What the kernel says.
pub fn is_held(file: &File) -> io::Result<bool> {
    let mut lock = whole_file();
    // SAFETY: the kernel reads and writes the structure.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) } {
        0 => Ok(lock.l_type != libc::F_UNLCK as libc::c_short),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder_and_ends_with_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (first, second) = (file.reopen().unwrap(), file.reopen().unwrap());
        assert!(!is_held(&second).unwrap());
        assert!(try_hold(&first).unwrap());
        assert!(!try_hold(&second).unwrap());
        assert!(is_held(&second).unwrap());
        assert!(!is_held(&first).unwrap(), "one's own lock is no other's");
        drop(first);
        assert!(try_hold(&second).unwrap());
    }
}
