//! Tables whose name is not the usual one, told by their columns.

use std::path::Path;

use onesided_results::{
    RunConfiguration,
    row::{
        ClaimRow, ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow, FabricReadsRow,
        LatencyRow, ManifestRow, MemoryLatencyRow, PcieOperationRow, PcieTransferRow,
        PredictionRow, RunRow, ShapeRow, TraceRow, WindowRow,
    },
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Extra, Row, TableReader},
};

/// Usual name of the table whose columns a file has; absent where they are no table's. Where they
/// are those of several, as windows of runs have those of windows, the one with most of them.
pub fn usual_name(path: &Path) -> Option<&'static str> {
    let fitting = [
        fitting::<RunRow>(path),
        fitting::<ClientRow>(path),
        fitting::<ConditionRow>(path),
        fitting::<TraceRow>(path),
        fitting::<ManifestRow>(path),
        fitting::<ClaimRow>(path),
        fitting::<WindowRow>(path),
        fitting::<LatencyRow>(path),
        fitting::<WindowCount>(path),
        fitting::<LatencyBucket>(path),
        fitting::<LoadCount>(path),
        fitting::<MemoryLatencyRow>(path),
        fitting::<FabricReadsRow>(path),
        fitting::<FabricMessagesRow>(path),
        fitting::<FabricPagerankRow>(path),
        fitting::<PcieOperationRow>(path),
        fitting::<PcieTransferRow>(path),
        fitting::<PredictionRow>(path),
        fitting::<ShapeRow>(path),
    ];
    fitting.into_iter().flatten().max().map(|(_, name)| name)
}

/// How many columns a table of `T` has, and its usual name, where the file has them all.
fn fitting<T: Row>(path: &Path) -> Option<(usize, &'static str)> {
    let opened = TableReader::<T>::open(path, Extra::Skipped);
    opened.is_ok().then(|| (T::columns().len(), T::FILE))
}

/// Whether the columns are a run table's and no others.
pub fn are_a_run_tables(path: &Path) -> bool {
    TableReader::<RunConfiguration>::open(path, Extra::Refused).is_ok()
}
