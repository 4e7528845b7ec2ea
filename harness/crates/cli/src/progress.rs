//! Progress of long work: a bar on a terminal, plain lines elsewhere; always on stderr.

use std::{
    io::{IsTerminal, stderr},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// Plain lines are at least this far apart, so that a log of 5,000 short runs stays readable.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Progress through a number of steps.
pub enum Progress {
    /// A bar.
    Bar(ProgressBar),
    /// Lines.
    Lines {
        /// Steps in all.
        total: u64,
        /// Steps done.
        done: u64,
        /// When it began.
        began: Instant,
        /// When the last line was printed.
        printed: Option<Instant>,
    },
}

impl Progress {
    /// Of `total` steps.
    pub fn of(total: u64) -> Self {
        if stderr().is_terminal() {
            let bar = ProgressBar::new(total);
            let style = "{bar:32} {pos}/{len} {msg} ({elapsed} gone, {eta} left)";
            bar.set_style(ProgressStyle::with_template(style).expect("the template is valid"));
            return Self::Bar(bar);
        }
        Self::Lines { total, done: 0, began: Instant::now(), printed: None }
    }

    /// One more step is done; `what` it was.
    pub fn step(&mut self, what: &str) {
        match self {
            Self::Bar(bar) => {
                bar.set_message(what.to_owned());
                bar.inc(1);
            }
            Self::Lines { total, done, began, printed } => {
                *done += 1;
                let due = printed.is_none_or(|printed| printed.elapsed() >= LINE_EVERY);
                if due || *done == *total {
                    *printed = Some(Instant::now());
                    let left =
                        began.elapsed().div_f64(*done as f64).mul_f64((*total - *done) as f64);
                    say!("{done}/{total} {what}, {:.0} s left", left.as_secs_f64());
                }
            }
        }
    }

    /// Says something without spoiling the bar.
    pub fn say(&self, message: &str) {
        match self {
            Self::Bar(bar) => bar.suspend(|| say!("{message}")),
            Self::Lines { .. } => say!("{message}"),
        }
    }

    /// No more steps.
    pub fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
