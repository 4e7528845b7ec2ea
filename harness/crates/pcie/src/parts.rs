//! What an operation is made of, at each side.

use crate::{
    Payload, Side, Transport, Verb, What,
    operation::{Operation, Post, Signals},
    transfer::Transfer,
    wqe::{DOORBELL_BYTES, Wqe},
};

/// A transfer that operations cause, once in so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What for.
    pub what: What,
    /// The transfer.
    pub transfer: Transfer,
    /// It is done once in so many operations.
    pub every: u32,
}

impl Operation {
    /// Everything that it moves, in the order of happening, and where. A RECV's requester moves
    /// nothing: that is a SEND.
    ///
    /// Over RC the requester's card tells of the end when the other one has answered; over UC and UD
    /// nobody answers, and it does so when the request has left.
    pub fn steps(&self) -> Vec<(Side, Part)> {
        let at = |side, parts: Vec<Part>| parts.into_iter().map(move |part| (side, part));
        let inbound = at(Side::Responder, self.inbound());
        if self.verb == Verb::Recv {
            return inbound.collect();
        }
        let posted = at(Side::Requester, self.posted());
        let told = at(Side::Requester, self.told());
        match self.transport {
            Transport::Rc => posted.chain(inbound).chain(told).collect(),
            Transport::Uc | Transport::Ud => posted.chain(told).chain(inbound).collect(),
        }
    }

    /// Those of its steps that are at that side.
    pub fn parts(&self, side: Side) -> Vec<Part> {
        let of_side = |(at, part)| (at == side).then_some(part);
        self.steps().into_iter().filter_map(of_side).collect()
    }

    /// What the requester moves until the request has left.
    fn posted(&self) -> Vec<Part> {
        let mut parts = Part::of_posting(self.wqe(), self.post);
        let fetched = matches!(self.verb, Verb::Write | Verb::Send)
            && self.payload == Payload::Pointer
            && self.bytes > 0;
        if fetched {
            parts.push(once(What::PayloadFetch, Transfer::DmaRead { bytes: self.bytes }));
        }
        parts
    }

    /// What the requester's card writes after that.
    fn told(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.verb == Verb::Read || self.verb.is_atomic() {
            parts.push(once(What::PayloadWrite, Transfer::DmaWrite { bytes: self.bytes }));
        }
        if let Signals::Every(every) = self.signals {
            let transfer = Transfer::DmaWrite { bytes: self.completion_bytes };
            parts.push(Part { what: What::Completion, transfer, every });
        }
        parts
    }

    /// What the responder's card moves. Inbound READs are a read, WRITEs a write, atomics one after
    /// the other (003 §3.4, §5.1).
    fn inbound(&self) -> Vec<Part> {
        let fetch = once(What::PayloadFetch, Transfer::DmaRead { bytes: self.bytes });
        let write = once(What::PayloadWrite, Transfer::DmaWrite { bytes: self.bytes });
        match self.verb {
            Verb::Read => vec![fetch],
            Verb::Write => vec![write],
            Verb::CompareAndSwap | Verb::FetchAndAdd => vec![fetch, write],
            Verb::Recv => self.received(self.post.batch(), self.payload),
            // Its RECV is the plain one: read by itself, payload beside the completion.
            Verb::Send => self.received(1, Payload::Pointer),
        }
    }

    fn received(&self, batch: u32, payload: Payload) -> Vec<Part> {
        let wqe = Wqe::of(Verb::Recv, self.transport, payload, self.bytes);
        // Not padded: entries of a receive queue are as long as their one pointer (ours).
        let bytes = u64::from(batch) * wqe.bytes();
        let fetch =
            Part { what: What::WqeFetch, transfer: Transfer::DmaRead { bytes }, every: batch };
        let mut parts = vec![fetch];
        let header = self.delivered_header_bytes();
        let delivered = header + self.bytes;
        let inlined = payload == Payload::Inline;
        if delivered > 0 && !inlined {
            let what = if header > 0 { What::DatagramWrite } else { What::PayloadWrite };
            parts.push(once(what, Transfer::DmaWrite { bytes: delivered }));
        }
        let entry = self.completion_bytes + if inlined { delivered } else { 0 };
        parts.push(once(What::Completion, Transfer::DmaWrite { bytes: entry }));
        parts
    }
}

impl Part {
    /// Where the paper says so, or who else does.
    pub const fn source(&self) -> &'static str {
        match self.what {
            What::WqeStore | What::WqeFetch => "003 §3.1, App A",
            What::Doorbell => "003 App A",
            What::PayloadFetch | What::PayloadWrite => "003 §3.2, §5.1",
            What::DatagramWrite => "InfiniBand, annexes A16, A17",
            What::Completion => "003 §2.2.1, §3.2",
        }
    }

    /// How a WQE gets to the card, whatever it asks for. Several by one Doorbell are read in one
    /// DMA, each padded to cache lines (003 §3.1 note 3, appendix A).
    pub fn of_posting(wqe: Wqe, post: Post) -> Vec<Self> {
        match post {
            Post::Mmio => vec![once(What::WqeStore, Transfer::Mmio { bytes: wqe.bytes() })],
            Post::Doorbell { batch: every } => {
                let ring = Transfer::Register { bytes: DOORBELL_BYTES };
                let fetch = Transfer::DmaRead { bytes: u64::from(every) * wqe.padded_bytes() };
                vec![
                    Self { what: What::Doorbell, transfer: ring, every },
                    Self { what: What::WqeFetch, transfer: fetch, every },
                ]
            }
        }
    }
}

const fn once(what: What, transfer: Transfer) -> Part {
    Part { what, transfer, every: 1 }
}
