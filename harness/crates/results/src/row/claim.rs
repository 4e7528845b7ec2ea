//! The table of claims: what the data says to every sentence.

use super::roles::table_row;
use crate::vocabulary::{Answer, Basis, ClaimKind, Quantifier, Source, Verdict};

table_row! {
    /// One claim held against one source, a row of `claims.csv`.
    ClaimRow in "claims.csv", CLAIMS;
    identity {
        /// Name of the claim.
        id: String;
        /// Which of the study's texts.
        paper: String;
        /// Section of it.
        section: String;
        /// Where the numbers come from.
        source: Source;
        /// Machines of the rows that answer, separated by spaces; absent if none does.
        profile: Option<String>;
    }
    outcome {
        /// The value: of several, their median.
        value: Option<f64>, rules [AtLeast("low")];
        /// Lower end of its 95 % interval: of several, the lowest.
        low: Option<f64>;
        /// Upper end of its 95 % interval: of several, the highest.
        high: Option<f64>, rules [AtLeast("value"), AtLeast("low")];
    }
    identity {
        /// Unit of the three.
        unit: String;
        /// What the sentence lets one expect.
        expected: String;
    }
    outcome {
        /// What the data says, read strictly: a cell counts where its interval is certain.
        verdict: Verdict;
        /// How the verdict came about: a sentence, then numbers.
        why: String;
    }
    identity {
        /// The figure that shows it.
        figure: Option<String>;
        /// The sentence: quoted, or of a correction its statement.
        quote: String;
        /// Whether it is the study's or about the study.
        kind: ClaimKind;
        /// Of how many cells the sentence speaks; absent if nothing is asked.
        quantifier: Option<Quantifier>;
    }
    outcome {
        /// What the data says, read generously: a cell counts by its point.
        generous: Verdict;
    }
    identity {
        /// Of simulated values, what they have from what they are held against.
        basis: Option<Basis>;
    }
}

table_row! {
    /// One value that a claim was held against, a row of `claim-cells.csv.gz`.
    ClaimCellRow in "claim-cells.csv.gz", CLAIM_CELLS;
    identity {
        /// Name of the claim.
        id: String;
        /// Where the numbers come from.
        source: Source;
        /// Machines of the rows behind it, separated by spaces; absent if there are none.
        profile: Option<String>;
        /// Which part of the claim asks for it, from 1.
        part: u32;
        /// Which of the values of that part and source it is, from 1.
        cell: u32;
        /// The factors in which it differs from the other values.
        at: Option<String>;
    }
    outcome {
        /// The value.
        value: f64;
        /// Lower end of its 95 % interval.
        low: Option<f64>, rules [LowOf("value", "high")];
        /// Upper end of its 95 % interval.
        high: Option<f64>, rules [HighOf("value", "low")];
    }
    identity {
        /// Unit of the three.
        unit: String;
        /// What the sentence lets one expect.
        expected: String;
    }
    outcome {
        /// What it says by its interval.
        answer: Answer;
    }
    identity {
        /// What the interval is made from.
        interval_from: String;
        /// The runs behind it, as in `profile/experiment/run_id`, separated by spaces; absent where
        /// no runs are (memory latencies, fabrics). Of a comparison, its first side.
        runs: Option<String>;
        /// Of a comparison, the runs of the side that the first is compared with.
        over_runs: Option<String>;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row as _;

    #[test]
    fn the_columns_of_the_contract_come_first_and_in_their_order() {
        let contract = "schema_version id paper section source profile value low high unit \
            expected verdict why figure quote kind quantifier generous basis";
        assert_eq!(ClaimRow::columns(), contract.split_whitespace().collect::<Vec<_>>());
    }
}
