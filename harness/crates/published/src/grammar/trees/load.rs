//! Trees of load beside the clients.

use onesided_results::vocabulary::{Campaign, LoadNode};

use super::{Read, without_workers};
use crate::{
    factors::Load,
    grammar::{
        Factors,
        components::Components,
        first_run_of, run_of,
        words::{self, Words},
    },
};

/// `load/SIZE/LOADZ/BYTES/clients_N/COP/sread/numa_Z/0workers.result`
pub(in crate::grammar) fn v1(path: &mut Components<'_>) -> Read {
    let elements = path.meant("size of the load", words::DECIMAL_LOADS)?;
    let node = path.meant("node of the load", words::V1_LOAD_NODES)?;
    let base = first_run_of("v1-load", Campaign::A);
    of_size(base.loaded(elements, node), path)
}

/// `cache_aligned/load/{ninetyp | twentyfour_thread}/…`
pub(in crate::grammar) fn v2(path: &mut Components<'_>) -> Read {
    const KINDS: &Words<fn(&mut Components<'_>) -> Read> =
        &[("ninetyp", decimal), ("twentyfour_thread", binary)];
    path.meant("kind of load", KINDS)?(path)
}

/// `SIZE[/LOADZ]/BYTES/clients_N/…`; of size `onek` some have no `BYTES`: those are misfiled.
fn decimal(path: &mut Components<'_>) -> Read {
    let elements = path.meant("size of the load", words::DECIMAL_LOADS)?;
    let node = path.meant_if_there(words::V2_LOAD_NODES).unwrap_or(LoadNode::Agnostic);
    let base = run_of("load", Campaign::B).loaded(elements, node);
    if elements == Some(1000)
        && let Some(queue_pairs) = path.meant_if_there(words::EIGHT_OR_THIRTYTWO)
    {
        return without_workers(Factors { queue_pairs, ..base }, path);
    }
    of_size(base, path)
}

/// `SIZE/eight_byte/clients_N/…`, or `sixtyfour_byte/clients_N/…` of an unknown size of load.
fn binary(path: &mut Components<'_>) -> Read {
    let base = run_of("load-24-threads", Campaign::B);
    if let Some(bytes) = path.meant_if_there(&[("sixtyfour_byte", 64)]) {
        let load = Load { node: Some(LoadNode::Agnostic), bytes: None };
        return of_clients(Factors { load, ..base.sized(bytes) }, path);
    }
    let elements = path.meant("size of the load", words::BINARY_LOADS)?;
    let base = base.loaded(elements, LoadNode::Agnostic);
    of_clients(base.sized(path.meant("access size", &[("eight_byte", 8)])?), path)
}

fn of_size(base: Factors, path: &mut Components<'_>) -> Read {
    of_clients(base.sized(path.meant("access size", words::EIGHT_OR_SIXTYFOUR)?), path)
}

fn of_clients(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::EIGHT_OR_THIRTYTWO)?;
    without_workers(Factors { queue_pairs, ..base }, path)
}
