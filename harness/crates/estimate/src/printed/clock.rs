//! The only clock that printed lines have: their order.

use std::ops::Range;

use super::PrintedRate;

/// When each line's epoch began and ended, in epochs from the start: the earliest times that the
/// order of lines allows.
///
/// No line is before the one above it, and none less than an epoch after the same client's last.
/// A client's first epoch is taken to be of the least length: clients of the study's first program
/// start one after another, and a first line that comes late is of a client that began late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    spans: Vec<Span>,
}

/// One epoch of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its start.
    pub start: u32,
    /// Its end.
    pub end: u32,
}

impl Clock {
    /// From lines in their order, of `clients` clients.
    ///
    /// # Panics
    /// When a line is of a client beyond `clients`.
    pub fn recover(rates: &[PrintedRate], clients: usize) -> Self {
        let mut last: Vec<Option<u32>> = vec![None; clients];
        let mut now = 1;
        let spans = rates.iter().map(|rate| {
            let own = &mut last[rate.client as usize];
            now = now.max(own.map_or(1, |end| end + 1));
            let start = own.replace(now).unwrap_or(now - 1);
            Span { start, end: now }
        });
        Self { spans: spans.collect() }
    }

    /// The epoch of each line.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// When the last line was printed.
    pub fn length(&self) -> u32 {
        self.spans.last().map_or(0, |span| span.end)
    }
}

impl Span {
    /// How long it is.
    pub fn length(self) -> u32 {
        self.end - self.start
    }

    /// The part of it that is in `window`.
    pub fn within(self, window: &Range<u32>) -> u32 {
        self.end.min(window.end).saturating_sub(self.start.max(window.start))
    }
}
