//! Words about the hosts: what their own threads do, where memory and threads are.

use super::*;

words! {
    /// Network below a port.
    LinkLayer as "link layer" {
        /// InfiniBand.
        Infiniband = "infiniband",
        /// Ethernet.
        Ethernet = "ethernet",
    }

    /// What the server's worker threads do to the memory that clients access.
    WorkerOperation as "worker operation" {
        /// There are no workers.
        None = "none",
        /// Loads.
        Read = "read",
        /// Stores.
        Write = "write",
        /// Loads and stores, drawn by the worker write fraction.
        Mixed = "mixed",
        /// Compare-and-swap by the CPU.
        CompareAndSwap = "compare-and-swap",
        /// Fetch-and-add by the CPU.
        FetchAndAdd = "fetch-and-add",
    }

    /// Which addresses of the region a worker goes to.
    WorkerPattern as "worker pattern" {
        /// The sequence of the study's program: one byte after another, and a private table.
        AsPublished = "as-published",
        /// Any place, all alike.
        Uniform = "uniform",
        /// One place after another.
        Sequential = "sequential",
        /// Always a cache line of its own.
        OwnLine = "own-line",
        /// Always the region's first cache line, as all the others.
        SharedLine = "shared-line",
    }

    /// What loads the server's memory beside the clients and workers.
    LoadKind as "load kind" {
        /// Nothing.
        None = "none",
        /// Threads on memory of their own.
        Independent = "independent",
    }

    /// Where the independent load runs.
    LoadNode as "load node" {
        /// There is no load.
        None = "none",
        /// On every node.
        Agnostic = "agnostic",
        /// On the network card's node.
        RdmaLocal = "rdma-local",
        /// On another node.
        RdmaRemote = "rdma-remote",
    }

    /// Which addresses of its buffer a thread of the independent load goes to.
    LoadPattern as "load pattern" {
        /// Any place, all alike.
        Uniform = "uniform",
        /// One place after another.
        Stream = "stream",
    }

    /// Which process the independent load runs in.
    LoadProcess as "load process" {
        /// The server's.
        InProcess = "in-process",
        /// One of its own, started and stopped with the run.
        OwnProcess = "own-process",
    }

    /// What was done to the server's caches before the run.
    CacheState as "cache state" {
        /// Nothing.
        Default = "default",
        /// The objects were flushed from them.
        Flushed = "flushed",
        /// The objects were read into them.
        Warm = "warm",
    }

    /// Whether the network card may write into the last-level cache (Intel Data Direct I/O).
    Ddio as "DDIO state" {
        /// As the machine has it.
        Default = "default",
        /// Switched off.
        Off = "off",
    }

    /// What timed loads say of the caches.
    CacheFinding as "state of caches" {
        /// Nine of ten lines or more are in a cache.
        Cached = "cached",
        /// One of ten or fewer are.
        NotCached = "not-cached",
        /// It cannot be told.
        Inconclusive = "inconclusive",
    }

    /// Whether the card may write into the last-level cache, as far as it can be told.
    DirectIoFinding as "state of Direct I/O" {
        /// It may.
        On = "on",
        /// It may not.
        Off = "off",
        /// This hardware does not tell, or not in a way that is known.
        Unsupported = "unsupported",
        /// Nobody looked.
        Unknown = "unknown",
    }

    /// Whether memory that may be on several nodes is spread as it was asked for.
    MemorySpread as "spread of memory" {
        /// It was asked for on one node, or on none in particular.
        NotAsked = "not-asked",
        /// It is.
        AsAsked = "as-asked",
        /// It was preferred on one node, which could not give all of it.
        NotFollowed = "not-followed",
        /// It is elsewhere, or uneven.
        Otherwise = "otherwise",
        /// The kernel does not tell of all pages.
        Unproven = "unproven",
    }

    /// What a thread of a run is for.
    ThreadRole as "thread role" {
        /// Posts requests.
        Client = "client",
        /// Answers on the server, where requests need an answer.
        Responder = "responder",
        /// Uses the memory that clients access.
        Worker = "worker",
        /// Uses other memory.
        Load = "load",
    }

    /// Memory whose place matters to a run.
    PlacedMemory as "placed memory" {
        /// The server's memory that requests access.
        ServerRegion = "server-region",
        /// Work and completion queue rings of the server.
        ServerRings = "server-rings",
        /// The client's memory that data is read into and written from.
        ClientBuffers = "client-buffers",
        /// Work and completion queue rings of the client.
        ClientRings = "client-rings",
        /// Memory of the independent load.
        LoadBuffer = "load-buffer",
    }

    /// A moment of a run at which a fact was looked up.
    Moment as "moment" {
        /// Before the first request.
        Before = "before",
        /// While requests are measured.
        During = "during",
        /// After the last completion.
        After = "after",
    }

    /// How it was found out where pages are.
    PlacementMethod as "placement method" {
        /// `move_pages(2)` in its query form: exact to the page.
        MovePages = "move-pages",
        /// `/proc/PID/numa_maps` (`numa(7)`): counts for each mapping, so where misplaced pages are is
        /// known only of mappings on one node.
        NumaMaps = "numa-maps",
        /// Not at all: the kernel refused both.
        Unavailable = "unavailable",
        /// Not at all: a model has memory where it is asked to be, and no pages.
        Simulated = "simulated",
        /// Not at all: it is memory of an emulated fabric, which takes it where it likes.
        Fabric = "fabric",
    }
}

impl WorkerOperation {
    /// Loads and stores with this probability of a store. At 0 and 1 it is [`Self::Read`] and
    /// [`Self::Write`], whose loops draw nothing.
    pub const fn of_write_fraction(write_fraction: f64) -> Self {
        match write_fraction {
            0.0 => Self::Read,
            1.0 => Self::Write,
            _ => Self::Mixed,
        }
    }

    /// Whether it is an atomic of 8 bytes.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::CompareAndSwap | Self::FetchAndAdd)
    }
}

impl LoadPattern {
    /// The same of a worker.
    pub const fn of_a_worker(self) -> WorkerPattern {
        match self {
            Self::Uniform => WorkerPattern::Uniform,
            Self::Stream => WorkerPattern::Sequential,
        }
    }
}

/// How much memory a process may lock, and so register with a card (`getrlimit(2)`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryLockLimit {
    /// Any amount.
    Unlimited,
    /// This many bytes, unless it is privileged.
    Bytes(u64),
}
