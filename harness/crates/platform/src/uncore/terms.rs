//! From the terms of an event to the words that the kernel takes.
//!
//! ```text
//! events/cas_count_read  event=0x04,umask=0x03
//! format/event           config:0-7
//! format/umask           config:8-15             -> config = 0x0304
//! ```
//! Source: Linux, `Documentation/ABI/testing/sysfs-bus-event_source-devices-format` and `-events`:
//! the value's bits go to the bits listed, lowest first; a term without a value is 1.

use std::collections::BTreeMap;

/// `config`, `config1` and `config2` of `perf_event_attr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfigWords {
    /// `config`, `config1`, `config2`.
    pub words: [u64; 3],
}

/// Why terms are no words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermError {
    /// The unit has no such term.
    #[error("its format has no `{term}`")]
    NoSuchTerm {
        /// The term.
        term: String,
    },
    /// The value is no number, or is to be filled in by who asks (`event=?`).
    #[error("`{value}` of `{term}` is no number")]
    NotANumber {
        /// The term.
        term: String,
        /// Its value.
        value: String,
    },
    /// The value has bits that the term has no room for.
    #[error("{value:#x} of `{term}` needs more than the {bits} bits of `{format}`")]
    TooLarge {
        /// The term.
        term: String,
        /// Its value.
        value: u64,
        /// Where it goes.
        format: String,
        /// How many bits that has.
        bits: usize,
    },
    /// The format is not understood.
    #[error("`{format}` of `{term}` is no format; expected one such as config:0-7,21")]
    BadFormat {
        /// The term.
        term: String,
        /// What it says.
        format: String,
    },
}

/// Puts an event's terms into words. `format` maps a unit's terms to where they go.
pub(super) fn words(
    terms: &str,
    format: &BTreeMap<String, String>,
) -> Result<ConfigWords, TermError> {
    let mut config = ConfigWords::default();
    for part in terms.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (term, value) = part.split_once('=').unwrap_or((part, "1"));
        let value = number(value).ok_or_else(|| TermError::NotANumber {
            term: term.to_owned(),
            value: value.to_owned(),
        })?;
        // Without a line in `format` these stand for the whole word.
        let whole = ["config", "config1", "config2"].iter().position(|word| *word == term);
        match (format.get(term), whole) {
            (Some(format), _) => place(&mut config, term, value, format)?,
            (None, Some(word)) => config.words[word] = value,
            (None, None) => return Err(TermError::NoSuchTerm { term: term.to_owned() }),
        }
    }
    Ok(config)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn place(config: &mut ConfigWords, term: &str, value: u64, format: &str) -> Result<(), TermError> {
    let (word, bits) = layout(format)
        .ok_or_else(|| TermError::BadFormat { term: term.to_owned(), format: format.to_owned() })?;
    if bits.len() < 64 && value >> bits.len() != 0 {
        let (term, format) = (term.to_owned(), format.to_owned());
        return Err(TermError::TooLarge { term, value, format, bits: bits.len() });
    }
    for (from, to) in bits.iter().enumerate() {
        config.words[word] |= (value >> from & 1) << to;
    }
    Ok(())
}

/// The word, and its bits from the value's lowest on.
fn layout(format: &str) -> Option<(usize, Vec<u32>)> {
    let (word, ranges) = format.split_once(':')?;
    let word = ["config", "config1", "config2"].iter().position(|name| *name == word)?;
    let mut bits = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 63 {
            return None;
        }
        bits.extend(first..=last);
    }
    Some((word, bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As sysfs has it on a Skylake-SP for memory controllers and I/O stacks.
    fn format() -> BTreeMap<String, String> {
        let lines = [
            ("event", "config:0-7"),
            ("umask", "config:8-15"),
            ("edge", "config:18"),
            ("thresh", "config:24-31"),
            ("ch_mask", "config:36-43"),
            ("umask_ext", "config:8-15,32-43,45-55"),
            ("ldlat", "config1:0-15"),
            ("match", "config2:4-6"),
            ("all", "config2:0-63"),
        ];
        lines.map(|(term, place)| (term.to_owned(), place.to_owned())).into()
    }

    fn of(terms: &str) -> Result<[u64; 3], TermError> {
        words(terms, &format()).map(|config| config.words)
    }

    #[test]
    fn events_of_known_machines_give_the_words_that_perf_shows_for_them() {
        assert_eq!(of("event=0x04,umask=0x03"), Ok([0x304, 0, 0]));
        assert_eq!(of("event=0x04,umask=0x0c"), Ok([0xc04, 0, 0]));
        assert_eq!(of("event=0xff,umask=0x20"), Ok([0x20ff, 0, 0]));
        assert_eq!(of("event=0x83,umask=0x01,ch_mask=0x04"), Ok([0x40_0000_0183, 0, 0]));
        assert_eq!(
            of("event=0x102"),
            Err(TermError::TooLarge {
                term: "event".into(),
                value: 0x102,
                format: "config:0-7".into(),
                bits: 8,
            })
        );
    }

    #[test]
    fn a_term_may_be_spread_go_to_another_word_have_no_value_or_be_a_word() {
        assert_eq!(of("umask_ext=0x1ff"), Ok([0x1_0000_ff00, 0, 0]));
        assert_eq!(of("ldlat=30,match=5"), Ok([0, 30, 0x50]));
        assert_eq!(of("edge,event=1"), Ok([0x4_0001, 0, 0]));
        assert_eq!(of("all=0xffffffffffffffff"), Ok([0, 0, u64::MAX]));
        assert_eq!(of("config=0x2,config1=7"), Ok([2, 7, 0]));
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        assert_eq!(of("evnt=1"), Err(TermError::NoSuchTerm { term: "evnt".into() }));
        let open = TermError::NotANumber { term: "event".into(), value: "?".into() };
        assert_eq!(of("event=?"), Err(open));
        for wrong in ["config:", "config:7-0", "config:64", "config9:1", "0-7", "config:a-b"] {
            let format = BTreeMap::from([("event".to_owned(), wrong.to_owned())]);
            let error = words("event=1", &format).unwrap_err();
            assert!(matches!(error, TermError::BadFormat { .. }), "{wrong}: {error}");
        }
    }
}
