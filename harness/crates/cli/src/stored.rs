//! Whether the tables of a folder are what they were written as, one beside the others.

use std::path::Path;

use onesided_estimate::stored::{StoredError, check_counts};
use onesided_published::stored;

/// Refuses a folder of which one table says something else than another.
pub fn check_folder(folder: &Path) -> Result<(), StoredError> {
    check_counts(folder)?;
    stored::check(folder)
}
