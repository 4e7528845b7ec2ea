//! The data path: operations one after another, so many under way.

use std::time::Duration;

use onesided_measure::{Clock, Ticks};
use onesided_transport::{
    CompletionStatus, Endpoint, LocalSegment, Opcode, Payload, RemoteSegment, Signal, Transport,
    WorkCompletion, WorkRequest,
};

use super::{Asked, Plan, side::Side};
use crate::{error::FabricError, memory::LINE_BYTES, timing::Timing};

/// Operations of a sample, where one is under way at a time, and where many are. Ours: the clock's
/// own time does not count among so many.
const SAMPLES: [u64; 2] = [16, 256];

/// Completions that are taken at a time.
const BATCH: usize = 32;

/// The share of the time that is gone before a measurement counts.
const WARM_UP: u32 = 10;

impl<T: Transport> Side<T> {
    /// Asks for a while; how often.
    pub fn warmed_up(&mut self, clock: &Clock, plan: &Plan) -> Result<u64, FabricError> {
        let short =
            Plan { longest: (plan.longest / WARM_UP).max(Duration::from_micros(10)), ..*plan };
        let start = clock.now();
        Ok(self.measured(clock, &short, start, 0)?.0.operations())
    }

    /// Asks from `start` on, after having asked so often before: what it took, and that number.
    pub fn measured(
        &mut self,
        clock: &Clock,
        plan: &Plan,
        start: Ticks,
        asked_before: u64,
    ) -> Result<(Timing, u64), FabricError> {
        let template = self.template(plan.asked);
        // Memories are of whole accesses of each size.
        let stride = u64::from(template.local.length).next_multiple_of(LINE_BYTES as u64);
        let places = self.landing.bytes() as u64 / stride;
        let mut place = asked_before % places;
        let sample = SAMPLES[usize::from(plan.window > 1)];
        let mut timing = Timing::new(*clock, plan.longest, sample);
        timing.begin(start);
        let (mut posted, mut completed, mut has_time) = (asked_before, asked_before, true);
        let mut completions = [WorkCompletion::EMPTY; BATCH];
        while has_time || completed < posted {
            while has_time && posted < completed + plan.window {
                let request = placed(&template, posted, place * stride);
                place = if place + 1 == places { 0 } else { place + 1 };
                // SAFETY: both memories live as long as the pair, and the landing's are atomics.
                unsafe { self.endpoint.post(0, &[request]) }?;
                posted += 1;
            }
            let polled = self.endpoint.poll(&mut completions)?;
            for completion in &completions[..polled] {
                expect(completion, completed)?;
                completed += 1;
            }
            // Also of nothing, so that it ends where nothing comes for long.
            has_time &= timing.done(polled as u64);
        }
        Ok((timing, asked_before))
    }

    /// The request for the first place.
    fn template(&self, asked: Asked) -> WorkRequest {
        let [read, added] = self.peer.expect("sides know each other before they ask");
        let (opcode, remote, length) = match asked {
            Asked::Read { bytes } => (Opcode::Read, read, bytes),
            Asked::FetchAndAdd => (Opcode::FetchAndAdd { add: 1 }, added, Opcode::ATOMIC_BYTES),
        };
        WorkRequest {
            id: 0,
            opcode,
            local: self.landing.segment(0, length),
            remote: RemoteSegment { address: remote.address, key: remote.key },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }
}

/// The request of a number, so many bytes behind the first place.
#[inline]
fn placed(template: &WorkRequest, number: u64, offset: u64) -> WorkRequest {
    let local = LocalSegment { address: template.local.address + offset, ..template.local };
    let remote = RemoteSegment { address: template.remote.address + offset, ..template.remote };
    WorkRequest { id: number, local, remote, ..*template }
}

#[inline]
fn expect(completion: &WorkCompletion, expected: u64) -> Result<(), FabricError> {
    if completion.status != CompletionStatus::Success {
        return Err(FabricError::Operation { number: completion.id, status: completion.status });
    }
    match completion.id == expected {
        true => Ok(()),
        false => Err(FabricError::OutOfTurn { expected, found: completion.id }),
    }
}
