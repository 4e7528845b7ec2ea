//! Ping-pong: each side puts one slot into the other's memory, by a write or a send, and waits for the
//! other's. A plain write is seen by watching the memory, a send or a write with immediate by the completion
//! of a receive request, as perftest's programs do. Mostly both sides do the same; or the client writes and
//! the server answers by a send, as 003's RPCs do.
//!
//! ```text
//!   client                                  server
//!   outgoing --- last byte n  ------->   arriving
//!   arriving <-- last byte n  --------   outgoing
//! ```
//!
//! What is recorded is the whole round trip as the client sees it: unlike a completion, which says
//! that the other *device* has the data, it says that the other *program* saw it. The study has
//! no such experiment; perftest's `ib_write_lat` and `ib_send_lat` are, and print half of the round trip.

use std::sync::atomic::{AtomicU8, Ordering};

use onesided_measure::{Clock, Record, Ticks};
use onesided_transport::{
    CompletionKind, CompletionStatus, Endpoint, LocalSegment, Opcode, PostError, ReceiveRequest,
    Signal, WorkCompletion, WorkRequest,
};

use crate::{
    data_path::{Gaps, Watch},
    fault::DataPathFault,
    totals::Totals,
};

/// Looks for what is due between two looks at the clock and the stop flag. Ours: below a microsecond where
/// memory is watched, some where completions are polled, so that ending is prompt and the looks cost nothing
/// visible.
const SPINS: u32 = 64;

/// One side of a ping-pong over one queue pair.
pub(crate) struct Side<E> {
    endpoint: E,
    /// The write or send to the other side; its local segment is the outgoing slot.
    request: WorkRequest,
    outgoing_last: *mut u8,
    arriving_last: *const u8,
    arrival: Arrival,
    may_be_lost: bool,
    /// Receive requests that were consumed, of turns that were not looked at.
    received: u64,
    /// Receive requests that were consumed and not posted again yet.
    owed: usize,
    /// Whether the request that was posted last has completed.
    is_reaped: bool,
    totals: Totals,
}

// SAFETY: the two pointers are into registered memory that outlives the run, and only this side's
// thread and the device use the slots they point to.
unsafe impl<E: Endpoint> Send for Side<E> {}

/// Where one side's slots are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// The write or send to the other side, complete but for its id; its local segment is the outgoing slot.
    pub request: WorkRequest,
    /// What the other side posts at its turn, but for where it goes: how its turn is seen.
    pub answered_by: Opcode,
    /// What the other side fills: the slot, and before it the header of datagrams.
    pub buffer: LocalSegment,
    /// Bytes of that header.
    pub header: u32,
    /// Whether the service may lose a message.
    pub may_be_lost: bool,
}

/// Receive requests that a side of a ping-pong of sends keeps posted: the one that is due, and the next.
pub(crate) const RECEIVES: u32 = 2;

/// How the other side's turn is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// By its last byte.
    InMemory,
    /// By the completion of a receive request, with the buffer of a send.
    Receive(Option<LocalSegment>),
}

impl Slots {
    /// The slot that the other side fills.
    fn arriving(&self) -> LocalSegment {
        let address = self.buffer.address + u64::from(self.header);
        LocalSegment { address, ..self.request.local }
    }

    fn arrival(&self) -> Arrival {
        match self.answered_by {
            Opcode::Send { .. } | Opcode::Datagram { .. } => Arrival::Receive(Some(self.buffer)),
            Opcode::WriteWithImmediate { .. } => Arrival::Receive(None),
            _ => Arrival::InMemory,
        }
    }

    /// Posts the first receive requests of a side, where it needs any: before the other side may begin.
    ///
    /// # Errors
    /// When they are refused.
    ///
    /// # Safety
    /// As [`Side::new`].
    pub(crate) unsafe fn fill<E: Endpoint>(&self, endpoint: &mut E) -> Result<(), PostError> {
        let Arrival::Receive(buffer) = self.arrival() else { return Ok(()) };
        // SAFETY: the caller's.
        unsafe {
            endpoint.post_receives(0, &[ReceiveRequest { id: RECEIVED, buffer }; RECEIVES as usize])
        }
    }
}

/// Id of each receive request.
const RECEIVED: u64 = u64::MAX;

impl<E: Endpoint> Side<E> {
    /// Makes one side, whose first receive requests are posted ([`Slots::fill`]).
    ///
    /// # Safety
    /// Both slots must be in memory of this process that stays mapped as long as this lives
    /// and that nothing but this side and the device accesses.
    pub(crate) unsafe fn new(endpoint: E, slots: Slots) -> Self {
        let last = |slot: LocalSegment| slot.address + u64::from(slot.length) - 1;
        Self {
            endpoint,
            request: WorkRequest { signal: Signal::Signaled, ..slots.request },
            outgoing_last: last(slots.request.local) as *mut u8,
            arriving_last: last(slots.arriving()) as *const u8,
            arrival: slots.arrival(),
            may_be_lost: slots.may_be_lost,
            received: 0,
            owed: 0,
            is_reaped: true,
            totals: Totals::default(),
        }
    }

    /// Plays the client until the clock shows `until`.
    ///
    /// # Errors
    /// A failed request, an answer out of turn, no answer within the watch's patience.
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
        self.request.id = self.totals.posted;
        if let Opcode::WriteWithImmediate { immediate } = &mut self.request.opcode {
            *immediate = turn.into();
        }
        self.is_reaped = false;
        // SAFETY: by the promise of `new`; the previous one has completed, so the device no
        // longer reads the slot.
        unsafe { self.outgoing_last.write_volatile(turn) };
        // SAFETY: by the promise of `new`, the segments stay valid until the completion.
        unsafe { self.endpoint.post(0, std::slice::from_ref(&self.request))? };
        Ok(turn)
    }

    /// Takes the completion of the request that was just answered, unless it was taken before, and posts the
    /// receive requests that were consumed.
    fn reap(&mut self, clock: Clock, watch: &Watch<'_>) -> Result<(), DataPathFault> {
        let mut since = None;
        while !self.is_reaped {
            // The other side may have seen ours, and sent again, before we are told that it has it.
            self.take()?;
            if self.is_reaped {
                break;
            }
            // The clock is only read where there is something to wait for.
            let now = clock.now().0;
            if now.saturating_sub(*since.get_or_insert(now)) > watch.patience {
                let waited_ns = clock.nanoseconds(watch.patience);
                return Err(DataPathFault::Stalled { outstanding: 1, waited_ns });
            }
        }
        self.post_again()
    }

    /// Posts the receive requests that were consumed. Only once the turn is answered, for which the other side
    /// waits: the answer to that finds the other request of [`RECEIVES`], and it sends no more before ours.
    fn post_again(&mut self) -> Result<(), DataPathFault> {
        let Arrival::Receive(buffer) = self.arrival else { return Ok(()) };
        if self.owed == 0 {
            return Ok(());
        }
        let requests = [ReceiveRequest { id: RECEIVED, buffer }; RECEIVES as usize];
        // SAFETY: by the promise of `new`.
        unsafe { self.endpoint.post_receives(0, &requests[..self.owed])? };
        self.owed = 0;
        Ok(())
    }

    /// Takes a completion, if there is one: the request's, or that of a receive request.
    fn take(&mut self) -> Result<(), DataPathFault> {
        let mut completions = [WorkCompletion::EMPTY; 1];
        if self.endpoint.poll(&mut completions)? == 0 {
            return Ok(());
        }
        let [WorkCompletion { id, status, kind, .. }] = completions;
        if status != CompletionStatus::Success {
            let sequence = if id == RECEIVED { self.totals.posted } else { id };
            return Err(DataPathFault::Completion { queue_pair: 0, sequence, status });
        }
        match (kind, self.arrival) {
            (CompletionKind::Receive { .. }, Arrival::Receive(_)) if id == RECEIVED => {
                self.owed += 1;
                self.received += 1;
                Ok(())
            }
            (CompletionKind::Request, _) if id == self.request.id && !self.is_reaped => {
                self.totals.reported += 1;
                self.totals.completed += 1;
                self.is_reaped = true;
                Ok(())
            }
            _ => Err(DataPathFault::Stale { id }),
        }
    }

    /// Whether the other side's `turn` has been written.
    #[inline]
    fn is_written(&mut self, turn: u8) -> Result<bool, DataPathFault> {
        let found = self.arrived();
        if found == turn || found == turn.wrapping_sub(1) {
            return Ok(found == turn);
        }
        Err(DataPathFault::OutOfTurn { round: self.totals.posted, found, due: turn })
    }

    /// Whether the other side's `turn` has been received.
    #[inline]
    fn is_received(&mut self, turn: u8) -> Result<bool, DataPathFault> {
        if self.received == 0 {
            self.take()?;
        }
        if self.received == 0 {
            return Ok(false);
        }
        self.received -= 1;
        let found = self.arrived();
        if found == turn {
            return Ok(true);
        }
        Err(DataPathFault::OutOfTurn { round: self.totals.posted, found, due: turn })
    }

    /// The last byte that has arrived.
    #[inline]
    fn arrived(&self) -> u8 {
        // SAFETY: by the promise of `new`; the device writes the byte behind our back, so it is read as an
        // atomic.
        unsafe { AtomicU8::from_ptr(self.arriving_last.cast_mut()) }.load(Ordering::Acquire)
    }

    /// Waits for `turn` to arrive, for `patience` ticks or as long as it takes. `None`:
    /// the watch said stop first.
    fn await_turn(
        &mut self,
        turn: u8,
        clock: Clock,
        watch: &Watch<'_>,
        patience: Option<u64>,
    ) -> Result<Option<Ticks>, DataPathFault> {
        // Chosen once: the look itself asks nothing of the configuration.
        match self.arrival {
            Arrival::InMemory => {
                self.look(clock, watch, patience, |side: &mut Self| side.is_written(turn))
            }
            Arrival::Receive(_) => {
                self.look(clock, watch, patience, |side: &mut Self| side.is_received(turn))
            }
        }
    }

    /// Looks until `is_there` says so, as [`Self::await_turn`].
    #[inline]
    fn look(
        &mut self,
        clock: Clock,
        watch: &Watch<'_>,
        patience: Option<u64>,
        is_there: impl Fn(&mut Self) -> Result<bool, DataPathFault>,
    ) -> Result<Option<Ticks>, DataPathFault> {
        let mut since = None;
        loop {
            for _ in 0..SPINS {
                if is_there(self)? {
                    return Ok(Some(clock.now()));
                }
            }
            if watch.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if !watch.peer.is_alive() {
                return Err(DataPathFault::PeerLost);
            }
            let now = clock.now().0;
            let waited = now.saturating_sub(*since.get_or_insert(now));
            if let Some(patience) = patience.filter(|patience| waited > *patience) {
                let waited_ns = clock.nanoseconds(patience);
                return Err(match self.may_be_lost {
                    true => DataPathFault::MessageLost { waited_ns },
                    false => DataPathFault::Stalled { outstanding: 1, waited_ns },
                });
            }
        }
    }
}
