//! Two threads with one end each.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use onesided_measure::Clock;
use onesided_messaging::Channel;
use onesided_placement::{CpuId, CpuSet, pin_current_thread};
use onesided_transport::Transport;

use super::{COMPARED, Measured, SAMPLE, content};
use crate::{error::FabricError, timing::Timing};

/// A message of this length ends a measurement.
const LAST: [u8; 1] = [0];

/// The first end leads; the second answers, and then counts what comes.
pub fn measured<T: Transport>(
    ends: &mut [Channel<T>; 2],
    clock: &Clock,
    length: usize,
    longest: Duration,
    cpus: [CpuId; 2],
) -> Result<Measured, FabricError>
where
    Channel<T>: Send,
{
    let [one, other] = ends;
    let over = AtomicBool::new(false);
    let over = &over;
    let may_run = |&cpu: &CpuId| pin_current_thread(&CpuSet::of(cpu));
    thread::scope(|scope| {
        // Tried first: an end that cannot be where it should would leave the other waiting.
        scope.spawn(|| cpus.iter().try_for_each(may_run)).join().expect("it returns")?;
        let first = scope.spawn(move || {
            let led = leading(one, clock, length, longest, cpus[0])?;
            // A peer says what it has received in its calls only, so there is no waiting for that.
            while !over.load(Ordering::Acquire) {
                one.progress()?;
            }
            Ok::<_, FabricError>(led)
        });
        let second = scope.spawn(move || {
            let followed = following(other, clock, length, longest, cpus[1]);
            over.store(true, Ordering::Release);
            followed
        });
        let (first, second) = (first.join().expect("it returns"), second.join());
        let (ping_pong, back) = first?;
        let (stream, there) = second.expect("it returns")?;
        Ok(Measured { ping_pong, stream, differing: there + back })
    })
}

fn leading<T: Transport>(
    end: &mut Channel<T>,
    clock: &Clock,
    length: usize,
    longest: Duration,
    cpu: CpuId,
) -> Result<(Timing, u64), FabricError> {
    pin_current_thread(&CpuSet::of(cpu))?;
    let (mut message, mut differing) = (vec![0; length], 0);
    for number in 0..COMPARED {
        content::write(&mut message, 0, number);
        end.send(&message)?;
        differing += u64::from(!end.receive_with(|bytes| content::is(bytes, length, 1, number))?);
    }
    let mut timing = Timing::new(*clock, longest, SAMPLE);
    timing.begin(clock.now());
    loop {
        end.send(&message)?;
        end.receive_with(|_| ())?;
        if !timing.done(1) {
            break;
        }
    }
    timing.end();
    end.send(&LAST)?;
    // The other one counts from now on, too.
    let start = clock.now();
    let ticks = clock.ticks_of(longest);
    while clock.now().0.saturating_sub(start.0) <= ticks {
        end.send(&message)?;
    }
    end.send(&LAST)?;
    Ok((timing, differing))
}

fn following<T: Transport>(
    end: &mut Channel<T>,
    clock: &Clock,
    length: usize,
    longest: Duration,
    cpu: CpuId,
) -> Result<(Timing, u64), FabricError> {
    pin_current_thread(&CpuSet::of(cpu))?;
    let (mut message, mut differing) = (vec![0; length], 0);
    for number in 0..COMPARED {
        differing += u64::from(!end.receive_with(|bytes| content::is(bytes, length, 0, number))?);
        content::write(&mut message, 1, number);
        end.send(&message)?;
    }
    while end.receive_with(<[u8]>::len)? != LAST.len() {
        end.send(&message)?;
    }
    let mut timing = Timing::new(*clock, longest, SAMPLE);
    timing.begin(clock.now());
    while end.receive_with(<[u8]>::len)? != LAST.len() {
        timing.done(1);
    }
    timing.end();
    Ok((timing, differing))
}
