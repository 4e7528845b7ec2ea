//! PageRank in the three variants that 004 §7.5 compares, and a fourth, and the graphs that they walk.
//!
//! [`Graph`] is who is linked to by whom; it is made from a seed by [`Rmat`], whose degrees follow a
//! power law, or read from a file by [`read_edges`]. [`pagerank`] is the reference that each variant is
//! checked against, and [`Partition`] says which emulated node has which vertices.
//!
//! | variant | how a node has the ranks of another's vertices |
//! |---|---|
//! | shared memory | it loads them: its threads share one memory |
//! | bulk | it reads all of them, in large pieces, before each superstep |
//! | fine-grain | it reads one, for each link that comes from another node, when it meets the link |
//! | direct | as fine-grain, and the read is a load of the other node's memory, which is not asked |
//!
//! [`shared_memory`] takes threads; [`distributed`] takes a device of any back end for each node, has
//! one thread for each, and a barrier ([`onesided_messaging::Barrier`]) between supersteps. All give
//! the ranks of [`pagerank`], but for the order of sums, and how long each
//! superstep took.
//!
//! ```text
//!   superstep s:  given[s % 2] of all nodes --loads, bulk or fine-grain reads--> sums of own vertices
//!                 sums --> given[(s + 1) % 2] of own vertices --> barrier
//! ```
//!
//! What a vertex *gives* is its rank over its out-degree: what crosses the fabric is that one
//! word. Nobody writes what others read in the same superstep, so one barrier a superstep will do.

mod bulk;
mod direct;
mod distributed;
mod edges;
mod error;
mod fine_grain;
mod footprint;
mod graph;
mod meeting;
mod node;
mod outcome;
mod partition;
mod reads;
mod reference;
mod rmat;
mod shared_memory;
mod words;

pub use direct::{LoadError, OpenWords};
pub use distributed::{Connect, Variant, distributed, distributed_directly};
pub use edges::{EdgesError, NamedGraph, read_edges};
pub use error::PagerankError;
pub use footprint::Footprint;
pub use graph::{Graph, GraphError, VERTICES_AT_MOST};
pub use outcome::Outcome;
pub use partition::Partition;
pub use reference::{DAMPING, first_rank, pagerank, pulled_rank, total_variation};
pub use rmat::{Rmat, RmatError};
pub use shared_memory::shared_memory;
