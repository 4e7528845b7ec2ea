//! The rows of one kind of table, as cells that queries can name.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use onesided_results::vocabulary::Source;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    columns::{Column, Domain, Table, columns, measures},
    level::Scalar,
    value::Estimate,
};

/// A row as its table spells it.
pub type Record = Map<String, Value>;

/// The record of a row; rows that are two behind each other give one.
///
/// # Panics
/// Never: rows of tables are structs of plain values.
pub fn record(row: &impl Serialize) -> Record {
    match serde_json::to_value(row).expect("a row is plain values") {
        Value::Array(halves) => halves.into_iter().flat_map(fields_of).collect(),
        row => fields_of(row),
    }
}

fn fields_of(row: Value) -> Record {
    match row {
        Value::Object(fields) => fields,
        other => unreachable!("a row is no {other}"),
    }
}

/// Rows of all tables of one kind.
pub struct Frame {
    columns: &'static [Column],
    /// By column, then row.
    cells: BTreeMap<&'static str, Vec<Option<Scalar>>>,
    measures: BTreeMap<&'static str, Vec<Option<Estimate>>>,
    sources: Vec<Source>,
    /// Runs behind each row.
    runs: Vec<u32>,
    /// Where rows are parts of others' rows: those, and which.
    parents: Option<(Arc<Frame>, Vec<usize>)>,
}

impl Frame {
    /// An empty frame of `table`, whose rows are part of rows of `parent`, if given.
    pub fn new(table: Table, parent: Option<Arc<Self>>) -> Self {
        let columns = columns(table);
        let own = columns
            .iter()
            .map(|column| column.name)
            .filter(|name| parent.as_ref().is_none_or(|parent| !parent.cells.contains_key(name)));
        Self {
            cells: own.map(|name| (name, Vec::new())).collect(),
            columns,
            measures: measures(table).map(|name| (name, Vec::new())).collect(),
            sources: Vec::new(),
            runs: Vec::new(),
            parents: parent.map(|parent| (parent, Vec::new())),
        }
    }

    /// Adds a row of `runs` runs, with the row of the parent that it is part of, if there is one.
    ///
    /// # Panics
    /// When `measures` are not those that [`measures()`] lists for the table: what is listed and
    /// never computed would look like data that is missing.
    pub fn push(
        &mut self,
        source: Source,
        runs: u32,
        mut cell: impl FnMut(&'static str) -> Option<Scalar>,
        measures: Measures,
        parent: Option<usize>,
    ) {
        for (name, cells) in &mut self.cells {
            cells.push(cell(name));
        }
        assert_eq!(measures.len(), self.measures.len(), "a row has the measures of its table");
        for (name, estimate) in measures {
            let column = self.measures.get_mut(name).expect("columns lists every measure");
            column.push(estimate);
        }
        self.sources.push(source);
        self.runs.push(runs);
        if let (Some((_, rows)), Some(parent)) = (&mut self.parents, parent) {
            rows.push(parent);
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Where the numbers of a row come from.
    pub fn source(&self, row: usize) -> Source {
        self.sources[row]
    }

    /// Runs behind `rows`, each counted once.
    pub fn runs(&self, rows: impl Iterator<Item = usize>) -> u32 {
        let of_row = |row: usize| self.parent(row).unwrap_or(row);
        let distinct: BTreeSet<_> = rows.map(|row| (of_row(row), self.runs[row])).collect();
        distinct.into_iter().map(|(_, runs)| runs).sum()
    }

    /// The row of the parent that a row is part of.
    pub fn parent(&self, row: usize) -> Option<usize> {
        self.parents.as_ref().map(|(_, rows)| rows[row])
    }

    /// Every column that queries can name.
    pub fn columns(&self) -> &'static [Column] {
        self.columns
    }

    /// A column; empty also where the table has no such column.
    pub fn cells(&self, column: &str) -> Cells<'_> {
        match (self.cells.get(column), &self.parents) {
            (Some(cells), _) => Cells { cells, rows: None },
            (None, Some((parent, rows))) => Cells { rows: Some(rows), ..parent.cells(column) },
            (None, None) => Cells { cells: &[], rows: None },
        }
    }

    /// What stands in a row's column.
    pub fn cell(&self, row: usize, column: &str) -> Option<&Scalar> {
        self.cells(column).get(row)
    }

    /// A row's measure, or number of the column of that name.
    pub fn measure(&self, row: usize, name: &str) -> Option<Estimate> {
        if let Some(estimate) = self.measures.get(name).and_then(|column| column.get(row)) {
            return *estimate;
        }
        match self.cell(row, name) {
            Some(Scalar::Number(number)) => Some(Estimate::fact(*number)),
            _ => None,
        }
    }

    /// Whether `column` holds words that are separated by spaces.
    pub fn is_list(&self, column: &str) -> bool {
        let column = self.columns.iter().find(|known| known.name == column);
        column.is_some_and(|column| matches!(column.domain, Domain::List))
    }
}

/// What stands in `columns` of a record, as a text to group by; absent is absent in any way.
pub fn text_of<'a>(record: &Record, columns: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for column in columns {
        match record.get(column) {
            None | Some(Value::Null) => {}
            Some(value) => write!(text, "{value}").expect("a string takes all"),
        }
        text.push('|');
    }
    text
}

/// A column of a frame.
pub struct Cells<'a> {
    cells: &'a [Option<Scalar>],
    /// Which cell is each row's, if not its own.
    rows: Option<&'a [usize]>,
}

impl<'a> Cells<'a> {
    /// What stands in a row.
    pub fn get(&self, row: usize) -> Option<&'a Scalar> {
        let row = self.rows.map_or(row, |rows| rows[row]);
        self.cells.get(row)?.as_ref()
    }
}

/// Measures of one row.
pub type Measures = Vec<(&'static str, Option<Estimate>)>;

/// A number of a record.
pub fn number(record: &Record, name: &str) -> Option<f64> {
    record.get(name).and_then(Value::as_f64)
}

/// Every word once: tables repeat few words often.
#[derive(Default)]
pub struct Words(BTreeMap<String, Arc<str>>);

impl Words {
    /// What stands in a column of a record.
    pub fn cell(&mut self, record: &Record, column: &str) -> Option<Scalar> {
        match record.get(column)? {
            Value::Number(number) => number.as_f64().map(Scalar::Number),
            Value::Bool(yes) => Some(self.word(if *yes { "true" } else { "false" })),
            Value::String(word) if !word.is_empty() => Some(self.word(word)),
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> Scalar {
        if let Some(known) = self.0.get(word) {
            return Scalar::Word(known.clone());
        }
        let new: Arc<str> = word.into();
        self.0.insert(word.to_owned(), new.clone());
        Scalar::Word(new)
    }
}
