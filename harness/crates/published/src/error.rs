//! What can be wrong with a raw file, always with its path and where there is one its line.

use std::path::PathBuf;

/// A raw file that is not what the study's programs write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Nothing is in it, and that is not known of it.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Its last line has no end: the rest of the file is not there.
    #[error("{}:{line}: \"{found}\" has no line end: the file is truncated", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is there of it.
        found: String,
    },
    /// A line that is not of the file's form.
    #[error("{}:{line}: \"{found}\", expected {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The line's text.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A rate below 0.
    #[error("{}:{line}: the rate {found} is negative, expected 0 or more", path.display())]
    Negative {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The rate.
        found: String,
    },
    /// A client that the run does not have.
    #[error(
        "{}:{line}: client {client}, counted from 0, but by its path the run has clients = {clients}",
        path.display()
    )]
    UnknownClient {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The client.
        client: u64,
        /// How many there are.
        clients: u32,
    },
    /// A client of which nothing is there.
    #[error(
        "{}: client {client}, counted from 0, is missing: by its path the run has clients = {clients}",
        path.display()
    )]
    MissingClient {
        /// The file.
        path: PathBuf,
        /// The client.
        client: usize,
        /// How many there are.
        clients: u32,
    },
    /// An epoch that was there before.
    #[error(
        "{}:{line}: epoch {found} of client {client} is there twice, expected {expected}",
        path.display()
    )]
    Twice {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The client.
        client: u32,
        /// The epoch.
        found: u64,
        /// The epoch that should follow.
        expected: u64,
    },
    /// An epoch before which another is missing.
    #[error(
        "{}:{line}: epoch {found} of client {client}, but epoch {expected} is missing",
        path.display()
    )]
    Gap {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The client.
        client: u32,
        /// The epoch.
        found: u64,
        /// The epoch that should follow.
        expected: u64,
    },
    /// A file of which it is not known that it holds nothing but zeros.
    #[error("{}: all rates are 0, which is not known of this file", path.display())]
    AllZero {
        /// The file.
        path: PathBuf,
    },
    /// A file of which it is known that it holds nothing but zeros, and it does not.
    #[error("{}: a rate is not 0, but all are known to be in this file", path.display())]
    NotZero {
        /// The file.
        path: PathBuf,
    },
    /// A number in the file that does not follow from the others, as it should.
    #[error("{}:{line}: {what} is {found}, but follows as {expected}", path.display())]
    Disagrees {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The number.
        what: &'static str,
        /// As it stands there.
        found: f64,
        /// As the others make it.
        expected: f64,
    },
    /// A misfiled copy without the run that it should be a copy of.
    #[error(
        "{}: known as a copy of a run below {original}, but there is no file of equal content",
        path.display()
    )]
    NoOriginal {
        /// The file.
        path: PathBuf,
        /// Where the run should be.
        original: &'static str,
    },
}
