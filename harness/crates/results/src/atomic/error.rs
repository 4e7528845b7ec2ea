//! Why something could not be written, and what to do about it.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// Something that could not be written; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system refuses it.
    #[error("cannot {action} {}{}", path.display(), advice(source.kind()))]
    Failed {
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
}

impl WriteError {
    /// That the system says `source` to `action` on `path`.
    pub(crate) fn of(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Failed { action, path: path.to_owned(), source }
    }
}

/// What the user may do about what the system says.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            ": no space left (disk or quota is full): free some, or write elsewhere"
        }
        ErrorKind::ReadOnlyFilesystem => {
            ": its file system is read-only: write elsewhere, or remount it"
        }
        ErrorKind::PermissionDenied => {
            ": permission denied: write elsewhere, or change the owner or mode of its directory"
        }
        ErrorKind::NotADirectory | ErrorKind::NotFound => {
            ": the path to it is no directory: name another place, or remove what is in the way"
        }
        _ => "",
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
