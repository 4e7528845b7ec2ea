//! `closedloop/clients_N/COP/sread/numa_Z/0workers.result`, below `cache_aligned` with a size.

use onesided_results::vocabulary::CodeGeneration;

use super::{Read, without_workers};
use crate::{
    factors::{Content, Testbed},
    grammar::{Factors, components::Components, run, words},
};

pub(in crate::grammar) fn v1(path: &mut Components<'_>) -> Read {
    any(run("v1-latency-by-queue-pairs", Testbed::ConnectX3, CodeGeneration::V1), path)
}

/// Campaigns differ in the latency of unloaded reads of 8 bytes, which these are not.
pub(in crate::grammar) fn v2(path: &mut Components<'_>) -> Read {
    let base = run("latency-by-queue-pairs", Testbed::ConnectX3, CodeGeneration::V2);
    any(base.sized(path.meant("access size", &[("sixtyfour_byte", 64)])?), path)
}

fn any(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::CLIENTS)?;
    without_workers(Factors { queue_pairs, content: Content::Latencies, ..base }, path)
}
