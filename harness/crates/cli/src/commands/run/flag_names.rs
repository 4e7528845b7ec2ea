//! The flags that set the fields of a configuration.

use onesided_results::{RunConfiguration, columns};

/// Units that field names end with and flags do not: there the value carries it.
const UNITS: [&str; 3] = ["bytes", "ms", "ns"];

/// The flag of a field, with the unit in which its value is told, as `--duration (ms)`.
fn flag(field: &str) -> String {
    match field {
        "window_ms" => return "--counting-window (ms)".to_owned(),
        "rate_ops_per_second" => return "--rate".to_owned(),
        "worker_rate_per_second" => return "--worker-rate".to_owned(),
        // `--load` would be taken for the load that the clients are.
        "load_bytes" => return "--load-bytes".to_owned(),
        _ => {}
    }
    let (stem, unit) = match field.rsplit_once('_') {
        Some((stem, unit)) if UNITS.contains(&unit) => (stem, format!(" ({unit})")),
        _ => (field, String::new()),
    };
    format!("--{}{unit}", stem.replace('_', "-"))
}

/// `text`, with each field of a configuration named as the flag that sets it.
pub fn by_flags(text: &str) -> String {
    let fields = columns::<RunConfiguration>();
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
    use clap::CommandFactory;

    use super::*;

    #[derive(clap::Parser)]
    struct Parser {
        #[command(flatten)]
        _factors: super::super::factors::Factors,
    }

    #[test]
    fn every_field_that_a_flag_sets_is_named_by_a_flag_that_there_is() {
        let command = Parser::command();
        let flags: Vec<_> = command.get_arguments().filter_map(|flag| flag.get_long()).collect();
        // What only a run table has; and the load's kind, which follows from its size.
        let beside = ["experiment", "replicate", "block", "order", "gid_index", "load_kind"];
        for field in columns::<RunConfiguration>().iter().filter(|field| !beside.contains(field)) {
            let named = flag(field);
            let name = named.trim_start_matches("--").split(' ').next().unwrap();
            assert!(flags.contains(&name), "{field}: {named}");
        }
    }

    #[test]
    fn values_and_other_words_stay_as_they_are() {
        let text = "duration_ms is 15, but window_ms = 10 allows only a multiple of it";
        let named =
            "--duration (ms) is 15, but --counting-window (ms) = 10 allows only a multiple of it";
        assert_eq!(by_flags(text), named);
        assert_eq!(by_flags("rate_ops_per_second is 5"), "--rate is 5");
        assert_eq!(by_flags(""), "");
    }
}
