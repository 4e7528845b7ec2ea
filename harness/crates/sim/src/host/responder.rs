//! A card in the part of the responder, and the memory behind it.

use onesided_load::Random;

use crate::{
    host::{Costs, atomic_ns},
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
    inbound: Pipe,
    card: Server,
    pcie: Pipe,
    link: Pipe,
    posted: PostedWrites,
    lines: Option<Lines>,
    atomics: LockSlots,
    /// Share of the time to write its result that an atomic keeps its slot.
    write_back: f64,
}

impl Responder {
    /// With memory of so many bytes whose lines cost as planned.
    pub(crate) fn new(
        parameters: &Parameters,
        plan: LinesPlan,
        memory_bytes: u64,
        random: Random,
    ) -> Self {
        let held = Span::of_ns(atomic_ns(parameters, memory_bytes));
        let slots = parameters.atomic_slots as usize;
        Self {
            inbound: Pipe::default(),
            card: Server::default(),
            pcie: Pipe::default(),
            link: Pipe::default(),
            posted: PostedWrites::new(parameters.posted_writes as usize),
            lines: plan.matters().then(|| Lines::new(plan, memory_bytes, random)),
            atomics: LockSlots::new(slots, held, parameters.atomics_waiting),
            write_back: parameters.atomic_write_back,
        }
    }

    /// Whether answers to requests of one kind and length are ready in the order of their arrival.
    pub(crate) fn is_in_order(&self, verb: Verb) -> bool {
        let lines = self.lines.as_ref().is_none_or(Lines::is_one);
        lines && (verb != Verb::Atomic || self.atomics.is_one())
    }

    /// The card has a request; when it has its answer, before that goes through PCI Express.
    #[inline]
    pub(crate) fn take(&mut self, now: Moment, arriving: Arriving, costs: &Costs) -> Moment {
        let flow = self.come(now, arriving, costs);
        let (at, spread) = (self.decide(flow.first, costs), flow.last.since(flow.first));
        match arriving.verb {
            Verb::Read => self.line(at, arriving) + costs.memory,
            Verb::Write => {
                let flow = Flow { first: at, last: at + spread };
                let flow = self.pcie.forward(flow, &costs.pcie);
                let accepted = self.posted.accept(flow.last);
                let done = self.line(accepted, arriving);
                self.posted.leaves(done + costs.memory);
                accepted
            }
            Verb::Atomic => {
                let locked = self.atomics.lock(at, arriving.offset);
                self.card.serve(at, costs.atomic_hold);
                let read = self.line(locked, arriving);
                if self.write_back > 0.0 {
                    let written = self.line(read, Arriving { verb: Verb::Write, ..arriving });
                    let kept = Span((written.since(read).0 as f64 * self.write_back) as u64);
                    self.atomics.keep_until(arriving.offset, read + kept);
                }
                read + costs.memory
            }
        }
    }

    /// A request at the end of the link, which it may share with those of other hosts.
    #[inline]
    fn come(&mut self, now: Moment, arriving: Arriving, costs: &Costs) -> Flow {
        let flow = Flow { first: now, last: now + arriving.spread };
        match costs.inbound.all {
            Span::ZERO => flow,
            _ => self.inbound.pass(flow, &costs.inbound),
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
