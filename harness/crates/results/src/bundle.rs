//! A results bundle: what somebody who has measured sends back, in one archive.
//!
//! ```text
//! DATE-PROFILE/manifest.json                what is in it; the archive's first file
//!   |- notes.md                             what no record can see, in its sender's words
//!   |- plan/PROFILE/LEVEL/EXPERIMENT/       runs.csv  left-out.csv
//!   |- profiles/PROFILE/                    machine.toml  simulation.toml
//!   |- raw/PROFILE/EXPERIMENT/RUN_ID/       run.json  windows.csv  latency.csv  load.csv
//!   '- tables/PROFILE/                      runs.csv.gz  clients.csv.gz  ...  SHA256SUMS
//! ```
//! Below the first folder paths are those of a results folder, so every command works on an unpacked
//! bundle. [`Member`] lists the names that there are: a file of any other name is neither packed nor read.
//!
//! The archive is a plain one (ustar, POSIX.1-1988, gzip): regular files alone, in the order of the
//! manifest, without owners and times. So the same content has the same bytes, and what this program
//! checks is what every other one unpacks.

mod error;
mod member;
mod read;
mod tally;
mod write;

pub use error::{BundleError, PackError};
pub use member::Member;
pub use read::{check_unpacked_length, read};
pub use tally::{MeasuringProgram, RunCounts, Summary, Tally, TallyError};
pub use write::pack;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{directory::is_plain_name, version};

/// Name of the manifest's file.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Ending of an archive's name.
pub const ARCHIVE_ENDING: &str = ".tar.gz";

/// Bytes of all files of a bundle, at the most. Ours: ten times what all experiments at level full
/// are estimated to give, and what a disk can take.
pub const MOST_BYTES: u64 = 64 << 30;

/// Bytes of content for each byte of an archive, at the most. Ours: run directories have about 10; gzip
/// itself has 1032 of zeros.
pub const MOST_TO_ONE: u64 = 200;

/// What is in a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BundleManifest {
    /// Version of this format.
    #[schemars(extend("enum" = version::BUNDLE.all()))]
    pub schema_version: u32,
    /// Name of the folder that holds everything: day of the first run, a hyphen, profile.
    pub campaign: String,
    /// The machine's profile, under which everything is filed.
    pub profile: String,
    /// The program that packed it.
    pub packed_by: PackingProgram,
    /// What its runs are; follows from their records.
    pub runs: Summary,
    /// Every other file, in the order of their paths.
    pub files: Vec<BundledFile>,
}

/// The program that packed a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackingProgram {
    /// Its version.
    pub version: String,
    /// Source revision that it was built from; absent if it does not know.
    pub revision: Option<String>,
    /// Versions of the formats that it writes, by kind of file.
    pub writes: std::collections::BTreeMap<String, u32>,
}

impl PackingProgram {
    /// The program of this version and revision, which writes what this library writes.
    pub fn new(version: String, revision: Option<String>) -> Self {
        let writes = [
            ("bundle-manifest", version::BUNDLE),
            ("clients-table", version::CLIENTS),
            ("latency-table", version::LATENCY),
            ("machine-profile", version::MACHINE_PROFILE),
            ("run-record", version::RECORD),
            ("runs-table", version::RUNS),
            ("windows-table", version::WINDOWS),
        ];
        let writes = writes.map(|(kind, versions)| (kind.to_owned(), versions.written));
        Self { version, revision, writes: writes.into() }
    }
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BundledFile {
    /// Path below the bundle's folder.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl BundledFile {
    /// Whether `found` has the length and content that are listed here.
    ///
    /// # Errors
    /// When it has not.
    pub fn expect(&self, found: &Self) -> Result<(), BundleError> {
        let name = || self.path.clone();
        if found.bytes != self.bytes {
            let (found, listed) = (found.bytes, self.bytes);
            return Err(BundleError::Length { name: name(), found, listed });
        }
        if found.sha256 != self.sha256 {
            let (found, listed) = (found.sha256.clone(), self.sha256.clone());
            return Err(BundleError::Sum { name: name(), found, listed });
        }
        Ok(())
    }
}

impl BundleManifest {
    /// The manifest that `text` is, with names that may be written below one folder.
    ///
    /// # Errors
    /// When it is none, is of another version, or names what no bundle has.
    pub fn parse(text: &[u8]) -> Result<Self, BundleError> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u64,
        }
        let malformed = |source| BundleError::Manifest { source };
        let Version { schema_version: found } = serde_json::from_slice(text).map_err(malformed)?;
        if !version::BUNDLE.reads(found) {
            return Err(BundleError::UnknownVersion { found });
        }
        let manifest: Self = serde_json::from_slice(text).map_err(malformed)?;
        manifest.check()?;
        Ok(manifest)
    }

    /// Whether it names only what a bundle may have, each once and in order.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), BundleError> {
        let expected = self.runs.campaign(&self.profile);
        if !is_plain_name(&self.profile) || expected.as_ref() != Some(&self.campaign) {
            let found = self.campaign.clone();
            return Err(BundleError::Campaign { found, profile: self.profile.clone() });
        }
        let mut before: Option<&str> = None;
        for file in &self.files {
            let name = || file.path.clone();
            let member = Member::of(&file.path, &self.profile);
            let member = member.ok_or_else(|| BundleError::Name { name: name() })?;
            if before.is_some_and(|before| before >= file.path.as_str()) {
                return Err(BundleError::ListedTwice { name: name() });
            }
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            if file.sha256.len() != 64 || !file.sha256.bytes().all(is_digit) {
                return Err(BundleError::NoSum { name: name(), found: file.sha256.clone() });
            }
            // Before anything of it is read.
            let longest = member.longest(file.path.rsplit('/').next().unwrap_or_default());
            if file.bytes > longest {
                return Err(BundleError::LongFile { name: name(), bytes: file.bytes, longest });
            }
            before = Some(&file.path);
        }
        self.check_bytes()
    }

    fn check_bytes(&self) -> Result<(), BundleError> {
        let bytes = self.files.iter().try_fold(0_u64, |all, file| all.checked_add(file.bytes));
        match bytes {
            Some(bytes) if bytes <= MOST_BYTES => Ok(()),
            _ => Err(BundleError::TooMuch { bytes }),
        }
    }

    /// Bytes of all its files; of a checked manifest.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// It as it is written: indented, with a final line break.
    ///
    /// # Panics
    /// Never: it is JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest is JSON");
        text.push('\n');
        text
    }
}
