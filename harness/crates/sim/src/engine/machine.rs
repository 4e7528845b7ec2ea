//! From a request at the requester's card to its answer there.

use onesided_load::Random;

use super::queue_pair::QueuePair;
use crate::{
    parameters::{ByVerb, Parameters},
    scenario::{Reach, Scenario},
    stations::{
        Flow, Lines, LinesPlan, LockSlots, Pipe, PostedWrites, Segments, Server, Verb,
        memory_wait_ns, miss_fraction,
    },
    time::{Moment, Span},
};

/// Random streams of a run, apart from those of its generators, which count up from 0.
const LINES_STREAM: u64 = u64::MAX;
/// Bytes that an atomic moves.
const ATOMIC_BYTES: u32 = 8;

/// A client's card and its way out.
#[derive(Clone, Copy, Debug, Default)]
struct Requester {
    card: Server,
    link: Pipe,
    pcie: Pipe,
}

/// What an operation of each kind costs, computed once.
#[derive(Clone, Copy, Debug, Default)]
struct Costs {
    /// The requester's card, gathering included.
    request: Span,
    /// The request on the link.
    request_segments: Segments,
    /// The responder's card.
    respond: Span,
    /// PCI Express at the responder, towards memory or back.
    pcie: Segments,
    /// Memory, with the interconnect and independent load.
    memory: Span,
    /// The answer on the link.
    reply_segments: Segments,
    /// PCI Express at the requester, of what is read.
    scatter: Segments,
}

/// The stations of a run, and the ways between them.
pub(super) struct Machine {
    costs: ByVerb<Costs>,
    requesters: Vec<Requester>,
    responder: Server,
    responder_pcie: Pipe,
    link_back: Pipe,
    posted: PostedWrites,
    lines: Option<Lines>,
    atomics: LockSlots,
    one_way: Span,
    completion: Span,
    access_bytes: u32,
}

impl Machine {
    pub(super) fn new(parameters: &Parameters, scenario: &Scenario) -> Self {
        let plan = LinesPlan::new(parameters, scenario.region, scenario.workers);
        let random = Random::new(scenario.load.seed, LINES_STREAM);
        let lines = plan.matters().then(|| Lines::new(plan, scenario.load.region_bytes, random));
        Self {
            costs: ByVerb {
                read: costs(parameters, scenario, Verb::Read),
                write: costs(parameters, scenario, Verb::Write),
                atomic: costs(parameters, scenario, Verb::Atomic),
            },
            requesters: vec![Requester::default(); scenario.client_hosts],
            responder: Server::default(),
            responder_pcie: Pipe::default(),
            link_back: Pipe::default(),
            posted: PostedWrites::new(parameters.posted_writes as usize),
            lines,
            atomics: LockSlots::new(
                parameters.atomic_slots as usize,
                Span::of_ns(parameters.atomic_ns),
            ),
            one_way: Span::of_ns(parameters.one_way_ns),
            completion: Span::of_ns(parameters.completion_ns),
            access_bytes: scenario.load.access_bytes,
        }
    }

    /// The requester's card starts with the oldest request of `queue_pair`.
    #[inline]
    pub(super) fn issue(&mut self, queue_pair: &mut QueuePair, host: usize, now: Moment) {
        let request = queue_pair.starts();
        let costs = self.costs.of(request.verb);
        let requester = &mut self.requesters[host];
        let sent = requester.card.serve(now, costs.request);
        let flow = requester.link.forward(Flow::at(sent), &costs.request_segments);
        let flow = flow.after(self.one_way);
        queue_pair.issued(flow.first, flow.last.since(flow.first));
        // Behind one client's card nobody overtakes, so the responder can be asked at once.
        if self.requesters.len() == 1 {
            self.arrive(queue_pair, flow.first);
        }
    }

    /// The responder's card has the oldest request under way.
    #[inline]
    pub(super) fn arrive(&mut self, queue_pair: &mut QueuePair, now: Moment) {
        let request = queue_pair.arriving();
        let costs = self.costs.of(request.verb);
        let at = self.responder.serve(now, costs.respond);
        match request.verb {
            Verb::Read => {
                let done = self.line(at, request.verb, request.offset);
                queue_pair.arrived(done + costs.memory, Span::ZERO);
            }
            Verb::Write => {
                let flow = Flow { first: at, last: at + request.spread };
                let flow = self.responder_pcie.forward(flow, &costs.pcie);
                let accepted = self.posted.accept(flow.last);
                let done = self.line(accepted, request.verb, request.offset);
                self.posted.leaves(done + costs.memory);
                queue_pair.arrived(accepted, Span::ZERO);
            }
            Verb::Atomic => {
                let locked = self.atomics.lock(at, request.offset);
                let done = self.line(locked, request.verb, request.offset);
                queue_pair.arrived(done + costs.memory, Span::ZERO);
            }
        }
    }

    #[inline]
    fn line(&mut self, at: Moment, verb: Verb, offset: u64) -> Moment {
        match &mut self.lines {
            Some(lines) => lines.access(at, verb, offset, self.access_bytes),
            None => at,
        }
    }

    /// The answer of the oldest request that has one is sent back.
    #[inline]
    pub(super) fn reply(&mut self, queue_pair: &mut QueuePair, host: usize, now: Moment) {
        let request = queue_pair.replying();
        let costs = self.costs.of(request.verb);
        let mut flow = Flow::at(now);
        if request.verb == Verb::Read {
            flow = self.responder_pcie.forward(flow, &costs.pcie);
        }
        let flow = self.link_back.forward(flow, &costs.reply_segments).after(self.one_way);
        let back = match request.verb {
            Verb::Write => flow.last,
            _ => self.requesters[host].pcie.forward(flow, &costs.scatter).last,
        };
        queue_pair.replied(back, back + self.completion);
    }
}

fn costs(parameters: &Parameters, scenario: &Scenario, verb: Verb) -> Costs {
    let bytes = if verb == Verb::Atomic { ATOMIC_BYTES } else { scenario.load.access_bytes };
    let (sent, answered) = match verb {
        Verb::Read => (0, bytes),
        Verb::Write => (bytes, 0),
        Verb::Atomic => (bytes, bytes),
    };
    let mtu = scenario.connection.mtu_bytes;
    let Parameters { link_ns_per_byte, packet_ns, pcie_ns_per_byte, .. } = *parameters;
    let on_link = |bytes| Segments::of(bytes, mtu, link_ns_per_byte, packet_ns);
    let on_pcie = |bytes| Segments::of(bytes, mtu, pcie_ns_per_byte, 0.0);
    let far = |reach, ns| if reach == Reach::Remote { ns } else { 0.0 };
    let memory = parameters.memory_ns.of(verb)
        + far(scenario.region, parameters.interconnect_ns.of(verb))
        + memory_wait_ns(parameters, scenario.region, scenario.host_load);
    Costs {
        request: Span::of_ns(
            parameters.request_ns.of(verb)
                + f64::from(sent) * parameters.gather_ns_per_byte
                + far(scenario.client, parameters.client_remote_ns.of(verb))
                + misses_ns(parameters, scenario),
        ),
        request_segments: on_link(sent),
        respond: Span::of_ns(parameters.respond_ns.of(verb) + context_ns(parameters, scenario, 1)),
        pcie: on_pcie(bytes),
        memory: Span::of_ns(memory),
        reply_segments: on_link(answered),
        scatter: on_pcie(answered),
    }
}

/// What the requester's card spends on average on what its caches do not hold.
fn misses_ns(parameters: &Parameters, scenario: &Scenario) -> f64 {
    let per_host = scenario.load.run_queue_pairs as f64 / scenario.client_hosts as f64;
    let in_flight = per_host * f64::from(scenario.outstanding());
    let requests = miss_fraction(in_flight, parameters.request_cache_entries);
    requests * parameters.request_miss_ns + context_ns(parameters, scenario, scenario.client_hosts)
}

/// What a card spends on average on the state of queue pairs, which `cards` of them share.
fn context_ns(parameters: &Parameters, scenario: &Scenario, cards: usize) -> f64 {
    let used = scenario.load.run_queue_pairs as f64 / cards as f64;
    miss_fraction(used, parameters.context_entries) * parameters.context_miss_ns
}
