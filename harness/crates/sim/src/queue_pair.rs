//! A queue pair: its requests on their way.

mod ending;
mod request;

pub(crate) use request::Request;
use request::Target;

use crate::{
    stations::Verb,
    time::{Moment, Span},
};

/// What happens to a queue pair next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The thread can see the oldest completion.
    Complete,
    /// The responder's memory has the oldest answer.
    Reply,
    /// The oldest request is at the responder's card.
    Arrive,
    /// The card can start with the oldest request.
    Issue,
    /// Time has made a post due.
    Ask,
}

/// A queue pair's requests.
///
/// ```text
///   completed <= replied <= arrived <= issued <= rung <= posted
///        complete    reply    arrive   issue   doorbell
/// ```
#[derive(Clone, Debug)]
pub(crate) struct QueuePair<T> {
    ring: Box<[Request<T>]>,
    /// How long after the first packet of a request its last one is there. Nothing is written or read
    /// while all requests are of one packet each.
    spreads: Box<[Span]>,
    has_spreads: bool,
    mask: u32,
    completed: u32,
    replied: u32,
    arrived: u32,
    issued: u32,
    rung: u32,
    posted: u32,
    /// Reads and atomics that may be issued at once.
    credits: u32,
    /// When the credits of answered reads and atomics come back, oldest first: a ring.
    returned: Box<[Moment]>,
    returned_first: u32,
    returned_next: u32,
    /// No stage of a request is reached before that of the one before it.
    pub(crate) replied_at: Moment,
    pub(crate) completed_at: Moment,
    /// When the generator is to be asked again; [`Moment::NEVER`] if nothing but a completion can
    /// make a post due.
    pub(crate) ask_at: Moment,
    issue_at: Moment,
}

impl<T: Copy> QueuePair<T> {
    /// Of `depth` requests that are posted and not completed at most, and `limit` reads and atomics
    /// under way; `nothing` is where nothing was posted yet.
    pub(crate) fn new(depth: u32, limit: u32, nothing: T) -> Self {
        let depth = depth.next_power_of_two();
        // Credits beyond that would never all be taken, and have no place to come back to.
        let credits = limit.min(depth);
        let target = Target::new(Verb::Read, 0);
        let empty = Request { at: Moment::default(), target, carried: nothing };
        Self {
            ring: vec![empty; depth as usize].into(),
            spreads: vec![Span::ZERO; depth as usize].into(),
            has_spreads: false,
            mask: depth - 1,
            completed: 0,
            replied: 0,
            arrived: 0,
            issued: 0,
            rung: 0,
            posted: 0,
            credits,
            returned: vec![Moment::default(); credits.next_power_of_two() as usize].into(),
            returned_first: 0,
            returned_next: 0,
            replied_at: Moment::default(),
            completed_at: Moment::default(),
            ask_at: Moment::NEVER,
            issue_at: Moment::NEVER,
        }
    }

    #[inline]
    fn slot(&mut self, number: u32) -> &mut Request<T> {
        &mut self.ring[(number & self.mask) as usize]
    }

    #[inline]
    fn at(&self, number: u32, end: u32) -> Moment {
        if number == end { Moment::NEVER } else { self.ring[(number & self.mask) as usize].at }
    }

    /// When it acts next.
    #[inline]
    pub(crate) fn next(&self) -> Moment {
        let complete = self.at(self.completed, self.replied);
        let reply = self.at(self.replied, self.arrived);
        let arrive = self.at(self.arrived, self.issued);
        complete.min(reply).min(arrive).min(self.issue_at).min(self.ask_at)
    }

    /// What happens at `now`, which [`Self::next`] said. Of several things the one nearest to the
    /// end of a request.
    #[inline]
    pub(crate) fn stage_at(&self, now: Moment) -> Stage {
        if self.at(self.replied, self.arrived) == now {
            Stage::Reply
        } else if self.issue_at == now {
            Stage::Issue
        } else if self.at(self.completed, self.replied) == now {
            Stage::Complete
        } else if self.at(self.arrived, self.issued) == now {
            Stage::Arrive
        } else {
            Stage::Ask
        }
    }

    /// The thread has written a request.
    #[inline]
    pub(crate) fn post(&mut self, verb: Verb, offset: u64, carried: T) {
        let posted = self.posted;
        let slot = self.slot(posted);
        (slot.carried, slot.target) = (carried, Target::new(verb, offset));
        self.posted = posted.wrapping_add(1);
    }

    /// The card has the requests that were written since the last doorbell at `at`.
    #[inline]
    pub(crate) fn ring(&mut self, at: Moment) {
        while self.rung != self.posted {
            let rung = self.rung;
            self.slot(rung).at = at;
            self.rung = rung.wrapping_add(1);
        }
        self.plan_issue();
    }

    /// When the card can start with the oldest request that it has.
    #[inline]
    fn plan_issue(&mut self) {
        self.issue_at = Moment::NEVER;
        if self.issued == self.rung {
            return;
        }
        let Request { at, target, .. } = self.ring[(self.issued & self.mask) as usize];
        if target.verb() == Verb::Write || self.credits > 0 {
            self.issue_at = at;
        } else if self.returned_first != self.returned_next {
            let mask = self.returned.len() as u32 - 1;
            self.issue_at = at.max(self.returned[(self.returned_first & mask) as usize]);
        }
    }

    /// The card starts with the oldest request: the credit it needs is taken.
    #[inline]
    pub(crate) fn starts(&mut self) -> Request<T> {
        let request = self.ring[(self.issued & self.mask) as usize];
        if request.verb() != Verb::Write {
            if self.credits > 0 {
                self.credits -= 1;
            } else {
                self.returned_first = self.returned_first.wrapping_add(1);
            }
        }
        request
    }

    /// The request that was started is at the responder's card then.
    #[inline]
    pub(crate) fn issued(&mut self, at: Moment, spread: Span) {
        let issued = self.issued;
        self.slot(issued).at = at;
        if spread != Span::ZERO || self.has_spreads {
            self.spreads[(issued & self.mask) as usize] = spread;
            self.has_spreads = true;
        }
        self.issued = issued.wrapping_add(1);
        self.plan_issue();
    }

    /// How long after its first packet the last one of the oldest request at the responder's card is
    /// there.
    #[inline]
    pub(crate) fn arriving_spread(&self) -> Span {
        if self.has_spreads {
            self.spreads[(self.arrived & self.mask) as usize]
        } else {
            Span::ZERO
        }
    }

    /// The oldest request at the responder's card.
    #[inline]
    pub(crate) fn arriving(&self) -> Request<T> {
        self.ring[(self.arrived & self.mask) as usize]
    }

    /// Its answer is in memory's hands then, or that of the one before it.
    #[inline]
    pub(crate) fn arrived(&mut self, at: Moment) {
        self.replied_at = at.max(self.replied_at);
        let (arrived, at) = (self.arrived, self.replied_at);
        self.slot(arrived).at = at;
        self.arrived = arrived.wrapping_add(1);
    }

    /// The oldest request with an answer.
    #[inline]
    pub(crate) fn replying(&self) -> Request<T> {
        self.ring[(self.replied & self.mask) as usize]
    }

    /// The answer is back at the requester's card at `back`, and its thread can see it at `visible`.
    #[inline]
    pub(crate) fn replied(&mut self, back: Moment, visible: Moment) {
        self.completed_at = visible.max(self.completed_at);
        let (replied, at) = (self.replied, self.completed_at);
        let slot = self.slot(replied);
        slot.at = at;
        let verb = slot.verb();
        self.replied = replied.wrapping_add(1);
        if verb != Verb::Write {
            let mask = self.returned.len() as u32 - 1;
            self.returned[(self.returned_next & mask) as usize] = back;
            self.returned_next = self.returned_next.wrapping_add(1);
            if self.issue_at == Moment::NEVER {
                self.plan_issue();
            }
        }
    }

    /// The thread takes the oldest completion; what its request carried.
    #[inline]
    pub(crate) fn take_completion(&mut self) -> T {
        let completed = self.completed;
        self.completed = completed.wrapping_add(1);
        self.slot(completed).carried
    }
}
