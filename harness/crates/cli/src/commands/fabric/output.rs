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
    measuring::WITHOUT_CPU,
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

/// Words of doubts, as they are written down.
pub const PREEMPTED: &str = "preempted";
/// Words of doubts, as they are written down.
pub const PAGES_MISPLACED: &str = "pages-misplaced";

/// Those of one row, in the order in which [`ending`] tells of them.
const WORDS: [&str; 4] = [CROWDED, PREEMPTED, CONTENT_DIFFERS, PAGES_MISPLACED];

/// Doubts about a whole measurement; [`Begun::mark`](crate::measuring::Begun::mark) has reported them already.
const OF_ALL: [&str; 2] = ["another-measurement", "cpu-stolen"];

/// What a row may be doubted for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// More threads at the same time than CPUs.
    pub is_crowded: bool,
    /// What arrived is not what was sent.
    pub is_different: bool,
    /// The largest share of its time that a thread had no CPU; absent where that is not known, of which no
    /// doubt follows.
    pub without_cpu: Option<f64>,
    /// Memory is on another NUMA node than asked.
    pub is_elsewhere: bool,
}

impl Seen {
    /// The doubts that there are.
    pub fn doubts(self) -> Option<String> {
        // Threads that share a CPU are without one for part of their time, always.
        let is_preempted =
            !self.is_crowded && self.without_cpu.is_some_and(|share| share >= WITHOUT_CPU);
        let words = [
            (CROWDED, self.is_crowded),
            (CONTENT_DIFFERS, self.is_different),
            (PREEMPTED, is_preempted),
            (PAGES_MISPLACED, self.is_elsewhere),
        ];
        let words: Vec<_> =
            words.iter().filter(|(_, is_there)| *is_there).map(|(word, _)| *word).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// The doubts of rows that are shown together: of a word that not all have, how many have it.
pub fn doubts_of<'a>(all: impl Iterator<Item = Option<&'a str>> + Clone) -> String {
    let rows = all.clone().count();
    let told = WORDS.iter().chain(&OF_ALL).filter_map(|word| {
        match all.clone().filter(|doubts| has(*doubts, word)).count() {
            0 => None,
            some if some == rows => Some((*word).to_owned()),
            some => Some(format!("{word} ({some} of {rows})")),
        }
    });
    told.collect::<Vec<_>>().join(" ")
}

/// Whether these doubts have that word.
fn has(doubts: Option<&str>, word: &str) -> bool {
    doubts.is_some_and(|doubts| doubts.split(' ').any(|doubt| doubt == word))
}

/// How it ends: what came wrong is marked, and the status tells. `all` has the doubts of each row.
pub fn ending<'a>(all: impl Iterator<Item = Option<&'a str>>) -> Ending {
    let (mut rows, mut of) = (0, [0_u64; WORDS.len()]);
    for doubts in all {
        rows += 1;
        for (count, word) in of.iter_mut().zip(WORDS) {
            *count += u64::from(has(doubts, word));
        }
    }
    let [crowded, preempted, wrong, elsewhere] = of;
    if crowded > 0 {
        say!(
            "{crowded} of {rows} rows are of more threads at the same time than CPUs: their times \
             say more about the scheduler than about the fabric, and they are marked {CROWDED}"
        );
    }
    if preempted > 0 {
        say!(
            "in {preempted} of {rows} rows a thread had no CPU for a tenth of its time or more: other work \
             wanted it, and they are marked {PREEMPTED}"
        );
    }
    if elsewhere > 0 {
        say!(
            "{elsewhere} of {rows} rows are of memory that is not on the NUMA node which it was asked \
             from: they are marked {PAGES_MISPLACED}"
        );
    }
    if wrong > 0 {
        say!("{wrong} of {rows} rows are of wrong content: they are marked {CONTENT_DIFFERS}");
    }
    match wrong + elsewhere {
        0 => Ending::Valid,
        _ => Ending::CheckFailed,
    }
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
    fn a_thread_without_a_cpu_is_a_doubt_where_none_shares_one_by_design() {
        let busy = Seen { without_cpu: Some(0.1), ..Seen::default() };
        assert_eq!(busy.doubts().as_deref(), Some(PREEMPTED));
        assert_eq!(Seen { is_crowded: true, ..busy }.doubts().as_deref(), Some(CROWDED));
        assert_eq!(Seen { without_cpu: Some(0.09), ..busy }.doubts(), None);
        assert_eq!(Seen { without_cpu: None, ..busy }.doubts(), None);
        let wrong = Seen { is_different: true, is_elsewhere: true, ..Seen::default() };
        assert_eq!(wrong.doubts().as_deref(), Some("content-differs pages-misplaced"));
        assert_eq!(ending([busy.doubts().as_deref()].into_iter()), Ending::Valid);
        assert_eq!(ending([wrong.doubts().as_deref()].into_iter()), Ending::CheckFailed);
    }

    #[test]
    fn doubts_of_some_replicates_are_told_with_their_number() {
        let of = |rows: &[Option<&'static str>]| doubts_of(rows.iter().copied());
        let both = Some("crowded preempted");
        assert_eq!(of(&[None, both, Some("crowded")]), "crowded (2 of 3) preempted (1 of 3)");
        assert_eq!(of(&[both, both]), "crowded preempted");
        assert_eq!(of(&[None]), "");
        let marked = Some("crowded another-measurement cpu-stolen");
        assert_eq!(of(&[marked]), "crowded another-measurement cpu-stolen");
    }

    #[test]
    fn a_small_ratio_keeps_its_digits() {
        assert_eq!(four_digits(0.000_123_456), 0.000_123_5);
        assert_eq!(four_digits(1140.53), 1141.0);
        assert_eq!(four_digits(0.0), 0.0);
    }
}
