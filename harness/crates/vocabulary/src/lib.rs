//! The words of every choice that is written down or typed, each said once.
//!
//! A word here is part of the contract with everything outside: tables, designs, figures. Other crates
//! choose by these types, so that no choice has a second list of its levels.

mod counted;
pub mod place;
pub mod word;

use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

pub use counted::counted;
pub use word::{UnknownWord, Word};

/// Declares enums whose every variant has one word, with all conversions to and from it.
macro_rules! words {
    ($( $(#[$about:meta])* $name:ident as $what:literal {
        $( $(#[doc = $about_word:literal])+ $variant:ident = $word:literal ),+ $(,)?
    } )+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[doc = $about_word])+ $variant ),+ }

        impl Word for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($about_word),+).trim_ascii()),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(found: &str) -> Result<Self, UnknownWord> {
                Self::from_word(found)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = String::deserialize(deserializer)?;
                Self::from_word(&found).map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": Self::words() })
            }
        }
    )+};
}

words! {
    /// Where the numbers of a row come from.
    Source as "source" {
        /// The authors' raw data, imported.
        Published = "published",
        /// Verbs on a real network card.
        Measured = "measured",
        /// Verbs on `rdma_rxe`: function only.
        SoftRoce = "soft-roce",
        /// The emulated remote memory controller.
        Emulated = "emulated",
        /// The simulator, in virtual time.
        Simulated = "simulated",
    }

    /// What a client asks of the server's memory.
    Operation as "operation" {
        /// RDMA READ.
        Read = "read",
        /// RDMA WRITE.
        Write = "write",
        /// RDMA WRITE with immediate data, which the server sees.
        WriteWithImmediate = "write-with-immediate",
        /// READ and WRITE, drawn at random by the write fraction.
        Mixed = "mixed",
        /// Atomic compare-and-swap of 8 bytes.
        CompareAndSwap = "compare-and-swap",
        /// Atomic fetch-and-add on 8 bytes.
        FetchAndAdd = "fetch-and-add",
        /// Two-sided SEND.
        Send = "send",
        /// WRITE, which the server answers by a SEND; of ping-pongs only.
        WriteAnsweredBySend = "write-answered-by-send",
    }

    /// Whether something is on the network card's NUMA node (the study's words).
    Locality as "locality" {
        /// On the card's node.
        RdmaLocal = "rdma-local",
        /// On another node.
        RdmaRemote = "rdma-remote",
    }

    /// When a queue pair's next request is posted.
    LoopShape as "loop" {
        /// When an earlier one has completed and the think time is over.
        Closed = "closed",
        /// Whenever there is room in the window.
        Saturating = "saturating",
        /// When the whole window has completed: then all of it, again.
        Batch = "batch",
        /// At scheduled times, whatever has completed.
        Open = "open",
        /// When the peer's answer has become visible.
        PingPong = "ping-pong",
    }

    /// How the queue pairs' objects lie in the server's memory.
    SlotLayout as "slot layout" {
        /// One after another: neighbours share cache lines.
        Packed = "packed",
        /// Each on cache lines of its own.
        Padded = "padded",
        /// One after another from an odd address.
        Unaligned = "unaligned",
        /// One for each queue pair, at equal distances over the working set.
        Spread = "spread",
    }

    /// Which requests of a queue pair use the same memory of the client.
    SlotReuse as "slot reuse" {
        /// None that are outstanding at once: each has a slot of its own.
        Completed = "completed",
        /// All: they read into one slot, and write from it.
        Outstanding = "outstanding",
    }

    /// Which address a request goes to.
    AddressPattern as "address pattern" {
        /// Always the queue pair's own object.
        OwnSlot = "own-slot",
        /// The working set's objects, one after another.
        Sequential = "sequential",
        /// Any object of the working set, all alike.
        Uniform = "uniform",
        /// Any object of the working set, some more often (Zipf's law).
        Zipf = "zipf",
    }

    /// How the scheduled times of an open loop are spaced.
    Arrivals as "arrivals" {
        /// Evenly.
        Fixed = "fixed",
        /// As a Poisson process.
        Poisson = "poisson",
    }

    /// Which queue pairs share a completion queue.
    CompletionQueues as "completion queue choice" {
        /// Those of one thread.
        PerThread = "per-thread",
        /// None.
        PerQueuePair = "per-queue-pair",
    }

    /// Whose the receive queues of a thread are (IB spec vol. 1, 10.2.9).
    ReceiveQueues as "receive queues" {
        /// Each queue pair has its own.
        PerQueuePair = "own",
        /// All of them have one, whose requests serve whichever queue pair gets a message.
        Shared = "shared",
    }

    /// The transport service of a queue pair (IB spec vol. 1, 9.7 and 9.8).
    Service as "service" {
        /// Reliable connection: what is lost is sent again.
        ReliableConnection = "rc",
        /// Unreliable connection: writes and sends, of which some may be lost.
        UnreliableConnection = "uc",
        /// Unreliable datagram: sends of a packet at most, to any queue pair, of which some may be lost.
        UnreliableDatagram = "ud",
    }

    /// A part of a run.
    Phase as "phase" {
        /// The two sides find each other and agree on what to run.
        Connect = "connect",
        /// Memory, queue pairs and threads are made and placed.
        SetUp = "set-up",
        /// Requests flow and nothing is recorded.
        WarmUp = "warm-up",
        /// Requests flow and are recorded.
        Measure = "measure",
        /// No new requests; the outstanding ones complete.
        Drain = "drain",
        /// What was moved and counted is compared with what should have been.
        Verify = "verify",
    }

    /// One end of a run.
    Side as "side" {
        /// The end that posts requests.
        Client = "client",
        /// The end whose memory is accessed.
        Server = "server",
    }

    /// How much of a design is run.
    Level as "level" {
        /// The design as it is written.
        Full = "full",
        /// What an evaluator's time allows, as the design's `[level.reproduce]` says.
        Reproduce = "reproduce",
        /// Just enough to see that it works, as the design's `[level.smoke]` says.
        Smoke = "smoke",
    }
}

impl Operation {
    /// Whether each consumes a receive request, which the server keeps posted.
    pub const fn consumes_receives(self) -> bool {
        matches!(self, Self::WriteWithImmediate | Self::Send)
    }

    /// Whether its requests take data along, which may be in the request itself (inlined).
    pub const fn sends_data(self) -> bool {
        match self {
            Self::Write
            | Self::WriteWithImmediate
            | Self::Mixed
            | Self::Send
            | Self::WriteAnsweredBySend => true,
            Self::Read | Self::CompareAndSwap | Self::FetchAndAdd => false,
        }
    }

    /// Whether one of the two sides needs receive requests: the server, or the client for what answers it.
    pub const fn needs_receives(self) -> bool {
        self.consumes_receives() || matches!(self, Self::WriteAnsweredBySend)
    }
}

impl Service {
    /// Whether what is lost is sent again, and what is refused is told.
    pub const fn is_reliable(self) -> bool {
        matches!(self, Self::ReliableConnection)
    }
}

impl Locality {
    /// The one that it is not.
    pub const fn other(self) -> Self {
        match self {
            Self::RdmaLocal => Self::RdmaRemote,
            Self::RdmaRemote => Self::RdmaLocal,
        }
    }
}

mod claims;
mod fabric;
mod host;
mod imported;
mod memory;
mod pcie;
mod prediction;

pub use claims::{Answer, Basis, ClaimKind, Quantifier, Verdict};
pub use fabric::{FabricSides, GraphKind, MessageWay, PagerankVariant, ReadWay};
pub use host::{
    CacheFinding, CacheState, Ddio, DirectIoFinding, LinkLayer, LoadKind, LoadNode, LoadPattern,
    LoadProcess, MemoryLockLimit, MemorySpread, Moment, PlacedMemory, PlacementMethod, ThreadRole,
    WorkerOperation, WorkerPattern,
};
pub use imported::{Campaign, CodeGeneration, IntervalOrigin, RawStatus, Regime};
pub use memory::{
    LatencyOrder, LatencyPages, LatencyPart, LatencyPlacement, MemoryLevel, PageSize,
};
pub use pcie::{
    PcieEnd, PcieOperation, PciePayload, PciePost, PciePurpose, PcieResource, PcieSide,
    PcieTransaction, PcieTransfer, PcieTransport,
};
pub use prediction::{PredictedQuantity, PredictionRole};

#[cfg(test)]
mod tests {
    use super::*;

    fn every_word_comes_back<W>()
    where
        W: Word + FromStr<Err = UnknownWord> + fmt::Display + fmt::Debug + PartialEq,
    {
        for &choice in W::ALL {
            let word = choice.to_string();
            assert_eq!(word.parse::<W>().unwrap(), choice);
            assert!(
                word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{word}"
            );
        }
        let mut words = W::words();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), W::ALL.len(), "{} has a word twice", W::WHAT);
    }

    #[test]
    fn every_choice_is_read_back_from_its_own_word() {
        every_word_comes_back::<Source>();
        every_word_comes_back::<Operation>();
        every_word_comes_back::<WorkerOperation>();
        every_word_comes_back::<Locality>();
        every_word_comes_back::<LoopShape>();
        every_word_comes_back::<LoadKind>();
        every_word_comes_back::<LoadNode>();
        every_word_comes_back::<SlotLayout>();
        every_word_comes_back::<SlotReuse>();
        every_word_comes_back::<CacheState>();
        every_word_comes_back::<Ddio>();
        every_word_comes_back::<AddressPattern>();
        every_word_comes_back::<Arrivals>();
        every_word_comes_back::<CompletionQueues>();
        every_word_comes_back::<ReceiveQueues>();
        every_word_comes_back::<Service>();
        every_word_comes_back::<Phase>();
        every_word_comes_back::<Side>();
        every_word_comes_back::<PlacedMemory>();
        every_word_comes_back::<WorkerPattern>();
        every_word_comes_back::<LoadPattern>();
        every_word_comes_back::<LoadProcess>();
        every_word_comes_back::<ThreadRole>();
        every_word_comes_back::<CacheFinding>();
        every_word_comes_back::<DirectIoFinding>();
        every_word_comes_back::<MemorySpread>();
        every_word_comes_back::<LatencyPart>();
        every_word_comes_back::<MemoryLevel>();
        every_word_comes_back::<LatencyPages>();
        every_word_comes_back::<PageSize>();
        every_word_comes_back::<LatencyOrder>();
        every_word_comes_back::<LatencyPlacement>();
        every_word_comes_back::<Moment>();
        every_word_comes_back::<PlacementMethod>();
        every_word_comes_back::<CodeGeneration>();
        every_word_comes_back::<Campaign>();
        every_word_comes_back::<RawStatus>();
        every_word_comes_back::<Regime>();
        every_word_comes_back::<IntervalOrigin>();
        every_word_comes_back::<ClaimKind>();
        every_word_comes_back::<Verdict>();
        every_word_comes_back::<Answer>();
        every_word_comes_back::<Quantifier>();
        every_word_comes_back::<Basis>();
        every_word_comes_back::<LinkLayer>();
        every_word_comes_back::<PcieTransaction>();
        every_word_comes_back::<PcieEnd>();
        every_word_comes_back::<PciePurpose>();
        every_word_comes_back::<ReadWay>();
    }

    #[test]
    fn the_words_of_the_contract_are_these() {
        assert_eq!(
            Source::words(),
            ["published", "measured", "soft-roce", "emulated", "simulated"]
        );
        assert_eq!(
            Operation::words().join(" "),
            "read write write-with-immediate mixed compare-and-swap fetch-and-add send \
             write-answered-by-send"
        );
        assert_eq!(LoopShape::words(), ["closed", "saturating", "batch", "open", "ping-pong"]);
        assert_eq!(LoadNode::words(), ["none", "agnostic", "rdma-local", "rdma-remote"]);
        assert_eq!(SlotLayout::words(), ["packed", "padded", "unaligned", "spread"]);
    }

    #[test]
    fn a_misspelt_word_is_answered_with_the_allowed_ones_and_the_nearest() {
        let error = "wirte".parse::<Operation>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown operation \"wirte\", did you mean \"write\"?; allowed: read, write, \
             write-with-immediate, mixed, compare-and-swap, fetch-and-add, send, write-answered-by-send"
        );
        let error = serde_json::from_str::<Locality>("\"remote\"").unwrap_err();
        assert!(error.to_string().contains("allowed: rdma-local, rdma-remote"), "{error}");
    }
}
