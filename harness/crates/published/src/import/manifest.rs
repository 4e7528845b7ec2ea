//! Every file of the release, read or not, as a row.

use onesided_results::{row::ManifestRow, version};

use crate::{
    oddities::{MISSING, Oddity},
    release,
    run::{RawFile, ReadFile},
};

/// The row of a file that was read.
pub(super) fn of_file(file: &RawFile, read: &ReadFile) -> ManifestRow {
    ManifestRow {
        schema_version: version::MANIFEST.written,
        raw_path: file.raw_path.clone(),
        sha256: Some(read.sha256.clone()),
        rows: read.lines.map(|lines| lines as u64),
        verdict: verdict(file.oddity),
    }
}

/// What the manifest says of a file that is there.
pub(crate) fn verdict(oddity: Option<Oddity>) -> String {
    match oddity {
        None => "ok".to_owned(),
        Some(Oddity::Empty) => Oddity::Empty.why().to_owned(),
        Some(odd) => format!("odd: {}", odd.why()),
    }
}

/// The rows of the files that are not among `files`, whether or not a copy can have them.
pub(super) fn of_missing(files: &[RawFile]) -> impl Iterator<Item = ManifestRow> + use<> {
    let mut missing = release::missing(files);
    let never = MISSING.iter().filter(|path| !release::is_among(files, path));
    missing.extend(never.map(|&path| path.to_owned()));
    missing.sort_unstable();
    missing.into_iter().map(|raw_path| ManifestRow {
        schema_version: version::MANIFEST.written,
        raw_path,
        sha256: None,
        rows: None,
        verdict: "missing".to_owned(),
    })
}
