//! What an operation is made of, at each side.

use crate::{
    Payload, Side, Verb,
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

/// What a transfer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// The CPU stores the WQE to the card.
    WqeStore,
    /// The CPU tells the card of new WQEs.
    Doorbell,
    /// The card reads WQEs.
    WqeFetch,
    /// The card reads the payload.
    PayloadFetch,
    /// The card writes the payload.
    PayloadWrite,
    /// The card tells of the end, for a RECV with the payload if it is inlined.
    Completion,
}

impl What {
    /// Its words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::WqeStore => "WQE by MMIO",
            Self::Doorbell => "Doorbell",
            Self::WqeFetch => "WQE fetch",
            Self::PayloadFetch => "payload fetch",
            Self::PayloadWrite => "payload write",
            Self::Completion => "completion",
        }
    }

    /// Where the paper says so.
    pub const fn source(self) -> &'static str {
        match self {
            Self::WqeStore | Self::WqeFetch => "003 §3.1, App A",
            Self::Doorbell => "003 App A",
            Self::PayloadFetch => "003 §3.2, §5.1",
            Self::PayloadWrite => "003 §3.2, §5.1",
            Self::Completion => "003 §2.2.1, §3.2",
        }
    }
}

impl Operation {
    /// Everything that it moves at that side, in the order of happening; nothing of a RECV's
    /// requester, which is a SEND.
    pub fn parts(&self, side: Side) -> Vec<Part> {
        match (self.verb, side) {
            (Verb::Recv, Side::Requester) => Vec::new(),
            (Verb::Recv, Side::Responder) => self.received(self.post.batch(), self.payload),
            // Its RECV is the plain one: read by itself, payload beside the completion.
            (Verb::Send, Side::Responder) => self.received(1, Payload::Pointer),
            (_, Side::Requester) => self.requested(),
            (_, Side::Responder) => self.answered(),
        }
    }

    fn requested(&self) -> Vec<Part> {
        let mut parts = Part::of_posting(self.wqe(), self.post);
        let fetched = matches!(self.verb, Verb::Write | Verb::Send)
            && self.payload == Payload::Pointer
            && self.bytes > 0;
        if fetched {
            parts.push(once(What::PayloadFetch, Transfer::DmaRead { bytes: self.bytes }));
        }
        if self.verb == Verb::Read || self.verb.is_atomic() {
            parts.push(once(What::PayloadWrite, Transfer::DmaWrite { bytes: self.bytes }));
        }
        if let Signals::Every(every) = self.signals {
            let transfer = Transfer::DmaWrite { bytes: self.completion_bytes };
            parts.push(Part { what: What::Completion, transfer, every });
        }
        parts
    }

    /// Inbound READs are a read, WRITEs a write, atomics one after the other (003 §3.4, §5.1).
    fn answered(&self) -> Vec<Part> {
        let fetch = once(What::PayloadFetch, Transfer::DmaRead { bytes: self.bytes });
        let write = once(What::PayloadWrite, Transfer::DmaWrite { bytes: self.bytes });
        match self.verb {
            Verb::Read => vec![fetch],
            Verb::Write => vec![write],
            _ => vec![fetch, write],
        }
    }

    fn received(&self, batch: u32, payload: Payload) -> Vec<Part> {
        let wqe = Wqe::of(Verb::Recv, self.transport, payload, self.bytes);
        // Not padded: entries of a receive queue are as long as their one pointer (ours).
        let bytes = u64::from(batch) * wqe.bytes();
        let fetch =
            Part { what: What::WqeFetch, transfer: Transfer::DmaRead { bytes }, every: batch };
        let mut parts = vec![fetch];
        let inlined = payload == Payload::Inline;
        if self.bytes > 0 && !inlined {
            parts.push(once(What::PayloadWrite, Transfer::DmaWrite { bytes: self.bytes }));
        }
        let entry = self.completion_bytes + if inlined { self.bytes } else { 0 };
        parts.push(once(What::Completion, Transfer::DmaWrite { bytes: entry }));
        parts
    }
}

impl Part {
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
