//! The small text files by which Linux tells its facts (sysfs, procfs).

use std::io;
use std::path::{Path, PathBuf};

/// Why a kernel file could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelFileError {
    /// The file is there but cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is needed and not there.
    #[error("{} is not there; expected {expected}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// What should be in it.
        expected: &'static str,
    },
    /// The file says something that is not understood.
    #[error("{} says `{text}`; expected {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What it says, trimmed.
        text: String,
        /// What was expected of it.
        expected: &'static str,
    },
}

/// The trimmed text of a file; `None` when there is no such file or the kernel has no answer.
///
/// sysfs attributes that do not apply answer `EINVAL`, `ENODEV` or `ENXIO` on reading rather than
/// being left out; that is absence, too.
pub(crate) fn text(path: &Path) -> Result<Option<String>, KernelFileError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if is_absence(&error) => Ok(None),
        Err(source) => Err(KernelFileError::Unreadable { path: path.to_owned(), source }),
    }
}

fn is_absence(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || matches!(
            error.raw_os_error(),
            Some(libc::ENOTDIR | libc::EINVAL | libc::ENODEV | libc::ENXIO | libc::EOPNOTSUPP)
        )
}

/// The trimmed text of a file that must be there.
pub(crate) fn needed_text(path: &Path, expected: &'static str) -> Result<String, KernelFileError> {
    text(path)?.ok_or_else(|| KernelFileError::Missing { path: path.to_owned(), expected })
}

/// What `read` makes of a file's text; `None` when there is no such file.
pub(crate) fn parsed<T>(
    path: &Path,
    expected: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, KernelFileError> {
    match text(path)? {
        None => Ok(None),
        Some(text) => match read(&text) {
            Some(value) => Ok(Some(value)),
            None => Err(KernelFileError::Malformed { path: path.to_owned(), text, expected }),
        },
    }
}

/// The value of the line `key: VALUE kB` of a `meminfo` text, in bytes; `key` is the last word
/// before the colon, because a node's file starts each line with `Node 0`.
pub(crate) fn meminfo_bytes(meminfo: &str, key: &str) -> Option<u64> {
    meminfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        if name.split_whitespace().next_back()? != key {
            return None;
        }
        let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meminfo_value_is_found_by_its_whole_name_with_and_without_the_node() {
        let text = "Node 1 MemTotal:  1024 kB\nNode 1 Inactive(file):  2 kB\nMemFree: 7 kB\n";
        assert_eq!(meminfo_bytes(text, "MemTotal"), Some(1024 * 1024));
        assert_eq!(meminfo_bytes(text, "Inactive(file)"), Some(2048));
        assert_eq!(meminfo_bytes(text, "MemFree"), Some(7 * 1024));
        assert_eq!(meminfo_bytes(text, "Inactive"), None);
    }

    #[test]
    fn a_file_that_is_not_there_is_absence_and_not_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(text(&folder.path().join("nothing")).unwrap(), None);
        let error = needed_text(&folder.path().join("nothing"), "a number").unwrap_err();
        assert!(error.to_string().ends_with("nothing is not there; expected a number"));
    }
}
