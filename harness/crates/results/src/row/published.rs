//! The tables of the study's raw results, as `onesided import nurdma` writes them.

use super::{ClientRow, RunRow, roles::table_row};
use crate::{
    table::Extended,
    vocabulary::{Campaign, CodeGeneration, RawStatus, Source},
};

/// One run of the study, a row of its `runs.csv.gz`.
pub type PublishedRunRow = Extended<RunRow, PublishedRun>;

/// One client of a run of the study, a row of its `clients.csv.gz`.
pub type PublishedClientRow = Extended<ClientRow, PublishedClient>;

table_row! {
    /// What only an imported run has: where it is from, and what was read from its name.
    ///
    /// Where a label of the release is wrong, the label is here and the truth in the factor's column.
    PublishedRun;
    identity {
        /// The raw file, from the folder `results` of the release.
        raw_path: String;
        /// Its checksum.
        raw_sha256: String;
        /// Which program made it.
        code_generation: Option<CodeGeneration>;
        /// Which group of runs it belongs to, where there are groups.
        campaign: Option<Campaign>;
        /// The client's operation as the folder spells it.
        operation_label: Option<String>;
        /// The workers' operation as the folder spells it, also where there are no workers.
        worker_operation_label: Option<String>;
        /// The access size that the name says.
        access_bytes_label: Option<u32>;
    }
    outcome {
        /// Operations on the recovered clock by operations issued; 1 if the clock is right.
        closure: Option<f64>, rules [Positive];
        /// Share of the run in which all clients were active.
        window_fraction: Option<f64>, rules [Within(0.0, 1.0)];
        /// Share of the queue pairs' time in that part which was fast, where writes have two speeds.
        fast_regime_fraction: Option<f64>, rules [Within(0.0, 1.0)];
        /// Time in that part in which hardly anything completed.
        stalled_ns: Option<u64>;
        /// Throughput in the rest of it, operations per second: while the run was running.
        throughput_running_ops: Option<f64>, rules [Positive];
        /// What is in the file.
        status: RawStatus;
    }
    identity {
        /// `run_id` of the run that the file is a copy of.
        duplicate_of: Option<String>;
    }
}

table_row! {
    /// What only an imported client has: what its printed rates add up to, and when it was active.
    PublishedClient;
    outcome {
        /// Mean of its printed rates, operations per second.
        rate_mean_ops: Option<f64>, rules [NotNegative];
        /// Its operations on the recovered clock of the run: each rate by the length of its epoch.
        recovered_operations: Option<f64>, rules [NotNegative];
        /// Start of its first epoch with an operation, on that clock.
        first_active_ns: Option<u64>;
        /// End of its last epoch, on that clock.
        end_ns: Option<u64>, rules [Positive, AtLeast("first_active_ns")];
    }
}

table_row! {
    /// One raw file, a row of `manifest.csv`.
    #[derive(Eq)]
    ManifestRow in "manifest.csv", MANIFEST;
    identity {
        /// The file, from the folder `results` of the release.
        raw_path: String;
    }
    outcome {
        /// Its checksum.
        sha256: Option<String>;
        /// Its lines.
        rows: Option<u64>;
        /// `ok`, `empty`, `missing`, or `odd: ` and why.
        verdict: String;
    }
}

table_row! {
    /// Operations of all clients of a run in one window, a row of `traces.csv.gz`.
    TraceRow in "traces.csv.gz", TRACES;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// The machine's profile.
        profile: String;
        /// The design that the run belongs to.
        experiment: String;
        /// The run's name.
        run_id: String;
        /// Index of the window, from 0.
        window: u32;
        /// Its start on the recovered clock.
        start_ns: u64;
    }
    outcome {
        /// Clients that had begun and not ended.
        clients: u32;
        /// Operations by these windows' length, operations per second.
        throughput_ops: f64, rules [NotNegative];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row as _;

    #[test]
    fn the_columns_of_the_contract_stand_behind_those_of_every_run() {
        let columns = PublishedRunRow::columns();
        let (common, own) = columns.split_at(RunRow::columns().len());
        assert_eq!(common, RunRow::columns());
        let contract = "raw_path raw_sha256 code_generation campaign operation_label \
            worker_operation_label access_bytes_label closure window_fraction \
            fast_regime_fraction stalled_ns throughput_running_ops status duplicate_of";
        assert_eq!(own, contract.split_whitespace().collect::<Vec<_>>());
    }
}
