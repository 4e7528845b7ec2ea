//! Every variant has the ranks of the reference.

use std::path::Path;

use onesided_pagerank::{
    Graph, LoadError, Outcome, PagerankError, Rmat, Variant, distributed, distributed_directly,
    pagerank, shared_memory, total_variation,
};
use onesided_placement::{CpuId, cpus_of_current_thread};
use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, Serving};
use onesided_transport::{ConnectionAttributes, RemoteMemory};

const FINE_GRAIN: Variant = Variant::FineGrain { window: Variant::USUAL_WINDOW };

const SUPERSTEPS: usize = 30;

fn graph(scale: u32) -> Graph {
    let quarters = Rmat::GRAPH500;
    Rmat { scale, edges_per_vertex: 8, seed: 1, quarters }.draw().expect("it can be drawn")
}

fn attributes() -> ConnectionAttributes {
    ConnectionAttributes::reliable(16)
}

/// An even number of nodes serves by polls.
fn devices(fabric: &Path, nodes: usize) -> Vec<RmcDevice> {
    let fabric = fabric.to_owned();
    let serving = if nodes.is_multiple_of(2) { Serving::Polls } else { Serving::Thread };
    let options = RmcOptions { fabric, serving, ..RmcOptions::default() };
    (0..nodes).map(|_| RmcDevice::open(&options).expect("a node is free")).collect()
}

fn on_rmc(graph: &Graph, nodes: usize, variant: Variant) -> Outcome {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let devices = devices(&folder.path().join("fabric"), nodes);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes()));
    distributed(graph, &devices, &connect, variant, SUPERSTEPS, &[]).expect("nobody is lost")
}

fn directly(graph: &Graph, nodes: usize) -> Outcome {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let devices = devices(&folder.path().join("fabric"), nodes);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes()));
    let open = |endpoint: &RmcEndpoint, remote: RemoteMemory| {
        let memory = endpoint.direct(remote)?;
        Ok(move |index: usize| memory.word(8 * index as u64).map_err(LoadError::from))
    };
    let outcome = distributed_directly(graph, &devices, &connect, &open, SUPERSTEPS, &[]);
    outcome.expect("nobody is lost")
}

#[track_caller]
fn has_the_ranks(outcome: &Outcome, graph: &Graph) {
    let reference = pagerank(graph, SUPERSTEPS);
    let apart = total_variation(&outcome.ranks, &reference);
    assert!(apart < 1e-12, "ranks are {apart} apart");
    assert_eq!(outcome.supersteps.len(), SUPERSTEPS);
}

#[test]
fn threads_have_the_ranks_of_the_reference_however_many_they_are() {
    let graph = graph(9);
    for threads in [1, 2, 3, 16] {
        has_the_ranks(&shared_memory(&graph, threads, SUPERSTEPS, &[]).unwrap(), &graph);
    }
}

#[test]
fn nodes_have_the_ranks_of_the_reference_however_many_they_are() {
    let graph = graph(8);
    for nodes in [1, 2, 5] {
        for variant in [Variant::Bulk, FINE_GRAIN] {
            has_the_ranks(&on_rmc(&graph, nodes, variant), &graph);
        }
        has_the_ranks(&directly(&graph, nodes), &graph);
    }
}

#[test]
fn ranks_are_the_same_however_many_reads_are_under_way() {
    let graph = graph(7);
    for window in [0, 1, 2, 5, 63, Variant::MOST_READS, usize::MAX] {
        has_the_ranks(&on_rmc(&graph, 3, Variant::FineGrain { window }), &graph);
    }
}

#[test]
fn memory_that_cannot_be_loaded_from_is_named() {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let devices = devices(&folder.path().join("fabric"), 2);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes()));
    type Words = fn(usize) -> Result<u64, LoadError>;
    let open =
        |_: &RmcEndpoint, _: RemoteMemory| -> Result<Words, _> { Err("it is elsewhere".into()) };
    let ended = distributed_directly(&graph(6), &devices, &connect, &open, SUPERSTEPS, &[]);
    let Err(PagerankError::Load { node: 1, source }) = ended else { panic!("{ended:?}") };
    assert_eq!(source.to_string(), "it is elsewhere");
}

#[test]
fn fine_grain_reads_each_link_between_nodes_once_a_superstep_and_bulk_each_part() {
    let graph = graph(8);
    let half = graph.vertices() / 2;
    let across = |vertex: usize| {
        let other = |from: &&u32| (**from as usize >= half) != (vertex >= half);
        graph.sources(vertex).iter().filter(other).count() as u64
    };
    let links: u64 = (0..graph.vertices()).map(across).sum();
    let fine = on_rmc(&graph, 2, FINE_GRAIN).remote_reads;
    assert_eq!(fine, links * SUPERSTEPS as u64);
    assert_eq!(directly(&graph, 2).remote_reads, fine);
    assert_eq!(on_rmc(&graph, 2, Variant::Bulk).remote_reads, 2 * SUPERSTEPS as u64);
}

#[test]
fn more_nodes_than_vertices_are_no_fault() {
    let graph = Graph::of_edges(2, &[(0, 1), (1, 0)]).unwrap();
    for variant in [Variant::Bulk, FINE_GRAIN] {
        has_the_ranks(&on_rmc(&graph, 4, variant), &graph);
    }
}

#[test]
fn nobody_and_nothing_are_refused() {
    let empty = Graph::of_edges(0, &[]).unwrap();
    assert!(matches!(shared_memory(&empty, 1, 1, &[]), Err(PagerankError::Nothing)));
    assert!(matches!(shared_memory(&graph(4), 0, 1, &[]), Err(PagerankError::Nothing)));
    let nobody: &[RmcDevice] = &[];
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes()));
    let refused = distributed(&graph(4), nobody, &connect, Variant::Bulk, 1, &[]);
    assert!(matches!(refused, Err(PagerankError::Nothing)));
}

#[test]
fn a_cpu_that_is_not_there_is_told_and_nobody_waits_for_it() {
    let (graph, nowhere) = (graph(6), CpuId(4_000));
    let here = cpus_of_current_thread().unwrap().first();
    for cpus in [[here, nowhere], [nowhere, here]] {
        let ended = shared_memory(&graph, 2, SUPERSTEPS, &cpus);
        assert!(matches!(ended, Err(PagerankError::Pin { .. })), "{ended:?}");
        let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
        for (fabric, nodes) in [("polls", 2), ("threads", 3)] {
            let devices = devices(&folder.path().join(fabric), nodes);
            let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes()));
            let ended = distributed(&graph, &devices, &connect, Variant::Bulk, SUPERSTEPS, &cpus);
            assert!(ended.is_err(), "{ended:?}");
        }
    }
}
