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
        /// What the claim looks at, a measure or a column, as in `throughput_ops`: the value is one of it,
        /// or what `unit` says that the claim makes of several. Absent in version 1.
        measure: Option<String>, since 2;
        /// Unit of the measure; absent of a plain number, and in version 1.
        measure_unit: Option<String>, since 2;
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
    use crate::table::{Row as _, read_rows};

    #[test]
    fn the_columns_of_the_contract_come_first_and_in_their_order() {
        let contract = "schema_version id paper section source profile value low high unit \
            expected verdict why figure quote kind quantifier generous basis";
        assert_eq!(ClaimRow::columns(), contract.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn values_of_claims_that_were_written_before_there_were_measures_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let read = |version: u32, columns: &str, cells: &str| {
            let path = directory.path().join("claim-cells.csv");
            let header = "schema_version,id,source,profile,part,cell,at,value,low,high,unit,expected,\
                answer,interval_from,runs,over_runs";
            let row = format!(
                "{version},loss,measured,one,1,1,,9,8,10,% loss,5 to 15,holds,replicates,,"
            );
            std::fs::write(&path, format!("{header}{columns}\n{row}{cells}\n")).unwrap();
            read_rows::<ClaimCellRow>(&path)
        };
        let measures = |rows: Vec<ClaimCellRow>| {
            let [row] = &rows[..] else { panic!("{rows:?}") };
            (row.measure.clone(), row.measure_unit.clone())
        };
        assert_eq!(measures(read(1, "", "").unwrap()), (None, None));
        let both = read(2, ",measure,measure_unit", ",throughput_ops,operations/s").unwrap();
        let expected = ("throughput_ops", "operations/s");
        assert_eq!(measures(both), (Some(expected.0.to_owned()), Some(expected.1.to_owned())));
        let told = read(2, "", "").unwrap_err().to_string();
        assert!(told.contains("column \"measure\" is missing"), "{told}");
    }
}
