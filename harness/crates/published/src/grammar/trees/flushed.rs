//! `cflush/{SIZEbyte | COP}/SOP/{local,remote}/Wworkers.result`

use onesided_results::vocabulary::{CacheState, CodeGeneration, Locality};

use super::{Read, counted};
use crate::{
    factors::Testbed,
    grammar::{
        Factors,
        components::Components,
        run,
        words::{self, Words},
    },
};

const PLACES: &Words<Locality> =
    &[("local", Locality::RdmaLocal), ("remote", Locality::RdmaRemote)];

pub(in crate::grammar) fn any(path: &mut Components<'_>) -> Read {
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
