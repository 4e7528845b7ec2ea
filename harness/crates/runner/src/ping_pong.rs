//! Ping-pong by writes: each side writes one slot into the other's memory and watches its own.
//!
//! ```text
//!   client                                  server
//!   outgoing --- write, last byte n  --->   arriving   (watched)
//!   arriving <-- write, last byte n  ---    outgoing
//! ```
//!
//! What is recorded is the whole round trip as the client sees it: unlike a completion, which says
//! that the other *device* has the data, it says that the other *program* saw it. The study has
//! no such experiment; perftest's `ib_write_lat` is one, and prints half of the round trip.

use std::sync::atomic::{AtomicU8, Ordering};

use onesided_measure::{Clock, Record, Ticks};
use onesided_transport::{Endpoint, Opcode, Signal, WorkCompletion, WorkRequest};

use crate::{
    data_path::{Gaps, Watch},
    fault::DataPathFault,
    totals::Totals,
};

/// Looks at the watched byte between two looks at the clock and the stop flag. Ours: well below a
/// microsecond, so that ending is prompt and the looks cost nothing visible.
const SPINS: u32 = 64;

/// One side of a ping-pong over one queue pair.
pub(crate) struct Side<E> {
    endpoint: E,
    /// The write to the other side; its local segment is the outgoing slot.
    write: WorkRequest,
    outgoing_last: *mut u8,
    arriving_last: *const u8,
    totals: Totals,
}

// SAFETY: the two pointers are into registered memory that outlives the run, and only this side's
// thread and the device use the slots they point to.
unsafe impl<E: Endpoint> Send for Side<E> {}

/// Where one side's slots are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// The write to the other side, complete but for its id.
    pub write: WorkRequest,
    /// Address of the last byte of the outgoing slot.
    pub outgoing_last: u64,
    /// Address of the last byte of the slot that the other side writes.
    pub arriving_last: u64,
}

impl<E: Endpoint> Side<E> {
    /// Makes one side.
    ///
    /// # Safety
    /// Both addresses must be in memory of this process that stays mapped as long as this lives
    /// and that nothing but this side and the device accesses.
    pub(crate) unsafe fn new(endpoint: E, slots: Slots) -> Self {
        let mut write = slots.write;
        write.opcode = Opcode::Write;
        write.signal = Signal::Signaled;
        Self {
            endpoint,
            write,
            outgoing_last: slots.outgoing_last as *mut u8,
            arriving_last: slots.arriving_last as *const u8,
            totals: Totals::default(),
        }
    }

    /// Plays the client until the clock shows `until`.
    ///
    /// # Errors
    /// A failed write, an answer out of turn, no answer within the watch's patience.
    pub(crate) fn ping<R: Record>(
        &mut self,
        clock: Clock,
        until: Ticks,
        record: &mut R,
        gaps: &mut Gaps,
        watch: &Watch<'_>,
    ) -> Result<(), DataPathFault> {
        loop {
            let posted = clock.now();
            if posted >= until {
                return Ok(());
            }
            if watch.stop.load(Ordering::Relaxed) {
                return Err(DataPathFault::Stopped);
            }
            let turn = self.send()?;
            let now = self.await_turn(turn, clock, watch, Some(watch.patience))?;
            let Some(now) = now else { return Err(DataPathFault::Stopped) };
            let latency = now.0.saturating_sub(posted.0);
            gaps.completed(now, || latency);
            record.advance(now);
            record.completed(0, 1);
            record.latency(0, latency);
            self.reap(clock, watch)?;
        }
    }

    /// Plays the server until the watch says stop.
    ///
    /// # Errors
    /// As [`Side::ping`].
    pub(crate) fn pong(&mut self, clock: Clock, watch: &Watch<'_>) -> Result<(), DataPathFault> {
        loop {
            let turn = (self.totals.posted + 1) as u8;
            if self.await_turn(turn, clock, watch, None)?.is_none() {
                return Ok(());
            }
            self.send()?;
            self.reap(clock, watch)?;
        }
    }

    /// What was posted and completed so far.
    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// Hands the endpoint back.
    pub(crate) fn into_endpoint(self) -> E {
        self.endpoint
    }

    fn send(&mut self) -> Result<u8, DataPathFault> {
        self.totals.posted += 1;
        self.totals.signaled += 1;
        let turn = self.totals.posted as u8;
        self.write.id = self.totals.posted;
        // SAFETY: by the promise of `new`; the previous write has completed, so the device no
        // longer reads the slot.
        unsafe { self.outgoing_last.write_volatile(turn) };
        // SAFETY: by the promise of `new`, the segments stay valid until the completion.
        unsafe { self.endpoint.post(0, std::slice::from_ref(&self.write))? };
        Ok(turn)
    }

    /// Takes the completion of the write that was just answered.
    fn reap(&mut self, clock: Clock, watch: &Watch<'_>) -> Result<(), DataPathFault> {
        let mut completions = [WorkCompletion::EMPTY; 1];
        let since = clock.now();
        while self.endpoint.poll(&mut completions)? == 0 {
            if clock.now().0.saturating_sub(since.0) > watch.patience {
                let waited_ns = clock.nanoseconds(watch.patience);
                return Err(DataPathFault::Stalled { outstanding: 1, waited_ns });
            }
        }
        let [completion] = completions;
        self.totals.reported += 1;
        match completion.status {
            onesided_transport::CompletionStatus::Success if completion.id == self.write.id => {
                self.totals.completed += 1;
                Ok(())
            }
            onesided_transport::CompletionStatus::Success => {
                Err(DataPathFault::Stale { id: completion.id })
            }
            status => {
                Err(DataPathFault::Completion { queue_pair: 0, sequence: completion.id, status })
            }
        }
    }

    /// Watches the arriving slot for `turn`, for `patience` ticks or as long as it takes. `None`:
    /// the watch said stop first.
    fn await_turn(
        &mut self,
        turn: u8,
        clock: Clock,
        watch: &Watch<'_>,
        patience: Option<u64>,
    ) -> Result<Option<Ticks>, DataPathFault> {
        let since = clock.now();
        loop {
            for _ in 0..SPINS {
                // SAFETY: by the promise of `new`; the device writes the byte behind our back, so
                // it is read as an atomic.
                let found = unsafe { AtomicU8::from_ptr(self.arriving_last.cast_mut()) }
                    .load(Ordering::Acquire);
                if found == turn {
                    return Ok(Some(clock.now()));
                }
                if found != turn.wrapping_sub(1) {
                    let round = self.totals.posted;
                    return Err(DataPathFault::OutOfTurn { round, found, due: turn });
                }
            }
            if watch.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if !watch.peer.is_alive() {
                return Err(DataPathFault::PeerLost);
            }
            let waited = clock.now().0.saturating_sub(since.0);
            if let Some(patience) = patience.filter(|patience| waited > *patience) {
                let waited_ns = clock.nanoseconds(patience);
                return Err(DataPathFault::Stalled { outstanding: 1, waited_ns });
            }
        }
    }
}
