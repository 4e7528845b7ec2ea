//! One cell of the study's stored tables is changed, with all checksums written anew, so that only
//! what numbers mean can tell: is it noticed?
//!
//! The draw, stated before any was made: each of the five tables as often as the others, kinds of
//! change in turn, rows and columns with equal chances among the cells that the kind can change.
//! A change is noticed where `onesided claims` refuses the tables, naming file, row and column, or
//! gives another verdict than before. `ONESIDED_MUTATIONS` is how many [default 20]; 200 are in
//! `ci/test --deep`.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use onesided_load::SplitMix64;
use sha2::{Digest as _, Sha256};

const TABLES: [&str; 5] =
    ["runs.csv.gz", "conditions.csv.gz", "clients.csv.gz", "traces.csv.gz", "manifest.csv"];

/// What is done to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sign,
    TimesFour,
    TimesOnePointZeroFive,
    OtherLevel,
    Emptied,
    Exchanged,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Sign,
        Self::TimesFour,
        Self::TimesOnePointZeroFive,
        Self::OtherLevel,
        Self::Emptied,
        Self::Exchanged,
    ];

    /// Whether each single one has to be noticed; of the others it is a share.
    fn must_be_noticed(self) -> bool {
        !matches!(self, Self::TimesOnePointZeroFive | Self::Exchanged)
    }
}

/// A table as text.
struct Table {
    name: &'static str,
    header: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

/// One cell, before and after.
struct Change {
    table: &'static str,
    row: usize,
    column: String,
    kind: Kind,
    cells: Vec<(usize, usize, String)>,
    before: String,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, row, column, kind, before, .. } = self;
        let after = &self.cells[0].2;
        write!(formatter, "{table}:{}: {column} {kind:?}: {before:?} -> {after:?}", row + 2)
    }
}

fn published() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/published")
}

impl Table {
    fn read(name: &'static str) -> Self {
        let bytes = fs::read(published().join(name)).expect("a committed table");
        let mut text = String::new();
        if name.ends_with(".gz") {
            MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("text");
        } else {
            text = String::from_utf8(bytes).expect("text");
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let rows = reader.records().map(|row| row.expect("a row")).collect();
        Self { name, header, rows }
    }

    /// A change of that kind somewhere in the table.
    fn change(&self, kind: Kind, draw: &mut SplitMix64) -> Change {
        loop {
            let row = draw.below(self.rows.len());
            let column = draw.below(self.header.len());
            let Some(cells) = self.changed(kind, row, column, draw) else { continue };
            let (name, before) = (&self.header[column], &self.rows[row][column]);
            let (column, before) = (name.to_owned(), before.to_owned());
            return Change { table: self.name, row, column, kind, cells, before };
        }
    }

    fn changed(
        &self,
        kind: Kind,
        row: usize,
        column: usize,
        draw: &mut SplitMix64,
    ) -> Option<Vec<(usize, usize, String)>> {
        let cell = &self.rows[row][column];
        let number = cell.parse::<f64>().ok().filter(|number| *number != 0.0);
        let times = |factor: f64| {
            let scaled = number? * factor;
            let is_whole = !cell.contains('.');
            let text = if is_whole { format!("{scaled:.0}") } else { format!("{scaled:?}") };
            Some(text)
        };
        let one = |text: String| (text != *cell).then(|| vec![(row, column, text)]);
        match kind {
            Kind::Sign => one(times(-1.0)?),
            Kind::TimesFour => one(times(4.0)?),
            Kind::TimesOnePointZeroFive => one(times(1.05)?),
            Kind::Emptied => one(String::new()),
            Kind::OtherLevel => {
                let is_word = cell.parse::<f64>().is_err() && !cell.is_empty();
                let other = &self.rows[draw.below(self.rows.len())][column];
                one(other.to_owned()).filter(|_| is_word && !other.is_empty())
            }
            Kind::Exchanged => {
                let next = (row + 1) % self.rows.len();
                let theirs = &self.rows[next][column];
                let both = vec![(row, column, theirs.to_owned()), (next, column, cell.to_owned())];
                (theirs != cell).then_some(both)
            }
        }
    }

    /// Writes the table with the change into `folder`.
    fn write(&self, folder: &Path, change: &Change) {
        let mut text = csv::Writer::from_writer(Vec::new());
        text.write_record(&self.header).expect("memory");
        for (index, row) in self.rows.iter().enumerate() {
            if !change.cells.iter().any(|(changed, ..)| *changed == index) {
                text.write_record(row).expect("memory");
                continue;
            }
            let cell = |(column, cell)| {
                let changed =
                    change.cells.iter().find(|(row, at, _)| (*row, *at) == (index, column));
                changed.map_or(cell, |(_, _, text)| text.as_str())
            };
            text.write_record(row.iter().enumerate().map(cell)).expect("memory");
        }
        let text = text.into_inner().expect("memory");
        let path = folder.join(self.name);
        let mut file = fs::File::create(path).expect("a file");
        if self.name.ends_with(".gz") {
            let mut file = GzEncoder::new(file, Compression::fast());
            file.write_all(&text).expect("a file");
            file.finish().expect("a file");
        } else {
            file.write_all(&text).expect("a file");
        }
    }
}

/// Writes the sums of all tables anew: they are to tell nothing.
fn sum(folder: &Path) {
    let line = |name: &str| {
        let sum = Sha256::digest(fs::read(folder.join(name)).expect("a table"));
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{sum}  {name}\n")
    };
    let list: String = TABLES.into_iter().map(line).collect();
    fs::write(folder.join("SHA256SUMS"), list).expect("a list");
}

/// What is said of the tables in `folder`: each claim's verdicts, or the refusal.
fn asked(folder: &Path) -> Result<BTreeMap<String, [String; 2]>, String> {
    let claims = published().join("../../paper/claims.toml");
    let out = folder.join("claims.csv");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.arg("claims").arg("--claims").arg(claims).arg("--table").arg(folder);
    let ended = command.arg("--out").arg(&out).output().expect("the program starts");
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        assert_eq!(ended.status.code(), Some(2), "{told}");
        return Err(told);
    }
    let mut reader = csv::Reader::from_path(&out).expect("verdicts");
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let (id, source, verdict, generous) = (at("id"), at("source"), at("verdict"), at("generous"));
    let verdicts = reader.records().map(|row| {
        let row = row.expect("a row");
        let name = format!("{} {}", &row[id], &row[source]);
        (name, [row[verdict].to_owned(), row[generous].to_owned()])
    });
    Ok(verdicts.collect())
}

#[test]
fn a_changed_cell_is_refused_or_moves_a_verdict() {
    let count = std::env::var("ONESIDED_MUTATIONS")
        .map_or(20, |count| count.parse::<usize>().expect("ONESIDED_MUTATIONS is a number"));
    let folder = tempfile::tempdir().expect("a folder");
    for name in TABLES {
        fs::copy(published().join(name), folder.path().join(name)).expect("a copy");
    }
    sum(folder.path());
    let before = asked(folder.path()).expect("the committed tables are refused");
    let tables = TABLES.map(Table::read);
    let mut draw = SplitMix64::new(20_261_125);
    let mut unnoticed = Vec::new();
    let (mut refused, mut moved) = (0, 0);
    for index in 0..count {
        let table = &tables[index % tables.len()];
        let kind = Kind::ALL[index / tables.len() % Kind::ALL.len()];
        let change = table.change(kind, &mut draw);
        table.write(folder.path(), &change);
        sum(folder.path());
        match asked(folder.path()) {
            Err(told) => {
                refused += 1;
                assert!(told.contains(table.name), "{change}: which table? {told}");
            }
            Ok(after) if after != before => moved += 1,
            Ok(_) => unnoticed.push(change),
        }
        fs::copy(published().join(table.name), folder.path().join(table.name)).expect("a copy");
    }
    eprintln!("{count} changes: {refused} refused, {moved} moved a verdict; unnoticed:");
    unnoticed.iter().for_each(|change| eprintln!("  {change}"));
    let missed: Vec<_> = unnoticed
        .iter()
        .filter(|change| change.kind.must_be_noticed())
        .map(ToString::to_string)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(unnoticed.len() * 20 <= count, "{} of {count} are unnoticed", unnoticed.len());
}
