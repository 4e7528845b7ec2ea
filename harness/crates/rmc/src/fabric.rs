//! A fabric: a folder of contexts, each a folder of nodes; joining and leaving.

mod context;
mod error;
mod node;

pub use context::{Context, NODES, StaleNode, default_fabric, room_bytes};
pub use error::OpenError;
pub use node::{INSTANCE_MASK, OwnNode, PeerNode, is_living, remove_own_nodes};
