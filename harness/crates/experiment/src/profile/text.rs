//! A profile as the text of its file.

use std::collections::BTreeMap;

use onesided_results::MachineProfile;

/// A fact that could not be told, for a reader of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untold {
    /// The table that lacks it, as its header has it: `host.nic`.
    pub table: &'static str,
    /// Which of the tables with that header, from 0.
    pub index: usize,
    /// What is missing, and why.
    pub why: String,
}

/// The text of a profile's file: fields in the order of their declaration, below each table's
/// header a comment for every fact that could not be told.
///
/// # Panics
/// Never: a profile is TOML.
pub fn to_text(profile: &MachineProfile, untold: &[Untold]) -> String {
    let plain = toml::to_string(profile).expect("a profile is TOML");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut text = String::new();
    for line in plain.lines() {
        text.push_str(line);
        text.push('\n');
        let Some(table) = header(line) else { continue };
        let index = seen.entry(table).and_modify(|index| *index += 1).or_default();
        for missing in untold.iter().filter(|it| it.table == table && it.index == *index) {
            // A comment ends with its line, whatever a kernel file holds.
            let why = missing.why.replace(char::is_control, " ");
            text.push_str(&format!("# {why}\n"));
        }
    }
    text
}

/// The table that a line is the header of.
fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner))
}
