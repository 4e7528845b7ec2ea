//! Why a bundle is none, or cannot be made.

use std::{io, path::PathBuf};

use super::{ARCHIVE_ENDING, MANIFEST_FILE, MOST_BYTES, MOST_TO_ONE};
use crate::{atomic::WriteError, version};

/// A bundle that is not what it should be. Nothing of it has been written anywhere.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The archive cannot be read.
    #[error("it is no whole archive of gzip and tar: send it again, or fetch it again")]
    Archive {
        /// What the reader says.
        source: io::Error,
    },
    /// A table in it would take much memory.
    #[error(
        "{name} has {packed} bytes and unpacks to more than {MOST_TO_ONE} times as many, as no table of \
         results does: collect again, and pack it again"
    )]
    TightTable {
        /// The table.
        name: String,
        /// Its length.
        packed: u64,
    },
    /// The first file is not the manifest.
    #[error(
        "its first file is \"{found}\", and a bundle begins with DATE-PROFILE/{MANIFEST_FILE}: pack it \
         with `onesided bundle`, not with tar"
    )]
    NotFirst {
        /// What it is.
        found: String,
    },
    /// It has no file.
    #[error("it is empty: pack it with `onesided bundle`")]
    Empty,
    /// The manifest cannot be read.
    #[error("{MANIFEST_FILE} is not the manifest of a bundle")]
    Manifest {
        /// Where and why.
        source: serde_json::Error,
    },
    /// The manifest is too long.
    #[error("{MANIFEST_FILE} has {bytes} bytes, which is more than any bundle's of this length")]
    LongManifest {
        /// Its length.
        bytes: u64,
    },
    /// A file is longer than any of its kind.
    #[error("\"{name}\" has {bytes} bytes; a file of its kind has {longest} at the most")]
    LongFile {
        /// The file.
        name: String,
        /// Its length.
        bytes: u64,
        /// What it may have.
        longest: u64,
    },
    /// The manifest is of another version.
    #[error(
        "{MANIFEST_FILE} has schema version {found}, this program reads {}: check it with the program \
         that packed it",
        version::BUNDLE
    )]
    UnknownVersion {
        /// Its version.
        found: u64,
    },
    /// The bundle's folder is not named as its runs are.
    #[error(
        "{MANIFEST_FILE}: campaign \"{found}\" is not the day of the first run, a hyphen and the profile \
         \"{profile}\""
    )]
    Campaign {
        /// What it is called.
        found: String,
        /// The profile.
        profile: String,
    },
    /// A name that no bundle has.
    #[error(
        "\"{name}\" is no file that a bundle has: it would be written elsewhere, or is unknown"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The manifest names a file twice, or not in order.
    #[error("{MANIFEST_FILE}: \"{name}\" is listed twice, or not in the order of names")]
    ListedTwice {
        /// The file.
        name: String,
    },
    /// The manifest has no checksum of a file.
    #[error(
        "{MANIFEST_FILE}: sha256 of \"{name}\" is \"{found}\"; it must have 64 digits 0-9, a-f"
    )]
    NoSum {
        /// The file.
        name: String,
        /// What stands there.
        found: String,
    },
    /// The files are more than a bundle may have.
    #[error(
        "its files have {} bytes; a bundle has {MOST_BYTES} at the most",
        bytes.map_or("more than 2^64".to_owned(), |bytes| bytes.to_string())
    )]
    TooMuch {
        /// How many they have.
        bytes: Option<u64>,
    },
    /// The content is out of proportion.
    #[error(
        "{packed} bytes would unpack to {unpacked}, more than {MOST_TO_ONE} to one: these are no results"
    )]
    Bomb {
        /// Length of the archive.
        packed: u64,
        /// Bytes of its files, as it says.
        unpacked: u64,
    },
    /// Something else than a regular file.
    #[error("\"{name}\" is {kind}; a bundle has regular files only")]
    Kind {
        /// Its name.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// A header of another kind of archive.
    #[error("\"{name}\" is not stored as `onesided bundle` does: pack it with that, not with tar")]
    Format {
        /// The file.
        name: String,
    },
    /// The same name again.
    #[error("\"{name}\" is in the archive twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A file that the manifest does not list.
    #[error("\"{name}\" is not in {MANIFEST_FILE}")]
    Unlisted {
        /// The file.
        name: String,
    },
    /// A file that is listed and not there.
    #[error("\"{name}\" is in {MANIFEST_FILE}, but is not there")]
    Missing {
        /// The file.
        name: String,
    },
    /// A file of another length than listed.
    #[error("\"{name}\" has {found} bytes, {MANIFEST_FILE} says {listed}")]
    Length {
        /// The file.
        name: String,
        /// Its length.
        found: u64,
        /// What is listed.
        listed: u64,
    },
    /// A file of other content than listed.
    #[error("\"{name}\" was changed: its SHA-256 is {found}, {MANIFEST_FILE} says {listed}")]
    Sum {
        /// The file.
        name: String,
        /// Its own.
        found: String,
        /// What is listed.
        listed: String,
    },
    /// Something behind the end.
    #[error("something follows behind the end of the archive: it is no bundle as it was sent")]
    Behind,
    /// A file cannot be used.
    #[error("cannot use \"{name}\"")]
    Use {
        /// The file.
        name: String,
        /// What the user of it says.
        source: io::Error,
    },
}

/// A bundle that cannot be packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file is no longer what it was.
    #[error("{} was changed meanwhile: pack again when nothing is being measured", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A name that an archive cannot hold.
    #[error(
        "\"{name}\" is too long for an archive (ustar: 155 bytes of folders, 100 behind them): give the \
         profile, experiment or run a shorter name"
    )]
    LongName {
        /// The name.
        name: String,
    },
    /// The archive's own reader would refuse it.
    #[error("it would be refused by `onesided check`")]
    Refused(#[from] BundleError),
    /// The archive cannot be written, or cannot appear.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The archive's name says something else.
    #[error("{}: the name of a bundle ends in {ARCHIVE_ENDING}", path.display())]
    Ending {
        /// The archive.
        path: PathBuf,
    },
}
