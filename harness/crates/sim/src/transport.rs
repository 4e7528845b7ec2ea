//! The back end `sim`: the contract of `onesided-transport`, in virtual time.
//!
//! ```text
//!   SimDevice (host 0) --.                   .-- SimDevice (host 1)
//!                         '--> SimFabric <--'
//!              virtual time; stations of each host; regions; queue pairs
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | `fabric` | [`SimFabric`]: virtual time, and all that is in it, behind one lock |
//! | `device` | [`SimDevice`]: a host's card as the contract's device |
//! | `limits` | what a device can do at the most |
//! | `endpoint` | [`SimEndpoint`]: set-up of queue pairs |
//! | `data_path` | post and poll |
//! | `queue_pair` | a queue pair: the ring that `simulate` has, too, and what can go wrong |
//! | `addressee` | where requests go: peers, and destinations of datagrams |
//! | `events` | what happens next; `execution`: what it does to memory |
//! | `messages` | what unreliable services have sent |
//! | `reports` | completions, and the requests that are flushed |
//! | `regions` | registered memory by key; `memory`: moving its bytes |
//!
//! # Whose time it is
//!
//! A post takes effect at [`SimFabric::now`]. A poll returns what its thread has by then; if that
//! is nothing, it has time go on to the next event and executes that, or to when a thread has its
//! next completion. So polls get somewhere, and none ever waits. A thread is taken to poll all the
//! time: what is visible to it costs it `poll_ns` as soon as it has done what it did before,
//! whenever the call comes.
//!
//! Endpoints that one thread polls in turn have the times that `simulate` tells of as many threads,
//! and the same program has the same times. Several threads that poll as the operating system lets
//! them share one virtual time, and its order is theirs.
//!
//! # When bytes move
//!
//! When the responder's memory has the answer, all at once: reads sample then, writes land then,
//! atomics execute then, in the order of the queue pair. What is read is in the requester's memory
//! at that moment, too, which only who looks before the completion can tell. Rights, keys and
//! bounds are looked at when a request arrives, and again when its bytes move.
//!
//! # What unreliable services wait for
//!
//! Nothing but their own card. A request over an unreliable connection, or a datagram, passes the stations
//! of the requester (the thread, the card, the link) as a reliable one does. When the link has the last of
//! it, the request is over: its completion takes `completion_ns` to the thread, as the one of an answer
//! does. No acknowledgement is sent, so the way there and back and the stations of the responder are not
//! in its time. Its bytes are taken when the card starts with it, and the message goes on without the
//! queue pair: dropping that no longer stops it.
//!
//! At the responder a message has the costs and the order of a reliable write. What cannot be done is
//! dropped, and no side hears of it: for want of a receive request or of room in one, of a right, a key or
//! a queue pair that is ready, and where a datagram has another key. What a card can see when a message
//! arrives costs only the card; the rest is dropped where its bytes would have moved. A dropped message
//! leaves the receive request to the next. The header before a datagram is left as it was.
//!
//! # What it leaves out
//!
//! - CPUs are never scarce: `client_cpus` and `quantum_ns` do not count.
//! - Requests that the requester's card keeps are those posted and not completed as it starts with
//!   one; `simulate` takes each queue pair's window for full.
//! - Requests of a queue pair in error are all flushed, those that the peer has executed, too.
//! - What comes back to one host from several is in the order in which it was sent.
//! - A card's parts as requester and as responder share nothing, not even the link.
//! - Completion queues cost nothing.
//! - Nothing is lost on the way, of unreliable services neither. A request without an answer is asked for
//!   again at no cost.
//! - Links have no flow control: what unreliable services send faster than the responder takes it waits
//!   there, however much it is.

mod addressee;
mod data_path;
mod device;
mod endpoint;
mod events;
mod execution;
mod fabric;
mod limits;
mod memory;
mod messages;
mod queue_pair;
mod receives;
mod regions;
mod reports;

pub use device::{SimDevice, SimRegion};
pub use endpoint::SimEndpoint;
pub use fabric::{HostConditions, SimFabric};

/// The back end's own name, in every record and plot.
pub const BACK_END: &str = "sim";
