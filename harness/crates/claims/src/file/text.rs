//! Entries as they stand in the file.

use std::{collections::BTreeMap, fmt};

use onesided_results::vocabulary::{Basis, ClaimKind, Quantifier, Source};
use serde::Deserialize;

use super::Filters;
use crate::{
    aggregate::{Aggregate, Counted},
    cell::Scale,
    columns::Table,
    contrast::Contrast,
    expectation::ExpectationText,
};

/// One of the study's texts, or of those that it is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paper {
    /// The paper.
    Paper,
    /// The first poster.
    #[serde(rename = "poster-1")]
    Poster1,
    /// The second poster.
    #[serde(rename = "poster-2")]
    Poster2,
    /// Scale-Out NUMA (ASPLOS 2014).
    #[serde(rename = "sonuma")]
    ScaleOutNuma,
    /// Kalia et al. (USENIX ATC 2016), held against the simulator, or asked of any card.
    #[serde(rename = "kalia")]
    DesignGuidelines,
    /// Numbers of it that the simulator was given, or chosen by: no evidence for the model.
    #[serde(rename = "kalia-put-in")]
    DesignGuidelinesPutIn,
}

impl Paper {
    /// Whether its sentences may be told in our words.
    pub fn is_of_others(self) -> bool {
        matches!(self, Self::ScaleOutNuma | Self::DesignGuidelines | Self::DesignGuidelinesPutIn)
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Paper => "paper",
            Self::Poster1 => "poster-1",
            Self::Poster2 => "poster-2",
            Self::ScaleOutNuma => "sonuma",
            Self::DesignGuidelines => "kalia",
            Self::DesignGuidelinesPutIn => "kalia-put-in",
        })
    }
}

/// `[[claim]]`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Entry {
    pub id: String,
    #[serde(default = "claim")]
    pub kind: ClaimKind,
    pub paper: Paper,
    pub section: String,
    pub quote: Option<String>,
    pub statement: Option<String>,
    pub unit: String,
    pub figure: String,
    pub sources: Option<Vec<Source>>,
    #[serde(default)]
    pub across_profiles: bool,
    pub quantifier: Option<Quantifier>,
    pub basis: Option<Basis>,
    /// How the sentence was read, for people.
    #[serde(default, rename = "reading")]
    pub _reading: Option<String>,
    #[serde(default)]
    pub part: Vec<PartText>,
    pub why_not: Option<String>,
}

fn claim() -> ClaimKind {
    ClaimKind::Claim
}

/// `[[claim.part]]`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PartText {
    #[serde(default)]
    pub table: Table,
    #[serde(default)]
    pub select: Vec<String>,
    #[serde(default, rename = "where")]
    pub filters: Filters,
    #[serde(default, rename = "where-in")]
    pub filters_in: BTreeMap<Source, Filters>,
    pub value: String,
    #[serde(default)]
    pub contrast: Vec<Contrast>,
    #[serde(default, rename = "as")]
    pub scale: Scale,
    #[serde(default)]
    pub aggregate: Aggregate,
    pub counted: Option<Counted>,
    pub expect: ExpectationText,
}

/// `[selection.NAME]`.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Selection {
    #[serde(default, rename = "where")]
    pub filters: Filters,
    #[serde(default, rename = "where-in")]
    pub filters_in: BTreeMap<Source, Filters>,
}
