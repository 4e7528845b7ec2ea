//! The files of the release, so that a part of it is not taken for the whole.
//!
//! A list, because they follow from no rule: each folder has its own levels. It is of names only;
//! what is in a file is checked by reading it.

use crate::run::RawFile;

/// A line for each folder: its path, then the names in it.
const FOLDERS: &str = include_str!("release.txt");

/// Paths of the release's files, but for [`crate::oddities::MISSING`] and what programs said.
pub fn paths() -> impl Iterator<Item = String> {
    FOLDERS.lines().flat_map(|line| {
        let mut words = line.split(' ');
        let folder = words.next().unwrap_or_default();
        words.map(move |name| format!("{folder}/{name}"))
    })
}

/// Paths of the release's files that are not among `files`, which come in the order of their paths.
pub fn missing(files: &[RawFile]) -> Vec<String> {
    paths().filter(|path| !is_among(files, path)).collect()
}

/// Whether one of `files`, which come in the order of their paths, is the one at `raw_path`.
pub(crate) fn is_among(files: &[RawFile], raw_path: &str) -> bool {
    files.binary_search_by(|file| file.raw_path.as_str().cmp(raw_path)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grammar,
        oddities::{self, Oddity},
    };

    #[test]
    fn every_listed_path_is_one_that_the_grammar_or_the_list_of_oddities_knows() {
        for path in paths() {
            let stray = oddities::known(&path) == Some(Oddity::Stray);
            assert!(stray || grammar::factors(&path).is_ok(), "{path}");
            assert!(!oddities::MISSING.contains(&path.as_str()), "{path}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_missing_and_no_other() {
        let file = |raw_path| RawFile { raw_path, oddity: None, factors: None };
        let mut files: Vec<_> = paths().map(file).collect();
        files.sort_unstable_by(|a, b| a.raw_path.cmp(&b.raw_path));
        assert!(missing(&files).is_empty());
        let gone = files.remove(1000).raw_path;
        assert_eq!(missing(&files), [gone]);
    }
}
