//! The table of open files that a thread's system calls look into.

use std::io;

/// Gives the calling thread a table of open files of its own, a copy of the process's.
///
/// Looking up a file in a table that threads share takes a reference to the file and drops it
/// again, two atomic operations a system call; in a table of one thread it does not
/// (`fdget` in the kernel's `fs/file.c`). Providers that ring their doorbell by a system call, as
/// Soft-RoCE does, pay it on every post. The copies are closed with the thread.
///
/// # Errors
/// Without memory for the table (`unshare(2)`), or where a filter of system calls forbids it, as
/// that of containers does by default.
pub fn own_file_table() -> io::Result<()> {
    // SAFETY: only the calling thread's table changes, and every file in it stays open.
    match unsafe { libc::unshare(libc::CLONE_FILES) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Read, os::fd::AsRawFd, thread};

    use super::*;

    #[test]
    fn a_file_opened_after_it_is_the_threads_own_and_those_before_stay_open() {
        let mut before = File::open("/proc/self/stat").unwrap();
        let after = thread::spawn(move || {
            own_file_table().unwrap();
            let mut text = String::new();
            before.read_to_string(&mut text).unwrap();
            assert!(!text.is_empty());
            let after = File::open("/proc/self/stat").unwrap();
            // Far from the numbers that other tests of this process get meanwhile. It outlives the
            // table it is in, and with it the thread.
            // SAFETY: the file is open.
            let number = unsafe { libc::fcntl(after.as_raw_fd(), libc::F_DUPFD, 700) };
            assert!(number >= 700, "{}", io::Error::last_os_error());
            number
        });
        let number = after.join().unwrap();
        // SAFETY: any number may be asked about.
        assert_eq!(unsafe { libc::fcntl(number, libc::F_GETFD) }, -1);
    }
}
