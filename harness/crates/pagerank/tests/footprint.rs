//! What is allocated while graphs are drawn and ranked is what [`Footprint`] says, and not much less.
//!
//! Alone in its program: it counts every allocation of the process.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering},
};

use onesided_pagerank::{Footprint, Rmat, Variant, distributed, pagerank, shared_memory};
use onesided_rmc::{RmcDevice, RmcOptions, Serving};
use onesided_transport::ConnectionAttributes;

const FINE_GRAIN: Variant = Variant::FineGrain { window: Variant::USUAL_WINDOW };

/// The system's, counting.
struct Counting;

static NOW: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size() as u64;
        MOST.fetch_max(NOW.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that `run` had at a time beyond those that were there before.
fn most<V>(run: impl FnOnce() -> V) -> (u64, V) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let value = run();
    (MOST.load(Ordering::Relaxed) - before, value)
}

/// What endpoints and barriers of the nodes take, whatever the graph.
const BESIDE_THE_GRAPH: u64 = 2 << 20;

#[test]
fn a_graph_and_its_ranks_take_what_is_announced() {
    for (nodes, edges_per_vertex) in [(2, 16), (3, 4), (2, 1)] {
        let rmat = Rmat { scale: 15, edges_per_vertex, seed: 1, quarters: Rmat::GRAPH500 };
        let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
        let fabric = folder.path().join("fabric");
        let options = RmcOptions { fabric, serving: Serving::Polls, ..RmcOptions::default() };
        let devices: Vec<_> =
            (0..nodes).map(|_| RmcDevice::open(&options).expect("a node is free")).collect();
        let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, ConnectionAttributes::reliable(64)));
        let (taken, ()) = most(|| {
            let graph = rmat.draw().expect("it can be drawn");
            let _reference = pagerank(&graph, 1);
            shared_memory(&graph, nodes, 1, &[]).expect("threads");
            for variant in [Variant::Bulk, FINE_GRAIN] {
                distributed(&graph, &devices, &connect, variant, 1, &[]).expect("nodes");
            }
        });
        let vertices = 1 << rmat.scale;
        let edges = vertices * u64::from(edges_per_vertex);
        let announced = Footprint::of(vertices, edges, nodes as u64).own_bytes;
        assert!(taken <= announced + BESIDE_THE_GRAPH, "{nodes} nodes: {taken} of {announced}");
        assert!(taken >= announced / 3, "{nodes} nodes: {taken} of {announced}");
    }
}
