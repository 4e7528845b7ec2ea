//! Reading a table row by row.

use std::{
    cell::Cell,
    collections::HashSet,
    io::{self, BufReader, ErrorKind, Read},
    marker::PhantomData,
    path::{Path, PathBuf},
    rc::Rc,
};

use csv::StringRecord;
use flate2::read::MultiGzDecoder;

use super::{Row, TableError, Versioned, cell::read_row, sums};
use crate::{regular_file, version::Versions, word::nearest};

/// Longest row of a table, in bytes. Ours: the longest there are have some thousand.
const LONGEST_ROW_BYTES: usize = 1 << 20;

/// What to do with columns that the row type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// They are an error: a table written by hand, where they are typing errors.
    Refused,
    /// They are skipped: a table with columns of its own behind the common ones.
    Skipped,
}

/// Reads rows of type `T`, one after another; memory does not grow with the table, nor with a cell.
pub struct TableReader<T> {
    path: PathBuf,
    /// Bytes of text since the last row.
    since_row: Rc<Cell<usize>>,
    reader: csv::Reader<Bounded>,
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

/// All rows of the table at `path`, whatever columns it has beside the known ones.
///
/// # Errors
/// When it cannot be opened, or a row is not what it should be.
pub fn read_rows<T: Row>(path: &Path) -> Result<Vec<T>, TableError> {
    TableReader::open(path, Extra::Skipped)?.collect()
}

impl<T: Row> TableReader<T> {
    /// Opens the table at `path`, compressed if its name ends in `.gz`, and checks its columns.
    ///
    /// # Errors
    /// When it cannot be opened, has no header, lacks a column, or has one that is refused.
    pub fn open(path: &Path, extra: Extra) -> Result<Self, TableError> {
        let file = regular_file::open(path)
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
        let since_row = Rc::<Cell<usize>>::default();
        let text = Bounded { text, since_row: Rc::clone(&since_row) };
        let mut reader = csv::Reader::from_reader(text);
        let header = match reader.headers() {
            Ok(header) => header.clone(),
            Err(source) => return Err(TableError::Malformed { path, source }),
        };
        let place = |name| header.iter().position(|column| column == name);
        let version = match T::VERSIONED {
            Versioned::Beside => None,
            Versioned::EveryRow(versions) => {
                place("schema_version").map(|column| (column, versions))
            }
        };
        if let Err(error) = check_header::<T>(&path, &header, extra) {
            // A table of another version may well have other columns.
            let first = reader.records().next().and_then(Result::ok);
            return Err(match (version, first) {
                (Some((column, reads)), Some(first)) => {
                    let line = first.position().map_or(0, csv::Position::line);
                    version_of(&path, line, &first[column], reads).err().unwrap_or(error)
                }
                _ => error,
            });
        }
        let places = T::columns().into_iter();
        let places = places.map(|name| (name, place(name).unwrap_or(header.len()))).collect();
        let absent = T::SINCE.iter().copied().filter(|(name, _)| place(name).is_none()).collect();
        let record = StringRecord::new();
        let rows = PhantomData;
        Ok(Self { path, since_row, reader, header, record, places, version, absent, rows })
    }

    fn read(&mut self) -> Result<Option<T>, TableError> {
        self.since_row.set(0);
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
        let version = version_of(&self.path, line, found, reads)?;
        match self.absent.iter().find(|(_, since)| u64::from(*since) <= version) {
            Some((column, _)) => {
                Err(missing(self.path.clone(), column, &self.header, &T::columns()))
            }
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

/// Text of which no more is given than a row may have, until its owner says that one has been read.
struct Bounded {
    text: Box<dyn Read>,
    since_row: Rc<Cell<usize>>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        let since_row = self.since_row.get() + count;
        if since_row > LONGEST_ROW_BYTES {
            let what = format!("a row has more than {LONGEST_ROW_BYTES} bytes: is it a table?");
            return Err(io::Error::new(ErrorKind::FileTooLarge, what));
        }
        self.since_row.set(since_row);
        Ok(count)
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

/// The version that a row says, if such are read.
fn version_of(path: &Path, line: u64, found: &str, reads: Versions) -> Result<u64, TableError> {
    found.parse().ok().filter(|&version| reads.reads(version)).ok_or_else(|| {
        let (path, found) = (path.to_owned(), found.to_owned());
        TableError::UnknownVersion { path, line, found, reads }
    })
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
    let mut earlier = HashSet::new();
    for name in header {
        let column = || name.to_owned();
        if !earlier.insert(name) {
            return Err(TableError::RepeatedColumn { path: path(), column: column() });
        }
        if extra == Extra::Refused && !known.contains(&name) {
            let nearest = nearest(name, known.iter().copied());
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
