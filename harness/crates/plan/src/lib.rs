//! What a run asks for, worked out from its configuration once: for who does it, who simulates it and
//! who predicts it alike.
//!
//! - [`requests`]: what queue pairs ask for and when; [`region`]: how the objects lie that they ask for;
//!   [`object_bytes`]: how large they are.
//! - [`worker`] and [`independent`]: what the server's own threads do to memory.
//! - [`HostShare`]: which client host has which threads; [`ThreadShare`]: which thread drives which queue pairs.
//!
//! Nothing here knows a back end, a clock or a machine. What a back end does not cover it refuses
//! itself, before it asks for a plan.

mod accesses;
mod part;
mod requests;
mod share;

pub use accesses::{independent, worker};
pub use part::HostShare;
pub use requests::{RequestsError, object_bytes, region, requests};
pub use share::ThreadShare;
