//! Packing: the same content gives the same bytes.

use std::{
    io::{self, BufWriter, Read, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::{
    ARCHIVE_ENDING, BundleError, BundleManifest, BundledFile, MANIFEST_FILE, MOST_TO_ONE, PackError,
};
use crate::{
    atomic::{AtomicFile, NewFile as _, WriteError},
    directory::Existing,
    regular_file,
    sha256::{self, Summed},
};

/// What gzip calls a system that it does not know (RFC 1952, 2.3.1): the archive is of none.
const NO_SYSTEM: u8 = 255;

impl BundledFile {
    /// The file at `path`, as `name` in a bundle.
    ///
    /// # Errors
    /// When it cannot be read, or is a symbolic link.
    pub fn at(path: &Path, name: String) -> Result<Self, PackError> {
        let failed = |source| PackError::Read { path: path.to_owned(), source };
        let content = regular_file::open_unlinked(path).map_err(failed)?;
        let (bytes, sha256) = sha256::of_file(content).map_err(failed)?;
        Ok(Self { path: name, bytes, sha256 })
    }
}

/// Writes the bundle that `manifest` describes to `out`; `place` says where each of its files is. It
/// appears whole, or not at all.
///
/// # Errors
/// When a file is not what the manifest says, its own reader would refuse it, the disk does, or something
/// is at `out` that is to be kept.
pub fn pack(
    out: &Path,
    existing: Existing,
    manifest: &BundleManifest,
    place: impl Fn(&BundledFile) -> PathBuf,
) -> Result<(), PackError> {
    if !out.to_string_lossy().ends_with(ARCHIVE_ENDING) {
        return Err(PackError::Ending { path: out.to_owned() });
    }
    manifest.check()?;
    let failed = |source| WriteError::of("write", out, source);
    let file = Counted { file: AtomicFile::create(out)?, bytes: 0 };
    let gzip = GzBuilder::new().mtime(0).operating_system(NO_SYSTEM);
    let mut archive = Builder::new(gzip.write(BufWriter::new(file), Compression::default()));
    let text = manifest.to_json();
    let header = header(manifest, MANIFEST_FILE, text.len() as u64)?;
    archive.append(&header, text.as_bytes()).map_err(failed)?;
    for file in &manifest.files {
        let header = self::header(manifest, &file.path, file.bytes)?;
        let path = place(file);
        let read = |source| PackError::Read { path: path.clone(), source };
        let mut content = regular_file::open_unlinked(&path).map_err(read)?;
        let mut summed = Summed::new((&mut content).take(file.bytes));
        archive.append(&header, &mut summed).map_err(failed)?;
        let is_same = summed.finish() == (file.bytes, file.sha256.clone());
        // What was appended meanwhile has been checked with the rest, and is not in the archive.
        if !is_same || content.read(&mut [0]).map_err(read)? > 0 {
            return Err(PackError::Changed { path });
        }
    }
    let written = archive.into_inner().and_then(flate2::write::GzEncoder::finish);
    let mut written = written.map_err(failed)?;
    written.flush().map_err(failed)?;
    let Counted { file, bytes: packed } =
        written.into_inner().map_err(|error| failed(error.into_error()))?;
    let unpacked = manifest.bytes();
    if unpacked > packed.saturating_mul(MOST_TO_ONE) {
        return Err(BundleError::Bomb { packed, unpacked }.into());
    }
    Ok(file.appear(existing)?)
}

/// Of nobody and of no time; everybody may read it.
pub(super) fn header(
    manifest: &BundleManifest,
    path: &str,
    bytes: u64,
) -> Result<Header, PackError> {
    let name = format!("{}/{path}", manifest.campaign);
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    if header.set_path(&name).is_err() {
        return Err(PackError::LongName { name });
    }
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(bytes);
    header.set_cksum();
    Ok(header)
}

/// A file, and how much was written to it.
struct Counted {
    file: AtomicFile,
    bytes: u64,
}

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
