//! The counts for people.

use std::io::{Write, stdout};

use onesided_results::vocabulary::Source;

use super::{Counts, Outcome, Seen};
use crate::printed::table;

/// Prints them.
pub fn tables(outcome: &Outcome) -> anyhow::Result<()> {
    let [requester, responder] = &outcome.devices;
    writeln!(stdout(), "{requester} writes into the memory of {responder} ({})", outcome.back_end)?;
    writeln!(
        stdout(),
        "\nWRITEs of which bytes were missing in memory at a completion, and for how long at the most"
    )?;
    let header = ["bytes", "WRITEs", "of the WRITE", "ns", "WRITEs", "of a READ behind it", "ns"];
    let mut completions = table(header, ..);
    for counts in &outcome.counts {
        completions.add_row([
            counts.access_bytes.to_string(),
            counts.completed.to_string(),
            counts.missing_at_completion.to_string(),
            number(counts.missing_for_ns),
            counts.read.to_string(),
            counts.missing_after_a_read.to_string(),
            number(counts.missing_after_a_read_for_ns),
        ]);
    }
    writeln!(stdout(), "{completions}")?;
    writeln!(stdout(), "\nThe order in which a CPU of the responder saw two words")?;
    let header = ["words", "bytes", "WRITEs", "in order", "out of order", "both at once"];
    let mut order = table(header, 1..);
    for counts in &outcome.counts {
        order.add_row(row(counts, "first and last of a WRITE", &counts.within_one_write));
        order.add_row(row(counts, "last of a WRITE, a next WRITE", &counts.between_two_writes));
    }
    writeln!(stdout(), "{order}\n\n{}", meaning(outcome.source))?;
    Ok(())
}

fn row(counts: &Counts, words: &str, seen: &Seen) -> [String; 6] {
    [
        words.to_owned(),
        counts.access_bytes.to_string(),
        seen.rounds.to_string(),
        seen.in_order.to_string(),
        seen.out_of_order.to_string(),
        seen.together.to_string(),
    ]
}

fn number(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// What the counts can say, by whose they are.
fn meaning(source: Source) -> &'static str {
    match source {
        Source::Measured => {
            "A count of 0 promises nothing: it was not seen here, with these sizes and this often."
        }
        _ => {
            "A CPU moved the bytes and answered afterwards, so order and completions are those of its stores.\n\
             This says nothing about a card, which writes through PCI Express."
        }
    }
}
