//! Why something could not be written, and what to do about it.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// Something that could not be written; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The disk has no room left.
    #[error(
        "cannot {action} {}: no space left (disk or quota is full): free some, or write elsewhere",
        path.display()
    )]
    Full {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file system can only be read.
    #[error(
        "cannot {action} {}: its file system is read-only: write elsewhere, or remount it",
        path.display()
    )]
    ReadOnly {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The user may not write there.
    #[error(
        "cannot {action} {}: permission denied: write elsewhere, or change the owner or mode of \
         its directory", path.display()
    )]
    Forbidden {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The directory for the file is a file itself, or is not there and cannot be made.
    #[error(
        "cannot {action} {}: the path to it is no directory: name another place, or remove what \
         is in the way", path.display()
    )]
    NoDirectory {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something is there already and was not to be replaced.
    #[error("{} exists already: remove it, or ask for it to be replaced", path.display())]
    Exists {
        /// What is there.
        path: PathBuf,
    },
    /// Somebody else does that run.
    #[error(
        "{} is being done by {by}: wait for it, or give the run another name", path.display()
    )]
    Owned {
        /// The run's directory.
        path: PathBuf,
        /// Who it is, and since when.
        by: String,
    },
    /// Anything else.
    #[error("cannot {action} {}", path.display())]
    Other {
        /// What was being done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl WriteError {
    /// What `source`, met while doing `action` to `path`, means to the user.
    pub(crate) fn of(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                Self::Full { action, path, source }
            }
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { action, path, source },
            ErrorKind::PermissionDenied => Self::Forbidden { action, path, source },
            ErrorKind::NotADirectory | ErrorKind::NotFound => {
                Self::NoDirectory { action, path, source }
            }
            _ => Self::Other { action, path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_decides_the_advice() {
        let error = |code| {
            let source = io::Error::from_raw_os_error(code);
            WriteError::of("write", Path::new("p"), source).to_string()
        };
        // Codes of Linux: errno(3).
        let (eacces, erofs, edquot, eio) = (13, 30, 122, 5);
        assert!(error(erofs).contains("read-only: write elsewhere, or remount it"));
        assert!(error(eacces).contains("change the owner or mode"));
        assert!(error(edquot).contains("quota is full"));
        assert_eq!(error(eio), "cannot write p");
    }
}
