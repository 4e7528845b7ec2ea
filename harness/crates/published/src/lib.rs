//! The study's raw results, read: what a path means, what a file holds, tidy tables.
//!
//! The release says what a run was only by the path of its file. [`grammar`] is the closed list of
//! the paths there are and what each part means; [`oddities`] the closed list of what is wrong with
//! them, each with its reason. Anything else is an error: a path that is understood by half would
//! become a point at a wrong place of a figure.
//!
//! - [`grammar`]: a path as [`factors::Factors`].
//! - [`oddities`]: files that are not what they seem.
//! - [`release`]: which files there are.
//! - [`rates`], [`latencies`], [`key_value`]: the three kinds of files, strictly.
//! - [`run`]: one file as rows.
//! - [`doubts`]: what speaks against a run.
//! - [`stored`]: whether tables are still what was imported.
//! - [`mod@import`]: all files, in parallel, as tables.

pub mod digits;
pub mod doubts;
pub mod error;
pub mod factors;
pub mod grammar;
pub mod import;
pub mod key_value;
pub mod latencies;
pub mod oddities;
pub mod rates;
pub mod release;
pub mod run;
pub mod stored;
pub mod traces;

pub use error::RawError;
pub use import::{ImportError, Summary, import};
