//! One thread that has both ends.

use std::{thread, time::Duration};

use onesided_measure::Clock;
use onesided_messaging::{Channel, SendError};
use onesided_placement::{CpuId, CpuSet, pin_current_thread};
use onesided_transport::Transport;

use super::{COMPARED, Measured, SAMPLE, content};
use crate::{error::FabricError, timing::Timing};

/// Measures on a thread of its own, so that the caller's is not pinned.
pub fn measured<T: Transport>(
    ends: &mut [Channel<T>; 2],
    clock: &Clock,
    length: usize,
    longest: Duration,
    cpu: CpuId,
) -> Result<Measured, FabricError>
where
    Channel<T>: Send,
{
    let all = || {
        pin_current_thread(&CpuSet::of(cpu))?;
        let differing = differing(ends, length)?;
        let message = vec![0x5a; length];
        let timing = || Timing::new(*clock, longest, SAMPLE);
        let (mut ping_pong, mut stream) = (timing(), timing());
        there_and_back(ends, clock, &message, &mut ping_pong)?;
        ping_pong.end();
        one_way(ends, clock, &message, &mut stream)?;
        stream.end();
        Ok(Measured { ping_pong, stream, differing })
    };
    thread::scope(|scope| scope.spawn(all).join().expect("it returns"))
}

/// Messages that are not what they must be, of both directions.
fn differing<T: Transport>(ends: &mut [Channel<T>; 2], length: usize) -> Result<u64, FabricError> {
    let (mut message, mut differing) = (vec![0; length], 0);
    for number in 0..COMPARED {
        for from in [0, 1] {
            content::write(&mut message, from, number);
            send(ends, from as usize, &message)?;
            let same = |bytes: &[u8]| content::is(bytes, length, from, number);
            differing += u64::from(!received(ends, 1 - from as usize, same)?);
        }
    }
    Ok(differing)
}

/// Sends from one end, with the other getting on: where there is no room, what makes some is what the
/// other end says, and its word may have been under way when it was due.
fn send<T: Transport>(
    ends: &mut [Channel<T>; 2],
    from: usize,
    message: &[u8],
) -> Result<(), FabricError> {
    loop {
        match ends[from].try_send(message) {
            Err(SendError::Full) => ends[1 - from].progress()?,
            sent => return Ok(sent?),
        }
    }
}

/// Takes the next message at one end, with the other getting on.
fn received<T: Transport, V>(
    ends: &mut [Channel<T>; 2],
    end: usize,
    take: impl Fn(&[u8]) -> V,
) -> Result<V, FabricError> {
    let [one, other] = ends;
    let (from, to) = if end == 0 { (other, one) } else { (one, other) };
    loop {
        if let Some(value) = to.try_receive_with(&take)? {
            return Ok(value);
        }
        from.progress()?;
    }
}

fn there_and_back<T: Transport>(
    ends: &mut [Channel<T>; 2],
    clock: &Clock,
    message: &[u8],
    timing: &mut Timing,
) -> Result<(), FabricError> {
    timing.begin(clock.now());
    loop {
        for from in [0, 1] {
            send(ends, from, message)?;
            received(ends, 1 - from, |_| ())?;
        }
        if !timing.done(1) {
            return Ok(());
        }
    }
}

/// As many ahead as there is room for; the last ones are received, and not counted.
fn one_way<T: Transport>(
    ends: &mut [Channel<T>; 2],
    clock: &Clock,
    message: &[u8],
    timing: &mut Timing,
) -> Result<(), FabricError> {
    timing.begin(clock.now());
    let (mut sent, mut received, mut has_time) = (0_u64, 0_u64, true);
    while has_time || received < sent {
        if has_time {
            sent += filled(&mut ends[0], message)?;
        }
        let before = received;
        while ends[1].try_receive_with(|_| ())?.is_some() {
            received += 1;
        }
        has_time &= timing.done(received - before);
        ends[0].progress()?;
    }
    Ok(())
}

/// Sends until there is no room; how many.
fn filled<T: Transport>(end: &mut Channel<T>, message: &[u8]) -> Result<u64, FabricError> {
    let mut sent = 0;
    loop {
        match end.try_send(message) {
            Ok(()) => sent += 1,
            Err(SendError::Full) => return Ok(sent),
            Err(other) => return Err(other.into()),
        }
    }
}
