//! What the variants of PageRank cost beside each other on this machine, in turns in one run:
//!
//! ```text
//! cargo run --release --example variants_cost [SCALE [NODES [ROUNDS]]]    # 16, 2 and 5
//! ```
//!
//! A row a variant: the median of the rounds, the lowest, and its ratio to shared memory by as many
//! threads.

use std::{collections::BTreeMap, error::Error};

use onesided_pagerank::{
    Graph, LoadError, Outcome, Rmat, Variant, distributed, distributed_directly, pagerank,
    shared_memory, total_variation,
};
use onesided_placement::{CpuId, cpus_of_current_thread};
use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, Serving};
use onesided_transport::{ConnectionAttributes, RemoteMemory};

/// As 004 §7.5.
const SUPERSTEPS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let mut next = |usual| arguments.next().unwrap_or(Ok(usual));
    let (scale, nodes, rounds) = (next(16)?, next(2)? as usize, next(5)? as usize);
    let cpus: Vec<_> = cpus_of_current_thread()?.iter().collect();
    let graph = Rmat { scale, edges_per_vertex: 16, seed: 1, quarters: Rmat::GRAPH500 }.draw()?;
    let reference = pagerank(&graph, SUPERSTEPS);
    let folder = tempfile::tempdir_in("/dev/shm")?;
    let options = RmcOptions {
        fabric: folder.path().join("fabric"),
        serving: Serving::Polls,
        ..RmcOptions::default()
    };
    let devices: Vec<_> =
        (0..nodes).map(|_| RmcDevice::open(&options)).collect::<Result<_, _>>()?;
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds {
        for (name, outcome) in variants(&graph, &devices, &cpus)? {
            assert!(total_variation(&outcome.ranks, &reference) < 1e-9, "{name}: wrong ranks");
            let ns = outcome.elapsed().as_secs_f64() * 1e9;
            times.entry(name).or_default().push(ns / (SUPERSTEPS * graph.edges()) as f64);
        }
    }
    println!("variant,nodes,ns_per_edge,lowest_ns_per_edge,to_shared_memory");
    let median = |name: &str| {
        let mut all = times[name].clone();
        all.sort_by(f64::total_cmp);
        (all[all.len() / 2], all[0])
    };
    let base = median("shared memory").0;
    for name in times.keys() {
        let (median, lowest) = median(name);
        println!("{name},{nodes},{median:.2},{lowest:.2},{:.2}", median / base);
    }
    Ok(())
}

fn variants(
    graph: &Graph,
    devices: &[RmcDevice],
    cpus: &[CpuId],
) -> Result<[(&'static str, Outcome); 5], Box<dyn Error>> {
    let attributes = ConnectionAttributes::reliable(64);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes.clone()));
    let by = |variant| distributed(graph, devices, &connect, variant, SUPERSTEPS, cpus);
    let open = |endpoint: &RmcEndpoint, remote: RemoteMemory| {
        let memory = endpoint.direct(remote)?;
        Ok(move |index: usize| memory.word(8 * index as u64).map_err(LoadError::from))
    };
    Ok([
        ("shared memory", shared_memory(graph, devices.len(), SUPERSTEPS, cpus)?),
        ("shared memory, one thread", shared_memory(graph, 1, SUPERSTEPS, cpus)?),
        ("bulk", by(Variant::Bulk)?),
        ("fine-grain", by(Variant::FineGrain)?),
        ("direct", distributed_directly(graph, devices, &connect, &open, SUPERSTEPS, cpus)?),
    ])
}
