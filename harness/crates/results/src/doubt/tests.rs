use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::*;

fn methodology() -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    std::fs::read_to_string(repository.join("docs/methodology.md")).unwrap()
}

#[test]
fn every_doubt_has_a_word_of_its_own_and_a_meaning() {
    let words: BTreeSet<_> = Doubt::ALL.iter().map(|(word, ..)| word).collect();
    assert_eq!(words.len(), Doubt::ALL.len(), "{words:?}");
    for (word, meaning, _) in Doubt::ALL {
        assert!(word.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{word}");
        assert!(meaning.ends_with('.') && meaning.len() > word.len(), "{word}: {meaning}");
    }
}

#[test]
fn a_record_says_word_consequence_and_what_was_found() {
    let record = Doubt::ContentWrong { what: "byte 7".to_owned() }.record();
    assert_eq!((record.doubt.as_str(), record.invalidates), ("content-wrong", true));
    assert_eq!(record.explanation, "memory is not as it should be: byte 7");
    assert!(!Doubt::LateStart { late_ns: 1 }.record().invalidates);
    assert_eq!(Doubt::AllZero.record().explanation, "Nothing was completed.");
}

#[test]
fn the_methodology_lists_every_doubt_with_its_consequence() {
    let page = methodology();
    let row = |line: &str| {
        let cells: Vec<_> = line.strip_prefix("| `")?.split('|').map(str::trim).collect();
        let name = cells.first()?.strip_suffix('`')?.to_owned();
        match *cells.get(2)? {
            "**invalid**" => Some((name, true)),
            "counts" => Some((name, false)),
            _ => None,
        }
    };
    let documented: BTreeMap<_, _> = page.lines().filter_map(row).collect();
    for (word, _, invalidates) in Doubt::ALL {
        match documented.get(*word) {
            Some(found) => assert_eq!(found, invalidates, "{word}"),
            None => assert!(page.contains(&format!("`{word}`")), "{word} is not in the page"),
        }
    }
    let declared = |word: &String| Doubt::meaning(word).is_some();
    assert!(documented.keys().all(declared), "{documented:?}");
}
