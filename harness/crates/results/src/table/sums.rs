//! Checksums that lie beside tables: whoever reads a table looks whether it is the one that was written.

use std::{fs, io, path::Path};

use super::{TableError, WriteTableError};
use crate::{
    atomic::{self, WriteError},
    regular_file, sha256,
};

/// The list of checksums of a folder, as `sha256sum` writes it.
pub const SUMS: &str = "SHA256SUMS";

/// Tables that are written together, by `import` and `collect`: where there is a list, it has them all.
/// Others may come to lie in the same folder later.
const TOGETHER: [&str; 7] = [
    "clients.csv.gz",
    "conditions.csv.gz",
    "latency.csv.gz",
    "manifest.csv",
    "runs.csv.gz",
    "traces.csv.gz",
    "windows.csv.gz",
];

/// Writes the list of these files of a folder, which are on the disk.
///
/// # Errors
/// When one cannot be read, or the disk refuses the list.
pub fn write_sums(folder: &Path, names: &[&str]) -> Result<(), WriteTableError> {
    let mut list = String::new();
    for name in names {
        let path = folder.join(name);
        let sum = sum_of(&path).map_err(|source| WriteError::of("read again", &path, source))?;
        list += &format!("{sum}  {name}\n");
    }
    Ok(atomic::write(&folder.join(SUMS), list.as_bytes())?)
}

/// Removes the list of a folder whose files are about to be replaced, if there is one.
///
/// # Errors
/// When the disk refuses.
pub fn forget_sums(folder: &Path) -> Result<(), WriteTableError> {
    let path = folder.join(SUMS);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WriteError::of("remove", &path, error).into())
        }
        _ => Ok(()),
    }
}

/// The SHA-256 of a file.
fn sum_of(path: &Path) -> io::Result<String> {
    sha256::of_file(regular_file::open(path)?).map(|(_, sum)| sum)
}

/// Refuses a file that is not the one that the list in its folder has the sum of.
pub(super) fn check(path: &Path) -> Result<(), TableError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let sums = path.with_file_name(SUMS);
    let list = match regular_file::text(&sums) {
        Ok(list) => list,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(TableError::Sums { path: sums, source }),
    };
    // Two characters stand between sum and name, the second of which says how the file was read.
    let of_file =
        |line: &&str| line.split_once(' ').is_some_and(|(_, rest)| rest.get(1..) == Some(name));
    let Some(line) = list.lines().find(of_file) else {
        if !TOGETHER.contains(&name) {
            return Ok(());
        }
        return Err(TableError::Unlisted { path: path.to_owned(), sums });
    };
    let listed = line.split(' ').next().unwrap_or_default().to_owned();
    let opened = |source| TableError::Open { path: path.to_owned(), source };
    let found = sum_of(path).map_err(opened)?;
    if found == listed {
        return Ok(());
    }
    Err(TableError::OtherChecksum { path: path.to_owned(), sums, found, listed })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of the three bytes `abc` (FIPS 180-2, appendix B.1).
    const OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn checked(text: &str, list: Option<&str>) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("runs.csv.gz");
        fs::write(&table, text).expect("a file");
        if let Some(list) = list {
            fs::write(folder.path().join(SUMS), list).expect("a list");
        }
        check(&table).map_err(|error| error.to_string())
    }

    #[test]
    fn a_listed_file_has_its_sum_and_without_a_list_none_needs_one() {
        assert_eq!(checked("abc", Some(&format!("{OF_ABC}  runs.csv.gz\n"))), Ok(()));
        assert_eq!(checked("abc", Some(&format!("{OF_ABC} *runs.csv.gz"))), Ok(()));
        assert_eq!(checked("abc", None), Ok(()));
    }

    #[test]
    fn a_file_that_the_list_of_its_folder_lacks_is_refused() {
        let other = format!("{OF_ABC}  other-runs.csv.gz\n");
        assert!(checked("abc", Some(&other)).unwrap_err().contains("does not list it"));
        // What comes to lie there later is on no list.
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("fabric-reads.csv.gz");
        fs::write(&table, "abc").expect("a file");
        fs::write(folder.path().join(SUMS), &other).expect("a list");
        assert!(check(&table).is_ok());
    }

    #[test]
    fn what_was_written_is_listed_and_a_list_can_be_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("runs.csv.gz");
        fs::write(&table, "abc").expect("a file");
        write_sums(folder.path(), &["runs.csv.gz"]).expect("a list");
        assert!(check(&table).is_ok());
        fs::write(&table, "abcd").expect("a file");
        assert!(check(&table).is_err());
        forget_sums(folder.path()).expect("no list");
        forget_sums(folder.path()).expect("still none");
        assert!(check(&table).is_ok());
    }

    #[test]
    fn a_changed_file_and_a_changed_sum_are_refused_with_both_sums() {
        let changed = checked("abcd", Some(&format!("{OF_ABC}  runs.csv.gz\n"))).unwrap_err();
        assert!(changed.contains(&format!("there it is {OF_ABC}")), "{changed}");
        let zeroed = checked("abc", Some(&format!("{}  runs.csv.gz\n", "0".repeat(64))));
        assert!(zeroed.unwrap_err().contains(&format!("its SHA-256 is {OF_ABC}")));
    }
}
