//! Where the rows of an experiment go.

use std::{
    env::args_os,
    io::{Write, stdout},
    num::NonZeroU32,
};

use clap::Args;
use comfy_table::Table;
use onesided_results::{TableHost, table::Row, version};

use super::machine::Machine;
use crate::{
    arguments::{JsonRows, RowsArguments},
    ending::Ending,
    printed,
};

/// How much to measure, and where rows go.
#[derive(Args)]
pub struct OutputArguments {
    /// How often to measure everything
    #[arg(long, value_name = "NUMBER", default_value = "3")]
    pub replicates: NonZeroU32,
    #[command(flatten)]
    rows: RowsArguments,
}

impl OutputArguments {
    /// As [`RowsArguments::check`].
    pub fn check(&self) -> anyhow::Result<()> {
        self.rows.check()
    }

    /// Writes the table, and its machine to NAME.host.json beside it; prints the rows or what `tables` makes
    /// of them.
    pub fn show<R: Row>(
        &self,
        rows: &[R],
        machine: &Machine,
        tables: impl FnOnce(&[R]) -> Vec<(String, Table)>,
    ) -> anyhow::Result<()> {
        let json = JsonRows { schema_version: version::FABRIC.written, rows };
        self.rows.show(rows, &json, || {
            for (heading, table) in tables(rows) {
                writeln!(stdout(), "{heading}\n{table}")?;
            }
            Ok(())
        })?;
        if let Some(path) = self.rows.out() {
            let words = args_os().map(|word| word.to_string_lossy().into_owned());
            TableHost::new(words.collect(), machine.host()).write(path)?;
        }
        Ok(())
    }
}

/// Words of doubts, as they are written down.
pub const CROWDED: &str = "crowded";
/// Words of doubts, as they are written down.
pub const CONTENT_DIFFERS: &str = "content-differs";

/// The doubts that there are.
pub fn doubts(is_crowded: bool, is_different: bool) -> Option<String> {
    let words = [(CROWDED, is_crowded), (CONTENT_DIFFERS, is_different)];
    let words: Vec<_> =
        words.iter().filter(|(_, is_there)| *is_there).map(|(word, _)| *word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Whether these doubts have that word.
fn has(doubts: Option<&str>, word: &str) -> bool {
    doubts.is_some_and(|doubts| doubts.split(' ').any(|doubt| doubt == word))
}

/// How it ends: what came wrong is marked, and the status tells. `all` has the doubts of each row.
pub fn ending<'a>(all: impl Iterator<Item = Option<&'a str>>) -> Ending {
    let (mut rows, mut wrong, mut crowded) = (0, 0, 0);
    for doubts in all {
        rows += 1;
        wrong += u64::from(has(doubts, CONTENT_DIFFERS));
        crowded += u64::from(has(doubts, CROWDED));
    }
    if crowded > 0 {
        say!(
            "{crowded} of {rows} rows are of more threads at the same time than CPUs: their times \
             say more about the scheduler than about the fabric, and they are marked {CROWDED}"
        );
    }
    if wrong == 0 {
        return Ending::Valid;
    }
    say!("{wrong} of {rows} rows are of wrong content: they are marked {CONTENT_DIFFERS}");
    Ending::CheckFailed
}

/// Rounded to a thousandth: finer than any clock tells of one operation.
pub fn thousandth(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// A ratio, rounded to four digits, however small it is: on a logarithmic axis zero is nowhere.
pub fn four_digits(ratio: f64) -> f64 {
    format!("{ratio:.3e}").parse().unwrap_or(ratio)
}

/// The middle one, or the mean of the two middle ones.
pub fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    onesided_fabric::Spread::of(numbers.collect()).map(|spread| spread.median)
}

/// A number for people, empty where there is none.
pub fn cell(number: Option<f64>, digits: usize) -> String {
    number.map_or_else(String::new, |number| format!("{number:.digits$}"))
}

/// A table for people, numbers from the column `numbers` on.
pub fn table<const N: usize>(
    header: [&str; N],
    numbers: usize,
    rows: impl Iterator<Item = [String; N]>,
) -> Table {
    let mut table = printed::table(header, numbers..);
    table.add_rows(rows);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_ratio_keeps_its_digits() {
        assert_eq!(four_digits(0.000_123_456), 0.000_123_5);
        assert_eq!(four_digits(1140.53), 1141.0);
        assert_eq!(four_digits(0.0), 0.0);
    }
}
