//! A choice that is written as a word, and what to say about a word that is none.

/// A closed set of choices, each with one word.
pub trait Word: Copy + 'static {
    /// What is chosen, for error messages.
    const WHAT: &'static str;
    /// Every choice, in the order of its declaration.
    const ALL: &'static [Self];

    /// The word of this choice.
    fn word(self) -> &'static str;

    /// What it means, in a sentence or two.
    fn about(self) -> &'static str;

    /// Every word, in the order of the declaration.
    fn words() -> Vec<&'static str> {
        Self::ALL.iter().map(|choice| choice.word()).collect()
    }

    /// The choice with this word.
    ///
    /// # Errors
    /// When there is none.
    fn from_word(found: &str) -> Result<Self, UnknownWord> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.word() == found)
            .ok_or_else(|| UnknownWord::new(Self::WHAT, found, &Self::words()))
    }
}

/// A word that names none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{found}\"{}; allowed: {}", suggestion(nearest.as_deref()), allowed.join(", "))]
pub struct UnknownWord {
    /// What should have been named.
    pub what: String,
    /// What stands there.
    pub found: String,
    /// The allowed word that was probably meant.
    pub nearest: Option<String>,
    /// Every allowed word.
    pub allowed: Vec<String>,
}

impl UnknownWord {
    /// Describes `found`, which is not in `allowed`.
    pub fn new(what: &str, found: &str, allowed: &[&str]) -> Self {
        Self {
            what: what.to_owned(),
            found: found.to_owned(),
            nearest: nearest(found, allowed.iter().copied()).map(str::to_owned),
            allowed: allowed.iter().map(|&word| word.to_owned()).collect(),
        }
    }
}

/// "; did you mean …?" where there is something to suggest, else nothing.
pub fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|word| format!(", did you mean \"{word}\"?")).unwrap_or_default()
}

/// The allowed word that `found` was probably meant to be.
///
/// Probably: at most a third of the longer word has to be changed, and the first of equals.
/// Capitals and `_` for `-` do not count as changes.
pub fn nearest<'a>(found: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace('_', "-");
    let found = plain(found);
    allowed
        .into_iter()
        .map(|word| {
            let candidate = plain(word);
            let longer = found.chars().count().max(candidate.chars().count());
            (strsim::osa_distance(&found, &candidate), longer, word)
        })
        .filter(|(edits, longer, _)| edits * 3 <= *longer)
        .min_by_key(|(edits, _, _)| *edits)
        .map(|(_, _, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_word_is_not_suggested() {
        assert_eq!(nearest("banana", ["read", "write"]), None);
        assert_eq!(nearest("reed", ["write", "read"]), Some("read"));
        assert_eq!(nearest("RDMA_Local", ["rdma-local", "rdma-remote"]), Some("rdma-local"));
    }
}
