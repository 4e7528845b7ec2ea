//! The trees of the release, one module for each topic, and the ends that their paths share.

pub(super) mod access_size;
pub(super) mod baseline;
pub(super) mod closed_loop;
pub(super) mod flushed;
pub(super) mod key_value;
pub(super) mod load;
pub(super) mod operations;
pub(super) mod workers;
use onesided_results::vocabulary::{Operation, WorkerOperation};

use super::{
    Factors, GrammarError,
    components::Components,
    words::{self, Words},
};

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
