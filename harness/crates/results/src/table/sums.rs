//! Checksums that lie beside tables: whoever reads a table looks whether it is the one that was written.

use std::{fs, io, path::Path};

use sha2::{Digest, Sha256};

use super::TableError;

/// The list of checksums of a folder, as `sha256sum` writes it.
const SUMS: &str = "SHA256SUMS";

/// Refuses a file that is not the one that the list in its folder names; one that no list names passes.
pub(super) fn check(path: &Path) -> Result<(), TableError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(()) };
    let sums = path.with_file_name(SUMS);
    let list = match fs::read_to_string(&sums) {
        Ok(list) => list,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(TableError::Sums { path: sums, source }),
    };
    // Two characters stand between sum and name, the second of which says how the file was read.
    let of_file =
        |line: &&str| line.split_once(' ').is_some_and(|(_, rest)| rest.get(1..) == Some(name));
    let Some(line) = list.lines().find(of_file) else { return Ok(()) };
    let listed = line.split(' ').next().unwrap_or_default().to_owned();
    let opened = |source| TableError::Open { path: path.to_owned(), source };
    // In pieces: a table may be larger than memory.
    let mut sum = Sha256::new();
    io::copy(&mut fs::File::open(path).map_err(opened)?, &mut sum).map_err(opened)?;
    let found: String = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
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
    fn a_listed_file_has_its_sum_and_others_need_none() {
        assert_eq!(checked("abc", Some(&format!("{OF_ABC}  runs.csv.gz\n"))), Ok(()));
        assert_eq!(checked("abc", Some(&format!("{OF_ABC} *runs.csv.gz"))), Ok(()));
        assert_eq!(checked("abc", None), Ok(()));
        assert_eq!(checked("abcd", Some(&format!("{OF_ABC}  other-runs.csv.gz\n"))), Ok(()));
    }

    #[test]
    fn a_changed_file_and_a_changed_sum_are_refused_with_both_sums() {
        let changed = checked("abcd", Some(&format!("{OF_ABC}  runs.csv.gz\n"))).unwrap_err();
        assert!(changed.contains(&format!("there it is {OF_ABC}")), "{changed}");
        let zeroed = checked("abc", Some(&format!("{}  runs.csv.gz\n", "0".repeat(64))));
        assert!(zeroed.unwrap_err().contains(&format!("its SHA-256 is {OF_ABC}")));
    }
}
