//! One measurement at a time on a host: a lock that whoever measures holds.
//!
//! A measurement is everything that one client asks for: its own threads, the server and the client
//! hosts that join it, on one machine or several. All of them name it by the same words, so that they
//! do not keep each other out.
//!
//! ```text
//!   HOST.lock      held (flock(2)) by the measurement that is under way; its words are in the file
//!   HOST.beside    held together by those that measure beside others; touched when one begins
//! ```
//!
//! Whoever holds the first learns at the end, from the second, whether others measured meanwhile.

use std::{
    fs::{File, OpenOptions, Permissions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Environment variable that names another place for the lock. For tests, and hosts whose /dev/shm is
/// not everybody's.
pub const PLACE_VARIABLE: &str = "ONESIDED_HOST_LOCK";

/// Where it is otherwise: memory that is everybody's, and gone with the machine's next boot.
pub const USUAL_PLACE: &str = "/dev/shm/onesided-host";

/// Between two looks. Ours: short for a person, no work for a CPU that is measured on.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Looks at a file that is held for a moment only.
const LOOKS: usize = 10;

/// Longest words of a measurement, in bytes: more is not read of a holder, as the file is everybody's,
/// nor taken from a client.
pub const LONGEST_WORDS: usize = 300;

/// The lock of a host, not held.
#[derive(Clone, Debug)]
pub struct HostLock {
    place: PathBuf,
}

/// A measurement that is under way on this host. It ends when this is dropped.
#[derive(Debug)]
pub struct HostHeld(Holding);

#[derive(Debug)]
enum Holding {
    /// It has the lock.
    Lock {
        _lock: File,
        beside: File,
        /// When somebody last began to measure beside others, as far as this one knows.
        known: SystemTime,
    },
    /// It measures beside others.
    Beside {
        /// Shows others that it does; absent where it cannot.
        _beside: Option<File>,
        /// Who had the lock when it began.
        other: String,
    },
}

/// Why a host cannot be measured on now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostLockError {
    /// Somebody else does.
    #[error("this host is being measured on by {holder}")]
    Held {
        /// Who: the words of that measurement.
        holder: String,
    },
    /// The file cannot be used.
    #[error(
        "the lock of this host, {}, cannot be used: measure beside whatever else is measured \
         (--beside), or name another place in {PLACE_VARIABLE}", path.display()
    )]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl HostLock {
    /// Where the environment says, or where it usually is.
    pub fn usual() -> Self {
        let place = std::env::var_os(PLACE_VARIABLE).filter(|place| !place.is_empty());
        Self::at(place.map_or_else(|| PathBuf::from(USUAL_PLACE), PathBuf::from))
    }

    /// At a place; its files are `PLACE.lock` and `PLACE.beside`.
    pub fn at(place: PathBuf) -> Self {
        Self { place }
    }

    /// Takes it for the measurement of these words, waiting `within` for others to end. `tell` is told
    /// who has it, once for each. Absent where this measurement has it already.
    ///
    /// # Errors
    /// Others still have it; or its file cannot be used.
    pub fn take(
        &self,
        words: &str,
        within: Option<Duration>,
        mut tell: impl FnMut(&str),
    ) -> Result<Option<HostHeld>, HostLockError> {
        let (began, mut told) = (Instant::now(), None);
        loop {
            let holder = match self.try_take(words)? {
                Ok(held) => return Ok(Some(held)),
                Err(holder) if holder == words => return Ok(None),
                Err(holder) => holder,
            };
            if within.is_some_and(|within| began.elapsed() >= within) {
                return Err(HostLockError::Held { holder });
            }
            if told.as_ref() != Some(&holder) {
                tell(&holder);
                told = Some(holder);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Measures beside whoever measures: it is known then, to this one and to the others. Absent where
    /// this measurement has the lock already. Where the lock cannot be used, everybody may measure.
    pub fn beside(&self, words: &str) -> Option<HostHeld> {
        let unknown = |beside, error: HostLockError| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            let other = format!("unknown, {error}: {}", source.unwrap_or_default());
            Holding::Beside { _beside: beside, other }
        };
        let (beside, known) = match self.shown() {
            Ok(shown) => shown,
            Err(error) => return Some(HostHeld(unknown(None, error))),
        };
        Some(HostHeld(match self.locked(words) {
            Ok(Ok(lock)) => Holding::Lock { _lock: lock, beside, known },
            Ok(Err(holder)) if holder == words => return None,
            Ok(Err(other)) => Holding::Beside { _beside: Some(beside), other },
            Err(error) => unknown(Some(beside), error),
        }))
    }

    /// Shows that somebody measures beside others; and since when.
    fn shown(&self) -> Result<(File, SystemTime), HostLockError> {
        let beside = self.open("beside")?;
        let show = || {
            lock_shared(&beside)?;
            // A write sets the time for whoever may write; to set it otherwise one must own the file.
            beside.write_all_at(b"\n", 0)?;
            modified(&beside)
        };
        let known = show().map_err(|source| self.unusable("beside", source))?;
        Ok((beside, known))
    }

    fn try_take(&self, words: &str) -> Result<Result<HostHeld, String>, HostLockError> {
        let lock = match self.locked(words)? {
            Ok(lock) => lock,
            Err(holder) => return Ok(Err(holder)),
        };
        let beside = self.open("beside")?;
        let unusable = |source| self.unusable("beside", source);
        match beside.try_lock() {
            Ok(()) => beside.unlock().map_err(unusable)?,
            Err(TryLockError::WouldBlock) => {
                return Ok(Err("somebody who measures beside others".to_owned()));
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        let known = modified(&beside).map_err(unusable)?;
        Ok(Ok(HostHeld(Holding::Lock { _lock: lock, beside, known })))
    }

    /// The lock, held from now on; or whose it is.
    fn locked(&self, words: &str) -> Result<Result<File, String>, HostLockError> {
        let mut file = self.open("lock")?;
        let unusable = |source| self.unusable("lock", source);
        match file.try_lock() {
            Ok(()) => {
                let written = file.set_len(0).and_then(|()| file.write_all(words.as_bytes()));
                written.map_err(unusable)?;
                Ok(Ok(file))
            }
            Err(TryLockError::WouldBlock) => Ok(Err(words_in(&file).map_err(unusable)?)),
            Err(TryLockError::Error(source)) => Err(unusable(source)),
        }
    }

    /// One of the two files, everybody's.
    fn open(&self, which: &str) -> Result<File, HostLockError> {
        let path = self.path(which);
        open(&path).map_err(|source| HostLockError::Unusable { path, source })
    }

    fn path(&self, which: &str) -> PathBuf {
        self.place.with_added_extension(which)
    }

    fn unusable(&self, which: &str, source: io::Error) -> HostLockError {
        HostLockError::Unusable { path: self.path(which), source }
    }
}

impl HostHeld {
    /// Who else measured on this host since this one began, as far as that can be known.
    ///
    /// # Errors
    /// A file cannot be looked at any more.
    pub fn others(&self) -> io::Result<Option<String>> {
        match &self.0 {
            Holding::Beside { other, .. } => Ok(Some(other.clone())),
            Holding::Lock { beside, known, .. } => {
                let somebody = || "somebody who measured beside others".to_owned();
                Ok((modified(beside)? > *known).then(somebody))
            }
        }
    }
}

/// Opened, made if it is not there. Another user's file in a folder that is everybody's must not be
/// opened as if it were to be made (`proc_sys_fs(5)`, protected_regular), nor through a link.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match options.clone().create_new(true).open(path) {
                Ok(file) => {
                    // Whatever the umask says.
                    file.set_permissions(Permissions::from_mode(0o666))?;
                    file
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options.open(path)?,
                Err(error) => return Err(error),
            }
        }
        other => other?,
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file: remove it"));
    }
    Ok(file)
}

/// Somebody may just be looking whether anybody holds it. What holds it for longer is none of this
/// program's, and does not keep it from measuring.
fn lock_shared(file: &File) -> io::Result<()> {
    for _ in 0..LOOKS {
        match file.try_lock_shared() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_AGAIN),
            Err(TryLockError::Error(source)) => return Err(source),
        }
    }
    Ok(())
}

fn modified(file: &File) -> io::Result<SystemTime> {
    file.metadata()?.modified()
}

/// What the holder wrote, fit to be shown.
fn words_in(mut file: &File) -> io::Result<String> {
    let mut words = Vec::new();
    file.take(LONGEST_WORDS as u64).read_to_end(&mut words)?;
    let shown = |character: char| if character.is_control() { ' ' } else { character };
    let words: String = String::from_utf8_lossy(&words).chars().map(shown).collect();
    file.rewind()?;
    Ok(if words.is_empty() { "somebody".to_owned() } else { words })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn lock() -> (tempfile::TempDir, HostLock) {
        let folder = tempfile::tempdir().unwrap();
        let lock = HostLock::at(folder.path().join("host"));
        (folder, lock)
    }

    fn now(lock: &HostLock, words: &str) -> Result<Option<HostHeld>, HostLockError> {
        lock.take(words, Some(Duration::ZERO), |_| {})
    }

    #[test]
    fn a_second_measurement_is_told_who_the_first_is_and_has_its_turn_after_it() {
        let (_folder, lock) = lock();
        let first = now(&lock, "run 1 of ann").unwrap().unwrap();
        let refused = now(&lock, "run 2 of ben").unwrap_err();
        assert_eq!(refused.to_string(), "this host is being measured on by run 1 of ann");
        let (sender, told) = mpsc::channel();
        let second = lock.clone();
        let waiting = thread::spawn(move || {
            second.take("run 2 of ben", None, |holder| sender.send(holder.to_owned()).unwrap())
        });
        assert_eq!(told.recv().unwrap(), "run 1 of ann");
        assert_eq!(first.others().unwrap(), None);
        drop(first);
        assert!(waiting.join().unwrap().unwrap().is_some());
        assert!(told.recv().is_err(), "told once");
    }

    #[test]
    fn parts_of_one_measurement_do_not_keep_each_other_out() {
        let (_folder, lock) = lock();
        let _lead = now(&lock, "it").unwrap().unwrap();
        assert!(now(&lock, "it").unwrap().is_none());
        assert!(lock.beside("it").is_none());
    }

    #[test]
    fn who_measures_beside_another_is_known_to_both() {
        let (_folder, lock) = lock();
        let first = now(&lock, "first").unwrap().unwrap();
        // Times of files are no finer than a tick of the kernel's clock.
        thread::sleep(Duration::from_millis(20));
        let second = lock.beside("second").unwrap();
        assert_eq!(second.others().unwrap().as_deref(), Some("first"));
        assert!(first.others().unwrap().is_some(), "also when the second has ended");
        drop(first);
        let refused = now(&lock, "third").unwrap_err();
        assert!(refused.to_string().contains("beside others"), "{refused}");
        drop(second);
        let third = now(&lock, "third").unwrap().unwrap();
        assert_eq!(third.others().unwrap(), None, "that was before it");
    }

    /// Becomes nobody for files, of this thread alone; false where that is not allowed.
    fn become_nobody() -> bool {
        // SAFETY: the raw call changes the calling thread only, and takes a number.
        unsafe { libc::syscall(libc::SYS_setfsuid, 65_534) };
        // SAFETY: as above; it returns who one was before, which -1 leaves.
        unsafe { libc::syscall(libc::SYS_setfsuid, -1) == 65_534 }
    }

    #[test]
    fn another_user_has_turns_on_the_same_host_and_is_seen_beside_it() {
        let (folder, lock) = lock();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        let first = now(&lock, "first").unwrap().unwrap();
        thread::sleep(Duration::from_millis(20));
        let other = lock.clone();
        let tried = thread::spawn(move || {
            become_nobody().then(|| {
                let refused = now(&other, "second").unwrap_err().to_string();
                (refused, other.beside("second").unwrap().others().unwrap())
            })
        });
        let Some((refused, beside)) = tried.join().unwrap() else {
            println!("SKIPPED another user's turn: only root may become one");
            return;
        };
        assert_eq!(refused, "this host is being measured on by first");
        assert_eq!(beside.as_deref(), Some("first"));
        assert!(first.others().unwrap().is_some());
    }

    #[test]
    fn one_that_would_measure_beside_others_and_is_alone_keeps_them_waiting() {
        let (_folder, lock) = lock();
        let alone = lock.beside("alone").unwrap();
        assert_eq!(alone.others().unwrap(), None);
        let refused = now(&lock, "next").unwrap_err();
        assert_eq!(refused.to_string(), "this host is being measured on by alone");
    }

    #[test]
    fn what_is_in_the_way_is_named_and_what_a_holder_says_is_made_fit_to_be_shown() {
        let (folder, lock) = lock();
        std::fs::create_dir(folder.path().join("host.lock")).unwrap();
        let refused = now(&lock, "it").unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("host.lock") && told.contains("--beside"), "{told}");
        let beside = lock.beside("it").unwrap().others().unwrap().unwrap();
        assert!(beside.starts_with("unknown, the lock of this host, "), "{beside}");
        std::fs::remove_dir(folder.path().join("host.lock")).unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join("host.lock")).unwrap();
        assert!(matches!(now(&lock, "it"), Err(HostLockError::Unusable { .. })));
        std::fs::remove_file(folder.path().join("host.lock")).unwrap();
        let _held = now(&lock, "\u{1b}[31mred\n").unwrap().unwrap();
        let refused = now(&lock, "it").unwrap_err().to_string();
        assert_eq!(refused, "this host is being measured on by  [31mred ");
    }
}
