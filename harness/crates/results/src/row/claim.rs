//! The table of claims: what the data says to every sentence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{ClaimKind, Source, Verdict},
};

/// One claim held against one source, a row of `claims.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Name of the claim.
    pub id: String,
    /// Which of the study's texts.
    pub paper: String,
    /// Section of it.
    pub section: String,
    /// Where the numbers come from.
    pub source: Source,
    /// Machines of the rows that answer, separated by spaces; absent if none does.
    pub profile: Option<String>,
    /// The value: of several, their median.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval: of several, the lowest.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval: of several, the highest.
    pub high: Option<f64>,
    /// Unit of the three.
    pub unit: String,
    /// What the sentence lets one expect.
    pub expected: String,
    /// What the data says.
    pub verdict: Verdict,
    /// How the verdict came about.
    pub why: String,
    /// The figure that shows it.
    pub figure: Option<String>,
    /// The sentence: quoted, or of a correction its statement.
    pub quote: String,
    /// Whether it is the study's or about the study.
    pub kind: ClaimKind,
}

impl Row for ClaimRow {
    const FILE: &'static str = "claims.csv";
    const VERSIONED: Versioned = Versioned::EveryRow(version::CLAIMS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_contract_come_first_and_in_their_order() {
        let contract = "schema_version id paper section source profile value low high unit \
            expected verdict why figure quote kind";
        assert_eq!(ClaimRow::columns(), contract.split_whitespace().collect::<Vec<_>>());
    }
}
