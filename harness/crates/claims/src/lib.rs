//! What the texts say, as queries on the tables, and what the data says to it.
//!
//! A *claim* is a sentence of the study with a query on the tables and a predicate on what the
//! query finds; a *correction* is a sentence about the study, asked in the same way. Verdicts are
//! computed: there is no way to write one down.
//!
//! ```text
//!  paper/claims.toml --file--> claims, checked: columns, words, predicates
//!                                 |
//!  TABLE/*.csv.gz --frame--> rows + measures with intervals
//!                                 |
//!        where / where-in      rows that are asked for            [level]
//!        contrast              matched pairs of them              [contrast]
//!        as                    ratio, percent, loss, difference   [cell]
//!        aggregate             each cell, or one for all          [aggregate]
//!        expect                cell by cell                       [verdict], [judged]
//!        quantifier            of how many cells it must hold
//!                                 |
//!                            results/claims.csv
//! ```
//!
//! # The query language
//! Small and closed: nothing in it computes but the words below, and what it does not know is an
//! error that names file, line, entry and key. A part of a claim has
//! - `table`: `conditions` (runs that differ in nothing but chance, pooled; the default), `runs`,
//!   `clients` (queue pairs of runs), `memory-latency` (loads of a CPU), `fabric-reads`,
//!   `fabric-messages` or `fabric-pagerank` (experiments on a fabric), all four with replicates
//!   pooled, `shapes` (simulated sweeps), or `pcie-operations` (limits of PCI Express, computed);
//! - `select`: names of selections, sets of filters that several claims share;
//! - `where`: filters by column: a value, a list of values, `{ at-least, at-most }` or
//!   `{ except = [..] }`; `where-in.SOURCE`: more of them for one source, for what only that
//!   source has. Runs, clients of runs and all others that are not valid (of memory and fabrics,
//!   all that are doubtful or of misplaced memory) are left out unless `valid` is filtered;
//! - `value`: what is looked at, a measure of [`columns`] or a column of numbers that the table
//!   has;
//! - `contrast`: `{ factor, of, over, along, pool }`: every row at level `of` (default: at any
//!   other level) with the one at `over` that agrees in every other factor. Columns that follow
//!   from the factor, and those named by `along`, need not agree. A second contrast compares the
//!   first one's results. `pool = true` takes the mean of each side first;
//! - `as`: how a contrast is told: `ratio`, `percent` more, `loss-percent` or `difference`;
//! - `aggregate`: `each` cell by itself (default), or `mean`, `median`, `min`, `max`, the `count`
//!   or the `share-percent` of cells that are as `counted` says;
//! - `expect`: `{ range = [a, b] }`, `{ at-least }`, `{ at-most }` or `{ equal }`, with a
//!   `tolerance` (of rounding in the text) and the value that means `no-effect`.
//!
//! Intervals come from runs; [`spread`] says how, [`verdict`] what follows. Memory latencies have
//! theirs from replicates.
//!
//! Of memory latencies, those of source `published` are what the text states: no claim that asks
//! for memory latencies is asked of that source, whatever its `sources` say.

mod aggregate;
mod ask;
mod cell;
mod cells;
pub mod columns;
mod contrast;
mod error;
mod evaluate;
mod expectation;
pub mod file;
mod frame;
mod judged;
mod level;
mod named;
mod number;
mod report;
pub mod spread;
mod tables;
mod value;
pub mod verdict;

pub use cell::told_value;
pub use error::{ClaimsError, EntryError, EvaluateError};
pub use evaluate::{Evaluation, cells, evaluate, evaluate_with_cells};
pub use file::{Claim, Claims};
pub use tables::Tables;
