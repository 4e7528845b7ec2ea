//! Reading a table row by row.

use std::{
    fs::File,
    io::{BufReader, Read},
    marker::PhantomData,
    path::{Path, PathBuf},
};

use csv::StringRecord;
use flate2::read::MultiGzDecoder;

use super::{Row, TableError, Versioned, cell::read_row, sums};
use crate::{version::Versions, word::nearest};

/// What to do with columns that the row type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// They are an error: a table written by hand, where they are typing errors.
    Refused,
    /// They are skipped: a table with columns of its own behind the common ones.
    Skipped,
}

/// Reads rows of type `T`, one after another; memory does not grow with the table.
pub struct TableReader<T> {
    path: PathBuf,
    reader: csv::Reader<Box<dyn Read>>,
    header: StringRecord,
    record: StringRecord,
    /// The known columns and where they are; behind the last one where they are not.
    places: Vec<(&'static str, usize)>,
    /// Where the version stands, and which are read.
    version: Option<(usize, Versions)>,
    /// Columns that are not there, with the version that has them first.
    absent: Vec<(&'static str, u32)>,
    rows: PhantomData<T>,
}

impl<T: Row> TableReader<T> {
    /// Opens the table at `path`, compressed if its name ends in `.gz`, and checks its columns.
    ///
    /// # Errors
    /// When it cannot be opened, has no header, lacks a column, or has one that is refused.
    pub fn open(path: &Path, extra: Extra) -> Result<Self, TableError> {
        let file = File::open(path)
            .map_err(|source| TableError::Open { path: path.to_owned(), source })?;
        sums::check(path)?;
        let compressed = path.extension().is_some_and(|extension| extension == "gz");
        let text: Box<dyn Read> = if compressed {
            Box::new(MultiGzDecoder::new(BufReader::new(file)))
        } else {
            Box::new(BufReader::new(file))
        };
        Self::new(path, text, extra)
    }

    fn new(path: &Path, text: Box<dyn Read>, extra: Extra) -> Result<Self, TableError> {
        let path = path.to_owned();
        let mut reader = csv::Reader::from_reader(text);
        let header = match reader.headers() {
            Ok(header) => header.clone(),
            Err(source) => return Err(TableError::Malformed { path, source }),
        };
        check_header::<T>(&path, &header, extra)?;
        let place = |name| header.iter().position(|column| column == name);
        let places = T::columns().into_iter();
        let places = places.map(|name| (name, place(name).unwrap_or(header.len()))).collect();
        let version = match T::VERSIONED {
            Versioned::Beside => None,
            Versioned::EveryRow(versions) => {
                place("schema_version").map(|column| (column, versions))
            }
        };
        let absent = T::SINCE.iter().copied().filter(|(name, _)| place(name).is_none()).collect();
        let record = StringRecord::new();
        Ok(Self { path, reader, header, record, places, version, absent, rows: PhantomData })
    }

    fn read(&mut self) -> Result<Option<T>, TableError> {
        let malformed = |source| TableError::Malformed { path: self.path.clone(), source };
        if !self.reader.read_record(&mut self.record).map_err(malformed)? {
            return Ok(None);
        }
        let line = self.line();
        if let Some((column, reads)) = self.version {
            self.check_version(line, &self.record[column], reads)?;
        }
        let wrong = |column: usize, reason| TableError::Cell {
            path: self.path.clone(),
            line,
            column: self.header.get(column).unwrap_or_default().to_owned(),
            value: self.record.get(column).unwrap_or_default().to_owned(),
            reason,
        };
        let row: T = read_row(&self.record, &self.places)
            .map_err(|error| wrong(error.column, error.reason))?;
        match row.broken_rule() {
            None => Ok(Some(row)),
            Some((column, reason)) => {
                let at = self.places.iter().find(|(name, _)| *name == column);
                Err(wrong(at.map_or(self.header.len(), |(_, place)| *place), reason))
            }
        }
    }

    /// Whether a row of version `found` is read, and has the columns of that version.
    fn check_version(&self, line: u64, found: &str, reads: Versions) -> Result<(), TableError> {
        let path = || self.path.clone();
        let Some(version) = found.parse().ok().filter(|&version| reads.reads(version)) else {
            let found = found.to_owned();
            return Err(TableError::UnknownVersion { path: path(), line, found, reads });
        };
        match self.absent.iter().find(|(_, since)| u64::from(*since) <= version) {
            Some((column, _)) => Err(missing(path(), column, &self.header, &T::columns())),
            None => Ok(()),
        }
    }

    /// Line of the file that the present row starts on, from 1; 0 before the first row.
    pub fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// The file that is read.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The row of which these are the cells, in the order of its fields.
///
/// # Errors
/// With the reason why one of them cannot be what its column says.
pub(super) fn row<T: Row>(cells: &StringRecord) -> Result<T, String> {
    let places: Vec<_> = T::fields().into_iter().zip(0..).collect();
    read_row(cells, &places).map_err(|error| error.reason)
}

impl<T: Row> Iterator for TableReader<T> {
    type Item = Result<T, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn check_header<T: Row>(
    path: &Path,
    header: &StringRecord,
    extra: Extra,
) -> Result<(), TableError> {
    let path = || path.to_owned();
    if header.is_empty() {
        return Err(TableError::NoHeader { path: path() });
    }
    let known = T::columns();
    for (index, column) in header.iter().enumerate() {
        let column = || column.to_owned();
        if header.iter().take(index).any(|earlier| earlier == column()) {
            return Err(TableError::RepeatedColumn { path: path(), column: column() });
        }
        if extra == Extra::Refused && !known.contains(&column().as_str()) {
            let nearest = nearest(&column(), known.iter().copied());
            return Err(TableError::UnknownColumn { path: path(), column: column(), nearest });
        }
    }
    let is_there = |column: &&str| header.iter().any(|present| present == *column);
    // Whether one of these may be missing is decided by the version of the rows.
    let is_later = |column: &&str| T::SINCE.iter().any(|(later, _)| later == column);
    match known.iter().find(|column| !is_there(column) && !is_later(column)) {
        Some(column) => Err(missing(path(), column, header, &known)),
        None => Ok(()),
    }
}

/// A column that is missing, with the unknown one that was probably meant.
fn missing(
    path: PathBuf,
    column: &'static str,
    header: &StringRecord,
    known: &[&'static str],
) -> TableError {
    let unknown = header.iter().filter(|present| !known.contains(present));
    let nearest = nearest(column, unknown).map(str::to_owned);
    TableError::MissingColumn { path, column, nearest }
}
