//! Files of latencies: a line `client<TAB>mean ns<TAB>deviation ns` for each client, then `total`.
//!
//! The study computes √(Σ(x−x̄)²)/n and calls it the standard deviation. That is the deviation
//! divided by √n, from which it comes back; of the total it prints the mean of those.

use std::path::Path;

use crate::{RawError, factors::OPERATIONS_PER_CLIENT};

/// The form of a line, for messages.
const FORM: &str = "client, mean and deviation, both in ns, separated by tabs";
/// The form of the last line.
const TOTAL: &str = "\"total\", mean and deviation, both in ns, separated by tabs";

/// How far a printed number may be from what it follows as: six digits are printed.
const PRINTED: f64 = 1e-5;

/// What a client measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Mean.
    pub mean_ns: f64,
    /// Population standard deviation.
    pub sd_ns: f64,
}

/// The clients of a file, in order.
///
/// # Errors
/// When a line is not of the form, clients are missing, too many or not in order, or the total is
/// not their mean.
pub fn read(path: &Path, text: &[u8], clients: u32) -> Result<Vec<Latency>, RawError> {
    let mut read = Vec::new();
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').enumerate();
    for (index, line) in lines.by_ref() {
        let place = Place { path, line: index + 1, text: line };
        let (name, latency) = place.latency(FORM)?;
        if name == "total" {
            place.check_total(&read, latency, clients)?;
            return match lines.next() {
                None => Ok(read.into_iter().map(repaired).collect()),
                Some((index, line)) => {
                    Err(Place { path, line: index + 1, text: line }
                        .malformed("nothing after total"))
                }
            };
        }
        let client = name.parse::<u64>().map_err(|_| place.malformed(FORM))?;
        place.check_client(client, read.len(), clients)?;
        read.push(latency);
    }
    let line = text.iter().filter(|&&byte| byte == b'\n').count() + 1;
    Err(Place { path, line, text: b"" }.malformed(TOTAL))
}

/// The deviation that was divided by the root of the number of operations.
fn repaired(printed: Latency) -> Latency {
    Latency { sd_ns: printed.sd_ns * f64::from(OPERATIONS_PER_CLIENT).sqrt(), ..printed }
}

/// Mean and deviation of all clients together, each of which has equally many operations.
pub fn together(clients: &[Latency]) -> Option<Latency> {
    if clients.is_empty() {
        return None;
    }
    let mean_ns = mean(clients.iter().map(|client| client.mean_ns));
    let within = clients.iter().map(|client| client.sd_ns * client.sd_ns);
    let between = clients.iter().map(|client| (client.mean_ns - mean_ns).powi(2));
    Some(Latency { mean_ns, sd_ns: (mean(within) + mean(between)).sqrt() })
}

#[expect(clippy::cast_precision_loss, reason = "clients are counted in hundreds")]
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// A line and where it is.
struct Place<'a> {
    path: &'a Path,
    line: usize,
    text: &'a [u8],
}

impl<'a> Place<'a> {
    fn latency(&self, form: &'static str) -> Result<(&'a str, Latency), RawError> {
        let Some(text) = self.text.strip_suffix(b"\n") else {
            let found = String::from_utf8_lossy(self.text).into_owned();
            return Err(RawError::Truncated { path: self.path.to_owned(), line: self.line, found });
        };
        let text = str::from_utf8(text).map_err(|_| self.malformed(form))?;
        let mut cells = text.split('\t');
        let (name, mean, sd, end) = (cells.next(), cells.next(), cells.next(), cells.next());
        let (Some(name), Some(mean), Some(sd), None) = (name, mean, sd, end) else {
            return Err(self.malformed(form));
        };
        let latency = Latency { mean_ns: self.ns(mean, form)?, sd_ns: self.ns(sd, form)? };
        Ok((name, latency))
    }

    fn ns(&self, cell: &str, form: &'static str) -> Result<f64, RawError> {
        let number = cell.strip_suffix("ns").and_then(|number| number.parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite());
        let number = number.ok_or_else(|| self.malformed(form))?;
        if number < 0.0 {
            let found = cell.to_owned();
            return Err(RawError::Negative { path: self.path.to_owned(), line: self.line, found });
        }
        Ok(number)
    }

    fn check_client(&self, client: u64, expected: usize, clients: u32) -> Result<(), RawError> {
        let path = self.path.to_owned();
        if client >= u64::from(clients) {
            return Err(RawError::UnknownClient { path, line: self.line, client, clients });
        }
        if client != expected as u64 {
            return Err(RawError::MissingClient { path, client: expected, clients });
        }
        Ok(())
    }

    fn check_total(&self, read: &[Latency], total: Latency, clients: u32) -> Result<(), RawError> {
        if read.len() < clients as usize {
            let (path, client) = (self.path.to_owned(), read.len());
            return Err(RawError::MissingClient { path, client, clients });
        }
        self.agrees("total mean", total.mean_ns, mean(read.iter().map(|client| client.mean_ns)))?;
        self.agrees("total deviation", total.sd_ns, mean(read.iter().map(|client| client.sd_ns)))
    }

    fn agrees(&self, what: &'static str, found: f64, expected: f64) -> Result<(), RawError> {
        if (found - expected).abs() <= PRINTED * expected.abs() {
            return Ok(());
        }
        let (path, line) = (self.path.to_owned(), self.line);
        Err(RawError::Disagrees { path, line, what, found, expected })
    }

    fn malformed(&self, expected: &'static str) -> RawError {
        let found = String::from_utf8_lossy(self.text.trim_ascii_end()).into_owned();
        RawError::Malformed { path: self.path.to_owned(), line: self.line, found, expected }
    }
}

#[cfg(test)]
mod tests;
