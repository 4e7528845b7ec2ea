//! Every reason to look twice at numbers, of every source, each declared once: its word, what it
//! means, whether numbers count in spite of it, and what it says of a run.
//!
//! A doubt that [`Doubt::invalidates`] means that the numbers are not of the design point that was
//! asked for. The others mean that a reader should know.

use crate::record::DoubtRecord;

/// Declares doubts:
///
/// ```text
///   /// What it means, in words that need no run.
///   Variant { found: Type } = "word" counts, "what it says of a run: {found}";
/// ```
///
/// A doubt without anything found says what it means. `invalid` instead of `counts` where numbers must not be used.
macro_rules! doubts {
    ($(
        $(#[doc = $about:literal])+
        $variant:ident $({
            $( $(#[doc = $of_field:literal])+ $field:ident: $kind:ty ),+ $(,)?
        })? = $word:literal $consequence:ident $(, $said:literal)?;
    )+) => {
        /// One reason to look twice at a run.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Doubt {
            $( $(#[doc = $about])+ $variant $({ $( $(#[doc = $of_field])+ $field: $kind ),+ })? ),+
        }

        impl Doubt {
            /// Word, meaning, and whether it invalidates, of every doubt in the order of their
            /// declaration.
            pub const ALL: &'static [(&'static str, &'static str, bool)] =
                &[$(($word, concat!($($about),+).trim_ascii(), doubts!(@$consequence))),+];

            /// The word that stands in tables.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $word),+ }
            }

            /// Whether the run must not be used.
            pub fn invalidates(&self) -> bool {
                match self { $(Self::$variant { .. } => doubts!(@$consequence)),+ }
            }

            /// One sentence: what was seen and what it means.
            pub fn explain(&self) -> String {
                match self {
                    $(Self::$variant $({ $($field),+ })? => doubts!(@said $word $(, $said)?)),+
                }
            }
        }
    };
    (@said $word:literal) => { Self::meaning($word).unwrap_or_default().to_owned() };
    (@said $word:literal, $said:literal) => { format!($said) };
    (@counts) => { false };
    (@invalid) => { true };
}

mod declared;

pub use declared::Doubt;

/// Name of the file of all doubts, beside the schemas.
pub const FILE: &str = "doubts.csv";

impl Doubt {
    /// As it is written down.
    pub fn record(&self) -> DoubtRecord {
        DoubtRecord {
            doubt: self.name().to_owned(),
            invalidates: self.invalidates(),
            explanation: self.explain(),
        }
    }

    /// Every doubt as text: its word, whether it invalidates, what it means.
    ///
    /// # Panics
    /// Never: text takes all that is written.
    pub fn to_text() -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let lines = Self::ALL.iter().map(|(word, meaning, invalidates)| {
            [*word, if *invalidates { "true" } else { "false" }, *meaning]
        });
        for line in [["doubt", "invalidates", "meaning"]].into_iter().chain(lines) {
            writer.write_record(line).expect("memory takes it");
        }
        String::from_utf8(writer.into_inner().expect("memory takes it")).expect("it was text")
    }

    /// What a doubt means, by its word; absent where there is no such word.
    pub fn meaning(word: &str) -> Option<&'static str> {
        Self::ALL.iter().find(|(name, ..)| *name == word).map(|(_, meaning, _)| *meaning)
    }

    /// Its place in [`Self::ALL`], by which doubts are listed.
    pub fn place(&self) -> usize {
        let own = |(name, ..): &(&str, &str, bool)| *name == self.name();
        Self::ALL.iter().position(own).expect("every doubt is declared")
    }
}

#[cfg(test)]
mod tests;
