//! Directed graphs, how they are made and read, and PageRank as it is defined.
//!
//! - [`Graph`]: who is linked to by whom, as PageRank walks it.
//! - [`Rmat`]: graphs whose degrees follow a power law, from a seed.
//! - [`read_edges`]: graphs of files.
//! - [`Partition`]: which emulated node has which vertices.
//! - [`pagerank`]: the reference that every variant is checked against.
//!
//! Nothing here knows threads, nodes or back ends.
#![deny(missing_docs)]

mod edges;
mod graph;
mod pagerank;
mod partition;
mod rmat;

pub use edges::{EdgesError, NamedGraph, read_edges};
pub use graph::{Graph, GraphError, VERTICES_AT_MOST};
pub use pagerank::{DAMPING, first_rank, pagerank, pulled_rank, total_variation};
pub use partition::Partition;
pub use rmat::{Rmat, RmatError};
