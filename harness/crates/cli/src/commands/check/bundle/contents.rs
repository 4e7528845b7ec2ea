//! What the files of a bundle say, folder by folder, and of each other.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::Path,
};

use anyhow::{Context as _, bail, ensure};
use onesided_experiment::{RunTable, profile};
use onesided_results::{
    RunConfiguration, RunRow, TableHost,
    bundle::{BundleManifest, Member, RunCounts, Summary, Tally, check_unpacked_length},
    directory::{RECORD_FILE, path_of},
    regular_file,
    row::{ClientRow, LatencyRow, WindowRow},
    schema::Table,
    table::{Extra, Row, TableReader, cells},
    version,
};

use super::super::{
    examine_folder,
    run::{Parts, whole_run},
};
use crate::{commands::expand::LeftOut, printed::counted, say::of_a_peer};

/// Experiment and name of a run.
type Key = (String, String);

/// What a run gives in the tables.
struct Rows {
    row: RunRow,
    parts: Parts,
}

/// Holds the files of a bundle of one profile against each other. Folders come in the order of their
/// names, so runs come before the tables of them.
pub struct BundleCheck<'p> {
    profile: &'p str,
    tally: Tally,
    /// What each run gives in the tables, by experiment and name.
    rows: HashMap<Key, Rows>,
    has_machine: bool,
    /// Rows of the table of runs; absent as long as there is no table.
    tabled: Option<usize>,
}

impl<'p> BundleCheck<'p> {
    /// Of a bundle without files yet.
    pub fn of(profile: &'p str) -> Self {
        let (tally, rows) = (Tally::default(), HashMap::new());
        Self { profile, tally, rows, has_machine: false, tabled: None }
    }

    /// Checks the files `names` of the bundle, all of its folder `below`, which is `folder` on the disk.
    pub fn folder(&mut self, below: &str, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
        let member = |name: &&str| Member::of(name, self.profile);
        match names.first().and_then(member) {
            Some(Member::OfRun) => self.run(below, folder, names),
            Some(Member::Table | Member::TableHost) => self.tables(folder, names),
            Some(Member::Plan | Member::LeftOut) => self.plan(below, folder, names),
            Some(Member::Machine | Member::Simulation) => self.machine(folder, names),
            Some(Member::Notes) => {
                regular_file::text(&folder.join(Member::NOTES_FILE))
                    .with_context(|| format!("{} is no text", Member::NOTES_FILE))?;
                Ok(())
            }
            None => bail!("{below}: no folder of a bundle"),
        }
    }

    fn run(&mut self, below: &str, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
        let has = |file: &str| names.iter().any(|name| file_of(name) == file);
        ensure!(
            has(RECORD_FILE),
            "{below}: there is no {RECORD_FILE}: remove it, and do the run again"
        );
        let run = whole_run(folder)?;
        for name in names {
            // Of a run that failed, nothing else has read them.
            if let Some(table) = Table::called(file_of(name)) {
                (table.count)(&folder.join(file_of(name)))?;
            }
        }
        let named = path_of(Path::new("raw"), &run.record.configuration);
        ensure!(
            named == Path::new(below),
            "{below}: the record is of {}: it was moved or renamed; put it back",
            named.display()
        );
        self.tally.add(&run.record).with_context(|| format!("{below}/{RECORD_FILE}"))?;
        let key = (run.row.experiment.clone(), run.row.run_id.clone());
        self.rows.insert(key, Rows { row: run.row, parts: run.parts });
        Ok(())
    }

    fn tables(&mut self, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
        for file in Member::collected() {
            let is_there = names.iter().any(|name| file_of(name) == *file);
            ensure!(is_there, "{} is missing: {}", folder.join(file).display(), self.collect());
        }
        for name in names.iter().filter(|name| name.ends_with(".gz")) {
            check_unpacked_length(&folder.join(file_of(name)))?;
        }
        self.runs_of_table(&folder.join(RunRow::FILE))?;
        let key = |row: ClientRow| (row.experiment, row.run_id);
        self.each_run_is_in(folder, key, |parts| parts.clients)?;
        let key = |row: WindowRow| (row.experiment, row.run_id);
        self.each_run_is_in(folder, key, |parts| parts.windows)?;
        let key = |row: LatencyRow| (row.experiment, row.run_id);
        self.each_run_is_in(folder, key, |parts| parts.latency)?;
        examine_folder(folder)?;
        for name in names.iter().filter(|name| name.ends_with(".json")) {
            let path = folder.join(file_of(name));
            let host: TableHost = serde_json::from_str(&regular_file::text(&path)?)
                .with_context(|| format!("{} is no machine beside a table", path.display()))?;
            let (found, reads) = (host.schema_version, version::TABLE_HOST);
            ensure!(
                reads.reads(found.into()),
                "{}: schema version {found}, this program reads {reads}: make the table again",
                path.display()
            );
        }
        Ok(())
    }

    /// The table of runs has each run once, as it is.
    fn runs_of_table(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut left: BTreeSet<&Key> = self.rows.keys().collect();
        let mut rows = TableReader::<RunRow>::open(path, Extra::Refused)?;
        while let Some(row) = rows.next().transpose()? {
            let at = format!("{}:{}", path.display(), rows.line());
            self.compare(&row).with_context(|| at.clone())?;
            let is_new = left.remove(&(row.experiment, row.run_id.clone()));
            ensure!(is_new, "{at}: run {} is there twice: {}", row.run_id, self.collect());
        }
        if let Some((experiment, run)) = left.pop_first() {
            bail!("{} lacks run {run} of {experiment}: {}", path.display(), self.collect());
        }
        self.tabled = Some(self.rows.len());
        Ok(())
    }

    /// A table of parts of runs has as many rows of each run as are `due`, together, and none of a run that
    /// is not there. What is kept of it is no more than the runs.
    fn each_run_is_in<R: Row>(
        &self,
        folder: &Path,
        key: impl Fn(R) -> Key,
        due: impl Fn(&Parts) -> u64,
    ) -> anyhow::Result<()> {
        let path = folder.join(R::FILE);
        let at = path.display();
        let mut found: HashMap<&Key, u64> = HashMap::new();
        let mut present: Option<&Key> = None;
        for row in TableReader::<R>::open(&path, Extra::Refused)? {
            let key = key(row?);
            if present != Some(&key) {
                let Some((known, _)) = self.rows.get_key_value(&key) else {
                    bail!("{at}: {}: {}", no_run(&key), self.collect());
                };
                let run = &known.1;
                let is_new = !found.contains_key(known);
                ensure!(is_new, "{at}: rows of run {run} stand apart: {}", self.collect());
                present = Some(known);
            }
            *present.map(|known| found.entry(known).or_default()).expect("just set") += 1;
        }
        let mut wrong: Vec<_> = self.rows.iter().map(|(key, run)| (key, due(&run.parts))).collect();
        wrong.retain(|(key, due)| found.get(key).copied().unwrap_or(0) != *due);
        match wrong.into_iter().min() {
            None => Ok(()),
            Some((key @ (experiment, run), due)) => match found.get(key) {
                None => bail!("{at} lacks run {run} of {experiment}: {}", self.collect()),
                Some(rows) => bail!(
                    "{at}: run {run} of {experiment} has {rows} rows, its files give {due}: {}",
                    self.collect()
                ),
            },
        }
    }

    /// A row is what its run gives, in all columns that its version of the format has.
    fn compare(&self, row: &RunRow) -> anyhow::Result<()> {
        let key = (row.experiment.clone(), row.run_id.clone());
        let run = self.rows.get(&key).map(|run| &run.row);
        let run = run.filter(|run| run.profile == row.profile);
        let Some(run) = run else {
            bail!("{}: {}", no_run(&key), self.collect());
        };
        let is_later = |column: &str| {
            let since = RunRow::SINCE.iter().find(|(later, _)| *later == column);
            column == "schema_version"
                || since.is_some_and(|(_, since)| *since > row.schema_version)
        };
        for ((column, found), (_, due)) in cells(row).into_iter().zip(cells(run)) {
            if is_later(column) {
                continue;
            }
            let run = &row.run_id;
            ensure!(
                found == due,
                "column \"{column}\" is \"{found}\", run {run} gives \"{due}\": {}",
                self.collect()
            );
        }
        Ok(())
    }

    fn collect(&self) -> String {
        let profile = self.profile;
        format!(
            "`onesided collect --raw results/raw/{profile} --out results/tables/{profile}` first"
        )
    }

    fn plan(&self, below: &str, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
        let path = folder.join(RunConfiguration::FILE);
        let has = |file: &str| names.iter().any(|name| file_of(name) == file);
        ensure!(
            has(RunConfiguration::FILE),
            "{below}: there is no {} beside {}: expand the design again",
            RunConfiguration::FILE,
            Member::LEFT_OUT_FILE
        );
        let table = RunTable::read(&path)?;
        let experiment = file_of(below);
        let stranger = table
            .runs()
            .iter()
            .find(|run| run.profile != self.profile || run.experiment != experiment);
        if let Some(run) = stranger {
            let (run, of, profile) = (&run.run_id, &run.experiment, &run.profile);
            bail!("{}: run {run} is of {of} on {profile}: expand the design again", path.display());
        }
        if !has(Member::LEFT_OUT_FILE) {
            return Ok(());
        }
        let planned: HashSet<&str> = table.runs().iter().map(|run| run.run_id.as_str()).collect();
        let path = folder.join(Member::LEFT_OUT_FILE);
        for left in TableReader::<LeftOut>::open(&path, Extra::Refused)? {
            let left = left?;
            let (run, of) = (left.run_id(), left.experiment());
            let is_left = of == experiment && !planned.contains(run);
            ensure!(
                is_left,
                "{}: run {run} of {of} is in the run table, or of another design: expand it again",
                path.display()
            );
        }
        Ok(())
    }

    fn machine(&mut self, folder: &Path, names: &[&str]) -> anyhow::Result<()> {
        for name in names {
            let path = folder.join(file_of(name));
            if file_of(name) == profile::FILE {
                profile::read(&path)?;
                self.has_machine = true;
            } else {
                onesided_prediction::read_profile(&path)?;
            }
        }
        Ok(())
    }

    /// Whether all is there that a bundle has.
    pub fn whole(&self) -> anyhow::Result<Summary> {
        let profile = self.profile;
        ensure!(!self.rows.is_empty(), "there is no run in raw/{profile}");
        ensure!(
            self.has_machine,
            "there is no profiles/{profile}/{}: `onesided topology --profile {profile}`, on a host that \
             measured, writes it",
            profile::FILE
        );
        ensure!(self.tabled.is_some(), "there is no table: {}", self.collect());
        Ok(self.tally.summary())
    }

    /// Whether the runs are what the manifest says; says what they are.
    pub(super) fn end(self, manifest: &BundleManifest) -> anyhow::Result<String> {
        let runs = self.whole()?;
        ensure!(
            runs == manifest.runs,
            "manifest.json: \"runs\" is not what the records in raw/{} give: it was changed by hand",
            self.profile
        );
        Ok(format!("bundle {}: {}", manifest.campaign, in_words(&runs, self.tabled.unwrap_or(0))))
    }

    /// Rows of the table of runs.
    pub fn tabled(&self) -> usize {
        self.tabled.unwrap_or(0)
    }
}

/// What runs a bundle has, in words.
pub fn in_words(runs: &Summary, tabled: usize) -> String {
    let RunCounts { valid, doubtful, invalid, failed } = runs.counts();
    let by_status = [
        (valid, "valid"),
        (doubtful, "valid with doubts"),
        (invalid, "invalid"),
        (failed, "failed"),
    ];
    let by_status = by_status.iter().filter(|(count, _)| *count > 0);
    let by_status: Vec<_> = by_status.map(|(count, words)| format!("{count} {words}")).collect();
    let sources: Vec<_> = runs.sources.keys().map(ToString::to_string).collect();
    format!(
        "{} ({}) of {}, {}; {tabled} in the tables",
        counted(runs.counts().all(), "run"),
        by_status.join(", "),
        counted(runs.experiments.len() as u64, "experiment"),
        sources.join(" and "),
    )
}

/// That a table has a run which is not there: its name may be of any length.
fn no_run((experiment, run): &Key) -> String {
    of_a_peer(&format!("there is no run {run} of {experiment}"))
}

/// The last part of a path.
fn file_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, file)| file)
}
