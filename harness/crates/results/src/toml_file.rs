//! TOML files that people write: read strictly, and refused with line, column and what was meant.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};
use toml::Spanned;

use crate::{
    regular_file,
    version::{OtherVersion, Versions},
    word::{nearest, suggestion},
};

/// A place in a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

impl Place {
    /// The place of the byte at `offset` of `text`.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// A file that cannot be read, or is not of its kind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TomlFileError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is of a version that is not read.
    #[error("{}:{place}: {other}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Where it says so.
        place: Place,
        /// What is read, and what to do.
        other: OtherVersion,
    },
    /// The text is not TOML, or not what such a file has.
    #[error("{}:{place}: {message}{}", path.display(), suggestion(nearest.as_deref()))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What is wrong, with what was expected.
        message: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
}

/// The text of the file at `path`.
///
/// # Errors
/// When it cannot be read.
pub fn text(path: &Path) -> Result<String, TomlFileError> {
    regular_file::text(path).map_err(|source| TomlFileError::Open { path: path.to_owned(), source })
}

/// What `text`, the content of the file at `path`, says.
///
/// # Errors
/// When it is not TOML or does not fit `T`.
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, TomlFileError> {
    toml::from_str(text).map_err(|error| TomlFileError::Malformed {
        path: path.to_owned(),
        place: Place::of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
        nearest: nearest_quoted(error.message()),
    })
}

/// The same of a file that may say in `schema_version` which version it is of, one of these.
///
/// # Errors
/// When it is of another, whatever else is in it; or as of [`parse`].
pub fn parse_versioned<T: DeserializeOwned>(
    path: &Path,
    text: &str,
    reads: Versions,
) -> Result<T, TomlFileError> {
    #[derive(Deserialize)]
    struct Version {
        schema_version: Option<Spanned<i64>>,
    }
    let Version { schema_version } = parse(path, text)?;
    let start = schema_version.as_ref().map_or(0, |version| version.span().start);
    match reads.check(schema_version.map(Spanned::into_inner)) {
        Ok(()) => parse(path, text),
        Err(other) => Err(TomlFileError::Version {
            path: path.to_owned(),
            place: Place::of(text, start),
            other,
        }),
    }
}

/// What was probably meant, from a message of serde's form "unknown field `x`, expected `y`".
fn nearest_quoted(message: &str) -> Option<String> {
    let unknown = ["unknown field ", "unknown variant "];
    let rest = unknown.iter().find_map(|start| message.strip_prefix(start))?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let found = quoted.next()?;
    nearest(found, quoted).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_not_bytes() {
        assert_eq!(Place::of("a\nµµ = 1", 2 + 4), Place { line: 2, column: 3 });
        assert_eq!(Place::of("", 0), Place { line: 1, column: 1 });
    }
}
