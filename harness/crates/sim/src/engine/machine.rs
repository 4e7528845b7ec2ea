//! From a request at the requester's card to its answer there.

use onesided_load::Random;

use crate::{
    host::{Arriving, Conditions, Costs, Requester, Responder},
    parameters::{ByVerb, Parameters},
    queue_pair::QueuePair,
    scenario::Scenario,
    stations::{LinesPlan, Verb},
    time::{Moment, Span},
};

/// Random streams of a run, apart from those of its generators, which count up from 0.
const LINES_STREAM: u64 = u64::MAX;
/// Bytes that an atomic moves.
const ATOMIC_BYTES: u32 = 8;

/// The stations of a run, and the ways between them.
pub(super) struct Machine {
    /// What an operation of each kind costs, computed once.
    costs: ByVerb<Costs>,
    requesters: Vec<Requester>,
    responder: Responder,
    one_way: Span,
    completion: Span,
    access_bytes: u32,
}

impl Machine {
    pub(super) fn new(parameters: &Parameters, scenario: &Scenario) -> Self {
        let plan = LinesPlan::new(parameters, scenario.region, scenario.workers);
        let random = Random::new(scenario.load.seed, LINES_STREAM);
        let conditions = conditions(scenario);
        let access_bytes = scenario.load.access_bytes;
        let costs = |verb, bytes| Costs::new(parameters, &conditions, verb, bytes);
        Self {
            costs: ByVerb {
                read: costs(Verb::Read, access_bytes),
                write: costs(Verb::Write, access_bytes),
                atomic: costs(Verb::Atomic, ATOMIC_BYTES),
            },
            requesters: vec![Requester::default(); scenario.client_hosts],
            responder: Responder::new(parameters, plan, scenario.load.region_bytes, random),
            one_way: Span::of_ns(parameters.one_way_ns),
            completion: Span::of_ns(parameters.completion_ns),
            access_bytes,
        }
    }

    /// The requester's card starts with the oldest request of `queue_pair`.
    #[inline]
    pub(super) fn issue<T: Copy>(
        &mut self,
        queue_pair: &mut QueuePair<T>,
        host: usize,
        now: Moment,
    ) {
        let request = queue_pair.starts();
        let costs = self.costs.of(request.verb);
        let flow = self.requesters[host].send(now, &costs).after(self.one_way);
        queue_pair.issued(flow.first, flow.last.since(flow.first));
        // Behind one client's card nobody overtakes, so the responder can be asked at once.
        if self.requesters.len() == 1 {
            self.arrive(queue_pair, flow.first);
        }
    }

    /// The responder's card has the oldest request under way.
    #[inline]
    pub(super) fn arrive<T: Copy>(&mut self, queue_pair: &mut QueuePair<T>, now: Moment) {
        let request = queue_pair.arriving();
        let (verb, spread, offset) = (request.verb, request.spread, request.offset);
        let arriving = Arriving { verb, spread, offset, bytes: self.access_bytes };
        let answered = self.responder.take(now, arriving, &self.costs.of(verb));
        queue_pair.arrived(answered, Span::ZERO);
    }

    /// The answer of the oldest request that has one is sent back.
    #[inline]
    pub(super) fn reply<T: Copy>(
        &mut self,
        queue_pair: &mut QueuePair<T>,
        host: usize,
        now: Moment,
    ) {
        let verb = queue_pair.replying().verb;
        let costs = self.costs.of(verb);
        let flow = self.responder.answer(now, verb, &costs).after(self.one_way);
        let back = self.requesters[host].receive(verb, flow, &costs);
        queue_pair.replied(back, back + self.completion);
    }
}

fn conditions(scenario: &Scenario) -> Conditions {
    let queue_pairs = scenario.load.run_queue_pairs as f64;
    let per_host = queue_pairs / scenario.client_hosts as f64;
    Conditions {
        region: scenario.region,
        client: scenario.client,
        host_load: scenario.host_load,
        mtu_bytes: scenario.connection.mtu_bytes,
        requester_queue_pairs: per_host,
        responder_queue_pairs: queue_pairs,
        in_flight: per_host * f64::from(scenario.outstanding()),
    }
}
