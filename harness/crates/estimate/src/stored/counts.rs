//! Runs beside the tables of their queue pairs, windows and latencies.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use onesided_results::{
    RunRow,
    row::{ClientRow, LatencyRow, WindowRow},
    series::LatencyBucket,
    table::{Extra, Row, TableReader, read_rows},
    vocabulary::Source,
};

use super::{Place, StoredError};
use crate::latency::Latencies;

/// Which run a row is of.
type Key = (Source, String, String, String);

/// What a table says of one run.
#[derive(Default)]
struct Counted {
    operations: u64,
    samples: u64,
    rows: u32,
}

impl Counted {
    /// More than a number holds is as much as one holds: no run has done that.
    fn add(&mut self, operations: u64, samples: u64) {
        self.operations = self.operations.saturating_add(operations);
        self.samples = self.samples.saturating_add(samples);
    }
}

/// Refuses runs in `folder` that do not have the counts of the tables beside them, of those that are
/// there: as many queue pairs, their operations and latencies, and the quantiles of these.
///
/// # Errors
/// [`StoredError`]
pub fn check_counts(folder: &Path) -> Result<(), StoredError> {
    let path = folder.join(RunRow::FILE);
    if !path.exists() {
        return Ok(());
    }
    let runs = read_rows::<RunRow>(&path)?;
    let clients = counted::<ClientRow>(folder, |row, run| {
        run.rows += 1;
        run.add(row.operations, row.samples.unwrap_or(0));
    })?;
    let windows = counted::<WindowRow>(folder, |row, run| run.add(row.operations, 0))?;
    let latencies = timed(folder)?;
    for (index, run) in runs.iter().enumerate() {
        let key = (run.source, run.profile.clone(), run.experiment.clone(), run.run_id.clone());
        let check = |table: &str, column: &str, found: Option<String>, due: Option<String>| {
            let place = Place { path: &path, line: index + 2, beside: &folder.join(table) };
            place.expect(column, found.unwrap_or_default(), due.unwrap_or_default())
        };
        let text = |value: Option<u64>| value.map(|value| value.to_string());
        let none = Counted::default();
        let of_run = |clients: &HashMap<Key, Counted>| {
            clients.contains_key(&key) || run.operations.is_some()
        };
        if let Some(clients) = clients.as_ref().filter(|clients| of_run(clients)) {
            let counted = clients.get(&key).unwrap_or(&none);
            let table = ClientRow::FILE;
            let pairs = Some(run.queue_pairs.to_string());
            check(table, "queue_pairs", pairs, Some(counted.rows.to_string()))?;
            check(table, "operations", text(run.operations), text(Some(counted.operations)))?;
            check(table, "samples", text(run.samples), text(Some(counted.samples)))?;
        }
        if let Some(counted) = windows.as_ref().and_then(|windows| windows.get(&key)) {
            let due = text(Some(counted.operations));
            check(WindowRow::FILE, "operations", text(run.operations), due)?;
        }
        if let Some(timed) = latencies.as_ref().and_then(|latencies| latencies.get(&key)) {
            let table = LatencyRow::FILE;
            check(table, "samples", text(run.samples), text(Some(timed.samples)))?;
            // What cannot be a histogram is told of where it is made one.
            let Some((mean, quantiles)) = &timed.histogram else { continue };
            let number = |value: Option<f64>| value.map(|value| value.to_string());
            check(table, "latency_mean_ns", number(run.latency_mean_ns), number(*mean))?;
            let found = [run.latency_p50_ns, run.latency_p99_ns, run.latency_p999_ns];
            for (((column, _), found), due) in QUANTILES.iter().zip(found).zip(quantiles) {
                check(table, column, text(found), text(*due))?;
            }
        }
    }
    Ok(())
}

/// Columns of quantiles, and which they are in thousandths.
const QUANTILES: [(&str, u32); 3] =
    [("latency_p50_ns", 500), ("latency_p99_ns", 990), ("latency_p999_ns", 999)];

/// What latencies say of one run.
struct Timed {
    samples: u64,
    /// Mean and quantiles; absent where they are of no histogram.
    histogram: Option<(Option<f64>, [Option<u64>; 3])>,
}

impl Timed {
    fn of(buckets: &[LatencyBucket]) -> Self {
        let samples = buckets.iter().fold(0, |all: u64, one| all.saturating_add(one.count));
        let histogram = Latencies::of(buckets).ok().map(|latencies| {
            (latencies.mean_ns(), QUANTILES.map(|(_, mille)| latencies.quantile_ns(mille)))
        });
        Self { samples, histogram }
    }
}

/// What the table of latencies says of each run; absent where there is none.
///
/// The latencies of one run are in memory at a time, as they stand together in a table that was collected.
/// Those of runs where they do not are looked for once more.
fn timed(folder: &Path) -> Result<Option<HashMap<Key, Timed>>, StoredError> {
    let path = folder.join(LatencyRow::FILE);
    if !path.exists() {
        return Ok(None);
    }
    let mut of_runs: HashMap<Key, Timed> = HashMap::new();
    let mut scattered: HashSet<Key> = HashSet::new();
    let mut close = |(key, buckets): (Key, Vec<LatencyBucket>)| {
        let timed = Timed::of(&buckets);
        if of_runs.insert(key.clone(), timed).is_some() {
            scattered.insert(key);
        }
    };
    let mut present: Option<(Key, Vec<LatencyBucket>)> = None;
    for row in TableReader::<LatencyRow>::open(&path, Extra::Skipped)? {
        let row = row?;
        match &mut present {
            Some((run, buckets)) if row.is_of(run) => buckets.push(bucket(&row)),
            _ => present.replace((row.key(), vec![bucket(&row)])).into_iter().for_each(&mut close),
        }
    }
    present.into_iter().for_each(close);
    if scattered.is_empty() {
        return Ok(Some(of_runs));
    }
    let mut apart: HashMap<Key, Vec<LatencyBucket>> = HashMap::new();
    for row in TableReader::<LatencyRow>::open(&path, Extra::Skipped)? {
        let row = row?;
        let key = row.key();
        if scattered.contains(&key) {
            apart.entry(key).or_default().push(bucket(&row));
        }
    }
    of_runs.extend(apart.into_iter().map(|(key, buckets)| (key, Timed::of(&buckets))));
    Ok(Some(of_runs))
}

fn bucket(row: &LatencyRow) -> LatencyBucket {
    LatencyBucket {
        queue_pair: row.queue_pair,
        lowest_ns: row.lowest_ns,
        highest_ns: row.highest_ns,
        count: row.count,
    }
}

/// A row that says which run it is of.
trait OfRun: Row {
    fn key(&self) -> Key;

    /// Whether it is that one.
    fn is_of(&self, run: &Key) -> bool;
}

macro_rules! of_run {
    ($($row:ident)+) => {$(
        impl OfRun for $row {
            fn key(&self) -> Key {
                let Self { profile, experiment, run_id, .. } = self;
                (self.source, profile.clone(), experiment.clone(), run_id.clone())
            }

            fn is_of(&self, (source, profile, experiment, run_id): &Key) -> bool {
                // What differs most often is looked at first.
                self.run_id == *run_id
                    && self.experiment == *experiment
                    && self.profile == *profile
                    && self.source == *source
            }
        }
    )+};
}

of_run! { ClientRow WindowRow LatencyRow }

/// What a table says of each run; absent where there is none.
fn counted<R: OfRun>(
    folder: &Path,
    add: impl Fn(&R, &mut Counted),
) -> Result<Option<HashMap<Key, Counted>>, StoredError> {
    let path = folder.join(R::FILE);
    if !path.exists() {
        return Ok(None);
    }
    let mut of_runs: HashMap<Key, Counted> = HashMap::new();
    // Rows of a run stand together, as a rule.
    let mut present: Option<(Key, Counted)> = None;
    for row in TableReader::<R>::open(&path, Extra::Skipped)? {
        let row = row?;
        let (_, counted) = match &mut present {
            Some(same) if row.is_of(&same.0) => same,
            other => {
                let next = row.key();
                let counted = of_runs.remove(&next).unwrap_or_default();
                of_runs.extend(other.take());
                other.insert((next, counted))
            }
        };
        add(&row, counted);
    }
    of_runs.extend(present);
    Ok(Some(of_runs))
}
