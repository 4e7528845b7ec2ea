//! Files that somebody names: only regular ones are read, and only so much of a text.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Longest text that is read as a whole, in bytes. Ours: a hundred times the largest record or
/// description that there is.
pub const LONGEST_TEXT_BYTES: u64 = 64 << 20;

/// Opens a regular file for reading. A pipe is refused, which might be waited for without an end, and a
/// device, which might have none.
///
/// # Errors
/// When it cannot be opened, or is something else.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// The same, and a symbolic link is refused, too.
///
/// # Errors
/// When it cannot be opened, or is something else.
pub fn open_unlinked(path: &Path) -> io::Result<File> {
    // What open(2) itself says of a link is that there are too many.
    open_with(path, libc::O_NOFOLLOW).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::new(ErrorKind::InvalidInput, "it is a symbolic link"),
        _ => error,
    })
}

fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    // Before it is opened, as opening may already do something to a device.
    check(&fs::metadata(path)?)?;
    // It may be another file by now: a pipe is not waited for (open(2)), and looked at again.
    let flags = flags | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(found: &Metadata) -> io::Result<()> {
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        let what = "it is a pipe, a socket or a device; a regular file is needed";
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    }
    Ok(())
}

/// The text of a regular file.
///
/// # Errors
/// As [`open`]; or when it is longer than [`LONGEST_TEXT_BYTES`], or not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    bytes(path, &mut text)?;
    String::from_utf8(text).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Appends the bytes of a regular file to `bytes`.
///
/// # Errors
/// As [`open`]; or when it is longer than [`LONGEST_TEXT_BYTES`].
pub fn bytes(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = open(path)?.take(LONGEST_TEXT_BYTES + 1).read_to_end(bytes)?;
    if read as u64 > LONGEST_TEXT_BYTES {
        let what = format!("it has more than {} MiB of text", LONGEST_TEXT_BYTES >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_some_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, "some").unwrap();
        assert_eq!(text(&path).unwrap(), "some");
        assert_eq!(text(folder.path()).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(text(&folder.path().join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        let endless = text(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(endless.contains("a device"), "{endless}");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(open(&link).is_ok() && open_unlinked(&path).is_ok());
        assert!(open_unlinked(&link).unwrap_err().to_string().contains("a symbolic link"));
        // It takes no room: a file may have holes.
        File::create(&path).unwrap().set_len(LONGEST_TEXT_BYTES + 1).unwrap();
        assert_eq!(text(&path).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
