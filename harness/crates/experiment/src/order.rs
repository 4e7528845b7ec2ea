//! Blocks, and the random order within them.
//!
//! Runs are ordered by a hash of the seed and their name: as random as drawing lots, the same on
//! every machine, and a run that is added to the design does not reorder the others.

use std::collections::HashSet;

use onesided_results::RunConfiguration;
use toml::{Table, Value};

use crate::{design::parts::BlockBy, identity::scatter};

/// Puts `runs` into their order and numbers blocks and places, each from 1.
///
/// # Panics
/// When there are more than 2^32 runs.
pub(crate) fn put_in_order(runs: &mut [RunConfiguration], block_by: &[BlockBy], seed: u64) {
    let seed = seed.to_string();
    runs.sort_by_cached_key(|run| {
        let block = block_key(run, block_by);
        let lot = scatter(&["block", &seed, &block.levels]);
        (block.replicate, lot, block.levels, scatter(&["run", &seed, &run.run_id]))
    });
    let mut block = 0;
    let mut last = None;
    for (index, run) in runs.iter_mut().enumerate() {
        let key = block_key(run, block_by);
        if last.as_ref() != Some(&key) {
            block += 1;
            last = Some(key);
        }
        run.block = block;
        run.order = u32::try_from(index + 1).expect("fewer than 2^32 runs");
    }
}

/// How many blocks `runs` are in, in order or not.
pub(crate) fn number_of_blocks(runs: &[RunConfiguration], block_by: &[BlockBy]) -> usize {
    runs.iter().map(|run| block_key(run, block_by)).collect::<HashSet<_>>().len()
}

/// What runs of one block have in common.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey {
    /// The repetition, where it separates blocks: these come one after another.
    replicate: Option<u32>,
    /// The levels of the factors that separate blocks: their order is drawn.
    levels: String,
}

fn block_key(run: &RunConfiguration, block_by: &[BlockBy]) -> BlockKey {
    // Most designs separate repetitions only, and need no table of every run.
    let values =
        std::cell::LazyCell::new(|| Table::try_from(run).expect("TOML can say a configuration"));
    let mut key = BlockKey { replicate: None, levels: String::new() };
    for by in block_by {
        match by {
            BlockBy::Replicate => key.replicate = Some(run.replicate),
            BlockBy::Factor(name) => {
                let level = values.get(name).map(Value::to_string).unwrap_or_default();
                key.levels += &format!("{name} {level}\n");
            }
        }
    }
    key
}
