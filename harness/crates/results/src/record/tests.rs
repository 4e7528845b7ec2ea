use std::fs;

use super::*;
use crate::vocabulary::{
    CacheFinding, CacheState, DirectIoFinding, LoadProcess, MemorySpread, Moment, PlacedMemory,
    PlacementMethod, ThreadRole,
};

fn doubt(invalidates: bool) -> DoubtRecord {
    DoubtRecord {
        doubt: "frequency-varies".to_owned(),
        invalidates,
        explanation: "the governor is powersave".to_owned(),
    }
}

fn host() -> HostManifest {
    HostManifest {
        hostname: "one".to_owned(),
        kernel: "6.1.0".to_owned(),
        cpu_model: Some("some CPU".to_owned()),
        online_cpus: Some("0-3".to_owned()),
        allowed_cpus: Some("0-3".to_owned()),
        isolated_cpus: None,
        nodes: vec![NodeRecord {
            node: 0,
            cpus: "0-3".to_owned(),
            memory_bytes: 1 << 30,
            distances: BTreeMap::from([(0, 10), (1, 21)]),
        }],
        topology_source: "sysfs".to_owned(),
        governors: Some(BTreeMap::from([("performance".to_owned(), 4)])),
        turbo: Some(false),
        simultaneous_multithreading: Some(true),
        cores: vec!["0,2".to_owned(), "1,3".to_owned()],
        transparent_huge_pages: Some("madvise".to_owned()),
        numa_balancing: Some("0".to_owned()),
        memory_lock: Some(MemoryLockLimit::Bytes(65536)),
        rdma_core_version: Some("44.0".to_owned()),
        harness_version: "0.1.0".to_owned(),
        harness_revision: None,
    }
}

fn device() -> DeviceRecord {
    DeviceRecord {
        name: "rxe0".to_owned(),
        nic: Some("rdma_rxe".to_owned()),
        driver: Some("rdma_rxe".to_owned()),
        firmware: None,
        vendor_part: None,
        port: 1,
        link_layer: "ethernet".to_owned(),
        active_mtu_bytes: 1024,
        atomic_capability: Some("device".to_owned()),
        services: Vec::new(),
        shared_receives: Vec::new(),
        node: Some(0),
        node_evidence: "PCI ancestor of its network interface".to_owned(),
        fabric_hop_ns: None,
        fabric_drop_every: None,
    }
}

fn side() -> SideRecord {
    SideRecord {
        host: host(),
        device: Some(device()),
        gid: Some(GidRecord {
            index: Some(1),
            gid: Some("10.0.0.1".to_owned()),
            reason: "RoCEv2, routable".to_owned(),
        }),
        placement: vec![PlacementProof {
            what: PlacedMemory::ServerRegion,
            asked: "rdma-local".to_owned(),
            resolved_node: Some(0),
            pages: 2,
            page_bytes: 4096,
            by_node: BTreeMap::from([(0, 1), (1, 1)]),
            unproven_pages: 0,
            misplaced: vec![MisplacedPages { first_page: 1, pages: 1, node: 1 }],
            misplaced_not_listed: 0,
            spread: MemorySpread::NotAsked,
            when: Moment::Before,
            method: PlacementMethod::MovePages,
        }],
        threads: vec![ThreadProof {
            role: ThreadRole::Client,
            thread: 0,
            asked: "any".to_owned(),
            asked_cpus: None,
            resolved_node: None,
            seen: vec![CpuSample { cpu: 2, node: 0, samples: 9 }],
            activity: Some(ThreadActivity {
                elapsed_ns: 2_000_000_000,
                ran_ns: 1_999_000_000,
                waited_ns: Some(1_000),
                waited_note: None,
                preemptions: 3,
                longest_gap_ns: Some(20_000),
                stalled_ns: Some(0),
            }),
        }],
        counters: CounterRecord {
            before: BTreeMap::from([("sent_pkts".to_owned(), 1)]),
            after: BTreeMap::from([("sent_pkts".to_owned(), 9)]),
            port_state_after: Some("active".to_owned()),
            notes: vec!["uncore: no performance monitoring unit".to_owned()],
        },
        load: Some(HostLoadRecord {
            process: Some(LoadProcess::OwnProcess),
            private_table_bytes: 0,
            alignment_uncertainty_ns: 250_000,
            threads: vec![worker(ThreadRole::Worker), worker(ThreadRole::Load)],
        }),
        caches: Some(CacheRecord {
            asked: CacheState::Flushed,
            method: "clflushopt".to_owned(),
            found: CacheFinding::NotCached,
            why: None,
            lines_timed: 64,
            cached_fraction: Some(0.0),
            load_ns: Some(101.5),
            hit_ns: Some(12.0),
            miss_ns: Some(99.0),
            found_after: Some(CacheFinding::Cached),
            cached_fraction_after: Some(1.0),
        }),
        direct_io: Some(DirectIoRecord {
            state: DirectIoFinding::Unsupported,
            evidence: "rxe0 has no PCI device".to_owned(),
            changed: false,
            changed_back: false,
        }),
        measured_beside: Some("run, process 7".to_owned()),
    }
}

fn worker(role: ThreadRole) -> LoadThreadTotals {
    LoadThreadTotals {
        role,
        thread: 0,
        accesses: 12,
        reads: 8,
        writes: 4,
        swaps_won: 0,
        rate_per_second: Some(1e6),
        measured_ns: 10_000,
    }
}

/// A record with every part there.
pub(crate) fn example() -> RunRecord {
    RunRecord {
        schema_version: version::RECORD.written,
        configuration: RunConfiguration::default(),
        source: Source::SoftRoce,
        back_end: "verbs".to_owned(),
        started_at: "2020-01-01T00:00:00Z".to_owned(),
        outcome: Outcome::Doubtful,
        doubts: vec![doubt(false)],
        negotiated: Some(NegotiatedRecord { mtu_bytes: 1024, max_rd_atomic: 16 }),
        client: Some(side()),
        further_clients: vec![FurtherClientRecord {
            side: side(),
            first_thread: 1,
            threads: 2,
            first_queue_pair: 1,
            queue_pairs: 3,
        }],
        client_clocks: vec![ClientClockRecord {
            host: "c".to_owned(),
            offset_ns: -17_000_000_000,
            uncertainty_ns: 40_000,
            round_trips: 16,
            drift_ppm: -3.5,
            drift_uncertainty_ppm: 0.25,
            late_ns: 0,
        }],
        server: Some(side()),
        clock: Some(ClockRecord {
            source: "tsc".to_owned(),
            frequency_hz: 2_450_000_000,
            cost_ns: 9.5,
            resolution_ns: 0.4,
            invariant: Some(true),
            kernel_clocksource: Some("tsc".to_owned()),
            drift_ppm: None,
        }),
        phases: vec![PhaseTiming { phase: Phase::Measure, took_ms: 2000.25 }],
        totals: Some(RunTotals {
            operations: u64::MAX,
            operations_after_end: 1,
            signaled: 5,
            completions: 5,
            messages_sent: None,
            messages_received: None,
            samples: 4,
            saturated_samples: 0,
            measured_ns: 2_000_000_000,
            queue_pairs: Vec::new(),
        }),
        verification: vec![VerificationRecord {
            what: "bytes written".to_owned(),
            checked: 8,
            mismatched: 0,
            first_mismatch: None,
        }],
        simulation: Some(SimulationRecord {
            parameters: BTreeMap::from([("poll_ns".to_owned(), 50.5)]),
            set_up: Some("one".to_owned()),
            share: 0.1,
        }),
    }
}

#[test]
fn an_older_record_has_a_later_factor_at_its_default_and_one_of_this_version_says_it() {
    let text = |version: u32| {
        let mut record = serde_json::to_value(example()).unwrap();
        record["schema_version"] = version.into();
        record["configuration"].as_object_mut().unwrap().remove("slot_reuse").unwrap();
        record.to_string()
    };
    for version in [3, 4] {
        let record = read_text(&text(version)).unwrap();
        assert_eq!(record.configuration, RunConfiguration::default(), "{version}");
    }
    let error = read_text(&text(5)).unwrap_err();
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert!(reason.contains("missing field `slot_reuse`"), "{reason}");
}

fn read_text(text: &str) -> Result<RunRecord, ReadRecordError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.json");
    fs::write(&path, text).unwrap();
    RunRecord::read(&path)
}

#[test]
fn a_record_comes_back_as_it_was_written() {
    let mut record = example();
    assert_eq!(read_text(&record.to_json()).unwrap(), record);
    record.outcome =
        Outcome::Failed { phase: Phase::SetUp, message: "no device: plug one in".to_owned() };
    (record.client, record.server, record.totals) = (None, None, None);
    assert!(record.to_json().contains("\"status\": \"failed\""));
    assert_eq!(read_text(&record.to_json()).unwrap(), record);
}

#[test]
fn another_schema_version_is_refused_before_anything_else_is_read() {
    let error = read_text("{\"schema_version\": 99, \"new\": []}").unwrap_err();
    assert!(matches!(error, ReadRecordError::UnknownVersion { found: 99, .. }), "{error:?}");
}

#[test]
fn an_unknown_field_and_half_a_record_are_refused() {
    let text = example().to_json();
    let extra = text.replacen("\"source\":", "\"colour\": 1, \"source\":", 1);
    for text in [&extra, &text[..text.len() / 2], "{}"] {
        let error = read_text(text).unwrap_err();
        assert!(matches!(error, ReadRecordError::Malformed { .. }), "{error:?}");
    }
    let error = RunRecord::read(Path::new("/nonexistent/run.json")).unwrap_err();
    assert!(matches!(error, ReadRecordError::Open { .. }), "{error:?}");
}

#[test]
fn doubts_decide_the_outcome_of_a_run_that_ended() {
    assert_eq!(Outcome::of_doubts(&[]), Outcome::Valid);
    assert_eq!(Outcome::of_doubts(&[doubt(false)]), Outcome::Doubtful);
    assert_eq!(Outcome::of_doubts(&[doubt(false), doubt(true)]), Outcome::Invalid);
    assert!(Outcome::Doubtful.is_valid() && !Outcome::Invalid.is_valid());
}

#[test]
fn a_node_is_proven_only_by_all_pages() {
    let proof = |by_node: &[(u32, u64)], unproven_pages| {
        let by_node = by_node.iter().copied().collect();
        let proof = side().placement.remove(0);
        PlacementProof { by_node, unproven_pages, ..proof }.proven_node()
    };
    assert_eq!(proof(&[(0, 2)], 0), Some(0));
    assert_eq!(proof(&[(0, 0), (1, 2)], 0), Some(1));
    assert_eq!(proof(&[(0, 1), (1, 1)], 0), None);
    assert_eq!(proof(&[(0, 1)], 1), None);
    assert_eq!(proof(&[], 0), None);
}
