//! Threads that share one memory.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Instant,
};

use onesided_placement::{CpuId, CpuSet, PreemptionWatch, SpinningWatch, pin_current_thread};

use crate::{
    Graph, Partition,
    error::PagerankError,
    first_rank,
    meeting::Meeting,
    outcome::Outcome,
    pulled_rank,
    words::{number, put_number},
};

/// PageRank by so many threads, each with vertices of its own; thread by thread pinned to `cpus`, as
/// far as there are any, else where the system puts them.
///
/// # Errors
/// When there is no thread or no vertex, or a CPU is not one of this process.
pub fn shared_memory(
    graph: &Graph,
    threads: usize,
    supersteps: usize,
    cpus: &[CpuId],
) -> Result<Outcome, PagerankError> {
    let vertices = graph.vertices();
    if threads == 0 || vertices == 0 {
        return Err(PagerankError::Nothing);
    }
    let words = || (0..vertices).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>();
    let (given, ranks) = ([words(), words()], words());
    for (vertex, word) in given[0].iter().enumerate() {
        put_number(word, first_rank(vertices) / f64::from(graph.out_degree(vertex).max(1)));
    }
    ranks.iter().for_each(|word| put_number(word, first_rank(vertices)));
    let (partition, barrier) = (Partition::new(vertices, threads), Meeting::new(threads));
    // Whether one is where it should not be: then all leave, and none waits for it.
    let astray = AtomicBool::new(false);
    let one = |part: usize| {
        let mut preemption = PreemptionWatch::default();
        let pinned = cpus.get(part).map_or(Ok(()), |&cpu| pin_current_thread(&CpuSet::of(cpu)));
        astray.fetch_or(pinned.is_err(), Ordering::Relaxed);
        barrier.wait(&mut preemption);
        if astray.load(Ordering::Relaxed) {
            return pinned.map(|()| (Vec::new(), 0.0));
        }
        let watch = SpinningWatch::begin();
        let mut times = Vec::with_capacity(supersteps);
        for superstep in 0..supersteps {
            let start = Instant::now();
            let (now, next) = (&given[superstep % 2], &given[(superstep + 1) % 2]);
            for vertex in partition.vertices(part) {
                let sources = graph.sources(vertex).iter();
                let rank = pulled_rank(vertices, sources.map(|from| number(&now[*from as usize])));
                put_number(&ranks[vertex], rank);
                put_number(&next[vertex], rank / f64::from(graph.out_degree(vertex).max(1)));
            }
            barrier.wait(&mut preemption);
            times.push(start.elapsed());
        }
        Ok((times, watch.without_cpu()))
    };
    let mut ended = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|part| scope.spawn(move || one(part))).collect();
        all.into_iter()
            .map(|thread| thread.join().expect("it only computes"))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let without_cpu = ended.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let (supersteps, _) = ended.swap_remove(0);
    let ranks = ranks.iter().map(number).collect();
    Ok(Outcome { ranks, supersteps, remote_reads: 0, without_cpu })
}
