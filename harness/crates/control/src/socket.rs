//! Reads and writes on a socket that take no longer than they are given.
//!
//! The kernel's time limits (SO_RCVTIMEO and SO_SNDTIMEO, socket(7)) hold for one call and for the
//! socket, not for its handle: so they are set anew before each call, reads are made by one thread
//! only, and writes under one lock.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::TcpStream,
    os::fd::AsRawFd as _,
    time::{Duration, Instant},
};

/// Shortest wait: a zero would be refused by the standard library, and means "for ever" to the
/// kernel.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// Has the kernel repeat the little that is said here at an even pace at first, instead of ever more
/// seldom (TCP_THIN_LINEAR_TIMEOUTS, tcp(7)): so that a network which was away for 5 s is found again
/// some 2 s after it is back, and not 6. A kernel that does not know it repeats as it always does.
pub(crate) fn repeat_evenly(stream: &TcpStream) {
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the value has the length that is said.
    unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_THIN_LINEAR_TIMEOUTS,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        );
    }
}

/// What a read met.
pub(crate) enum Arrival {
    /// So many bytes, at least one.
    Bytes(usize),
    /// The peer will send no more.
    EndOfStream,
    /// Nothing in the time given.
    Nothing,
    /// A signal; nothing can be said about the peer.
    Interrupted,
}

/// Reads what is there, waiting up to `wait` for the first byte.
///
/// # Errors
/// The connection failed.
pub(crate) fn read_within(
    mut stream: &TcpStream,
    buffer: &mut [u8],
    wait: Duration,
) -> io::Result<Arrival> {
    stream.set_read_timeout(Some(wait.max(SHORTEST_WAIT)))?;
    match stream.read(buffer) {
        Ok(0) => Ok(Arrival::EndOfStream),
        Ok(count) => Ok(Arrival::Bytes(count)),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock => Ok(Arrival::Nothing),
            ErrorKind::Interrupted => Ok(Arrival::Interrupted),
            _ => Err(error),
        },
    }
}

/// Why bytes were not all written.
#[derive(Debug)]
pub(crate) enum Unwritten {
    /// The peer took so many of them and no more in time.
    TimedOut { written: usize },
    /// The connection failed.
    Failed(io::Error),
}

/// Writes all bytes, until `deadline` at the latest.
///
/// # Errors
/// The peer did not take them in time, or the connection failed.
pub(crate) fn write_before(
    mut stream: &TcpStream,
    bytes: &[u8],
    deadline: Instant,
) -> Result<(), Unwritten> {
    let mut written = 0;
    while written < bytes.len() {
        let wait = deadline.saturating_duration_since(Instant::now()).max(SHORTEST_WAIT);
        stream.set_write_timeout(Some(wait)).map_err(Unwritten::Failed)?;
        match stream.write(&bytes[written..]) {
            Ok(0) => return Err(Unwritten::Failed(ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => {}
                _ => return Err(Unwritten::Failed(error)),
            },
        }
        if written < bytes.len() && Instant::now() >= deadline {
            return Err(Unwritten::TimedOut { written });
        }
    }
    Ok(())
}

/// Whether the error says that the peer's end is gone.
pub(crate) fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted
    )
}
