//! A verb with its options, checked.

mod error;

pub use error::OperationError;

use onesided_vocabulary::{PciePost, Word as _};

use crate::{
    LinkLayer, Payload, Transport, Verb,
    verb::{can_inline, supports},
    wqe::{LONGEST_WQE_BYTES, Wqe, header_bytes},
};

/// The longest message (InfiniBand Architecture Specification, RETH: DMA length).
pub const LONGEST_BYTES: u64 = 1 << 31;

/// Most operations of a batch or between two completions; ours: the deepest queues are shorter.
pub const MOST_TOGETHER: u32 = 1 << 16;

/// The longest datagram: one packet of the largest path MTU.
const LONGEST_DATAGRAM_BYTES: u64 = 4096;

/// What a datagram over Ethernet has before its payload in the memory of the RECV: the global routing
/// header, which RoCE's packets always have (InfiniBand Architecture Specification, annexes A16 and
/// A17). Over InfiniBand they have it between subnets only; the place of its bytes is left free and
/// nothing is written there (`ibv_post_recv(3)`).
pub const DATAGRAM_HEADER_BYTES: u64 = 40;

/// What fits in the completion of a RECV ("~64", 003 §3.2).
const INLINE_RECV_BYTES: u64 = 64;

/// Bytes of an atomic.
const ATOMIC_BYTES: u64 = 8;

/// Sizes of a completion queue entry that cards have (rdma-core: 32 of mlx4, 64 and 128 of mlx5).
const COMPLETION_SIZES: [u64; 3] = [32, 64, 128];

/// How the card gets WQEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Post {
    /// The CPU stores each of them to the card ("BlueFlame", 003 §3.1).
    Mmio,
    /// The CPU rings once for `batch` of them, which the card reads in one DMA. Of RECVs there is
    /// no ring, but a word in host memory (rdma-core's mlx4 and mlx5; ours).
    Doorbell {
        /// WQEs a Doorbell.
        batch: u32,
    },
}

impl Post {
    /// Its word.
    pub const fn word(self) -> PciePost {
        match self {
            Self::Mmio => PciePost::Mmio,
            Self::Doorbell { .. } => PciePost::Doorbell,
        }
    }

    /// WQEs that are posted at once.
    pub const fn batch(self) -> u32 {
        match self {
            Self::Mmio => 1,
            Self::Doorbell { batch } => batch,
        }
    }
}

/// Which operations the card tells the end of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signals {
    /// None.
    Never,
    /// One in so many; 1 is all.
    Every(u32),
}

/// A verb with its options. Fields can be set; [`Operation::check`] says whether there is such a
/// one, and everything else expects that there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is asked for.
    pub verb: Verb,
    /// Over which transport.
    pub transport: Transport,
    /// Bytes of the payload; 0 of a message is header-only (003 §3.2).
    pub bytes: u64,
    /// Where the payload is at the host that asks, or that receives.
    pub payload: Payload,
    /// How WQEs get to the card.
    pub post: Post,
    /// Which operations the requester's card completes; every RECV is completed (003 §3.2).
    pub signals: Signals,
    /// Bytes of a completion queue entry: 32, 64 or 128. The paper states none.
    pub completion_bytes: u64,
    /// The network below the cards: it decides what comes with a datagram.
    pub link_layer: LinkLayer,
}

impl Operation {
    /// The paper's usual one: WRITEs and SENDs inlined, posted by MMIO (003 §2.2.3, §4); RECVs read
    /// one by one; over InfiniBand. All are signaled, with entries of 64 bytes (mlx5; ours).
    pub const fn new(verb: Verb, transport: Transport, bytes: u64) -> Self {
        let payload = match verb {
            Verb::Write | Verb::Send => Payload::Inline,
            _ => Payload::Pointer,
        };
        let post = match verb {
            Verb::Recv => Post::Doorbell { batch: 1 },
            _ => Post::Mmio,
        };
        let signals = Signals::Every(1);
        let link_layer = LinkLayer::Infiniband;
        Self { verb, transport, bytes, payload, post, signals, completion_bytes: 64, link_layer }
    }

    /// Bytes of the header that the responder's card writes before the payload.
    pub const fn delivered_header_bytes(&self) -> u64 {
        match (self.transport, self.link_layer) {
            (Transport::Ud, LinkLayer::Ethernet) => DATAGRAM_HEADER_BYTES,
            _ => 0,
        }
    }

    /// The longest payload that can be inlined; a RECV's shares the completion with the header.
    pub const fn inline_limit_bytes(&self) -> u64 {
        match self.verb {
            Verb::Recv => INLINE_RECV_BYTES - self.delivered_header_bytes(),
            _ => LONGEST_WQE_BYTES - header_bytes(self.transport),
        }
    }

    /// Its WQE.
    pub const fn wqe(&self) -> Wqe {
        Wqe::of(self.verb, self.transport, self.payload, self.bytes)
    }

    /// Whether there is such an operation.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), OperationError> {
        self.check_verb()?;
        self.check_size()?;
        self.check_together()
    }

    fn check_verb(&self) -> Result<(), OperationError> {
        let (verb, transport) = (self.verb, self.transport);
        if !supports(transport, verb) {
            let able = Transport::ALL.iter().filter(|one| supports(**one, verb));
            let allowed = able.map(|one| one.word()).collect::<Vec<_>>().join(", ");
            let (verb, transport) = (verb.word(), transport.word());
            return Err(OperationError::Unsupported { verb, transport, allowed });
        }
        if self.payload == Payload::Inline && !can_inline(verb) {
            return Err(OperationError::NothingToInline { verb: verb.word() });
        }
        if verb == Verb::Recv && self.post == Post::Mmio {
            return Err(OperationError::RecvByMmio);
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), OperationError> {
        let (found, transport) = (self.bytes, self.transport.word());
        if self.verb.is_atomic() && found != ATOMIC_BYTES {
            return Err(OperationError::AtomicBytes { found });
        }
        if found == 0 && !self.verb.is_message() {
            return Err(OperationError::HeaderOnly { verb: self.verb.word() });
        }
        let longest = match self.transport {
            Transport::Ud => LONGEST_DATAGRAM_BYTES,
            _ => LONGEST_BYTES,
        };
        if found > longest {
            return Err(OperationError::TooLong { found, transport, longest });
        }
        let limit = self.inline_limit_bytes();
        if self.payload == Payload::Inline && found > limit {
            return Err(OperationError::InlineTooLong {
                found,
                verb: self.verb.word(),
                transport,
                limit,
            });
        }
        Ok(())
    }

    fn check_together(&self) -> Result<(), OperationError> {
        let batch = self.post.batch();
        if !(1..=MOST_TOGETHER).contains(&batch) {
            return Err(OperationError::Batch { found: batch });
        }
        match self.signals {
            Signals::Every(found) if !(1..=MOST_TOGETHER).contains(&found) => {
                return Err(OperationError::SignalEvery { found });
            }
            signals if self.verb == Verb::Recv && signals != Signals::Every(1) => {
                return Err(OperationError::RecvUnsignaled);
            }
            _ => {}
        }
        if !COMPLETION_SIZES.contains(&self.completion_bytes) {
            return Err(OperationError::CompletionBytes { found: self.completion_bytes });
        }
        Ok(())
    }
}
