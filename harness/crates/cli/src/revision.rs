//! What revision this program was built from, which `harness/stamp` writes into it after linking.

use std::hint::black_box;

/// What stands before the revision in the program's file; `harness/stamp` looks for it.
const MARK: &[u8; 25] = b"onesided was built from: ";

/// Bytes for the revision: the longest name that git has for one.
const ROOM: usize = 40;

/// The mark, and behind it the revision and zeros, or nothing but zeros.
#[used]
static STAMP: [u8; MARK.len() + ROOM] = {
    let mut stamp = [0; MARK.len() + ROOM];
    let mut at = 0;
    while at < MARK.len() {
        stamp[at] = MARK[at];
        at += 1;
    }
    stamp
};

/// Source revision that this program was built from, where it was stamped with one.
pub fn harness_revision() -> Option<&'static str> {
    // What the compiler sees in it is not what will be there.
    let stamp: &'static [u8] = black_box(&STAMP);
    let text = stamp[MARK.len()..].split(|byte| *byte == 0).next()?;
    str::from_utf8(text).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_test_is_of_no_revision() {
        assert_eq!(harness_revision(), None);
    }

    #[test]
    fn the_script_knows_the_mark_and_the_room() {
        let script = include_str!("../../../stamp");
        assert!(script.contains(&format!("mark='{}'", str::from_utf8(MARK).unwrap())));
        assert!(script.contains(&format!("room={ROOM}\n")));
    }

    #[test]
    fn what_is_no_program_or_no_revision_is_refused() {
        let stamp = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stamp");
        for (file, revision, told) in [
            (stamp.to_owned() + "/../Cargo.toml", "abc", "0 times"),
            (stamp.to_owned(), "not a revision", "is no revision"),
        ] {
            let file = file.replace("stamp/../", "");
            let output = Command::new(stamp).args([&file, revision]).output().unwrap();
            assert_eq!(output.status.code(), Some(2));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains(told), "{said}");
        }
    }
}
