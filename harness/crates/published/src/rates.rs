//! Files of rates: a line `client<TAB>epoch<TAB>rate` for each epoch of each client.
//!
//! The release has 36.8 million of these lines, all of one form, which is why this one form is read
//! by a parser of its own; the csv crate needs six times as long.

use std::path::Path;

use onesided_estimate::printed::PrintedRate;

use crate::RawError;

/// The form of a line, for messages.
const FORM: &str = "client, epoch and rate (six decimals), separated by tabs";

/// A line as it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    client: u64,
    epoch: u64,
    micro_ops: u64,
}

/// Reads `text`, the content of `path`, into `rates`, which is emptied.
///
/// # Errors
/// When a line is not of the form, clients are missing or too many, or a client's epochs are not
/// 1, 2, 3 and so on.
pub fn read(
    path: &Path,
    text: &[u8],
    clients: u32,
    rates: &mut Vec<PrintedRate>,
) -> Result<(), RawError> {
    rates.clear();
    let mut epochs = vec![0_u64; clients as usize];
    let mut left = text;
    while !left.is_empty() {
        let number = rates.len() + 1;
        let Some((line, next)) = line(left) else { return Err(malformed(path, number, left)) };
        let client = u32::try_from(line.client).ok().filter(|&client| client < clients);
        let Some(client) = client else {
            let (path, client) = (path.to_owned(), line.client);
            return Err(RawError::UnknownClient { path, line: number, client, clients });
        };
        let last = &mut epochs[client as usize];
        *last += 1;
        if line.epoch != *last {
            return Err(wrong_epoch(path, number, client, line.epoch, *last));
        }
        rates.push(PrintedRate { client, micro_ops: line.micro_ops });
        left = next;
    }
    match epochs.iter().position(|&epochs| epochs == 0) {
        Some(_) if rates.is_empty() => Err(RawError::Empty { path: path.to_owned() }),
        Some(client) => Err(RawError::MissingClient { path: path.to_owned(), client, clients }),
        None => Ok(()),
    }
}

/// The line that `text` begins with, and what follows it; nothing if it is not of the form.
#[inline]
fn line(text: &[u8]) -> Option<(Line, &[u8])> {
    let (client, text) = whole(text, b'\t')?;
    let (epoch, text) = whole(text, b'\t')?;
    let (ops, text) = whole(text, b'.')?;
    let (decimals, text) = text.split_first_chunk()?;
    let micro_ops = ops * 1_000_000 + six_decimals(*decimals)?;
    Some((Line { client, epoch, micro_ops }, text))
}

/// Most digits of a number: more than any rate has, and its millionths still fit.
const MOST_DIGITS: usize = 12;

/// The whole number before `end`, and what follows that.
#[inline(always)]
fn whole(text: &[u8], end: u8) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (digits, byte) in text.iter().take(MOST_DIGITS + 1).enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (*byte == end && digits > 0).then(|| (number, &text[digits + 1..]));
        }
        number = number * 10 + u64::from(digit);
    }
    None
}

/// The number of six digits before the end of a line.
#[inline]
fn six_decimals(text: [u8; 7]) -> Option<u64> {
    let [decimals @ .., end] = text;
    let mut number = 0;
    let mut all_digits = true;
    for byte in decimals {
        let digit = byte.wrapping_sub(b'0');
        all_digits &= digit <= 9;
        number = number * 10 + u64::from(digit);
    }
    (all_digits && end == b'\n').then_some(number)
}

/// What is wrong with the line that `rest` begins with.
#[cold]
fn malformed(path: &Path, line: usize, rest: &[u8]) -> RawError {
    let path = path.to_owned();
    let end = rest.iter().position(|&byte| byte == b'\n');
    let text = String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len()).min(80)]).into_owned();
    if end.is_none() {
        return RawError::Truncated { path, line, found: text };
    }
    let mut cells = text.split('\t');
    let rate = cells.nth(2).filter(|_| cells.next().is_none());
    match rate.and_then(|rate| Some((rate, rate.strip_prefix('-')?))) {
        Some((rate, positive)) if positive.parse::<f64>().is_ok() => {
            RawError::Negative { path, line, found: rate.to_owned() }
        }
        _ => RawError::Malformed { path, line, found: text, expected: FORM },
    }
}

#[cold]
fn wrong_epoch(path: &Path, line: usize, client: u32, found: u64, expected: u64) -> RawError {
    let path = path.to_owned();
    if found < expected {
        RawError::Twice { path, line, client, found, expected }
    } else {
        RawError::Gap { path, line, client, found, expected }
    }
}

#[cfg(test)]
mod tests;
