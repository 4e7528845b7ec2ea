//! CSV lines on stdout, each as soon as it is known.

use std::io::{ErrorKind, Write};

use anyhow::{Context, bail};
use serde::Serialize;

/// The lines on `W`, which is stdout, as long as somebody reads them.
pub struct Lines<W: Write> {
    writer: Option<csv::Writer<W>>,
}

impl<W: Write> Lines<W> {
    /// Starts the lines.
    pub fn on(stdout: W) -> Self {
        Self { writer: Some(csv::Writer::from_writer(stdout)) }
    }

    /// Prints a line at once. When the reader is gone, nothing is printed, and that is no error.
    pub fn line(&mut self, line: impl Serialize) -> anyhow::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let written = writer.serialize(line).and_then(|()| Ok(writer.flush()?));
        match written.map_err(csv::Error::into_kind) {
            Err(csv::ErrorKind::Io(error)) if error.kind() == ErrorKind::BrokenPipe => {
                // Dropping the writer would try again what it still holds.
                std::mem::forget(self.writer.take());
                Ok(())
            }
            Err(csv::ErrorKind::Io(error)) => Err(error).context("stdout"),
            Err(other) => bail!("stdout: {other:?}"),
            Ok(()) => Ok(()),
        }
    }

    /// Whether somebody reads them still.
    pub fn are_read(&self) -> bool {
        self.writer.is_some()
    }
}
