use super::*;
use crate::{
    RunRow,
    row::ConditionRow,
    table::{Extra, Row as _, TableError, TableReader, write_table},
    version,
    vocabulary::Source,
};

fn run(configuration: &RunConfiguration) -> RunRow {
    RunRow::with(Source::Emulated, Factors::of(configuration, Seen::default()))
}

/// Another level of the factor of this value, where one is easily said.
fn another(value: &serde_json::Value) -> Option<serde_json::Value> {
    if value.is_string() {
        None
    } else {
        Some(value.as_u64().map_or(1, |number| number + 1).into())
    }
}

#[test]
fn every_number_that_is_set_tells_runs_apart() {
    let default = RunConfiguration { workers: 1, ..RunConfiguration::default() };
    let values = serde_json::to_value(&default).unwrap();
    let mut compared = 0;
    // Of two factors only what was negotiated counts.
    let negotiated = ["mtu_bytes", "max_rd_atomic"];
    for factor in RunConfiguration::factors().filter(|factor| !negotiated.contains(factor)) {
        let Some(level) = another(&values[factor]) else { continue };
        let mut changed = values.clone();
        changed[factor] = level;
        // A choice that is absent has no number in its place.
        let Ok(changed) = serde_json::from_value(changed) else { continue };
        assert_ne!(run(&changed).condition_key(), run(&default).condition_key(), "{factor}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn what_was_seen_tells_runs_apart_too() {
    let configuration = RunConfiguration::default();
    let seen = Seen { locality: Some(Locality::RdmaRemote), ..Seen::default() };
    let other = RunRow::with(Source::Emulated, Factors::of(&configuration, seen));
    assert_ne!(run(&configuration).condition_key(), other.condition_key());
}

#[test]
fn a_factor_that_means_nothing_is_empty() {
    let idle = run(&RunConfiguration::default());
    assert_eq!((idle.worker_threads, idle.worker_think_time_ns), (None, None));
    let busy = run(&RunConfiguration { workers: 2, ..RunConfiguration::default() });
    assert_eq!(busy.worker_threads.as_deref(), Some("any"));
    assert_eq!(busy.worker_think_time_ns, Some(0));
}

#[test]
fn what_a_source_does_not_say_is_empty_and_not_the_default() {
    let unknown = Factors::unknown(&RunConfiguration::default());
    assert_eq!((unknown.window, unknown.duration_ms), (None, None));
    assert_eq!((unknown.queue_pairs, unknown.operation), (1, Operation::Read));
}

#[test]
fn every_factor_is_a_column_of_runs_and_of_conditions() {
    for columns in [RunRow::columns(), ConditionRow::columns()] {
        for factor in RunConfiguration::factors() {
            assert!(columns.contains(&factor), "{factor}");
        }
        for (seen, _) in Factors::SEEN {
            assert!(columns.contains(seen), "{seen}");
        }
    }
}

#[test]
fn columns_that_were_promised_stay_where_they_are() {
    let fields = RunRow::fields();
    let columns = RunRow::columns();
    assert_ne!(fields, columns);
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(sorted(fields), sorted(columns.clone()));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    let configuration = RunConfiguration {
        operation: Operation::Mixed,
        write_fraction: Some(0.25),
        queue_pairs: 7,
        ..RunConfiguration::default()
    };
    let row = RunRow { run_id: "a, \"b\"".to_owned(), ..run(&configuration) };
    write_table(&path, std::slice::from_ref(&row)).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().next().unwrap(), columns.join(","));
    let back = TableReader::open(&path, Extra::Refused).unwrap();
    assert_eq!(back.collect::<Result<Vec<RunRow>, _>>().unwrap(), [row]);
}

/// The table of one run, of `version` and without the column `without`.
fn table(version: u32, without: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    let row = RunRow { schema_version: version, ..run(&RunConfiguration::default()) };
    write_table(&path, &[row]).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let at = reader.headers().unwrap().iter().position(|name| name == without).unwrap();
    let lines = std::iter::once(reader.headers().unwrap().clone())
        .chain(reader.records().map(Result::unwrap).collect::<Vec<_>>());
    let mut writer = csv::Writer::from_path(&path).unwrap();
    for line in lines {
        let cells = line.iter().enumerate().filter(|(index, _)| *index != at);
        writer.write_record(cells.map(|(_, cell)| cell)).unwrap();
    }
    writer.flush().unwrap();
    (directory, path)
}

fn read(path: &std::path::Path) -> Result<Vec<RunRow>, TableError> {
    TableReader::open(path, Extra::Refused)?.collect()
}

#[test]
fn in_an_older_table_what_came_later_is_unknown() {
    let (_directory, path) = table(3, "send_queue_depth");
    let rows = read(&path).unwrap();
    assert_eq!((rows[0].send_queue_depth, rows[0].duration_ms), (None, Some(2000)));
}

#[test]
fn a_table_of_this_version_has_every_column_and_an_older_one_those_of_its_own() {
    let written = version::RUNS.written;
    for (version, column) in
        [(written, "send_queue_depth"), (4, "send_queue_depth"), (3, "queue_pairs"), (3, "threads")]
    {
        let (_directory, path) = table(version, column);
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with(&format!("column \"{column}\" is missing")), "{error}");
    }
    assert!(RunRow::SINCE.starts_with(Factors::SINCE), "of the factors, and more");
    assert!(RunRow::SINCE.contains(&("messages_sent", 11)), "{:?}", RunRow::SINCE);
    for (column, since) in RunRow::SINCE {
        let (_directory, path) = table(since - 1, column);
        assert!(read(&path).is_ok(), "{column}");
    }
}

#[test]
fn a_newer_table_is_refused_with_the_versions_that_are_read() {
    let newer = version::RUNS.written + 1;
    let (_directory, path) = table(newer, "send_queue_depth");
    let error = read(&path).unwrap_err().to_string();
    let told =
        format!(":2: schema version \"{newer}\", this program reads {}: make", version::RUNS);
    assert!(error.contains(&told), "{error}");
}
