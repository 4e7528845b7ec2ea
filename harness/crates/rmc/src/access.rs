//! The access library: one-sided operations on the segments of a context (004 §5.2).
//!
//! ```text
//!   Segment ----introduced to peers----> what any node reads, writes and adds to
//!   QueuePair --slot, node, offset-----> its operations, up to so many under way
//!      '--- Buffer: where they read into and write from, of the thread's own
//! ```
//!
//! # Slots and callbacks
//!
//! An operation that is not waited for has a *slot*, a small number. [`QueuePair::wait_for_slot`]
//! gives one out; until one is free it calls the given callback with the slot of each operation
//! that has ended, so that what came can be used and what belongs to the slot may be used again.
//! [`QueuePair::drain_cq`] does so until nothing is under way. Operations end in any order. The
//! callback is a type of its own at each call, compiled into the loop: there is no pointer to it.
//!
//! The program of the paper (004, Fig. 4), the inner loop of PageRank, with its names:
//!
//! ```
//! use onesided_rmc::{RmcDevice, RmcOptions, access::{AccessError, Buffer, Plain, QueuePair, Segment}};
//! use onesided_transport::{Access, Transport};
//!
//! #[derive(Clone, Copy)]
//! #[repr(C)]
//! struct Vertex {
//!     rank: [f64; 2],
//!     out_degree: f64,
//! }
//! // SAFETY: three numbers of one size.
//! unsafe impl Plain for Vertex {}
//!
//! const VERTICES: usize = 1_000; // of each of two nodes
//! const MAX_WQ_SIZE: usize = 64;
//!
//! /// Vertex `index` of a node links to some of its own and some of the other's.
//! fn neighbours(index: usize) -> impl Iterator<Item = (usize, usize)> {
//!     (1..=6).map(move |step| (step % 2, (index * 7 + step * 31) % VERTICES))
//! }
//!
//! /// One superstep of the vertices of node `own`. Nodes are 0 and 1.
//! fn pagerank_reduce(
//!     qp: &mut QueuePair, own: u16, vertices: &Segment, lbuf: &Buffer<Vertex>, superstep: usize,
//! ) -> Result<(), AccessError> {
//!     let (now, next) = (superstep % 2, (superstep + 1) % 2);
//!     let offset_of = |index: usize| index * size_of::<Vertex>();
//!     let mut async_dest_addr = [0; MAX_WQ_SIZE];
//!     let mut rank = vec![0.15 / (2 * VERTICES) as f64; VERTICES];
//!     for v in 0..VERTICES {
//!         for (node, v2) in neighbours(v) {
//!             if node == usize::from(own) {
//!                 let v2 = vertices.read::<Vertex>(offset_of(v2));
//!                 rank[v] += 0.85 * v2.rank[now] / v2.out_degree;
//!                 continue;
//!             }
//!             // Flow control: wait until a slot is free, use what came meanwhile.
//!             let slot = qp.wait_for_slot(|slot| {
//!                 let v2 = lbuf[slot].get();
//!                 rank[async_dest_addr[slot]] += 0.85 * v2.rank[now] / v2.out_degree;
//!             })?;
//!             async_dest_addr[slot] = v;
//!             let (offset, len) = (offset_of(v2) as u64, size_of::<Vertex>());
//!             qp.read_async(slot, node as u16, offset, lbuf.at(slot), len)?;
//!         }
//!     }
//!     qp.drain_cq(|slot| {
//!         let v2 = lbuf[slot].get();
//!         rank[async_dest_addr[slot]] += 0.85 * v2.rank[now] / v2.out_degree;
//!     })?;
//!     for (v, rank) in rank.into_iter().enumerate() {
//!         let mut vertex = vertices.read::<Vertex>(offset_of(v));
//!         vertex.rank[next] = rank;
//!         vertices.write(offset_of(v), vertex);
//!     }
//!     Ok(())
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Two nodes of a fabric of its own, here in one process.
//! let fabric = tempfile::tempdir_in("/dev/shm")?;
//! let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
//! let nodes = [RmcDevice::open(&options)?, RmcDevice::open(&options)?];
//! let bytes = VERTICES * size_of::<Vertex>();
//! let segment = |node: &RmcDevice| Segment::new(node, bytes, Access::REMOTE);
//! let segments = [segment(&nodes[0])?, segment(&nodes[1])?];
//! let first = Vertex { rank: [1.0 / (2 * VERTICES) as f64; 2], out_degree: 6.0 };
//! for v in 0..VERTICES {
//!     segments.iter().for_each(|segment| segment.write(v * size_of::<Vertex>(), first));
//! }
//! let mut qps = [
//!     QueuePair::new(&nodes[0], &[1], MAX_WQ_SIZE)?,
//!     QueuePair::new(&nodes[1], &[0], MAX_WQ_SIZE)?,
//! ];
//! let introductions = [qps[0].introduce(&segments[0]), qps[1].introduce(&segments[1])];
//! for qp in &mut qps {
//!     qp.connect(&introductions)?;
//! }
//! for superstep in 0..4 {
//!     for (own, qp) in qps.iter_mut().enumerate() {
//!         let lbuf = Buffer::<Vertex>::new(&nodes[own], MAX_WQ_SIZE)?;
//!         pagerank_reduce(qp, own as u16, &segments[own], &lbuf, superstep)?;
//!     }
//!     // Nobody reads `next` in this superstep; more than one process has a barrier here.
//! }
//! // Each vertex has six neighbours of one rank, so all have kept theirs.
//! for segment in &segments {
//!     let ranks = (0..VERTICES).map(|v| segment.read::<Vertex>(v * size_of::<Vertex>()).rank[0]);
//!     assert!(ranks.into_iter().all(|rank| (rank - first.rank[0]).abs() < 1e-12));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What it costs
//!
//! No operation allocates, takes a lock or calls the kernel while packets flow: slots, completions
//! and the list of what is done are made with the queue pair, and a buffer is kept for its
//! operation by a count that only this thread has. Bounds are checked before anything is sent, so
//! that a wrong offset is an error and not the end of a connection. `examples/access_cost.rs`
//! compares it with the endpoint that it is made of.
//!
//! # Several nodes
//!
//! A queue pair has one connection for each node that it names, since a lane has one sender. Each
//! node makes one that names the others, tells them its [`Introduction`], and connects; it must
//! not end before the others have stopped accessing its segment.

mod error;
mod memory;
mod operations;
mod peer;
mod posting;
mod queue_pair;
mod waited_for;

pub use error::{AccessError, SetUpError};
pub use memory::{Buffer, Place, Plain, Segment};
pub use queue_pair::{Introduction, QueuePair};
