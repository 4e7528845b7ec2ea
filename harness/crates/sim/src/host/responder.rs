//! A card in the part of the responder, and the memory behind it.

use onesided_load::Random;

use crate::{
    host::Costs,
    parameters::Parameters,
    stations::{Flow, Lines, LinesPlan, LockSlots, Pipe, PostedWrites, Server, Verb},
    time::{Moment, Span},
};

/// A request as the responder sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) verb: Verb,
    /// How long after its first packet the last one is there.
    pub(crate) spread: Span,
    /// Where in memory.
    pub(crate) offset: u64,
    /// How much of memory.
    pub(crate) bytes: u32,
}

/// The stations that others' requests pass.
#[derive(Clone, Debug)]
pub(crate) struct Responder {
    card: Server,
    pcie: Pipe,
    link: Pipe,
    posted: PostedWrites,
    lines: Option<Lines>,
    atomics: LockSlots,
}

impl Responder {
    /// With memory of so many bytes whose lines cost as planned.
    pub(crate) fn new(
        parameters: &Parameters,
        plan: LinesPlan,
        memory_bytes: u64,
        random: Random,
    ) -> Self {
        let held = Span::of_ns(parameters.atomic_ns);
        Self {
            card: Server::default(),
            pcie: Pipe::default(),
            link: Pipe::default(),
            posted: PostedWrites::new(parameters.posted_writes as usize),
            lines: plan.matters().then(|| Lines::new(plan, memory_bytes, random)),
            atomics: LockSlots::new(parameters.atomic_slots as usize, held),
        }
    }

    /// The card has a request; when it has its answer, before that goes through PCI Express.
    #[inline]
    pub(crate) fn take(&mut self, now: Moment, arriving: Arriving, costs: &Costs) -> Moment {
        let at = self.decide(now, costs);
        match arriving.verb {
            Verb::Read => self.line(at, arriving) + costs.memory,
            Verb::Write => {
                let flow = Flow { first: at, last: at + arriving.spread };
                let flow = self.pcie.forward(flow, &costs.pcie);
                let accepted = self.posted.accept(flow.last);
                let done = self.line(accepted, arriving);
                self.posted.leaves(done + costs.memory);
                accepted
            }
            Verb::Atomic => {
                let locked = self.atomics.lock(at, arriving.offset);
                self.line(locked, arriving) + costs.memory
            }
        }
    }

    /// The card has a request; when it knows what to do with it.
    #[inline]
    pub(crate) fn decide(&mut self, now: Moment, costs: &Costs) -> Moment {
        self.card.serve(now, costs.respond)
    }

    #[inline]
    fn line(&mut self, at: Moment, arriving: Arriving) -> Moment {
        let Arriving { verb, offset, bytes, .. } = arriving;
        match &mut self.lines {
            Some(lines) => lines.access(at, verb, offset, bytes),
            None => at,
        }
    }

    /// An answer that is there at `now` is sent; when it leaves the link.
    #[inline]
    pub(crate) fn answer(&mut self, now: Moment, verb: Verb, costs: &Costs) -> Flow {
        let mut flow = Flow::at(now);
        if verb == Verb::Read {
            flow = self.pcie.forward(flow, &costs.pcie);
        }
        self.link.forward(flow, &costs.reply_segments)
    }
}
