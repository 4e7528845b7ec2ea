//! What was changed, written down before it is changed, so that someone else can give it back.
//!
//! One file a port, named after it. Guard and guardian hold a shared lock on it for as long as they
//! live: a journal that can be locked exclusively has lost both (`flock(2)`: the kernel takes the
//! locks of a killed process away).

use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process;

use super::error::{DirectIoError, file};
use super::known::{PciId, Register};
use super::{PciAddress, known};

const EXTENSION: &str = "direct-io";

/// What a guard changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub port: PciAddress,
    /// Of the port, so that a journal is not applied to another machine's.
    pub id: PciId,
    pub register: Register,
    /// The byte as it was.
    pub original: u8,
}

/// Who belongs to a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A process that lives: Direct I/O is off on purpose.
    AtWork,
    /// Nobody: [`super::Roots::recover`] gives back what it says.
    Gone,
}

/// A journal that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// The file.
    pub journal: PathBuf,
    /// Whether somebody still needs it.
    pub owner: Owner,
}

/// A journal with the lock on it, for as long as this lives.
#[derive(Debug)]
pub(super) struct Claimed {
    pub change: Change,
    _locked: File,
}

/// The journal of a port.
pub(super) fn path(folder: &Path, port: &PciAddress) -> PathBuf {
    folder.join(format!("{port}.{EXTENSION}"))
}

/// Writes a journal and locks it; it appears under its name complete and locked, or not at all.
pub(super) fn create(folder: &Path, change: &Change) -> Result<(PathBuf, File), DirectIoError> {
    fs::create_dir_all(folder).map_err(file("create", folder))?;
    let path = path(folder, &change.port);
    let draft = folder.join(format!("{}.{}.draft", change.port, process::id()));
    let mut written = File::create(&draft).map_err(file("create", &draft))?;
    let linked = (|| {
        written.write_all(text(change).as_bytes()).map_err(file("write", &draft))?;
        written.sync_all().map_err(file("write", &draft))?;
        written.lock_shared().map_err(file("lock", &draft))?;
        fs::hard_link(&draft, &path).map_err(|source| match source.kind() {
            std::io::ErrorKind::AlreadyExists => {
                DirectIoError::AlreadyHeld { port: change.port.clone(), journal: path.clone() }
            }
            _ => DirectIoError::File { action: "create", path: path.clone(), source },
        })
    })();
    fs::remove_file(&draft).map_err(file("remove", &draft))?;
    linked?;
    sync_folder(folder)?;
    Ok((path, written))
}

/// Opens a journal and shares its lock, as the guardian does.
pub(super) fn share(path: &Path) -> Result<Claimed, DirectIoError> {
    let opened = File::open(path).map_err(file("open", path))?;
    opened.lock_shared().map_err(file("lock", path))?;
    read(path, opened)
}

/// Opens and locks a journal that nobody holds; `None` if somebody does, or it is gone meanwhile.
pub(super) fn claim(path: &Path) -> Result<Option<Claimed>, DirectIoError> {
    let Some(opened) = open(path)? else { return Ok(None) };
    match opened.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(source)) => return Err(file("lock", path)(source)),
    }
    let links = opened.metadata().map_err(file("read", path))?.nlink();
    if links == 0 { Ok(None) } else { read(path, opened).map(Some) }
}

/// Opens a journal; `None` if it is gone: whoever it belongs to removes it at any moment.
fn open(path: &Path) -> Result<Option<File>, DirectIoError> {
    match File::open(path) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file("open", path)(error)),
    }
}

/// Removes a journal; one that is gone is fine, because the other of guard and guardian did it.
pub(super) fn remove(path: &Path) -> Result<(), DirectIoError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// The journals of a folder, in the order of their names.
pub(super) fn list(folder: &Path) -> Result<Vec<LeftOver>, DirectIoError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(file("read", folder)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let journal = entry.map_err(file("read", folder))?.path();
        if journal.extension().is_some_and(|extension| extension == EXTENSION) {
            let Some(opened) = open(&journal)? else { continue };
            let owner = match opened.try_lock() {
                Err(TryLockError::WouldBlock) => Owner::AtWork,
                _ => Owner::Gone,
            };
            found.push(LeftOver { journal, owner });
        }
    }
    found.sort_by(|one, other| one.journal.cmp(&other.journal));
    Ok(found)
}

fn sync_folder(folder: &Path) -> Result<(), DirectIoError> {
    let opened = File::open(folder).map_err(file("open", folder))?;
    opened.sync_all().map_err(file("write", folder))
}

fn text(change: &Change) -> String {
    let Change { port, id, register, original } = change;
    format!("port {port}\nid {id}\noffset {:03x}\noriginal {original:02x}\n", register.offset)
}

fn read(path: &Path, mut locked: File) -> Result<Claimed, DirectIoError> {
    let mut said = String::new();
    locked.read_to_string(&mut said).map_err(file("read", path))?;
    let change = parse(&said).map_err(|why| DirectIoError::BadJournal {
        path: path.to_owned(),
        why: format!("is no journal of Direct I/O: {why}"),
    })?;
    Ok(Claimed { change, _locked: locked })
}

/// Takes a journal at its word only where it names a register that is known for its port.
fn parse(said: &str) -> Result<Change, String> {
    let mut lines = said.lines();
    let mut next = |key: &'static str| {
        let line = lines.next().and_then(|line| line.strip_prefix(key)?.strip_prefix(' '));
        line.ok_or(format!("there is no line `{key} ...` where expected"))
    };
    let port = next("port")?.parse().map_err(|error: DirectIoError| error.to_string())?;
    let id = next("id")?;
    let (vendor, device) = id.split_once(':').ok_or(format!("`{id}` is no id"))?;
    let id = PciId { vendor: hexadecimal(vendor)?, device: hexadecimal(device)? };
    let register = known::register(id)?;
    let offset = next("offset")?;
    if u64::from_str_radix(offset, 16) != Ok(register.offset) {
        return Err(format!("offset {offset} is not the register's, {:03x}", register.offset));
    }
    let original = hexadecimal(next("original")?)?;
    let original = u8::try_from(original).map_err(|_| format!("{original:x} is no byte"))?;
    Ok(Change { port, id, register, original })
}

fn hexadecimal(digits: &str) -> Result<u16, String> {
    u16::from_str_radix(digits, 16).map_err(|_| format!("`{digits}` is no hexadecimal number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> Change {
        let id = PciId { vendor: 0x8086, device: 0x2030 };
        let register = known::register(id).unwrap();
        Change { port: "0000:3a:00.0".parse().unwrap(), id, register, original: 0x91 }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, lock) = create(folder.path(), &change()).unwrap();
        drop(lock);
        assert_eq!(claim(&path).unwrap().expect("nobody holds it").change, change());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the draft is gone");
    }

    #[test]
    fn a_second_journal_of_a_port_is_refused_and_leaves_the_first_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _lock) = create(folder.path(), &change()).unwrap();
        let error = create(folder.path(), &Change { original: 0, ..change() }).unwrap_err();
        assert!(matches!(error, DirectIoError::AlreadyHeld { .. }), "{error}");
        assert_eq!(share(&path).unwrap().change, change());
    }

    #[test]
    fn a_journal_is_at_work_as_long_as_one_of_its_two_holders_lives() {
        let folder = tempfile::tempdir().unwrap();
        let (path, guard) = create(folder.path(), &change()).unwrap();
        let guardian = share(&path).unwrap();
        let owner = || list(folder.path()).unwrap()[0].owner;
        assert_eq!(owner(), Owner::AtWork);
        drop(guard);
        assert_eq!(owner(), Owner::AtWork);
        assert!(claim(&path).unwrap().is_none());
        drop(guardian);
        assert_eq!(owner(), Owner::Gone);
    }

    #[test]
    fn a_journal_that_is_gone_meanwhile_is_nobodys_and_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (there, _lock) = create(folder.path(), &change()).unwrap();
        // In the list of the folder's names, and gone when it is opened.
        let gone = folder.path().join("0000:00:00.0.direct-io");
        std::os::unix::fs::symlink("nowhere", &gone).unwrap();
        assert!(claim(&gone).unwrap().is_none());
        let listed: Vec<_> = list(folder.path()).unwrap().into_iter().map(|l| l.journal).collect();
        assert_eq!(listed, [there]);
    }

    #[test]
    fn a_damaged_journal_and_one_with_another_register_are_refused() {
        let right = text(&change());
        assert!(parse(&right).is_ok());
        for wrong in [
            String::new(),
            right.replace("port ", "port"),
            right.replace("offset 180", "offset 004"),
            right.replace("8086:2030", "1022:1483"),
            right.replace("original 91", "original 191"),
            right.replace("0000:3a:00.0", "../../x"),
            right.lines().take(3).map(|line| format!("{line}\n")).collect(),
        ] {
            assert!(parse(&wrong).is_err(), "{wrong}");
        }
    }
}
