//! A thread's queue pairs.
//!
//! ```text
//!   post --> send queues --generation--> first virtual lane  --> responder of the peer's node
//!                              |                                       |
//!                        in-flight table                               |
//!                              |                                       |
//!   poll <-- completion <--completion--- second virtual lane <---------'
//!              queues
//! ```
//! Both pipelines run in the thread that posts and polls, so an operation takes one round trip
//! between two cores. What is set up is in `set_up`.

mod channel;
mod completion;
mod data_path;
mod delivery;
mod generation;
mod idle;
mod in_flight;
mod send_queue;
mod set_up;
mod short;
mod sink;
mod waiting;
mod window;

pub use idle::SHORTEST_PATIENCE;
pub use set_up::RmcEndpoint;
