//! What the variants of PageRank cost beside each other on this machine, in turns in one run:
//!
//! ```text
//! cargo run --release --example variants_cost [SCALE [NODES [ROUNDS]]]    # 16, 2 and 5
//! ```
//!
//! A row a variant, and of reads for each link a row for each number under way: the median of the rounds, the
//! lowest, and its ratio to shared memory by as many threads.

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

/// Reads of a node under way.
const WINDOWS: [usize; 4] = [16, 32, 64, 128];

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
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
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
        let (median, lowest) = median(name.as_str());
        println!("{name},{nodes},{median:.2},{lowest:.2},{:.2}", median / base);
    }
    Ok(())
}

fn variants(
    graph: &Graph,
    devices: &[RmcDevice],
    cpus: &[CpuId],
) -> Result<Vec<(String, Outcome)>, Box<dyn Error>> {
    let attributes = ConnectionAttributes::reliable(Variant::MOST_READS as u8);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, attributes.clone()));
    let by = |variant| distributed(graph, devices, &connect, variant, SUPERSTEPS, cpus);
    let open = |endpoint: &RmcEndpoint, remote: RemoteMemory| {
        let memory = endpoint.direct(remote)?;
        Ok(move |index: usize| memory.word(8 * index as u64).map_err(LoadError::from))
    };
    let named = |name: &str, outcome| (name.to_owned(), outcome);
    let mut all = vec![
        named("shared memory", shared_memory(graph, devices.len(), SUPERSTEPS, cpus)?),
        named("shared memory (one thread)", shared_memory(graph, 1, SUPERSTEPS, cpus)?),
        named("bulk", by(Variant::Bulk)?),
        named("direct", distributed_directly(graph, devices, &connect, &open, SUPERSTEPS, cpus)?),
    ];
    for window in WINDOWS {
        all.push((format!("fine-grain ({window} under way)"), by(Variant::FineGrain { window })?));
    }
    Ok(all)
}
