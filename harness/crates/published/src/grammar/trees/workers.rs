//! Trees of workers on the accessed memory.

use onesided_results::vocabulary::{Campaign, CodeGeneration};

use super::{Read, operations_node_and_workers};
use crate::{
    factors::Testbed,
    grammar::{
        Factors,
        components::Components,
        first_run_of, run, run_of,
        words::{self, Words},
    },
};

/// `workers/P_writes[/SIZE]/clients_N/COP/SOP/numa_Z/Wworkers.result`
pub(in crate::grammar) fn v1(path: &mut Components<'_>) -> Read {
    const SIZED: &Words<Option<&Words<u32>>> = &[
        ("nintyp_writes", Some(words::EIGHT_OR_SIXTYFOUR)),
        ("fiftyp_writes", Some(&[("eight_byte", 8)])),
        ("tenp_writes", Some(&[("eight_byte", 8)])),
        ("zerop_writes", None),
    ];
    let (label, sizes) = path.word("share of writes", SIZED)?;
    let share = words::WRITE_SHARES.iter().find(|(word, _)| label.starts_with(word));
    let (_, worker_write_fraction) = *share.expect("each of these begins with its share");
    let base = first_run_of("v1-workers", Campaign::A);
    let base = Factors { worker_write_fraction, ..base };
    let base = match sizes {
        Some(sizes) => base.sized(path.meant("access size", sizes)?),
        None => base,
    };
    of_clients(base, path)
}

/// `cache_aligned/workers/{SIZE/clients_N | xfour/eight_byte/results}/…`
pub(in crate::grammar) fn v2(path: &mut Components<'_>) -> Read {
    const FOLDERS: &Words<Option<u32>> =
        &[("eight_byte", Some(8)), ("sixtyfour_byte", Some(64)), ("xfour", None)];
    match path.meant("access size", FOLDERS)? {
        Some(bytes) => of_clients(run_of("workers", Campaign::B).sized(bytes), path),
        None => {
            let base = run("workers-cx4", Testbed::ConnectX4, CodeGeneration::V2);
            let base = base.sized(path.meant("access size", &[("eight_byte", 8)])?);
            path.meant("folder", &[("results", ())])?;
            ended(base, path)
        }
    }
}

/// `cache_aligned/write_ratio/clients_eight/eight_byte/P/COP/srw/numa_Z/Wworkers.result`
pub(in crate::grammar) fn v2_by_write_share(path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", &[("clients_eight", 8)])?;
    let base = run_of("write-ratio", Campaign::B);
    let base = base.sized(path.meant("access size", &[("eight_byte", 8)])?);
    let worker_write_fraction = path.meant("share of writes", words::WRITE_SHARES)?;
    let base = Factors { queue_pairs, worker_write_fraction, ..base };
    operations_node_and_workers(base, path, words::READ_OR_WRITE, words::BOTH)
}

fn of_clients(base: Factors, path: &mut Components<'_>) -> Read {
    let queue_pairs = path.meant("number of clients", words::EIGHT_OR_THIRTYTWO)?;
    ended(Factors { queue_pairs, ..base }, path)
}

fn ended(base: Factors, path: &mut Components<'_>) -> Read {
    let (operations, workers) = (words::READ_OR_WRITE, words::READING_WRITING_OR_BOTH);
    operations_node_and_workers(base, path, operations, workers)
}
