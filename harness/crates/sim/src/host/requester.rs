//! A card in the part of the requester, with its way out and in.

use crate::{
    host::Costs,
    stations::{Flow, Pipe, Server, Verb},
    time::{Moment, Span},
};

/// The stations that a host's own requests pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requester {
    stores: Server,
    card: Server,
    link: Pipe,
    pcie: Pipe,
}

impl Requester {
    /// The card starts with a request; when it leaves the link.
    #[inline]
    pub(crate) fn send(&mut self, now: Moment, costs: &Costs) -> Flow {
        let there = if costs.wqe == Span::ZERO { now } else { self.stores.serve(now, costs.wqe) };
        let sent = self.card.serve(there, costs.request);
        self.link.forward(Flow::at(sent), &costs.request_segments)
    }

    /// An answer that comes in so; when the card has laid down all of it.
    #[inline]
    pub(crate) fn receive(&mut self, verb: Verb, flow: Flow, costs: &Costs) -> Moment {
        match verb {
            Verb::Write => flow.last,
            Verb::Read | Verb::Atomic => self.pcie.forward(flow, &costs.scatter).last,
        }
    }
}
