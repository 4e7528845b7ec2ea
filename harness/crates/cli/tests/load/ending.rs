//! How a load ends.

use std::{thread, time::Duration};

use onesided_results::vocabulary::Moment;

use crate::program::Loading;

#[test]
fn a_load_ends_with_a_report_when_its_parent_is_gone() {
    let mut load = Loading::start("--bytes 64KiB --until-stdin-closes");
    thread::sleep(Duration::from_millis(50));
    drop(load.stdin.take());
    let loaded = load.ended();
    assert!(loaded.report.threads[0].windows.len() >= 4, "it went on: {:?}", loaded.report);
    assert!(loaded.stderr.contains("stdin was closed"), "{}", loaded.stderr);
}

#[test]
fn a_load_ends_with_a_report_when_it_is_told_to() {
    for (signal, said) in [("TERM", "terminated"), ("INT", "interrupted")] {
        let load = Loading::start("--bytes 64KiB --threads 2");
        load.signal(signal);
        let loaded = load.ended();
        assert!(loaded.report.threads.iter().all(|thread| thread.accesses > 0));
        assert!(loaded.stderr.contains(said), "{}", loaded.stderr);
    }
}

#[test]
fn a_closed_stdin_that_was_not_asked_about_ends_nothing() {
    let mut load = Loading::start("--bytes 64KiB --duration 300ms");
    drop(load.stdin.take());
    let loaded = load.ended();
    // All 30 of them, where no other program has the CPU.
    assert!(loaded.report.threads[0].windows.len() >= 15, "{:?}", loaded.report);
    assert!(loaded.stderr.contains("the time is over"), "{}", loaded.stderr);
}

#[test]
fn where_the_memory_is_is_told_whenever_it_is_asked() {
    let mut load = Loading::start("--bytes 64KiB --until-stdin-closes");
    for _ in 0..2 {
        let asked = load.asked();
        assert_eq!(asked.placement[0].when, Moment::During);
        assert_eq!(asked.placement[0].by_node, load.ready.placement[0].by_node);
    }
    drop(load.stdin.take());
    load.ended();
}
