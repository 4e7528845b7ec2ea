//! A flag for each factor: name, help and value from its declaration.

use std::time::Duration;

use clap::{Arg, ArgAction};
use onesided_results::{
    RunConfiguration,
    schema::columns::{Column, Domain, described},
    table::with_cell,
};

use super::implied::IMPLIED;
use crate::arguments::{bytes, duration, profile_name};

/// The switch for the workers of the study.
pub const AS_PUBLISHED: &str = "as_published";

/// Fields that no flag of theirs sets: what only a run table has, what the flags of the device say,
/// and the load's kind, which follows from its size.
const WITHOUT: [&str; 6] = ["experiment", "replicate", "block", "order", "gid_index", "load_kind"];

/// The first field of each part of the help.
const HEADINGS: [(&str, &str); 8] = [
    ("run_id", "Run"),
    ("operation", "Operation"),
    ("queue_pairs", "Queues"),
    ("mtu_bytes", "Connection"),
    ("loop", "Load"),
    ("server_region", "Placement"),
    ("workers", "Workers"),
    ("load_process", "Independent load and caches"),
];

/// The arguments that set fields.
pub fn flags() -> impl Iterator<Item = Arg> {
    let columns = described::<RunConfiguration>().into_iter();
    let mut heading = "";
    let of_fields = columns.filter_map(move |column| {
        heading = HEADINGS.iter().find(|(first, _)| *first == column.name).map_or(heading, |h| h.1);
        (!WITHOUT.contains(&column.name)).then(|| argument(&column, heading))
    });
    of_fields.chain([Arg::new(AS_PUBLISHED)
        .long("as-published")
        .help("The sequence of the study's own workers: short for --worker-pattern as-published")
        .help_heading("Workers")
        .action(ArgAction::SetTrue)
        .requires("workers")
        .conflicts_with_all(["worker_pattern", "table"])])
}

fn argument(column: &Column, heading: &'static str) -> Arg {
    let (name, unit) = name_and_unit(column.name);
    let field = column.name;
    let mut argument = Arg::new(field)
        .long(name)
        .help(help(column))
        .help_heading(heading)
        .value_name(value_name(column))
        .allow_negative_numbers(true)
        .conflicts_with("table")
        .value_parser(move |text: &str| cell(field, unit, text));
    if field.starts_with("load_") && field != "load_bytes" {
        argument = argument.requires("load_bytes");
    }
    argument
}

/// What it is, its words, and what it is where it is not given.
fn help(column: &Column) -> String {
    let mut help = column.about.trim_end_matches('.').to_owned();
    if let Domain::Words(words) = &column.domain {
        help += &format!(" ({})", words.join(", "));
    }
    if let Some(default) = default(column.name) {
        help += &format!(" [default: {default}]");
    }
    help
}

fn default(field: &str) -> Option<String> {
    if let Some((_, implied)) = IMPLIED.iter().find(|(name, _)| *name == field) {
        return Some((*implied).to_owned());
    }
    let values = serde_json::to_value(RunConfiguration::default()).expect("plain values");
    match &values[field] {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.clone()),
        number => Some(match name_and_unit(field).1 {
            Some(unit @ (Unit::Milliseconds | Unit::Nanoseconds)) => {
                format!("{number}{}", unit.word())
            }
            _ => number.to_string(),
        }),
    }
}

fn value_name(column: &Column) -> String {
    let name = column.name;
    let told = match (name_and_unit(name).1, &column.domain) {
        (Some(Unit::Bytes), _) => "BYTES",
        (Some(Unit::Milliseconds | Unit::Nanoseconds), _) => "DURATION",
        _ if name.ends_with("_fraction") => "FRACTION",
        _ if name.ends_with("_exponent") => "EXPONENT",
        _ if name.ends_with("_per_second") => "PER_SECOND",
        (_, Domain::Number) => "NUMBER",
        (_, Domain::Text) if !["run_id", "profile"].contains(&name) => "PLACE",
        _ => return name.rsplit('_').next().unwrap_or(name).to_uppercase(),
    };
    told.to_owned()
}

/// A unit that a field's name ends in and a flag's does not: there the value carries it.
#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Milliseconds,
    Nanoseconds,
}

impl Unit {
    const ALL: [Self; 3] = [Self::Bytes, Self::Milliseconds, Self::Nanoseconds];

    fn word(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Milliseconds => "ms",
            Self::Nanoseconds => "ns",
        }
    }
}

/// The name of a field's flag, and the unit that its value carries.
fn name_and_unit(field: &str) -> (String, Option<Unit>) {
    let unit = field.rsplit_once('_').and_then(|(stem, end)| {
        Some((stem, Unit::ALL.into_iter().find(|unit| unit.word() == end)?))
    });
    let (stem, unit) = unit.map_or((field, None), |(stem, unit)| (stem, Some(unit)));
    let name = match field {
        "window_ms" => "counting-window".to_owned(),
        "rate_ops_per_second" => "rate".to_owned(),
        "worker_rate_per_second" => "worker-rate".to_owned(),
        // `--load` would be taken for the load that the clients are.
        "load_bytes" => "load-bytes".to_owned(),
        _ => stem.replace('_', "-"),
    };
    (name, unit)
}

/// The value of a flag as a cell of a run table.
fn cell(field: &str, unit: Option<Unit>, text: &str) -> Result<String, String> {
    let cell = match unit {
        None if field == "profile" => profile_name(text)?,
        None => text.to_owned(),
        Some(Unit::Bytes) => bytes(text)?.to_string(),
        Some(Unit::Nanoseconds) => duration(text)?.as_nanos().to_string(),
        Some(Unit::Milliseconds) => whole_milliseconds(duration(text)?)?.to_string(),
    };
    // Of a cell it may also be said how to leave it empty.
    let first = |reason: String| reason.split("; leave").next().unwrap_or_default().to_owned();
    with_cell(&RunConfiguration::default(), field, &cell).map_err(first)?;
    Ok(cell)
}

fn whole_milliseconds(duration: Duration) -> Result<u128, String> {
    if !duration.subsec_nanos().is_multiple_of(1_000_000) {
        return Err("not a whole number of milliseconds".to_owned());
    }
    Ok(duration.as_millis())
}

/// The flag of a field as messages name it, with the unit in which its value is told, as
/// `--duration (ms)`.
fn flag(field: &str) -> String {
    let (name, unit) = name_and_unit(field);
    // Its own name has it.
    let unit = unit.filter(|unit| !name.ends_with(unit.word()));
    format!("--{name}{}", unit.map(|unit| format!(" ({})", unit.word())).unwrap_or_default())
}

/// `text`, with each field of a configuration named as the flag that sets it.
pub fn by_flags(text: &str) -> String {
    let fields = RunConfiguration::fields();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut named = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let word = &rest[start..];
        let (word, behind) =
            word.split_at(word.find(|letter| !is_name(letter)).unwrap_or(word.len()));
        named += &rest[..start];
        if fields.contains(&word) {
            named += &flag(word)
        } else {
            named += word
        }
        rest = behind;
    }
    named + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_flag_with_help_and_heading() {
        let flags: Vec<_> = flags().collect();
        let names: Vec<_> = flags.iter().filter_map(Arg::get_long).collect();
        for field in RunConfiguration::fields().iter().filter(|field| !WITHOUT.contains(field)) {
            let named = flag(field);
            let name = named.trim_start_matches("--").split(' ').next().unwrap();
            assert!(names.contains(&name), "{field}: {named}");
        }
        for flag in flags {
            let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.len() > 5 && flag.get_help_heading().is_some(), "{flag:?}");
        }
        let headed = RunConfiguration::fields();
        assert!(HEADINGS.iter().all(|(first, _)| headed.contains(first)));
        assert!(IMPLIED.iter().all(|(field, _)| headed.contains(field)));
    }

    #[test]
    fn values_and_other_words_stay_as_they_are() {
        let text = "duration_ms is 15, but window_ms = 10 allows only a multiple of it";
        let named =
            "--duration (ms) is 15, but --counting-window (ms) = 10 allows only a multiple of it";
        assert_eq!(by_flags(text), named);
        assert_eq!(by_flags("rate_ops_per_second is 5"), "--rate is 5");
        assert_eq!(by_flags("load_bytes is 4"), "--load-bytes is 4");
        assert_eq!(by_flags(""), "");
    }

    #[test]
    fn values_become_cells_or_are_refused_with_the_reason() {
        let of = |field: &str, text: &str| cell(field, name_and_unit(field).1, text);
        assert_eq!(of("access_bytes", "4KiB").as_deref(), Ok("4096"));
        assert_eq!(of("think_time_ns", "3us").as_deref(), Ok("3000"));
        assert_eq!(of("warm_up_ms", "1s").as_deref(), Ok("1000"));
        assert_eq!(of("warm_up_ms", "1us").unwrap_err(), "not a whole number of milliseconds");
        assert_eq!(of("zipf_exponent", "NaN").unwrap_err(), "not a finite number");
        let reason = of("operation", "raed").unwrap_err();
        assert!(reason.contains("did you mean \"read\""), "{reason}");
        let reason = of("retry_count", "300").unwrap_err();
        assert_eq!(reason, "not a whole number from 0 to 255");
    }
}
