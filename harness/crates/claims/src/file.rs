//! The file of claims: read, and checked as far as that goes without data.

mod check;
mod text;

use std::{collections::BTreeMap, ops::Range, path::Path};

use onesided_results::{
    toml_file::{self, Place},
    vocabulary::{Basis, ClaimKind, Quantifier, Source},
    word::nearest,
};
use serde::{Deserialize, de::DeserializeOwned};
use toml::{Spanned, Value};

pub use check::FIGURES;
pub use text::Paper;

use crate::{
    aggregate::{Aggregate, Counted},
    cell::Scale,
    columns::Table,
    contrast::Contrast,
    error::{ClaimsError, EntryError},
    expectation::Expectation,
    level::Level,
    tables::Tables,
};

/// Filters of rows: by column.
pub type Filters = BTreeMap<String, Level>;

/// Every claim, in the order of the file.
#[derive(Debug)]
pub struct Claims(pub Vec<Claim>);

/// A sentence and how the tables are asked about it.
#[derive(Debug)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// Whether it is the study's or about the study.
    pub kind: ClaimKind,
    /// Where the sentence stands.
    pub paper: Paper,
    /// Its section.
    pub section: String,
    /// The study's words, or those of the correction.
    pub sentence: String,
    /// Unit of its values.
    pub unit: String,
    /// The figure that shows it.
    pub figure: Option<&'static str>,
    /// Sources that can speak to it.
    pub sources: Vec<Source>,
    /// Whether it speaks of several machines at once.
    pub across_profiles: bool,
    /// Of how many cells it speaks; absent where nothing is asked.
    pub quantifier: Option<Quantifier>,
    /// What simulated values have from what they are held against; absent where no model is asked.
    pub basis: Option<Basis>,
    /// Machines that the numbers of its sentence are of.
    pub machines: Vec<String>,
    /// How the tables are asked, or why they cannot be.
    pub question: Question,
}

/// Tables whose published rows are no measurements of ours or of a release, but what a text says.
const STATED: [Table; 4] =
    [Table::MemoryLatency, Table::FabricReads, Table::FabricMessages, Table::FabricPagerank];

impl Claim {
    /// Why `source` cannot speak to it; absent if it can.
    pub fn barred(&self, source: Source) -> Option<String> {
        let stated = STATED.iter().find(|table| self.asks(**table));
        if let Some(table) = stated.filter(|_| source == Source::Published) {
            return Some(format!(
                "published {table} are only what the text itself states: no sentence is its own evidence"
            ));
        }
        (!self.sources.contains(&source)).then(|| format!("{source} data cannot speak to it"))
    }

    /// Whether the sentence's numbers are of other machines than `machine`, which was measured; of
    /// all machines at once, than one of them.
    pub fn is_elsewhere(&self, source: Source, machine: Option<&str>, tables: &Tables) -> bool {
        let is_other = |profile: &str| !self.machines.iter().any(|known| known == profile);
        source == Source::Measured
            && !self.machines.is_empty()
            && machine.map_or_else(|| tables.profiles(source).any(is_other), is_other)
    }

    fn asks(&self, table: Table) -> bool {
        match &self.question {
            Question::Parts(parts) => parts.iter().any(|part| part.table == table),
            Question::WhyNot(_) => false,
        }
    }
}

/// How a claim is asked.
#[derive(Debug)]
pub enum Question {
    /// Queries, each with what is expected.
    Parts(Vec<Part>),
    /// No table holds the answer, and why.
    WhyNot(String),
}

/// One query.
#[derive(Debug)]
pub struct Part {
    /// What is looked at.
    pub table: Table,
    /// Filters: all of them hold.
    pub filters: Vec<Filters>,
    /// More filters for rows of one source.
    pub filters_in: Vec<BTreeMap<Source, Filters>>,
    /// The measure or column of numbers.
    pub value: String,
    /// Comparisons, one after another.
    pub contrasts: Vec<Contrast>,
    /// How they are told.
    pub scale: Scale,
    /// What is done with the cells.
    pub aggregate: Aggregate,
    /// Which of them are counted.
    pub counted: Counted,
    /// What is expected.
    pub expectation: Expectation,
}

impl Part {
    /// The filters of rows of `source`.
    pub fn filters_of(&self, source: Source) -> impl Iterator<Item = &Filters> {
        self.filters.iter().chain(self.filters_in.iter().filter_map(move |all| all.get(&source)))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    /// Sources that can speak to a claim that does not say.
    sources: Vec<Source>,
    /// Machines of the study: profiles of the published data, that its numbers are of.
    #[serde(default)]
    machines: Vec<String>,
    #[serde(default)]
    selection: BTreeMap<String, Spanned<Value>>,
    claim: Vec<Spanned<Value>>,
}

impl Claims {
    /// Reads and checks the claims in `path`.
    ///
    /// # Errors
    /// With the line, the entry and the key of the first thing that is wrong.
    pub fn read(path: &Path) -> Result<Self, ClaimsError> {
        Self::parse(path, &toml_file::text(path)?)
    }

    /// The same from `text`, which is said to be in `path`.
    ///
    /// # Errors
    /// With the line, the entry and the key of the first thing that is wrong.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ClaimsError> {
        let reading = Reading { path, text };
        let file: FileText = toml_file::parse(path, text)?;
        let mut selections = BTreeMap::new();
        for (name, value) in file.selection {
            let line = reading.line(value.span());
            let selection = shaped(value.into_inner());
            let selection = reading.entry(line, || format!("selection \"{name}\""), selection)?;
            selections.insert(name, selection);
        }
        let mut lines = BTreeMap::new();
        let mut claims = Vec::new();
        for value in file.claim {
            let line = reading.line(value.span());
            let value = value.into_inner();
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let claim = shaped(value).and_then(|entry| match lines.insert(id.clone(), line) {
                Some(first) => Err(EntryError::RepeatedId { first }),
                None => check::claim(entry, &selections, &file.sources, &file.machines),
            });
            claims.push(reading.entry(line, || format!("claim \"{id}\""), claim)?);
        }
        Ok(Self(claims))
    }

    /// Only the claim `id`.
    ///
    /// # Errors
    /// When there is none.
    pub fn only(mut self, id: &str) -> Result<Self, ClaimsError> {
        let nearest = nearest(id, self.0.iter().map(|claim| claim.id.as_str()));
        let nearest = nearest.map(str::to_owned);
        self.0.retain(|claim| claim.id == id);
        if self.0.is_empty() {
            return Err(ClaimsError::NoSuchClaim { id: id.to_owned(), nearest });
        }
        Ok(self)
    }

    /// Whether a claim asks `table`.
    pub fn ask(&self, table: Table) -> bool {
        self.0.iter().any(|claim| claim.asks(table))
    }
}

/// The file that is being read, for the places of errors.
struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reading<'_> {
    /// The line on which `span` begins, from 1.
    fn line(&self, span: Range<usize>) -> usize {
        Place::of(self.text, span.start).line
    }

    fn entry<T>(
        &self,
        line: usize,
        entry: impl FnOnce() -> String,
        result: Result<T, EntryError>,
    ) -> Result<T, ClaimsError> {
        result.map_err(|source| ClaimsError::Entry {
            path: self.path.to_owned(),
            line,
            entry: entry(),
            source: Box::new(source),
        })
    }
}

/// `value` as a `T`, or what is wrong and at which key.
fn shaped<T: DeserializeOwned>(value: Value) -> Result<T, EntryError> {
    serde_path_to_error::deserialize(value).map_err(|error| EntryError::Shape {
        key: error.path().to_string(),
        message: error.into_inner().message().to_owned(),
    })
}

#[cfg(test)]
mod tests;
