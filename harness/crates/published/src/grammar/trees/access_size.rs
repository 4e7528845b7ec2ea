//! Trees of access sizes, with and without a folder for the MTU.

use onesided_results::vocabulary::{Campaign, CodeGeneration};

use super::{Read, node_and_size};
use crate::{
    factors::Testbed,
    grammar::{Factors, components::Components, run, run_of, words},
};

/// `memsize/M_mtu/COP/numa_Z/Sbyte.result`, of 32 queue pairs each, as the files show.
pub(in crate::grammar) fn v1(path: &mut Components<'_>) -> Read {
    let mtu_bytes = Some(path.meant("MTU", words::V1_MTUS)?);
    let base = run("v1-access-size", Testbed::ConnectX3, CodeGeneration::V1);
    node_and_size(Factors { mtu_bytes, queue_pairs: 32, ..base }, path)
}

/// `cache_aligned/memsize/clients_N/COP/numa_Z/Sbyte.result`
pub(in crate::grammar) fn v2(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::EIGHT_OR_THIRTYTWO)?;
    node_and_size(Factors { queue_pairs, ..run_of("access-size", Campaign::A) }, path)
}

/// `cache_aligned/memsize_mtu/M/COP/numa_Z/Sbyte.result`
pub(in crate::grammar) fn v2_by_mtu(path: &mut Components<'_>) -> Read {
    let mtu_bytes = Some(path.meant("MTU", words::V2_MTUS)?);
    node_and_size(Factors { mtu_bytes, ..run_of("access-size-by-mtu", Campaign::B) }, path)
}
