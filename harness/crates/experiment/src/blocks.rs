//! Neighbouring blocks of a run table: what one job of a larger measurement does.

use std::{fmt, str::FromStr};

use crate::run_table::RunTable;

/// Blocks of a run table from the first to the last, as `1-5` or `3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    first: u32,
    last: u32,
}

/// What names no blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlocksError {
    /// Not of the form.
    #[error("expected FIRST-LAST or one number, blocks counting from 1, not {found:?}")]
    Malformed {
        /// What was given.
        found: String,
    },
    /// The table ends before.
    #[error("there are no blocks {blocks}: the last block of the table is {last}")]
    Beyond {
        /// What was asked for.
        blocks: Blocks,
        /// The table's last block.
        last: u32,
    },
}

impl fmt::Display for Blocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.first, self.last)
    }
}

impl FromStr for Blocks {
    type Err = BlocksError;

    fn from_str(found: &str) -> Result<Self, BlocksError> {
        let malformed = || BlocksError::Malformed { found: found.to_owned() };
        let (first, last) = found.split_once('-').unwrap_or((found, found));
        let number = |text: &str| text.parse::<u32>().map_err(|_| malformed());
        let blocks = Self { first: number(first)?, last: number(last)? };
        if blocks.first < 1 || blocks.last < blocks.first {
            return Err(malformed());
        }
        Ok(blocks)
    }
}

impl Blocks {
    /// The runs of `table` that are in these blocks.
    ///
    /// # Errors
    /// When the table ends before the last of them.
    pub fn of(self, table: RunTable) -> Result<RunTable, BlocksError> {
        let last = table.runs().iter().map(|run| run.block).max().unwrap_or(0);
        if last < self.last {
            return Err(BlocksError::Beyond { blocks: self, last });
        }
        Ok(table.filtered(|run| (self.first..=self.last).contains(&run.block)))
    }
}

#[cfg(test)]
mod tests {
    use onesided_results::RunConfiguration;

    use super::*;

    fn chosen(text: &str) -> Result<Vec<u32>, String> {
        let run = |block: u32| RunConfiguration {
            run_id: format!("run-{block}"),
            block,
            ..RunConfiguration::default()
        };
        let table = RunTable::new((1..=4).map(run).collect()).unwrap();
        let blocks: Blocks = text.parse().map_err(|error: BlocksError| error.to_string())?;
        let table = blocks.of(table).map_err(|error| error.to_string())?;
        Ok(table.runs().iter().map(|run| run.block).collect())
    }

    #[test]
    fn neighbouring_blocks_are_chosen() {
        assert_eq!(chosen("2-3").unwrap(), [2, 3]);
        assert_eq!(chosen("4").unwrap(), [4]);
        assert_eq!(chosen("1-4").unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_names_no_blocks_is_refused() {
        for text in ["", "0", "0-2", "3-2", "1-", "a", "1-2-3", "-1"] {
            assert!(chosen(text).unwrap_err().starts_with("expected FIRST-LAST"), "{text}");
        }
        assert_eq!(
            chosen("4-5").unwrap_err(),
            "there are no blocks 4-5: the last block of the table is 4"
        );
    }
}
