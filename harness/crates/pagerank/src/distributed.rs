//! Nodes, each with a device and a thread of its own.

use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use onesided_messaging::OpeningBarrier;
use onesided_placement::{CpuId, CpuSet, SpinningWatch, pin_current_thread};
use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Endpoint, EndpointAttributes, GidEntry,
    ReceiveQueues, ResourceError, Service, Transport,
};

use crate::{
    Graph, Partition, bulk,
    direct::{self, LoadError, NoWords, OpenWords},
    error::PagerankError,
    fine_grain,
    node::{Node, Share},
    outcome::Outcome,
    reads::{MOST_READS, Peer, Reads},
    words::Words,
};

/// How a node has what others give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// All of it, before each superstep.
    Bulk,
    /// Word by word, link by link.
    FineGrain {
        /// Reads that a node has under way; limited to 1 to [`Variant::MOST_READS`].
        window: usize,
    },
}

impl Variant {
    /// Most reads of a node that may be under way.
    pub const MOST_READS: usize = MOST_READS;

    /// Enough to hide a round trip between cores; more gain little.
    pub const USUAL_WINDOW: usize = 64;
}

/// The same, and the fourth that no other back end has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supply {
    Bulk,
    FineGrain {
        window: usize,
    },
    /// Word by word, link by link, and nobody is asked.
    Direct,
}

/// How a device is connected to another one: the GID to use towards it, and the attributes.
pub type Connect<'a, T> =
    &'a dyn Fn(&T, &T) -> Result<(Option<GidEntry>, ConnectionAttributes), String>;

/// PageRank by a node for each device, in this process; node by node pinned to `cpus`, as far as there
/// are any.
///
/// # Errors
/// When there is no device or no vertex, when nodes cannot be set up or connected, when a CPU is not
/// one of this process, or a read fails.
pub fn distributed<T: Transport + Sync>(
    graph: &Graph,
    devices: &[T],
    connect: Connect<'_, T>,
    variant: Variant,
    supersteps: usize,
    cpus: &[CpuId],
) -> Result<Outcome, PagerankError>
where
    T::Region: Send,
{
    let supply = match variant {
        Variant::Bulk => Supply::Bulk,
        Variant::FineGrain { window } => Supply::FineGrain { window: window.clamp(1, MOST_READS) },
    };
    let nobody = |_: &T::Endpoint, _| -> Result<NoWords, _> { unreachable!("they ask") };
    by_nodes((graph, devices), connect, &nobody, supply, supersteps, cpus)
}

/// As [`distributed`], where nodes load what others have, link by link, and do not ask for it; `open`
/// gives them the memory of each.
///
/// # Errors
/// As [`distributed`], and when a memory cannot be loaded from.
pub fn distributed_directly<T: Transport + Sync, W: Fn(usize) -> Result<u64, LoadError> + Send>(
    graph: &Graph,
    devices: &[T],
    connect: Connect<'_, T>,
    open: OpenWords<'_, T::Endpoint, W>,
    supersteps: usize,
    cpus: &[CpuId],
) -> Result<Outcome, PagerankError>
where
    T::Region: Send,
{
    by_nodes((graph, devices), connect, open, Supply::Direct, supersteps, cpus)
}

fn by_nodes<T: Transport + Sync, W: Fn(usize) -> Result<u64, LoadError> + Send>(
    (graph, devices): (&Graph, &[T]),
    connect: Connect<'_, T>,
    open: OpenWords<'_, T::Endpoint, W>,
    supply: Supply,
    supersteps: usize,
    cpus: &[CpuId],
) -> Result<Outcome, PagerankError>
where
    T::Region: Send,
{
    if devices.is_empty() || graph.vertices() == 0 {
        return Err(PagerankError::Nothing);
    }
    let nodes = joined(graph, devices, connect, open, supply)?;
    let together = Barrier::new(nodes.len());
    let one = |mut node: Node<T, W>, cpu: Option<CpuId>| {
        let pinned = cpu.map_or(Ok(()), |cpu| pin_current_thread(&CpuSet::of(cpu)));
        node.settle_here();
        node.start();
        // What was given first is there when anybody reads it.
        together.wait();
        let watch = SpinningWatch::begin();
        let ran = pinned.map_err(PagerankError::from);
        let times = match ran.and_then(|()| run(&mut node, supply, supersteps)) {
            Ok(times) => times,
            Err(failed) => {
                // The others wait for it in a barrier, and see that it is gone.
                drop(node);
                together.wait();
                return Err(failed);
            }
        };
        let without_cpu = watch.without_cpu();
        // Nobody's memory goes while others may read it.
        together.wait();
        Ok((times, node.ranks, node.reads.posted, without_cpu))
    };
    let one = &one;
    let ended = thread::scope(|scope| {
        let start = |(number, node)| scope.spawn(move || one(node, cpus.get(number).copied()));
        let all: Vec<_> = nodes.into_iter().enumerate().map(start).collect();
        all.into_iter()
            .map(|thread| thread.join().expect("a node returns"))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let supersteps = ended[0].0.clone();
    let remote_reads = ended.iter().map(|(_, _, reads, _)| reads).sum();
    let without_cpu = ended.iter().map(|(.., share)| *share).fold(0.0, f64::max);
    let ranks = ended.into_iter().flat_map(|(_, ranks, ..)| ranks).collect();
    Ok(Outcome { ranks, supersteps, remote_reads, without_cpu })
}

fn run<T: Transport, W: Fn(usize) -> Result<u64, LoadError>>(
    node: &mut Node<T, W>,
    supply: Supply,
    supersteps: usize,
) -> Result<Vec<Duration>, PagerankError> {
    let places = node.reads.places(node.share.partition.parts());
    let mut times = Vec::with_capacity(supersteps);
    for superstep in 0..supersteps {
        let start = Instant::now();
        match supply {
            Supply::Bulk => bulk::gather(node, superstep, &places)?,
            Supply::FineGrain { .. } => fine_grain::gather(node, superstep, &places)?,
            Supply::Direct => direct::gather(node, superstep)?,
        }
        // A node that computes does not poll, and by polls it may serve what others still read.
        node.meet()?;
        match supply {
            Supply::Bulk => node.finish_with_all(superstep),
            Supply::FineGrain { .. } | Supply::Direct => node.finish(superstep),
        }
        node.meet()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// The nodes, each connected to all others.
fn joined<T: Transport, W>(
    graph: &Graph,
    devices: &[T],
    connect: Connect<'_, T>,
    open: OpenWords<'_, T::Endpoint, W>,
    supply: Supply,
) -> Result<Vec<Node<T, W>>, PagerankError> {
    let count = devices.len();
    let partition = Partition::new(graph.vertices(), count);
    let others = |node: usize| (0..count).filter(move |&other| other != node);
    let way = |one: usize, other: usize| {
        connect(&devices[one], &devices[other]).map_err(|why| PagerankError::Apart {
            one,
            other,
            why,
        })
    };
    let (mut given, mut barriers, mut endpoints) = (Vec::new(), Vec::new(), Vec::new());
    for (node, device) in devices.iter().enumerate() {
        let words = 2 * partition.vertices(node).len();
        given.push(Words::new(device, words, Access { remote_read: true, ..Access::LOCAL })?);
        barriers.push(OpeningBarrier::new(device, node, count)?);
        let endpoint = |_| device.create_endpoint(&attributes());
        let own = (0..count).map(endpoint).collect::<Result<Vec<_>, _>>();
        endpoints.push(own.map_err(ResourceError::from)?);
    }
    for one in 0..count {
        for other in others(one) {
            let ((gid, attributes), (back, _)) = (way(one, other)?, way(other, one)?);
            let attributes = ConnectionAttributes { gid, ..attributes };
            let peer = endpoints[other][one].address(back);
            endpoints[one][other].connect(&peer, &attributes)?;
            let told = barriers[other].invitation(one, back)?;
            barriers[one].connect(other, &told, &attributes)?;
        }
    }
    let remote: Vec<_> = given.iter().map(Words::remote).collect();
    let parts = given.into_iter().zip(barriers).zip(endpoints).zip(devices).enumerate();
    parts
        .map(|(node, (((given, barrier), endpoints), device))| {
            let share = Share::new(graph, partition, node, supply);
            let words = |(other, endpoint): (usize, &T::Endpoint)| {
                let opened = || open(endpoint, remote[other]);
                let is_loaded = supply == Supply::Direct && other != node;
                is_loaded
                    .then(opened)
                    .transpose()
                    .map_err(|source| PagerankError::Load { node: other, source })
            };
            let direct = endpoints.iter().enumerate().map(words).collect::<Result<Vec<_>, _>>()?;
            let peers = endpoints.into_iter().enumerate().filter(|(other, _)| *other != node);
            let peer = |(other, endpoint)| Peer::new(other, endpoint, remote[other]);
            let (landing, window) = match supply {
                Supply::Bulk => (graph.vertices(), Variant::USUAL_WINDOW),
                Supply::FineGrain { window } => (window, window),
                // It reads nothing by packets.
                Supply::Direct => (1, 1),
            };
            Ok(Node {
                reads: Reads::new(peers.map(peer).collect(), window),
                barrier: barrier.finish()?,
                given,
                direct,
                landing: Words::new(device, landing, Access::LOCAL)?,
                sums: vec![0.0; share.len()],
                ranks: vec![0.0; share.len()],
                share,
            })
        })
        .collect()
}

fn attributes() -> EndpointAttributes {
    EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: 1,
        send_queue_depth: MOST_READS as u32,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access { remote_read: true, ..Access::LOCAL },
    }
}
