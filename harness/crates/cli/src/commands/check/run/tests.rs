use onesided_results::{record::LoadThreadTotals, table::write_table};

use super::*;

fn worker(thread: u32, accesses: u64) -> LoadThreadTotals {
    LoadThreadTotals {
        role: ThreadRole::Worker,
        thread,
        accesses,
        reads: accesses,
        writes: 0,
        swaps_won: 0,
        rate_per_second: None,
        measured_ns: 0,
    }
}

/// What is said of one worker's two windows of 5 accesses, where the record has `threads`.
fn examined(threads: Vec<LoadThreadTotals>) -> Result<(), String> {
    let directory = tempfile::tempdir().unwrap();
    let count = |window| LoadCount {
        role: ThreadRole::Worker,
        worker: 0,
        window,
        start_ns: -3,
        accesses: 5,
    };
    write_table(&directory.path().join(LoadCount::FILE), &[count(0), count(1)]).unwrap();
    let load = HostLoadRecord {
        process: None,
        private_table_bytes: 0,
        alignment_uncertainty_ns: 0,
        threads,
    };
    examine_load(directory.path(), &load).map_err(|error| error.to_string())
}

#[test]
fn windows_of_workers_hold_no_more_than_the_record_and_none_of_a_stranger() {
    assert_eq!(examined(vec![worker(0, 10)]), Ok(()));
    assert_eq!(examined(vec![worker(0, 17)]), Ok(()), "the first and last windows are cut off");
    let error = examined(vec![worker(0, 9)]).unwrap_err();
    assert_eq!(error, "windows of worker 0 add up to 10 accesses, the record has 9");
    let error = examined(vec![worker(1, 9)]).unwrap_err();
    assert_eq!(error, "there are windows of worker 0, whom the record does not know");
}
