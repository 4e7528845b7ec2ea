//! Writing a table row by row; the same rows always give the same bytes.

use std::{
    io::{self, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

use csv::StringRecord;
use flate2::{Compression, GzBuilder, write::GzEncoder};

use super::Row;
use crate::atomic::{AtomicFile, NewFile, WriteError};

/// Text that is collected before it is handed to the file. Ours: holds most runs' tables whole, so
/// that each is one call on file systems over a network.
const BUFFER_BYTES: usize = 64 << 10;

/// How hard tables are compressed. Ours: half the time of the usual 6 for some 7 % more bytes, on
/// the tables of `data/published`.
const COMPRESSION: Compression = Compression::new(4);

/// A table that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteTableError {
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] WriteError),
    /// A row cannot be written as cells.
    #[error("cannot write a row of {}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Why.
        source: csv::Error,
    },
}

/// Writes rows of type `T` into a file of kind `F`: by default one that appears whole, by
/// [`Self::finish`], or not at all.
pub struct TableWriter<T, F: NewFile = AtomicFile> {
    path: PathBuf,
    cells: csv::Writer<Text<F>>,
    /// Where the fields stand in another order than the columns.
    order: Option<Order>,
    rows: PhantomData<T>,
}

impl<T: Row, F: NewFile> TableWriter<T, F> {
    /// Starts the table that will appear at `path`, compressed if its name ends in `.gz`.
    ///
    /// # Errors
    /// When nothing can be written in its directory.
    pub fn create(path: &Path) -> Result<Self, WriteTableError> {
        let file = F::create(path)?;
        let compressed = path.extension().is_some_and(|extension| extension == "gz");
        let text = if compressed {
            // Neither name nor time in the header: equal rows make equal files.
            Text::Gzip(GzBuilder::new().mtime(0).write(file, COMPRESSION))
        } else {
            Text::Plain(file)
        };
        // The header is written here and not with the first row: a table may have no row.
        let cells = csv::WriterBuilder::new()
            .has_headers(false)
            .buffer_capacity(BUFFER_BYTES)
            .from_writer(text);
        let order = Order::of(&T::fields(), &T::columns());
        let mut table = Self { path: path.to_owned(), cells, order, rows: PhantomData };
        let header = table.cells.write_record(T::columns());
        header.map_err(|source| table.row_error(source))?;
        Ok(table)
    }

    /// Writes one row.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&mut self, row: &T) -> Result<(), WriteTableError> {
        let written = match &self.order {
            None => self.cells.serialize(row),
            Some(order) => order.cells(row).and_then(|cells| self.cells.write_record(&cells)),
        };
        written.map_err(|source| self.row_error(source))
    }

    /// Brings all rows onto the disk and lets the file appear.
    ///
    /// # Errors
    /// When the disk refuses; then there is no file, or the one that was there before.
    pub fn finish(self) -> Result<(), WriteTableError> {
        let path = self.path;
        let failed = |source| WriteError::of("write", &path, source);
        let text = self.cells.into_inner().map_err(|error| failed(error.into_error()))?;
        let file = match text {
            Text::Plain(file) => file,
            Text::Gzip(encoder) => encoder.finish().map_err(failed)?,
        };
        Ok(file.commit()?)
    }

    fn row_error(&self, source: csv::Error) -> WriteTableError {
        let path = self.path.clone();
        if !source.is_io_error() {
            return WriteTableError::Row { path, source };
        }
        match source.into_kind() {
            csv::ErrorKind::Io(source) => WriteError::of("write", &path, source).into(),
            other => unreachable!("csv calls {other:?} an error of input and output"),
        }
    }
}

/// Writes `rows` as the table at `path`, compressed if its name ends in `.gz`.
///
/// # Errors
/// When the disk refuses; then there is no file, or the one that was there before.
pub fn write_table<'a, T: Row + 'a>(
    path: &Path,
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<(), WriteTableError> {
    write_table_as::<T, AtomicFile>(path, rows)
}

/// The same into a file of kind `F`.
pub(crate) fn write_table_as<'a, T: Row + 'a, F: NewFile>(
    path: &Path,
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<(), WriteTableError> {
    let mut table = TableWriter::<T, F>::create(path)?;
    rows.into_iter().try_for_each(|row| table.write(row))?;
    table.finish()
}

/// Cells in the order of columns, from a row whose fields are in another one.
struct Order {
    /// Of each column, the index of its field.
    fields: Vec<usize>,
}

impl Order {
    /// Absent where it is the same.
    fn of(fields: &[&str], columns: &[&str]) -> Option<Self> {
        let field = |column: &&str| fields.iter().position(|field| field == column);
        (fields != columns).then(|| Self {
            fields: columns.iter().map(|column| field(column).expect("each is a field")).collect(),
        })
    }

    fn cells<T: Row>(&self, row: &T) -> csv::Result<StringRecord> {
        let cells = cells(row)?;
        Ok(self.fields.iter().map(|&field| &cells[field]).collect())
    }
}

/// The cells of a row in the order of its fields. The csv crate has no other way to tell what it
/// would write into each.
pub(super) fn cells<T: Row>(row: &T) -> csv::Result<StringRecord> {
    let mut line = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    line.serialize(row)?;
    let line = line.into_inner().map_err(csv::IntoInnerError::into_error)?;
    let text = str::from_utf8(&line).expect("a row is text").trim_end_matches('\n');
    // To make a reader takes longer than to read a line.
    if !text.contains('"') {
        return Ok(text.split(',').collect());
    }
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_slice());
    let mut cells = StringRecord::new();
    reader.read_record(&mut cells)?;
    Ok(cells)
}

/// Where a table's text goes.
enum Text<F: NewFile> {
    Plain(F),
    Gzip(GzEncoder<F>),
}

impl<F: NewFile> Write for Text<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }
}
