//! Lists of numbers as the kernel writes them: `0-3,8`.
//!
//! CPU lists, node lists and `Mems_allowed_list` share this form (Linux, "cpulists" in
//! `Documentation/admin-guide/cputopology.rst`).

use std::collections::BTreeSet;
use std::fmt;

/// The largest number a list may hold: no Linux has as many CPUs or nodes (`NR_CPUS` is at most
/// 8192), and a slip such as `0-4000000000` must not fill the memory.
pub(super) const LARGEST: u32 = 65_535;

/// Why a text is no list of numbers in the kernel's form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberListError {
    /// There is no number in it.
    #[error("the list is empty; expected numbers and ranges such as `0-3,8`")]
    Empty,
    /// A part is neither a number nor a range.
    #[error("`{part}` in `{list}` is neither a number nor a range such as `0-3`")]
    NotANumber {
        /// The whole text.
        list: String,
        /// The part at fault.
        part: String,
    },
    /// A range whose end comes before its start.
    #[error("the range `{part}` in `{list}` runs backwards")]
    Backwards {
        /// The whole text.
        list: String,
        /// The part at fault.
        part: String,
    },
    /// A number beyond any machine.
    #[error("{number} in `{list}` is beyond the largest number allowed, {LARGEST}")]
    TooLarge {
        /// The whole text.
        list: String,
        /// The number at fault.
        number: u32,
    },
}

/// Reads a list such as `0-3,8`; parts may come in any order and overlap. A number is taken once,
/// however many parts have it, so a long list costs its reader no more than its length.
pub(super) fn parse(list: &str) -> Result<BTreeSet<u32>, NumberListError> {
    if list.trim().is_empty() {
        return Err(NumberListError::Empty);
    }
    let parts = list.trim().split(',').map(|part| bounds(list, part));
    let mut ranges = parts.collect::<Result<Vec<_>, _>>()?;
    ranges.sort_unstable();
    let (mut numbers, mut next) = (BTreeSet::new(), 0);
    for (first, last) in ranges {
        numbers.extend(first.max(next)..=last);
        next = next.max(last + 1);
    }
    Ok(numbers)
}

fn bounds(list: &str, part: &str) -> Result<(u32, u32), NumberListError> {
    let number = |text: &str| match text.parse::<u32>() {
        Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => Err(NumberListError::NotANumber { list: list.to_owned(), part: part.to_owned() }),
    };
    let (first, last) = match part.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(part)?, number(part)?),
    };
    match first.max(last) {
        number if number > LARGEST => {
            Err(NumberListError::TooLarge { list: list.to_owned(), number })
        }
        _ if last < first => {
            Err(NumberListError::Backwards { list: list.to_owned(), part: part.to_owned() })
        }
        _ => Ok((first, last)),
    }
}

/// Writes ascending numbers as the kernel would: neighbours become ranges.
pub(super) fn write(
    numbers: impl IntoIterator<Item = u32>,
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut numbers = numbers.into_iter().peekable();
    let mut separator = "";
    while let Some(first) = numbers.next() {
        let mut last = first;
        while numbers.next_if(|next| *next == last + 1).is_some() {
            last += 1;
        }
        match last {
            last if last == first => write!(out, "{separator}{first}")?,
            last => write!(out, "{separator}{first}-{last}")?,
        }
        separator = ",";
    }
    Ok(())
}
