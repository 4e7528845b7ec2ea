//! Reading an archive that anybody may have made: in order, in bounded memory, and nothing written.

use std::{
    collections::HashSet,
    io::{self, BufReader, Read},
    path::Path,
};

use flate2::bufread::{GzDecoder, MultiGzDecoder};
use tar::{Archive, Entry};

use super::{BundleError, BundleManifest, BundledFile, MANIFEST_FILE, MOST_TO_ONE, write::header};
use crate::{
    regular_file::{self, LONGEST_TEXT_BYTES},
    sha256::Summed,
};

/// Zeros that follow the last file: two blocks, and what fills a record (POSIX.1-2017, pax, "ustar
/// Interchange Format": the default is 20 blocks).
const MOST_PADDING: usize = 20 * 512;

/// Reads the archive in `packed`, of `length` bytes, and gives each file of it to `take`, in order.
///
/// What `take` was given is known to be what the manifest says only when this returns: a caller who
/// writes anything reads twice, the first time with a `take` that drops everything.
///
/// # Errors
/// When it is not exactly what its manifest says, and where anything could be written outside of the
/// folder that it unpacks to.
pub fn read(
    packed: impl Read,
    length: u64,
    mut take: impl FnMut(&BundledFile, &mut dyn Read) -> io::Result<()>,
) -> Result<BundleManifest, BundleError> {
    let damaged = |source| BundleError::Archive { source };
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(packed)));
    // Raw: headers that say something of other headers are not obeyed, but refused.
    let mut entries = archive.entries().map_err(damaged)?.raw(true);
    let first = entries.next().ok_or(BundleError::Empty)?.map_err(damaged)?;
    let (manifest, folder) = manifest(first, length)?;
    let unpacked = manifest.bytes();
    if unpacked > length.saturating_mul(MOST_TO_ONE) {
        return Err(BundleError::Bomb { packed: length, unpacked });
    }
    let listed: HashSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let mut left = manifest.files.iter();
    let mut seen = HashSet::new();
    for entry in entries {
        let mut entry = entry.map_err(damaged)?;
        let name = name_of(&entry)?;
        let path = name.strip_prefix(&folder).ok_or(BundleError::Name { name: name.clone() })?;
        if path == MANIFEST_FILE || seen.contains(path) {
            return Err(BundleError::Twice { name });
        }
        if !listed.contains(path) {
            return Err(BundleError::Unlisted { name });
        }
        // Each that is listed and was not seen is still ahead.
        let file = left.next().filter(|file| file.path == path);
        let Some(file) = file else { return Err(BundleError::Format { name }) };
        seen.insert(file.path.as_str());
        as_written(&entry, &manifest, path, file.bytes)?;
        one(&mut entry, file, &mut take)?;
    }
    if let Some(file) = left.next() {
        return Err(BundleError::Missing { name: file.path.clone() });
    }
    ends(archive.into_inner())?;
    Ok(manifest)
}

/// The manifest, which is the first file, and the folder that it is in, with a slash; of an archive of
/// `length` bytes.
fn manifest(
    mut entry: Entry<'_, impl Read>,
    length: u64,
) -> Result<(BundleManifest, String), BundleError> {
    let name = name_of(&entry)?;
    let Some(folder) = name.strip_suffix(MANIFEST_FILE).filter(|folder| folder.ends_with('/'))
    else {
        return Err(BundleError::NotFirst { found: name });
    };
    let bytes = entry.size();
    if bytes > LONGEST_TEXT_BYTES.min(length.saturating_mul(MOST_TO_ONE)) {
        return Err(BundleError::LongManifest { bytes });
    }
    let mut text = Vec::new();
    let read = entry.read_to_end(&mut text).map_err(|source| BundleError::Archive { source })?;
    if read as u64 != bytes {
        return Err(BundleError::Archive { source: io::ErrorKind::UnexpectedEof.into() });
    }
    let manifest = BundleManifest::parse(&text)?;
    if folder.strip_suffix('/') != Some(&manifest.campaign) {
        return Err(BundleError::Name { name });
    }
    as_written(&entry, &manifest, MANIFEST_FILE, bytes)?;
    Ok((manifest, folder.to_owned()))
}

/// Refuses a header that is not the one which packing writes: with an owner, a mode or a time.
fn as_written(
    entry: &Entry<'_, impl Read>,
    manifest: &BundleManifest,
    path: &str,
    bytes: u64,
) -> Result<(), BundleError> {
    let found = entry.header();
    // Its own error is clearer.
    if entry.size() != bytes {
        return Ok(());
    }
    match header(manifest, path, bytes) {
        Ok(due) if due.as_bytes() == found.as_bytes() => Ok(()),
        _ => Err(BundleError::Format { name: path.to_owned() }),
    }
}

/// The name of an entry, which is a regular file of the plain format.
fn name_of(entry: &Entry<'_, impl Read>) -> Result<String, BundleError> {
    let header = entry.header();
    let name = String::from_utf8_lossy(&header.path_bytes()).into_owned();
    let kind = match header.entry_type() {
        tar::EntryType::Regular => None,
        tar::EntryType::Link => Some("a link to another file"),
        tar::EntryType::Symlink => Some("a symbolic link"),
        tar::EntryType::Char | tar::EntryType::Block => Some("a device"),
        tar::EntryType::Fifo => Some("a pipe"),
        tar::EntryType::Directory => Some("a directory"),
        _ => Some("an extension of the format"),
    };
    match kind {
        Some(kind) => Err(BundleError::Kind { name, kind }),
        None if header.as_ustar().is_none() => Err(BundleError::Format { name }),
        None => Ok(name),
    }
}

/// Gives a file to `take`, and holds it against what is listed.
fn one(
    entry: &mut Entry<'_, impl Read>,
    file: &BundledFile,
    take: &mut impl FnMut(&BundledFile, &mut dyn Read) -> io::Result<()>,
) -> Result<(), BundleError> {
    let name = || file.path.clone();
    if entry.size() != file.bytes {
        let (found, listed) = (entry.size(), file.bytes);
        return Err(BundleError::Length { name: name(), found, listed });
    }
    let mut summed = Summed::new(entry);
    take(file, &mut summed).map_err(|source| BundleError::Use { name: name(), source })?;
    io::copy(&mut summed, &mut io::sink()).map_err(|source| BundleError::Archive { source })?;
    let (bytes, found) = summed.finish();
    if bytes != file.bytes {
        return Err(BundleError::Archive { source: io::ErrorKind::UnexpectedEof.into() });
    }
    if found != file.sha256 {
        return Err(BundleError::Sum { name: name(), found, listed: file.sha256.clone() });
    }
    Ok(())
}

/// Refuses a table that is packed more tightly than any results are: it would take the memory of whoever
/// reads it.
///
/// # Errors
/// When it is, or cannot be read.
pub fn check_unpacked_length(path: &Path) -> Result<(), BundleError> {
    let name = || path.display().to_string();
    let failed = |source| BundleError::Use { name: name(), source };
    let file = regular_file::open(path).map_err(failed)?;
    let packed = file.metadata().map_err(failed)?.len();
    let most = packed.saturating_mul(MOST_TO_ONE);
    let content = MultiGzDecoder::new(BufReader::new(file));
    let unpacked = io::copy(&mut content.take(most + 1), &mut io::sink()).map_err(failed)?;
    if unpacked > most { Err(BundleError::TightTable { name: name(), packed }) } else { Ok(()) }
}

/// Refuses what another program might take for further files.
fn ends(mut content: GzDecoder<impl io::BufRead>) -> Result<(), BundleError> {
    let damaged = |source| BundleError::Archive { source };
    let mut rest = Vec::new();
    let most = MOST_PADDING as u64 + 1;
    (&mut content).take(most).read_to_end(&mut rest).map_err(damaged)?;
    if rest.len() > MOST_PADDING || rest.iter().any(|byte| *byte != 0) {
        return Err(BundleError::Behind);
    }
    // Another member of gzip would be read on by some programs.
    let behind = content.into_inner().fill_buf().map_err(damaged)?.len();
    if behind > 0 { Err(BundleError::Behind) } else { Ok(()) }
}
