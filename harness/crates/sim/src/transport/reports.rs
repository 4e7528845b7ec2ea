//! Completions, and the requests that are flushed.

use onesided_transport::{CompletionKind, CompletionStatus, Signal, WorkCompletion};

use super::{
    fabric::{Frees, Reported, State},
    queue_pair::Phase,
};
use crate::time::Moment;

const FLUSHED: CompletionStatus = CompletionStatus::Flushed;

impl State {
    /// The oldest request of a queue pair is over, and its thread can see it.
    pub(super) fn complete(&mut self, slot: usize) {
        let now = self.now;
        let queue_pair = self.queue_pair_mut(slot);
        let asked = queue_pair.ring.take_completion();
        let (id, status) = (asked.request.id, asked.status);
        let failed = status != CompletionStatus::Success;
        if failed || asked.request.signal == Signal::Signaled {
            self.report_request(slot, id, status, now);
        } else {
            queue_pair.silent += 1;
        }
        let host = self.queue_pair(slot).host;
        self.hosts[host].in_flight -= 1;
        if failed {
            self.fail(slot);
        }
    }

    /// Ends a queue pair: what it has posted is flushed.
    pub(super) fn fail(&mut self, slot: usize) {
        self.queue_pair_mut(slot).phase = Phase::Error;
        self.flush(slot);
        self.flush_receives(slot);
        self.plan(slot);
    }

    /// Completes the requests of a queue pair as flushed.
    pub(super) fn flush(&mut self, slot: usize) {
        let now = self.now;
        while let Some(asked) = self.queue_pair_mut(slot).ring.flush() {
            let host = self.queue_pair(slot).host;
            self.hosts[host].in_flight -= 1;
            self.report_request(slot, asked.request.id, FLUSHED, now);
        }
    }

    /// Completes the receive requests of a queue pair as flushed; those of a shared queue stay for others.
    pub(super) fn flush_receives(&mut self, slot: usize) {
        if self.receives(slot).is_shared() {
            return;
        }
        while let Some(id) = self.receives_mut(slot).consume() {
            let kind = CompletionKind::Receive { length: 0, immediate: None, source: None };
            self.report_receive(slot, id, FLUSHED, kind);
        }
    }

    fn report_request(&mut self, slot: usize, id: u64, status: CompletionStatus, visible: Moment) {
        let queue_pair = self.queue_pair_mut(slot);
        let frees = Frees::Requests(1 + queue_pair.silent);
        queue_pair.silent = 0;
        let queue_pair_number = queue_pair.number;
        let kind = CompletionKind::Request;
        let completion = WorkCompletion { id, queue_pair_number, status, kind };
        self.report(Reported { visible, completion, slot, frees });
    }

    /// A receive request is over; its thread can see that when its card has said so.
    pub(super) fn report_receive(
        &mut self,
        slot: usize,
        id: u64,
        status: CompletionStatus,
        kind: CompletionKind,
    ) {
        let (visible, frees) = (self.now + self.completion, Frees::Receive);
        let queue_pair_number = self.queue_pair(slot).number;
        let completion = WorkCompletion { id, queue_pair_number, status, kind };
        self.report(Reported { visible, completion, slot, frees });
    }

    /// Of what is visible at once the one that was reported first is first.
    fn report(&mut self, reported: Reported) {
        let endpoint = self.queue_pair(reported.slot).endpoint;
        let completions = &mut self.driver_mut(endpoint).completions;
        let before = completions.iter().rposition(|other| other.visible <= reported.visible);
        completions.insert(before.map_or(0, |before| before + 1), reported);
        self.plan_take(endpoint);
    }

    /// A completion was polled.
    pub(super) fn frees(&mut self, reported: &Reported) {
        match reported.frees {
            Frees::Requests(count) => self.queue_pair_mut(reported.slot).occupied -= count,
            Frees::Receive => self.receives_mut(reported.slot).polled(),
        }
    }
}
