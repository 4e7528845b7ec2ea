//! What a machine costs, station by station.

mod fields;

pub use fields::{Field, ParameterError};

/// One value for each side of the interconnect, as the card sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByReach {
    /// Memory on the card's own node.
    pub local: f64,
    /// Memory on another node.
    pub remote: f64,
}

/// One value for each kind of one-sided operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByVerb<T> {
    /// RDMA READ.
    pub read: T,
    /// RDMA WRITE, with or without immediate data.
    pub write: T,
    /// Compare-and-swap and fetch-and-add.
    pub atomic: T,
}

impl<T: Copy> ByVerb<T> {
    /// The same for all.
    pub const fn all(value: T) -> Self {
        Self { read: value, write: value, atomic: value }
    }
}

/// The parameters of a machine, in nanoseconds where nothing else is said.
///
/// All of them: a model with a parameter left out would be another model. A profile's
/// `simulation.toml` says where each comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// A thread's work for the first request behind a doorbell.
    pub post_ns: ByVerb<f64>,
    /// A thread's work for each further request behind the same doorbell.
    pub post_next_ns: f64,
    /// A thread's work for a completion.
    pub poll_ns: f64,
    /// From the doorbell until the card has the request.
    pub doorbell_ns: f64,
    /// From the card's completion until the thread can see it.
    pub completion_ns: f64,
    /// CPUs of the client's node.
    pub client_cpus: f64,
    /// How long a thread runs before another of the same CPU does.
    pub quantum_ns: f64,
    /// What a thread needs to copy a byte of a message. Nothing here has threads copy: programs in
    /// virtual time add it to what they find.
    pub copy_ns_per_byte: f64,

    /// A cache line of a request that threads store to the card, on PCI Express.
    pub wqe_line_ns: f64,
    /// The requester's card, for each request.
    pub request_ns: ByVerb<f64>,
    /// The requester's card, for each byte that it gathers from memory to send.
    pub gather_ns_per_byte: f64,
    /// Added to each request where the client's memory is not on its card's node.
    pub client_remote_ns: ByVerb<f64>,
    /// Added to a thread's work for a doorbell where it does not run on its card's node.
    pub client_remote_post_ns: f64,
    /// Requests whose entries the requester's card keeps; beyond that it fetches them again.
    pub request_cache_entries: f64,
    /// What fetching an entry again costs the requester's card.
    pub request_miss_ns: f64,

    /// A byte on the link.
    pub link_ns_per_byte: f64,
    /// What a packet costs the link beside its payload.
    pub packet_ns: f64,
    /// One way between the cards: cables and switches.
    pub one_way_ns: f64,

    /// The responder's card, for each operation.
    pub respond_ns: ByVerb<f64>,
    /// Queue pairs whose state a card keeps.
    pub context_entries: f64,
    /// What fetching the state of a queue pair costs a card.
    pub context_miss_ns: f64,

    /// A byte on PCI Express.
    pub pcie_ns_per_byte: f64,
    /// What a packet of 128 bytes at most costs PCI Express beside its payload.
    pub pcie_packet_ns: f64,
    /// From the responder's card to the memory and back for a read or an atomic, one way for a
    /// write, without load.
    pub memory_ns: ByVerb<f64>,
    /// Added to that where the memory is not on the card's node.
    pub interconnect_ns: ByVerb<f64>,
    /// Writes that the responder has acknowledged and memory has not taken.
    pub posted_writes: f64,

    /// How long an operation keeps its cache line from others.
    pub line_ns: ByVerb<ByReach>,
    /// What a worker that stores to the line adds to that: moving the line to its core and back.
    pub transfer_ns: ByVerb<ByReach>,
    /// What a worker that only loads from the line adds, as a share of the former.
    pub reader_share: ByVerb<ByReach>,
    /// What taking copies of the line from the caches of workers costs at least, where the card's
    /// access does not go through the cache: direct cache access off.
    pub copies_ns: ByVerb<ByReach>,
    /// Workers that get to the line between two of the card's operations at most.
    pub most_transfers: f64,

    /// CPUs of a node of the server, which workers beyond them share.
    pub server_cpus: f64,

    /// Slots that atomics lock, by the low bits of their address; at least 1.
    pub atomic_slots: f64,
    /// How long an atomic locks its slot.
    pub atomic_ns: f64,
    /// Added to that where the region is not in the last-level cache, and in proportion where some
    /// of it is.
    pub atomic_miss_ns: f64,
    /// Share of that time in which the card does nothing else.
    pub atomic_card_share: f64,
    /// Atomics that can wait for slots at once; the next is not looked at before one has its slot.
    pub atomics_waiting: f64,

    /// Share of the time that a write keeps the line, for which an atomic keeps its slot locked
    /// beyond that: 0 where its result goes to the cache, 1 where the next has to wait for memory.
    pub atomic_write_back: f64,

    /// What a memory controller adds while independent load uses it.
    pub controller_wait_ns: f64,
    /// What the interconnect adds while independent load crosses it.
    pub crossing_wait_ns: f64,
    /// Bytes of the last-level cache, where smaller load and regions stay.
    pub cache_bytes: f64,
}

impl Parameters {
    /// A machine that costs nothing and never runs out: what is to be looked at by itself is added.
    pub const fn ideal() -> Self {
        const NOTHING: ByReach = ByReach { local: 0.0, remote: 0.0 };
        Self {
            post_ns: ByVerb::all(0.0),
            post_next_ns: 0.0,
            poll_ns: 0.0,
            doorbell_ns: 0.0,
            completion_ns: 0.0,
            client_cpus: f64::INFINITY,
            quantum_ns: 0.0,
            copy_ns_per_byte: 0.0,
            wqe_line_ns: 0.0,
            request_ns: ByVerb::all(0.0),
            gather_ns_per_byte: 0.0,
            client_remote_ns: ByVerb::all(0.0),
            client_remote_post_ns: 0.0,
            request_cache_entries: f64::INFINITY,
            request_miss_ns: 0.0,
            link_ns_per_byte: 0.0,
            packet_ns: 0.0,
            one_way_ns: 0.0,
            respond_ns: ByVerb::all(0.0),
            context_entries: f64::INFINITY,
            context_miss_ns: 0.0,
            pcie_ns_per_byte: 0.0,
            pcie_packet_ns: 0.0,
            memory_ns: ByVerb::all(0.0),
            interconnect_ns: ByVerb::all(0.0),
            posted_writes: 1.0,
            line_ns: ByVerb::all(NOTHING),
            transfer_ns: ByVerb::all(NOTHING),
            reader_share: ByVerb::all(NOTHING),
            copies_ns: ByVerb::all(NOTHING),
            most_transfers: f64::INFINITY,
            server_cpus: f64::INFINITY,
            atomic_slots: 1.0,
            atomic_ns: 0.0,
            atomic_miss_ns: 0.0,
            atomic_card_share: 0.0,
            atomics_waiting: f64::INFINITY,
            atomic_write_back: 0.0,
            controller_wait_ns: 0.0,
            crossing_wait_ns: 0.0,
            cache_bytes: 0.0,
        }
    }
}
