//! Factors, designs, run tables and run order; pure.
//!
//! - [`design`]: a design file, read strictly.
//! - [`Level`]: how much of a design is run.
//! - [`mod@expand`]: a design at a level, for a profile, as a run table.
//! - `identity`: names and seeds of runs, that follow from what they do.
//! - `order`: blocks, and the random order within them.
//! - [`profile`]: hardware profiles, `profiles/NAME/machine.toml`.
//! - [`run_table`]: the file `runs.csv`.
//! - `selection`: part of a design's runs, by the levels of factors.
//! - `blocks`: neighbouring blocks of a run table.

mod blocks;
pub mod design;
pub mod expand;
mod identity;
mod order;
pub mod profile;
pub mod run_table;
mod selection;

pub use blocks::{Blocks, BlocksError};
pub use design::{Design, DesignError};
pub use expand::{ExpandError, expand};
pub use onesided_results::vocabulary::Level;
pub use profile::{ProfileError, ProfileName};
pub use run_table::{Cost, RunTable, RunTableError, SameNameTwice};
pub use selection::{Selection, SelectionError};
