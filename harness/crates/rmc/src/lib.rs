//! The rmc back end: Scale-Out NUMA's remote memory controller in software, over shared memory.
//!
//! The paper's own development platform emulated the controller by dedicated cores over shared
//! memory (004 §7.1); this is such an emulation. It needs no RDMA, no root and no virtual machine,
//! and what it measures is this machine's caches and this code: its results carry its own name.
//!
//! | module | what is there |
//! |---|---|
//! | [`access`] | the access library: one-sided operations with slots and callbacks |
//! | `shared` | what processes share: rings, packets, a node's file |
//! | `fabric` | a folder of contexts, each a folder of nodes; joining and leaving |
//! | `device`, `options`, `limits` | [`RmcDevice`]: a node as the contract's device |
//! | `segments`, `segment` | memory that peers can map, and copy from themselves |
//! | `local`, `regions`, `queue_pairs`, `receives`, `keys` | a node's own tables |
//! | `responder`, `duty`, `serving`, `node` | what executes what others ask, and which thread does |
//! | `losses` | which messages of unreliable services are lost on purpose |
//! | `endpoint` | queue pairs of one thread: generation and completion of requests |
//!
//! # Why it is sound
//!
//! * **Rings** have one sender and one receiver. A slot is the sender's until it is published
//!   (release) and the receiver's from when it was found (acquire) until its credit is back.
//! * **Registered memory** is touched for peers by the one who has the duty, and in segments of the
//!   context copied from by peers themselves; all by atomic instructions of whole words where they
//!   are aligned; its owner promised to expect changes. Words and bytes of one place may be
//!   accessed in both sizes at once, which the language's model leaves open and the processors that
//!   this runs on define.
//! * **Segments of the context** are in the node's file, where peers copy from them with the node's
//!   leave, by atomic instructions, too. They are mapped as far as the file goes when they are
//!   found, and what is found out of bounds is not touched. What is stored for peers meanwhile
//!   shows in the segment's version, a region that goes in its entry (`shared::region`), and the
//!   copy is not taken.
//! * **Local segments** are the poster's promise; they are copied by plain instructions.
//! * **Freed things** are hidden first; then their owner waits until the responder has come round
//!   (`local::LocalNode::settle`), which keeps nothing from one round to the next.
//! * **A peer's file** can be written by everybody who may enter the context, which is who is
//!   trusted with the registered memory anyway. What a peer writes is checked before it is used as
//!   an index or a length. One that cuts its file off ends those who have it mapped, by a bus error;
//!   [`handle_lost_memory`] has them say so.
//!
//! # What it promises beyond the contract
//!
//! A packet is executed whole, and one at a time, and a copy is taken whole: remote accesses to one
//! aligned cache line are atomic to each other. Atomics are those of the processor: atomic to the
//! local processors', too ([`onesided_transport::AtomicCapability::Global`]), which an adapter's
//! are not.

pub mod access;
mod device;
mod direct;
mod duty;
mod endpoint;
mod fabric;
mod keys;
mod limits;
mod local;
mod losses;
mod node;
mod options;
mod placed;
mod queue_pairs;
mod receives;
mod regions;
mod responder;
mod segment;
mod segments;
mod serving;
mod shared;

pub use device::{BACK_END, ROOM_OF_A_CHANNEL, RmcDevice, RmcRegion};
pub use direct::{DirectError, DirectMemory};
pub use endpoint::RmcEndpoint;
pub use fabric::{NODES, OpenError, StaleNode, default_fabric, remove_own_nodes, room_bytes};
pub use options::RmcOptions;
pub use responder::RESPONDERS_SPIN;
pub use serving::Serving;
pub use shared::lost::handle_lost_memory;
