//! Two connected endpoints, driven with patience.

use std::sync::atomic::{Ordering, fence};

use onesided_transport::{
    CompletionStatus, Endpoint, LocalSegment, PathMtu, PostError, ReceiveRequest, Region, Service,
    WorkCompletion, WorkRequest,
};

use crate::{
    deviation::{Awaited, Deviation, Verdict},
    fixture::{Patience, Waiting},
    memory::Memory,
};

/// Completions taken by one poll.
const BATCH: usize = 32;

/// Two ends that can reach each other.
pub(crate) struct Pair<E> {
    pub(crate) client: Party<E>,
    pub(crate) server: Party<E>,
    pub(crate) service: Service,
    pub(crate) path_mtu: PathMtu,
}

impl<E: Endpoint> Pair<E> {
    /// Checks the memory that writes went to, all of which have completed, and that nothing touches it any more.
    pub(crate) fn expect<R: Region>(&mut self, memory: &Memory<R>, expected: &[u8]) -> Verdict {
        self.arrived(memory, expected)?;
        self.settle()?;
        if self.service.is_reliable() { Ok(()) } else { memory.expect(expected) }
    }

    /// Where nothing is acknowledged: gives what may be on its way still the time to arrive.
    pub(crate) fn settle(&mut self) -> Verdict {
        if self.service.is_reliable() { Ok(()) } else { self.client.silence() }
    }

    /// As [`Self::expect`], but returns as soon as the bytes are there. Where nothing is acknowledged they may
    /// be on their way still: it waits for them, and looks less often the longer it has waited.
    pub(crate) fn arrived<R: Region>(&mut self, memory: &Memory<R>, expected: &[u8]) -> Verdict {
        let mut found = memory.expect(expected);
        let (mut wait, mut polls) = (self.client.patience.start(), 0_u64);
        while found.is_err() && !self.service.is_reliable() {
            if let Some(&completion) = self.client.poll()?.first() {
                return Err(Deviation::Surplus { completion });
            }
            polls += 1;
            let is_over = wait.after_empty_poll() == Waiting::Over;
            if is_over || polls.is_power_of_two() {
                found = memory.expect(expected);
            }
            if is_over {
                break;
            }
        }
        found.map_err(|source| {
            match !self.service.is_reliable() && memory.differs_by_older_bytes_only(expected) {
                true => Deviation::Unchanged { source: Box::new(source) },
                false => source,
            }
        })
    }
}

/// An endpoint, and how long to wait for it.
pub(crate) struct Party<E> {
    pub(crate) endpoint: E,
    patience: Patience,
    settling: Patience,
    /// Messages as soon as it has posted a receive request.
    awaited: Awaited,
}

impl<E: Endpoint> Party<E> {
    /// An endpoint and its two patiences: for what must come, and for what must not.
    pub(crate) fn new(endpoint: E, patience: Patience, settling: Patience) -> Self {
        Self { endpoint, patience, settling, awaited: Awaited::Requests }
    }

    /// The number of a queue pair.
    pub(crate) fn number(&self, queue_pair: usize) -> u32 {
        self.endpoint.queue_pair_numbers()[queue_pair]
    }

    /// Posts, and hands back a refusal.
    pub(crate) fn try_post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        // SAFETY: segments are made of `Memory`, which frees its bytes only after its region is
        // dropped, when the device can reach them no more; inline payloads are taken while the
        // property still borrows the memory. Properties look at memory only after completions.
        unsafe { self.endpoint.post(queue_pair, requests) }
    }

    /// Posts what must be accepted.
    pub(crate) fn post(&mut self, queue_pair: usize, requests: &[WorkRequest]) -> Verdict {
        Ok(self.try_post(queue_pair, requests)?)
    }

    /// Posts a receive request, and hands back a refusal.
    pub(crate) fn try_post_receive(
        &mut self,
        queue_pair: usize,
        id: u64,
        buffer: Option<LocalSegment>,
    ) -> Result<(), PostError> {
        self.try_post_receives(queue_pair, &[ReceiveRequest { id, buffer }])
    }

    /// Posts receive requests, and hands back a refusal.
    pub(crate) fn try_post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        self.awaited = Awaited::Messages;
        // SAFETY: as for `try_post`.
        unsafe { self.endpoint.post_receives(queue_pair, requests) }
    }

    /// Polls once.
    pub(crate) fn poll(&mut self) -> Result<Vec<WorkCompletion>, Deviation> {
        let mut batch = [WorkCompletion::EMPTY; BATCH];
        let count = self.poll_into(&mut batch)?;
        Ok(batch[..count].to_vec())
    }

    /// Polls once into a slice; a count above its length is a deviation.
    pub(crate) fn poll_into(
        &mut self,
        completions: &mut [WorkCompletion],
    ) -> Result<usize, Deviation> {
        let room = completions.len();
        let count = self.endpoint.poll(completions)?;
        fence(Ordering::Acquire);
        if count > room {
            return Err(Deviation::broken(format!("a poll into {room} entries returned {count}")));
        }
        Ok(count)
    }

    /// Polls until something is there.
    pub(crate) fn next(&mut self) -> Result<Vec<WorkCompletion>, Deviation> {
        let mut batch = [WorkCompletion::EMPTY; BATCH];
        let count = self.next_into(&mut batch)?;
        Ok(batch[..count].to_vec())
    }

    /// Polls until something is there, and takes one completion only.
    pub(crate) fn next_one(&mut self) -> Result<WorkCompletion, Deviation> {
        let mut one = [WorkCompletion::EMPTY];
        self.next_into(&mut one)?;
        Ok(one[0])
    }

    fn next_into(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, Deviation> {
        let mut wait = self.patience.start();
        loop {
            let count = self.poll_into(completions)?;
            if count > 0 {
                return Ok(count);
            }
            if wait.after_empty_poll() == Waiting::Over {
                return Err(Deviation::Missing { expected: 1, seen: 0, of: self.awaited });
            }
        }
    }

    /// Polls until `expected` completions are there. More than that is a deviation, too.
    pub(crate) fn completions(
        &mut self,
        expected: usize,
    ) -> Result<Vec<WorkCompletion>, Deviation> {
        let mut all = Vec::with_capacity(expected);
        while all.len() < expected {
            let seen = all.len();
            all.extend(self.next().map_err(|deviation| match deviation {
                Deviation::Missing { of, .. } => Deviation::Missing { expected, seen, of },
                other => other,
            })?);
        }
        match all.get(expected) {
            Some(&completion) => Err(Deviation::Surplus { completion }),
            None => Ok(all),
        }
    }

    /// Checks that no completion is there, nor comes while settling.
    pub(crate) fn silence(&mut self) -> Verdict {
        let mut wait = self.settling.start();
        loop {
            if let Some(&completion) = self.poll()?.first() {
                return Err(Deviation::Surplus { completion });
            }
            if wait.after_empty_poll() == Waiting::Over {
                return Ok(());
            }
        }
    }

    /// What comes until nothing does while settling.
    pub(crate) fn rest(&mut self) -> Result<Vec<WorkCompletion>, Deviation> {
        let mut all = Vec::new();
        let mut wait = self.settling.start();
        loop {
            let found = self.poll()?;
            if !found.is_empty() {
                all.extend(found);
                wait = self.settling.start();
            } else if wait.after_empty_poll() == Waiting::Over {
                return Ok(all);
            }
        }
    }

    /// Posts one request and returns its completion, which must be the only one.
    pub(crate) fn complete(
        &mut self,
        queue_pair: usize,
        request: WorkRequest,
    ) -> Result<WorkCompletion, Deviation> {
        self.post(queue_pair, &[request])?;
        self.completion_of(queue_pair, request.id)
    }

    /// Waits for one completion, which must be of this request.
    pub(crate) fn completion_of(
        &mut self,
        queue_pair: usize,
        id: u64,
    ) -> Result<WorkCompletion, Deviation> {
        let found = self.completions(1)?[0];
        let expected_queue_pair_number = self.number(queue_pair);
        if found.id == id && found.queue_pair_number == expected_queue_pair_number {
            return Ok(found);
        }
        Err(Deviation::Identity { expected_id: id, expected_queue_pair_number, found })
    }

    /// Posts one request, which must succeed.
    pub(crate) fn succeed(&mut self, queue_pair: usize, request: WorkRequest) -> Verdict {
        self.end_with(queue_pair, request, &[CompletionStatus::Success])
    }

    /// Posts one request, which must end with one of these.
    pub(crate) fn end_with(
        &mut self,
        queue_pair: usize,
        request: WorkRequest,
        allowed: &[CompletionStatus],
    ) -> Verdict {
        let completion = self.complete(queue_pair, request)?;
        expect_status(&completion, allowed)
    }
}

/// Checks how a request ended.
pub(crate) fn expect_status(completion: &WorkCompletion, allowed: &[CompletionStatus]) -> Verdict {
    if allowed.contains(&completion.status) {
        return Ok(());
    }
    let (id, found) = (completion.id, completion.status);
    Err(Deviation::Status { id, allowed: allowed.to_vec(), found })
}

#[cfg(test)]
mod tests;
