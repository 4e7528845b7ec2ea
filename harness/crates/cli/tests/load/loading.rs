//! What a load does and says.

use std::collections::BTreeSet;

use onesided_placement::CpuSet;
use onesided_results::load_report::LoadThreadReport;

use crate::program::{Loaded, Loading};

fn loaded(arguments: &str) -> Loaded {
    Loading::start(arguments).ended()
}

#[test]
fn every_access_is_counted_as_a_read_or_a_write_by_thread_and_window() {
    let loaded = loaded("--bytes 1MiB --threads 3 --write-fraction 0.25 --duration 200ms");
    assert_eq!((loaded.ready.threads, loaded.report.threads.len()), (3, 3));
    assert_eq!(loaded.report.window_ns, 10_000_000);
    for (index, thread) in loaded.report.threads.iter().enumerate() {
        assert_eq!((thread.thread, thread.asked.as_str()), (index as u32, "any"));
        assert_eq!(thread.accesses, thread.reads + thread.writes);
        let counted: u64 = thread.windows.iter().sum();
        assert!(counted <= thread.accesses && counted > 0, "{thread:?}");
        assert!((18..400).contains(&thread.windows.len()), "{}", thread.windows.len());
        let writes = thread.writes as f64 / thread.accesses as f64;
        assert!((writes - 0.25).abs() < 0.01, "{writes}");
        assert!(!thread.seen.is_empty());
    }
    assert!(loaded.stderr.contains("accesses/s"), "{}", loaded.stderr);
}

#[test]
fn the_place_of_every_page_is_told_before_and_after() {
    for (memory, asked, node) in [
        ("any", "any", None),
        ("0", "node:0", Some(0)),
        ("rdma-local --device-node 0", "rdma-local", Some(0)),
        ("bind:0", "bind:0", Some(0)),
        ("interleave:0", "interleave:0", None),
        ("interleave", "interleave", None),
        ("preferred:0", "preferred:0", None),
    ] {
        let arguments = format!("--bytes 1MiB --threads 2 --duration 20ms --memory {memory}");
        let loaded = loaded(&arguments);
        for proof in [&loaded.ready.placement[..], &loaded.report.placement[..]] {
            let [proof] = proof else { panic!("{proof:?}") };
            assert_eq!((proof.asked.as_str(), proof.resolved_node), (asked, node));
            assert_eq!((proof.pages * proof.page_bytes, proof.unproven_pages), (1 << 20, 0));
            assert_eq!(proof.by_node.values().sum::<u64>(), proof.pages);
        }
    }
}

#[test]
fn threads_are_pinned_to_the_cpus_that_are_listed_one_each() {
    let loaded = loaded("--bytes 64KiB --threads-on cpus:0 --duration 50ms");
    let [thread] = &loaded.report.threads[..] else { panic!("one for the CPU listed") };
    assert_eq!((thread.asked.as_str(), thread.asked_cpus.as_deref()), ("cpus:0", Some("0")));
    assert!(thread.seen.iter().all(|seen| seen.cpu == 0), "{:?}", thread.seen);
}

#[test]
fn more_threads_than_a_nodes_cpus_share_them_which_is_said() {
    let loaded = loaded("--bytes 64KiB --threads 300 --threads-on 0 --duration 50ms");
    assert_eq!(loaded.report.threads.len(), 300);
    assert!(loaded.report.threads.iter().all(|thread| thread.resolved_node == Some(0)));
    assert!(loaded.stderr.contains("300 threads share"), "{}", loaded.stderr);
}

#[test]
fn a_report_that_no_pipe_holds_is_heard_whole() {
    let loaded = loaded("--bytes 64KiB --threads 100 --duration 6s");
    let windows: usize = loaded.report.threads.iter().map(|thread| thread.windows.len()).sum();
    assert!(windows > 40_000, "{windows}: not more than a pipe of 64 KiB holds");
}

#[test]
fn each_thread_on_a_shared_node_may_run_on_all_its_cpus() {
    let one = |thread: &LoadThreadReport| thread.asked_cpus.clone().expect("it is pinned");
    // In turn, as many as there are: each CPU of the node is one thread's at least.
    let threads = std::thread::available_parallelism().expect("a number");
    let pinned =
        loaded(&format!("--bytes 64KiB --threads {threads} --threads-on 0 --duration 20ms"));
    let cpus: BTreeSet<String> = pinned.report.threads.iter().map(one).collect();
    if cpus.len() < 2 {
        eprintln!("SKIPPED: node 0 has one CPU, on which sharing and taking turns are the same");
        return;
    }
    let words = ["--threads-on shared:0".to_owned(), {
        let listed: Vec<_> = cpus.iter().map(String::as_str).collect();
        format!("--threads-on cpus:{} --on-all", listed.join(","))
    }];
    for words in words {
        let shared = loaded(&format!("--bytes 64KiB --threads 3 --duration 20ms {words}"));
        for thread in &shared.report.threads {
            let each: CpuSet = one(thread).parse().expect("a list of CPUs");
            assert_eq!(each.count(), cpus.len(), "{words}: {thread:?}");
            assert_eq!(thread.resolved_node, Some(0));
        }
    }
}

#[test]
fn one_thread_is_said_to_be_one() {
    let loaded = loaded("--bytes 64KiB --duration 20ms");
    assert!(loaded.stderr.contains("load: 1 thread on a buffer"), "{}", loaded.stderr);
}

#[test]
fn a_rate_is_an_upper_bound_of_each_thread() {
    let mut all_took_part = false;
    for duration_ms in [300, 1000, 3000] {
        if duration_ms > 300 {
            println!("REPEATED a load with a rate: a busy host gave one thread no CPU");
        }
        let loaded =
            loaded(&format!("--bytes 64KiB --threads 2 --rate 10000 --duration {duration_ms}ms"));
        for thread in &loaded.report.threads {
            let windows = thread.windows.len() as f64;
            let counted: u64 = thread.windows.iter().sum();
            // 100 a window; a window may end right before or after an access. On a busy machine there are
            // fewer: how many says nothing about the load.
            let mean = counted as f64 / windows;
            assert!(mean <= 101.0, "{mean}: {:?}", thread.windows);
        }
        let took_part =
            |thread: &LoadThreadReport| thread.windows.iter().any(|&counted| counted > 0);
        all_took_part = loaded.report.threads.iter().all(took_part);
        if all_took_part {
            break;
        }
    }
    assert!(all_took_part, "a thread made no access, however long it was given");
}

#[test]
fn a_stream_of_lines_is_written_like_anything_else() {
    let arguments = "--bytes 1MiB --pattern stream --width 64 --write-fraction 1 --duration 300ms";
    let loaded = loaded(arguments);
    assert_eq!(loaded.report.threads[0].reads, 0);
    // How many says nothing on a busy machine.
    assert!(loaded.report.threads[0].writes > 0);
}
