//! From a request at the requester's card to its answer there.

use onesided_load::{MixPlan, Random};

use crate::{
    host::{ATOMIC_BYTES, Arriving, Conditions, Costs, Requester, Responder},
    parameters::{ByVerb, Parameters},
    queue_pair::QueuePair,
    scenario::Scenario,
    stations::{LinesPlan, Verb},
    time::{Moment, Span},
};

/// Random streams of a run, apart from those of its generators, which count up from 0.
const LINES_STREAM: u64 = u64::MAX;

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
        let conditions = Conditions::of(scenario);
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

    /// Whether answers leave memory in the order in which requests were issued.
    ///
    /// Requests of one card arrive in that order. Those of one kind need the same time, so that only
    /// stations which serve several at once let one overtake another; and no station of their way
    /// back is on the way of other requests to memory.
    pub(super) fn answers_in_order(&self, scenario: &Scenario) -> bool {
        match scenario.load.mix {
            MixPlan::Single(operation) => {
                self.requesters.len() == 1 && self.responder.is_in_order(Verb::from(operation))
            }
            MixPlan::ReadWrite { .. } | MixPlan::ReadAtomic { .. } => false,
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
        let costs = self.costs.of(request.verb());
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
        let (verb, offset) = (request.verb(), request.offset());
        let spread = queue_pair.arriving_spread();
        let arriving = Arriving { verb, spread, offset, bytes: self.access_bytes };
        let answered = self.responder.take(now, arriving, &self.costs.of(verb));
        queue_pair.arrived(answered);
    }

    /// The answer of the oldest request that has one is sent back.
    #[inline]
    pub(super) fn reply<T: Copy>(
        &mut self,
        queue_pair: &mut QueuePair<T>,
        host: usize,
        now: Moment,
    ) {
        let verb = queue_pair.replying().verb();
        let costs = self.costs.of(verb);
        let flow = self.responder.answer(now, verb, &costs).after(self.one_way);
        let back = self.requesters[host].receive(verb, flow, &costs);
        queue_pair.replied(back, back + self.completion);
    }
}
