//! `{,cache_aligned/}baseline/clients_N/COP/sread/numa_Z/0workers.result`

use onesided_results::vocabulary::{Campaign, CodeGeneration};

use super::{Read, without_workers};
use crate::{
    factors::Testbed,
    grammar::{Factors, components::Components, run, run_of, words},
};

pub(in crate::grammar) fn v1(path: &mut Components<'_>) -> Read {
    let base = run("v1-throughput-by-queue-pairs", Testbed::ConnectX3, CodeGeneration::V1);
    any(base, path)
}

pub(in crate::grammar) fn v2(path: &mut Components<'_>) -> Read {
    any(run_of("throughput-by-queue-pairs", Campaign::A), path)
}

fn any(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::CLIENTS)?;
    without_workers(Factors { queue_pairs, ..base }, path)
}
