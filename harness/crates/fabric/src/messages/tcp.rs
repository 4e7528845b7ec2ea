//! The same over TCP on loopback, without any fabric: what messages between two threads of this machine take
//! through the kernel.
//!
//! As NetPIPE does it (004, Fig. 1): a thread at each end, which blocks until a message is whole, and no
//! waiting for more to send (`TCP_NODELAY`).

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use onesided_measure::Clock;
use onesided_placement::{CpuId, CpuSet, SchedulingWatch, pin_current_thread};

use super::{COMPARED, Found, Measured, SAMPLE, content};
use crate::{error::FabricError, timing::Timing};

/// What a message of a measurement begins with, and the last one of it.
const MORE: u8 = 0x5a;
const LAST: u8 = 0;

/// How long an end waits for the other. Ours: far above what a busy machine takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Two ends of a connection.
pub struct Loopback([TcpStream; 2]);

impl Loopback {
    /// Connects them.
    ///
    /// # Errors
    /// When the system refuses, as where there is no loopback.
    pub fn connect() -> Result<Self, FabricError> {
        Ok(Self(connected()?))
    }

    /// As [`super::Ends::measure`], each end by a thread on its CPU.
    ///
    /// # Errors
    /// When a thread cannot be pinned, or an end goes.
    ///
    /// # Panics
    /// When a message has no byte.
    pub fn measure(
        &mut self,
        clock: &Clock,
        length: usize,
        longest: Duration,
        cpus: [CpuId; 2],
    ) -> Result<Found, FabricError> {
        assert!(length > 0, "the first byte marks the last message");
        let [one, other] = &self.0;
        let work = Work { clock, length, longest };
        let may_run = |&cpu: &CpuId| pin_current_thread(&CpuSet::of(cpu));
        thread::scope(|scope| {
            // Tried first: else the error would be that of the other end.
            scope.spawn(|| cpus.iter().try_for_each(may_run)).join().expect("it returns")?;
            let first = scope.spawn(|| on(cpus[0], one, |end| work.lead(end)));
            let second = scope.spawn(|| on(cpus[1], other, |end| work.follow(end)));
            let (first, second) = (first.join(), second.join());
            let (first, second) = both(first.expect("it returns"), second.expect("it returns"))?;
            let (((ping_pong, back), early), ((stream, there), late)) = (first, second);
            let measured = Measured { ping_pong, stream, differing: there + back };
            let without_cpu = early.zip(late).map(|(early, late)| early.max(late));
            Ok(Found { without_cpu, ..measured.found() })
        })
    }
}

fn connected() -> io::Result<[TcpStream; 2]> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let one = TcpStream::connect_timeout(&listener.local_addr()?, PATIENCE)?;
    // Others of this machine may have been faster.
    let other = loop {
        let (other, from) = listener.accept()?;
        if from == one.local_addr()? {
            break other;
        }
    };
    for end in [&one, &other] {
        end.set_nodelay(true)?;
        end.set_read_timeout(Some(PATIENCE))?;
        end.set_write_timeout(Some(PATIENCE))?;
    }
    Ok([one, other])
}

/// What both ends give. Of two that failed the error is that of the one which failed by itself, not of the
/// one whose other end went.
fn both<A, B>(
    first: Result<A, FabricError>,
    second: Result<B, FabricError>,
) -> Result<(A, B), FabricError> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(first), Err(second)) if is_of_the_other_end(&first) => Err(second),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Whether that is what an end sees of another that went.
fn is_of_the_other_end(error: &FabricError) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let kinds = [UnexpectedEof, ConnectionReset, BrokenPipe, ConnectionAborted];
    matches!(error, FabricError::Tcp { source } if kinds.contains(&source.kind()))
}

/// Does `work` at an end, on a CPU: what it gives, and the share of the time that the thread was ready to
/// run and had no CPU, absent where the kernel does not say. Where it fails, the other end does not wait.
fn on<V>(
    cpu: CpuId,
    end: &TcpStream,
    work: impl FnOnce(&TcpStream) -> io::Result<V>,
) -> Result<(V, Option<f64>), FabricError> {
    let pinned = pin_current_thread(&CpuSet::of(cpu)).map_err(FabricError::from);
    // All of what the watch sees is within the time that is taken.
    let since = Instant::now();
    let watch = SchedulingWatch::begin();
    let worked = pinned.and_then(|()| Ok(work(end)?));
    if worked.is_err() {
        // It may be closed by the other end.
        let _ = end.shutdown(Shutdown::Both);
    }
    let waited_ns = watch.end().waited_ns.ok();
    let elapsed_ns = since.elapsed().as_nanos().max(1) as f64;
    Ok((worked?, waited_ns.map(|ns| ns as f64 / elapsed_ns)))
}

/// What both ends do.
struct Work<'a> {
    clock: &'a Clock,
    length: usize,
    longest: Duration,
}

impl Work<'_> {
    fn lead(&self, mut end: &TcpStream) -> io::Result<(Timing, u64)> {
        let (mut message, mut came, mut differing) =
            (vec![0; self.length], vec![0; self.length], 0);
        for number in 0..COMPARED {
            content::write(&mut message, 0, number);
            end.write_all(&message)?;
            end.read_exact(&mut came)?;
            differing += u64::from(!content::is(&came, self.length, 1, number));
        }
        message.fill(MORE);
        let mut timing = Timing::new(*self.clock, self.longest, SAMPLE);
        timing.begin(self.clock.now());
        loop {
            end.write_all(&message)?;
            end.read_exact(&mut came)?;
            if !timing.done(1) {
                break;
            }
        }
        let mut last = message.clone();
        last[0] = LAST;
        end.write_all(&last)?;
        // The other one counts from now on, too.
        let (start, ticks) = (self.clock.now(), self.clock.ticks_of(self.longest));
        while self.clock.now().0.saturating_sub(start.0) <= ticks {
            end.write_all(&message)?;
        }
        end.write_all(&last)?;
        Ok((timing, differing))
    }

    fn follow(&self, mut end: &TcpStream) -> io::Result<(Timing, u64)> {
        let (mut message, mut came, mut differing) =
            (vec![0; self.length], vec![0; self.length], 0);
        for number in 0..COMPARED {
            end.read_exact(&mut came)?;
            differing += u64::from(!content::is(&came, self.length, 0, number));
            content::write(&mut message, 1, number);
            end.write_all(&message)?;
        }
        message.fill(MORE);
        loop {
            end.read_exact(&mut came)?;
            if came[0] == LAST {
                break;
            }
            end.write_all(&message)?;
        }
        let mut timing = Timing::new(*self.clock, self.longest, SAMPLE);
        timing.begin(self.clock.now());
        loop {
            end.read_exact(&mut came)?;
            if came[0] == LAST {
                return Ok((timing, differing));
            }
            timing.done(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(kind: io::ErrorKind) -> Result<(), FabricError> {
        Err(FabricError::from(io::Error::from(kind)))
    }

    #[test]
    fn of_two_failed_ends_the_one_that_failed_first_is_reported() {
        use io::ErrorKind::{ConnectionReset, TimedOut, UnexpectedEof};
        let kind = |first, second| match both(failed(first), failed(second)).unwrap_err() {
            FabricError::Tcp { source } => source.kind(),
            other => panic!("{other}"),
        };
        assert_eq!(kind(TimedOut, UnexpectedEof), TimedOut);
        assert_eq!(kind(ConnectionReset, TimedOut), TimedOut);
        let alone = both(Ok::<_, FabricError>(1), failed(UnexpectedEof)).unwrap_err();
        assert!(is_of_the_other_end(&alone), "{alone}");
    }
}
