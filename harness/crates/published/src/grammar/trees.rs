//! The trees of the release, and the ends that their paths share.

pub(super) mod load;
pub(super) mod workers;
use onesided_results::vocabulary::{
    CacheState, Campaign, CodeGeneration, Ddio, Locality, Operation, WorkerOperation,
};

use super::{
    Factors, GrammarError,
    components::Components,
    first_run_of, run, run_of,
    words::{self, Words},
};
use crate::factors::{Content, Load, Testbed};

type Read = Result<Factors, GrammarError>;

/// `COP/SOP/numa_Z/Wworkers.result`, which most paths end with.
fn operations_node_and_workers(
    base: Factors,
    path: &mut Components<'_>,
    operations: &Words<Operation>,
    workers: &Words<WorkerOperation>,
) -> Read {
    let factors = base
        .asking(path.word("client operation", operations)?)
        .beside(path.word("worker operation", workers)?)
        .on(path.meant("node", words::NODES)?);
    counted(factors, path)
}

/// `Wworkers.result`
fn counted(base: Factors, path: &mut Components<'_>) -> Read {
    // A folder of readers without workers has a single file.
    let workers = path.file("workers.result", words::WORKER_COUNTS)?;
    Ok(Factors { workers, ..base })
}

/// `COP/sread/numa_Z/0workers.result`, of trees without workers.
fn without_workers(base: Factors, path: &mut Components<'_>) -> Read {
    let factors = base
        .asking(path.word("client operation", words::READ_OR_WRITE)?)
        .beside(path.word("worker operation", words::READING)?)
        .on(path.meant("node", words::NODES)?);
    path.file("workers.result", &[0])?;
    Ok(factors)
}

/// `COP/numa_Z/Sbyte.result`
fn node_and_size(base: Factors, path: &mut Components<'_>) -> Read {
    let factors = base
        .asking(path.word("client operation", words::READ_OR_WRITE)?)
        .on(path.meant("node", words::NODES)?);
    Ok(factors.sized(path.file("byte.result", words::ACCESS_SIZES)?))
}

/// `{,cache_aligned/}baseline/clients_N/COP/sread/numa_Z/0workers.result`
pub(super) fn baseline_v1(path: &mut Components<'_>) -> Read {
    baseline(first_run_of("v1-throughput-by-queue-pairs", Campaign::A), path)
}

pub(super) fn baseline_v2(path: &mut Components<'_>) -> Read {
    baseline(run_of("throughput-by-queue-pairs", Campaign::A), path)
}

fn baseline(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::CLIENTS)?;
    without_workers(Factors { queue_pairs, ..base }, path)
}

/// `closedloop/clients_N/COP/sread/numa_Z/0workers.result`, below `cache_aligned` with a size.
///
/// Of no campaign, as the second program's: no loop of theirs is of a known one.
pub(super) fn closed_loop_v1(path: &mut Components<'_>) -> Read {
    closed_loop(run("v1-latency-by-queue-pairs", Testbed::ConnectX3, CodeGeneration::V1), path)
}

/// Campaigns differ in the latency of unloaded reads of 8 bytes, which these are not.
pub(super) fn closed_loop_v2(path: &mut Components<'_>) -> Read {
    let base = run("latency-by-queue-pairs", Testbed::ConnectX3, CodeGeneration::V2);
    closed_loop(base.sized(path.meant("access size", &[("sixtyfour_byte", 64)])?), path)
}

fn closed_loop(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::CLIENTS)?;
    without_workers(Factors { queue_pairs, content: Content::Latencies, ..base }, path)
}

/// `memsize/M_mtu/COP/numa_Z/Sbyte.result`, of 32 queue pairs each, as the files show.
pub(super) fn access_size_v1(path: &mut Components<'_>) -> Read {
    let mtu_bytes = Some(path.meant("MTU", words::V1_MTUS)?);
    let base = first_run_of("v1-access-size", Campaign::A);
    node_and_size(Factors { mtu_bytes, queue_pairs: 32, ..base }, path)
}

/// `cache_aligned/memsize/clients_N/COP/numa_Z/Sbyte.result`
pub(super) fn access_size_v2(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::EIGHT_OR_THIRTYTWO)?;
    node_and_size(Factors { queue_pairs, ..run_of("access-size", Campaign::A) }, path)
}

/// `cache_aligned/memsize_mtu/M/COP/numa_Z/Sbyte.result`
pub(super) fn access_size_v2_by_mtu(path: &mut Components<'_>) -> Read {
    let mtu_bytes = Some(path.meant("MTU", words::V2_MTUS)?);
    node_and_size(Factors { mtu_bytes, ..run_of("access-size-by-mtu", Campaign::B) }, path)
}

/// `noallocflow/clients_N/COP/SOP/numa_Z/Wworkers.result`
pub(super) fn without_allocation(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::ONE_FOUR_OR_EIGHT)?;
    let base = first_run_of("ddio-off", Campaign::B);
    let base = Factors { queue_pairs, ddio: Ddio::Off, ..base };
    let operations = if queue_pairs == 8 { words::READ_OR_WRITE } else { words::OPERATIONS };
    operations_node_and_workers(base, path, operations, words::WORKERS)
}

/// `xfour/openloop_N/COP/SOP/numa_Z/Wworkers.result`
pub(super) fn connect_x4(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::OPEN_LOOPS)?;
    let base = run("operations-cx4", Testbed::ConnectX4, CodeGeneration::V1);
    let base = Factors { queue_pairs, ..base };
    operations_node_and_workers(base, path, words::OPERATIONS, words::WORKERS)
}

const PLACES: &Words<Locality> =
    &[("local", Locality::RdmaLocal), ("remote", Locality::RdmaRemote)];

/// `cflush/{SIZEbyte | COP}/SOP/{local,remote}/Wworkers.result`
pub(super) fn flushed(path: &mut Components<'_>) -> Read {
    let base = run("flushed-cache", Testbed::Apt, CodeGeneration::V1);
    let base = match path.meant_if_there(words::FLUSHED_SIZES) {
        Some(bytes) => base.sized(bytes),
        None => {
            let operations = words::READ_WRITE_OR_SWAP;
            base.asking(path.word("access size or client operation", operations)?)
        }
    };
    let workers = words::READING_WRITING_OR_SWAPPING;
    let base =
        base.beside(path.word("worker operation", workers)?).at(path.meant("place", PLACES)?);
    let factors = counted(base, path)?;
    // Flushed once, before the run: whatever workers touch is back in the cache.
    let cache_state = if factors.workers == 0 { CacheState::Flushed } else { CacheState::Warm };
    Ok(Factors { cache_state, ..factors })
}

/// `memcached/LOAD.result`; rows and columns of the table say the rest.
pub(super) fn key_value(path: &mut Components<'_>) -> Read {
    let node = path.meant("load", words::KEY_VALUE_LOADS)?;
    path.end()?;
    let base = run("memcached", Testbed::ConnectX3, CodeGeneration::V1);
    let load = Load { node, bytes: None };
    Ok(Factors {
        content: Content::KeyValue,
        generation: None,
        operation: Operation::Mixed,
        // Keys and values of a pair (SRDS 2020, section VI).
        access_bytes: 67,
        mtu_bytes: None,
        load,
        ..base
    })
}
