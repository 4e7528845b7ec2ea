//! One variant by so many nodes, timed and compared with the reference.

use std::num::NonZeroU32;

use anyhow::Context;
use onesided_fabric::Spread;
use onesided_pagerank::{
    LoadError, Variant, distributed, distributed_directly, shared_memory, total_variation,
};
use onesided_placement::{CpuId, PagesByNode};
use onesided_results::vocabulary::PagerankVariant;
use onesided_rmc::{RmcDevice, RmcEndpoint};
use onesided_transport::{ConnectionAttributes, RemoteMemory};

use super::{super::machine::Machine, input::Input};

/// What a run took and gave.
#[derive(Clone)]
pub struct Timed {
    /// Time of a superstep in nanoseconds.
    pub superstep_ns: Spread,
    /// Reads of all nodes.
    pub remote_reads: u64,
    /// The largest share of its time that a thread had no CPU, 0 to 1.
    pub without_cpu: f64,
    /// Where the memory of each node is; of shared memory nothing is known.
    pub memory: Vec<PagesByNode>,
    /// How far ranks are from the reference's, 0 to 1.
    pub total_variation: f64,
}

/// The CPUs of so many threads, one after another, from the first again where there are more.
pub fn cpus(machine: &Machine, nodes: usize) -> Vec<CpuId> {
    (0..nodes).map(|node| machine.cpu(node)).collect()
}

/// Runs a variant once, with a node for each device.
pub fn timed(
    machine: &Machine,
    input: &Input,
    devices: &[RmcDevice],
    (variant, window): (PagerankVariant, Option<u32>),
    supersteps: NonZeroU32,
) -> anyhow::Result<Timed> {
    let (graph, supersteps) = (&input.graph, supersteps.get() as usize);
    let cpus = cpus(machine, devices.len());
    let window = window.map_or(Variant::USUAL_WINDOW, |window| window as usize);
    let reads = ConnectionAttributes::reliable(Variant::MOST_READS as u8);
    let connect = |_: &RmcDevice, _: &RmcDevice| Ok((None, reads.clone()));
    let by = |variant| distributed(graph, devices, &connect, variant, supersteps, &cpus);
    let outcome = match variant {
        PagerankVariant::SharedMemory => shared_memory(graph, devices.len(), supersteps, &cpus),
        PagerankVariant::Bulk => by(Variant::Bulk),
        PagerankVariant::FineGrain => by(Variant::FineGrain { window }),
        PagerankVariant::EmulatedDirect => {
            let open = |endpoint: &RmcEndpoint, remote: RemoteMemory| {
                let memory = endpoint.direct(remote)?;
                Ok(move |index: usize| memory.word(8 * index as u64).map_err(LoadError::from))
            };
            distributed_directly(graph, devices, &connect, &open, supersteps, &cpus)
        }
    };
    let nodes = devices.len();
    let outcome = outcome.with_context(|| format!("{variant} by {nodes} nodes"))?;
    // What shared memory has is the process's own. Devices tell of what nodes have given back, too.
    let memory = match variant {
        PagerankVariant::SharedMemory => Vec::new(),
        _ => devices.iter().map(RmcDevice::pages_by_node).collect::<Result<_, _>>()?,
    };
    let times = outcome.supersteps.iter().map(|time| time.as_nanos() as f64).collect();
    Ok(Timed {
        superstep_ns: Spread::of(times).context("there are no supersteps")?,
        remote_reads: outcome.remote_reads,
        without_cpu: outcome.without_cpu,
        memory,
        total_variation: total_variation(&outcome.ranks, &input.reference),
    })
}
