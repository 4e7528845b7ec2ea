//! Trees of every operation against every other.

use onesided_results::vocabulary::{CodeGeneration, Ddio};

use super::{Read, operations_node_and_workers};
use crate::{
    factors::Testbed,
    grammar::{Factors, components::Components, run, words},
};

/// `noallocflow/clients_N/COP/SOP/numa_Z/Wworkers.result`
pub(in crate::grammar) fn without_allocation(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::ONE_FOUR_OR_EIGHT)?;
    let base = run("ddio-off", Testbed::ConnectX3, CodeGeneration::V1);
    let base = Factors { queue_pairs, ddio: Ddio::Off, ..base };
    let operations = if queue_pairs == 8 { words::READ_OR_WRITE } else { words::OPERATIONS };
    operations_node_and_workers(base, path, operations, words::WORKERS)
}

/// `xfour/openloop_N/COP/SOP/numa_Z/Wworkers.result`
pub(in crate::grammar) fn connect_x4(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::OPEN_LOOPS)?;
    let base = run("operations-cx4", Testbed::ConnectX4, CodeGeneration::V1);
    let base = Factors { queue_pairs, ..base };
    operations_node_and_workers(base, path, words::OPERATIONS, words::WORKERS)
}
