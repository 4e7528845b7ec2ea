//! Directories of tidy tables, read into frames.

mod measures;
mod memory;
mod points;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use onesided_estimate::stored::{StoredRuns, read_conditions_of};
use onesided_results::{
    RunRow,
    row::{
        ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow, FabricReadsRow,
        MemoryLatencyRow, PcieOperationRow, ShapeRow,
    },
    table::{Row, TableError, read_rows},
    vocabulary::{Locality, Source},
    word::Word as _,
};

use serde::Serialize;

use crate::{
    columns::Table,
    error::EvaluateError,
    frame::{Frame, Record, Words, record},
    level::Scalar,
};

/// Everything that claims are asked of.
pub struct Tables {
    conditions: Frame,
    /// The rows of runs that each row of conditions pools.
    members: Vec<Vec<usize>>,
    runs: Arc<Frame>,
    clients: Option<Frame>,
    points: BTreeMap<Table, Frame>,
    machines: BTreeSet<(Source, String)>,
}

impl Tables {
    /// Reads the tables in `directories`: `runs.csv.gz`, `conditions.csv.gz` (of our own runs made
    /// from them where there is none), and if asked for, `clients.csv.gz`, which is large;
    /// `memory-latency.csv.gz`, `fabric-reads.csv.gz` and the other two of a fabric, `shapes.csv.gz`
    /// (or the same uncompressed, as what is stated is) and `pcie-operations.csv`, beside runs or alone.
    ///
    /// # Errors
    /// When a table cannot be read, published runs have no conditions beside them, or two
    /// directories have runs, or another table, of the same source and profile: they would be
    /// pooled in secret.
    pub fn read(directories: &[PathBuf], with_clients: bool) -> Result<Self, EvaluateError> {
        let mut machines = Machines::default();
        let mut all = All::default();
        for directory in directories {
            let runs = all.runs.len();
            let points = Table::OF_POINTS.map(|table| (table, all.of_points(table).len()));
            all.read(directory, with_clients)?;
            for (source, run) in &all.runs[runs..] {
                let profile = run["profile"].as_str().unwrap_or_default();
                machines.add(Table::Runs, *source, profile, directory)?;
            }
            for (table, before) in points {
                for (source, row) in &all.of_points(table)[before..] {
                    let profile = row["profile"].as_str().unwrap_or_default();
                    machines.add(table, *source, profile, directory)?;
                }
            }
        }
        let machines = machines.0.into_keys().map(|(_, source, profile)| (source, profile));
        Ok(all.frames(machines.collect()))
    }

    /// The frame of a kind of table; absent if clients were not asked for, or no directory has
    /// such a table.
    pub fn frame(&self, table: Table) -> Option<&Frame> {
        match table {
            Table::Conditions => Some(&self.conditions),
            Table::Runs => Some(&self.runs),
            Table::Clients => self.clients.as_ref(),
            of_points => self.points.get(&of_points),
        }
    }

    /// The runs behind `rows` of a table, each once: as in `profile/experiment/run_id`, in the order
    /// of the tables.
    pub fn run_names(&self, table: Table, rows: &BTreeSet<usize>) -> Vec<String> {
        let of_row = |row: usize| match table {
            Table::Runs => vec![row],
            Table::Conditions => self.members[row].clone(),
            Table::Clients => {
                self.clients.iter().filter_map(|clients| clients.parent(row)).collect()
            }
            _of_points => Vec::new(),
        };
        let runs: BTreeSet<_> = rows.iter().flat_map(|&row| of_row(row)).collect();
        let word = |run, column| match self.runs.cell(run, column) {
            Some(Scalar::Word(word)) => word.to_string(),
            other => unreachable!("a run has a {column}, not {other:?}"),
        };
        let name = |run| ["profile", "experiment", "run_id"].map(|column| word(run, column));
        runs.into_iter().map(|run| name(run).join("/")).collect()
    }

    /// Every source, once.
    pub fn sources(&self) -> BTreeSet<Source> {
        self.machines.iter().map(|(source, _)| *source).collect()
    }

    /// Profiles that `source` has a table of.
    pub fn profiles(&self, source: Source) -> impl Iterator<Item = &str> {
        let of = self.machines.iter().filter(move |(machine, _)| *machine == source);
        of.map(|(_, profile)| profile.as_str())
    }
}

/// Which directory has a machine's table.
#[derive(Default)]
struct Machines<'a>(BTreeMap<(Table, Source, String), &'a Path>);

impl<'a> Machines<'a> {
    fn add(
        &mut self,
        table: Table,
        source_word: Source,
        profile: &str,
        directory: &'a Path,
    ) -> Result<(), EvaluateError> {
        let profile = profile.to_owned();
        let machine = (table, source_word, profile.clone());
        let first = *self.0.entry(machine).or_insert(directory);
        if first == directory {
            return Ok(());
        }
        let (first, second) = (first.to_owned(), directory.to_owned());
        Err(EvaluateError::SameMachine { table, source_word, profile, first, second })
    }
}

type Records = Vec<(Source, Record)>;

/// Records of all directories.
#[derive(Default)]
struct All {
    conditions: Records,
    members: Vec<Vec<usize>>,
    runs: Records,
    clients: Vec<ClientRow>,
    points: BTreeMap<Table, Records>,
}

impl All {
    fn read(&mut self, directory: &Path, with_clients: bool) -> Result<(), EvaluateError> {
        let latencies = directory.join(MemoryLatencyRow::FILE);
        let mut is_alone = self.read_points(Table::MemoryLatency, &[latencies], memory::told)?;
        is_alone |= self.read_any::<FabricReadsRow>(Table::FabricReads, directory)?;
        is_alone |= self.read_any::<FabricMessagesRow>(Table::FabricMessages, directory)?;
        is_alone |= self.read_any::<FabricPagerankRow>(Table::FabricPagerank, directory)?;
        is_alone |= self.read_any::<ShapeRow>(Table::Shapes, directory)?;
        is_alone |= self.read_any::<PcieOperationRow>(Table::PcieOperations, directory)?;
        if is_alone && !directory.join(RunRow::FILE).exists() {
            return Ok(());
        }
        self.read_runs(directory, with_clients)
    }

    fn of_points(&self, table: Table) -> &[(Source, Record)] {
        self.points.get(&table).map_or(&[], Vec::as_slice)
    }

    /// Reads a table of points, compressed or not; whether there is one.
    fn read_any<R: Row>(&mut self, table: Table, directory: &Path) -> Result<bool, TableError> {
        let names = [R::FILE, R::FILE.trim_end_matches(".gz")];
        self.read_points(table, &names.map(|name| directory.join(name)), points::told::<R>)
    }

    /// Reads the first of these that is there; whether one is.
    fn read_points<R: Row>(
        &mut self,
        table: Table,
        paths: &[PathBuf],
        told: fn(&R) -> (Source, Record),
    ) -> Result<bool, TableError> {
        let Some(path) = paths.iter().find(|path| path.exists()) else { return Ok(false) };
        self.points.entry(table).or_default().extend(read_rows::<R>(path)?.iter().map(told));
        Ok(true)
    }

    fn read_runs(&mut self, directory: &Path, with_clients: bool) -> Result<(), EvaluateError> {
        let runs = StoredRuns::read(&directory.join(RunRow::FILE))?;
        let before = self.runs.len();
        match &runs {
            // Published runs have columns of their own, which corrections ask for.
            StoredRuns::Published(runs) => {
                self.runs.extend(runs.iter().map(|run| (run.common.source, placed(run))));
            }
            StoredRuns::Own(runs) => {
                self.runs.extend(runs.iter().map(|run| (run.source, placed(run))));
            }
        }
        // Conditions that are read are compared with those of the runs: these are theirs.
        let of_all = |members: Vec<usize>| members.iter().map(|run| before + run).collect();
        self.members.extend(runs.members().into_iter().map(of_all));
        let pooled = directory.join(ConditionRow::FILE);
        let pooled = match &runs {
            _ if pooled.exists() => read_conditions_of(&pooled, &runs)?,
            // Program, campaign and regime of a condition stand in no column of its runs.
            StoredRuns::Published(_) => {
                return Err(EvaluateError::NoConditions { path: pooled });
            }
            StoredRuns::Own(_) => runs.conditions(),
        };
        self.conditions.extend(pooled.iter().map(|row| (row.source, placed(row))));
        if with_clients {
            self.clients.extend(read_rows::<ClientRow>(&directory.join(ClientRow::FILE))?);
        }
        Ok(())
    }

    fn frames(self, machines: BTreeSet<(Source, String)>) -> Tables {
        let mut words = Words::default();
        let mut runs = Frame::new(Table::Runs, None);
        for (source, run) in &self.runs {
            let measures = measures::of_source(*source, measures::of_run(run));
            runs.push(*source, 1, |name| words.cell(run, name), measures, None);
        }
        let mut pooled = Frame::new(Table::Conditions, None);
        let of_condition = measures::OfConditions::new(&self.conditions, &self.runs);
        for (source, condition) in &self.conditions {
            let measures = measures::of_source(*source, of_condition.measures(condition));
            let runs = condition["runs"].as_u64().and_then(|runs| runs.try_into().ok());
            let cell = |name| words.cell(condition, name);
            pooled.push(*source, runs.unwrap_or(1), cell, measures, None);
        }
        let runs = Arc::new(runs);
        let clients = (!self.clients.is_empty()).then(|| self.clients(&runs));
        let points = self
            .points
            .iter()
            .map(|(table, rows)| (*table, points::frame(*table, rows, &mut words)));
        let points = points.collect();
        Tables { conditions: pooled, members: self.members, runs, clients, points, machines }
    }

    fn clients(&self, runs: &Arc<Frame>) -> Frame {
        let text = |run: &Record, column: &str| run[column].as_str().unwrap_or_default().to_owned();
        let name = |source: Source, run: &Record| {
            (source, text(run, "profile"), text(run, "experiment"), text(run, "run_id"))
        };
        let runs_by_name: BTreeMap<_, _> =
            (0..).zip(&self.runs).map(|(row, (source, run))| (name(*source, run), row)).collect();
        let mut clients = Frame::new(Table::Clients, Some(runs.clone()));
        for client in &self.clients {
            let ClientRow { source, profile, experiment, run_id, .. } = client;
            let name = (*source, profile.clone(), experiment.clone(), run_id.clone());
            // A client of a run that is in no table has no factors to be asked for.
            if let Some(&run) = runs_by_name.get(&name) {
                let index = Some(Scalar::Number(f64::from(client.queue_pair)));
                let cell = |name| index.clone().filter(|_| name == "queue_pair");
                let measures = measures::of_source(*source, measures::of_client(client));
                clients.push(*source, 1, cell, measures, Some(run));
            }
        }
        clients
    }
}

/// The record of a run or condition, with what follows from its columns.
fn placed(row: &impl Serialize) -> Record {
    let mut record = record(row);
    let is_local = |column| Some(record.get(column)?.as_str()? == Locality::RdmaLocal.word());
    let ends = match (is_local("locality"), is_local("client_locality")) {
        (Some(true), Some(true)) => Some("both-local"),
        (Some(true), Some(false)) => Some("client-remote"),
        (Some(false), Some(true)) => Some("server-remote"),
        (Some(false), Some(false)) => Some("both-remote"),
        (None, _) | (_, None) => None,
    };
    record.extend(ends.map(|ends| ("ends".to_owned(), ends.into())));
    if record["source"] != Source::Published.word() {
        let design = record.get("experiments").cloned();
        record.extend(design.map(|design| ("design".to_owned(), design)));
    }
    record
}
