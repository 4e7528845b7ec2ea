//! One run's directory, read and estimated.

use std::{ops::Range, path::Path};

use onesided_results::{
    RunRecord, RunRow,
    directory::RECORD_FILE,
    record::Outcome,
    row::{ClientRow, LatencyRow, WindowRow},
    series::{LatencyBucket, WindowCount},
    table::{Extra, Row, TableReader, cells},
    version,
};

use super::{CollectError, rows};
use crate::{latency::Latencies, windows::Windows};

/// Bytes of a cell of its row, at the most. Ours: twice what the names of all doubts have.
const LONGEST_CELL: usize = 4096;

/// What one run's directory says.
pub struct CollectedRun {
    /// Its row in the table of runs.
    pub row: RunRow,
    /// A row for each of its queue pairs; none if it failed.
    pub clients: Vec<ClientRow>,
    window_counts: Vec<WindowCount>,
    latency_buckets: Vec<LatencyBucket>,
}

/// What a run counted, and what is estimated from it.
pub(super) struct Counts {
    pub(super) windows: Windows,
    /// The complete windows in which all queue pairs were to be active.
    pub(super) interval: Range<usize>,
    /// Of all queue pairs.
    pub(super) latencies: Latencies,
}

impl CollectedRun {
    /// Reads the run in `directory`.
    ///
    /// A failed run has a row without estimates: what it may have counted is not all.
    ///
    /// # Errors
    /// When a file is missing or damaged, or they disagree.
    pub fn read(directory: &Path) -> Result<Self, CollectError> {
        let record = RunRecord::read(&directory.join(RECORD_FILE))?;
        // What no run can have been asked for is damage, and may be more than memory holds.
        record.configuration.check().map_err(|source| {
            let path = directory.join(RECORD_FILE);
            CollectError::Configuration { path, source }
        })?;
        if matches!(record.outcome, Outcome::Failed { .. }) {
            let row = checked(directory, rows::run_row(&record, None))?;
            let (clients, window_counts, latency_buckets) = (Vec::new(), Vec::new(), Vec::new());
            return Ok(Self { row, clients, window_counts, latency_buckets });
        }
        let window_counts: Vec<WindowCount> = read_table(directory)?;
        let latency_buckets: Vec<LatencyBucket> = read_table(directory)?;
        let counts = counts(directory, &record, &window_counts, &latency_buckets)?;
        let latency_error = |source| latency_error(directory, source);
        let clients =
            rows::client_rows(&record, &counts.windows, &latency_buckets).map_err(latency_error)?;
        let row = checked(directory, rows::run_row(&record, Some(&counts)))?;
        Ok(Self { row, clients, window_counts, latency_buckets })
    }

    /// Its rows in the table of windows.
    pub fn windows(&self) -> impl Iterator<Item = WindowRow> {
        self.window_counts.iter().map(|count| WindowRow {
            schema_version: version::WINDOWS.written,
            source: self.row.source,
            profile: self.row.profile.clone(),
            experiment: self.row.experiment.clone(),
            run_id: self.row.run_id.clone(),
            window: count.window,
            start_ns: count.start_ns,
            queue_pair: count.queue_pair,
            operations: count.operations,
        })
    }

    /// Its rows in the table of latencies.
    pub fn latency(&self) -> impl Iterator<Item = LatencyRow> {
        self.latency_buckets.iter().map(|bucket| LatencyRow {
            schema_version: version::LATENCY.written,
            source: self.row.source,
            profile: self.row.profile.clone(),
            experiment: self.row.experiment.clone(),
            run_id: self.row.run_id.clone(),
            queue_pair: bucket.queue_pair,
            lowest_ns: bucket.lowest_ns,
            highest_ns: bucket.highest_ns,
            count: bucket.count,
        })
    }
}

fn read_table<T: Row>(directory: &Path) -> Result<Vec<T>, CollectError> {
    let reader = TableReader::open(&directory.join(T::FILE), Extra::Refused)?;
    Ok(reader.collect::<Result<_, _>>()?)
}

fn latency_error(directory: &Path, source: crate::latency::LatencyError) -> CollectError {
    CollectError::Latency { path: directory.join(LatencyBucket::FILE), source }
}

fn counts(
    directory: &Path,
    record: &RunRecord,
    window_counts: &[WindowCount],
    latency_buckets: &[LatencyBucket],
) -> Result<Counts, CollectError> {
    let configuration = &record.configuration;
    let window_ns = configuration.window_ms.saturating_mul(1_000_000).max(1);
    let windows = Windows::new(window_counts, configuration.queue_pairs, window_ns);
    let path = || directory.join(WindowCount::FILE);
    let windows = windows.map_err(|source| CollectError::Windows { path: path(), source })?;
    let queue_pairs = configuration.queue_pairs;
    if let Some(stray) = latency_buckets.iter().find(|bucket| bucket.queue_pair >= queue_pairs) {
        let (path, queue_pair) = (directory.join(LatencyBucket::FILE), stray.queue_pair);
        return Err(CollectError::UnknownQueuePair { path, queue_pair, queue_pairs });
    }
    let latencies = Latencies::of(latency_buckets).map_err(|e| latency_error(directory, e))?;
    if let Some(totals) = &record.totals {
        agree(directory, WindowCount::FILE, "operations", windows.operations(), totals.operations)?;
        agree(directory, LatencyBucket::FILE, "latencies", latencies.samples(), totals.samples)?;
    }
    let interval = interval(record, &windows);
    Ok(Counts { windows, interval, latencies })
}

fn agree(
    directory: &Path,
    file: &str,
    what: &'static str,
    in_table: u64,
    in_record: u64,
) -> Result<(), CollectError> {
    if in_table == in_record {
        return Ok(());
    }
    let path = directory.join(file);
    Err(CollectError::CountsDisagree { path, what, in_table, in_record })
}

/// The complete windows in which all queue pairs were to be active.
fn interval(record: &RunRecord, windows: &Windows) -> Range<usize> {
    // A queue pair that stops after so many operations is not idle, it has finished.
    if record.configuration.operations_per_queue_pair.is_some() {
        return windows.all_active();
    }
    let complete = record.totals.as_ref().map_or(0, |t| t.measured_ns / windows.window_ns());
    0..usize::try_from(complete).map_or(windows.windows(), |n| n.min(windows.windows()))
}

/// The row, whose names of hardware come from another machine: a spreadsheet takes a cell that begins with
/// one of these marks for a formula. Rows of all runs are held at once where tables are compared, so no text
/// of theirs may be of any length.
fn checked(directory: &Path, row: RunRow) -> Result<RunRow, CollectError> {
    let nic = row.nic.as_deref().unwrap_or_default();
    for (place, text) in [("nic", nic), ("back_end", &row.back_end)] {
        if text.starts_with(['=', '+', '-', '@']) || text.contains(char::is_control) {
            let (path, value) = (directory.join(RECORD_FILE), text.to_owned());
            return Err(CollectError::Text { path, place, value });
        }
    }
    for (place, text) in cells(&row) {
        let (bytes, longest) = (text.len(), LONGEST_CELL);
        if bytes > longest {
            let path = directory.join(RECORD_FILE);
            return Err(CollectError::LongText { path, place, bytes, longest });
        }
    }
    Ok(row)
}
