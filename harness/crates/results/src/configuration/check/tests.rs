use super::*;
use crate::vocabulary::{
    Arrivals, LoadKind, LoadPattern, LoadProcess, ReceiveQueues, WorkerOperation, WorkerPattern,
};
use crate::word::Word as _;

/// The faults of the default configuration after `change`.
fn faults(change: impl FnOnce(&mut RunConfiguration)) -> Vec<Fault> {
    let mut configuration = RunConfiguration::default();
    change(&mut configuration);
    configuration.check().map_or_else(|error| error.faults, |()| Vec::new())
}

/// The fields at fault after `change`.
fn at_fault(change: impl FnOnce(&mut RunConfiguration)) -> Vec<&'static str> {
    faults(change).iter().map(Fault::field).collect()
}

#[test]
fn more_threads_than_queue_pairs_are_refused_with_both_numbers() {
    let faults = faults(|c| (c.threads, c.queue_pairs) = (4, 3));
    assert_eq!(
        faults,
        [Fault::Above { field: "threads", value: 4, limit_field: "queue_pairs", limit: 3 }]
    );
    assert_eq!(
        faults[0].to_string(),
        "threads is 4, above queue_pairs, which is 3; allowed: at most 3"
    );
}

#[test]
fn each_client_host_has_a_thread_and_a_ping_pong_has_one_host() {
    assert!(at_fault(|c| (c.queue_pairs, c.threads, c.client_hosts) = (4, 3, 3)).is_empty());
    assert_eq!(at_fault(|c| c.client_hosts = 0), ["client_hosts"]);
    let faults = faults(|c| (c.queue_pairs, c.threads, c.client_hosts) = (4, 2, 3));
    assert_eq!(
        faults[0].to_string(),
        "client_hosts is 3, above threads, which is 2; allowed: at most 2"
    );
    let ping_pong = |c: &mut RunConfiguration| {
        (c.loop_shape, c.operation) = (LoopShape::PingPong, Operation::Write);
        (c.queue_pairs, c.threads, c.client_hosts) = (2, 2, 2);
    };
    assert_eq!(at_fault(ping_pong), ["client_hosts"]);
}

#[test]
fn requests_must_fit_their_window_and_the_window_its_queue() {
    assert_eq!(at_fault(|c| c.signal_every = 2), ["signal_every"]);
    assert_eq!(at_fault(|c| c.post_list = 2), ["post_list"]);
    assert_eq!(at_fault(|c| c.window = 129), ["window"]);
    assert!(at_fault(|c| (c.window, c.signal_every, c.post_list) = (128, 128, 128)).is_empty());
}

#[test]
fn each_batch_ends_with_a_signaled_request() {
    let batch = |every| {
        faults(|c| {
            c.loop_shape = LoopShape::Batch;
            (c.window, c.signal_every) = (16, every);
        })
    };
    for every in [1, 4, 16] {
        assert!(batch(every).is_empty());
    }
    assert_eq!(
        batch(3)[0].to_string(),
        "signal_every is 3, but loop = batch allows only a divisor of window"
    );
}

#[test]
fn zero_is_refused_where_it_means_nothing() {
    assert_eq!(at_fault(|c| (c.queue_pairs, c.threads) = (0, 0)), ["queue_pairs", "threads"]);
    assert_eq!(at_fault(|c| c.post_list = 0), ["post_list"]);
    assert_eq!(at_fault(|c| c.max_rd_atomic = 0), ["max_rd_atomic"]);
    assert_eq!(at_fault(|c| c.hop_limit = 0), ["hop_limit"]);
    assert_eq!(at_fault(|c| c.window_ms = 0), ["window_ms"]);
    assert_eq!(at_fault(|c| c.duration_ms = 0), ["duration_ms"]);
    assert_eq!(at_fault(|c| c.operations_per_queue_pair = Some(0)), ["operations_per_queue_pair"]);
    assert_eq!(at_fault(|c| c.access_bytes = 0), ["access_bytes"]);
    assert_eq!(at_fault(|c| c.order = 0), ["order"]);
}

#[test]
fn only_a_send_that_nobody_answers_may_be_header_only() {
    let of = |operation, loop_shape| {
        faults(|c| (c.operation, c.loop_shape, c.access_bytes) = (operation, loop_shape, 0))
    };
    assert!(of(Operation::Send, LoopShape::Saturating).is_empty());
    let told = |found: Vec<Fault>| found.iter().map(Fault::to_string).collect::<Vec<_>>();
    assert_eq!(
        told(of(Operation::Write, LoopShape::Saturating)),
        [
            "access_bytes is 0, but operation = write allows only 1 or more (only a send may be header-only)"
        ]
    );
    assert_eq!(told(of(Operation::FetchAndAdd, LoopShape::Closed)).len(), 1);
    assert_eq!(
        told(of(Operation::Send, LoopShape::PingPong)),
        [
            "access_bytes is 0, but loop = ping-pong allows only 1 or more (whose turn it is stands in the \
             message)"
        ]
    );
}

#[test]
fn settings_that_wait_for_ever_are_refused() {
    assert_eq!(at_fault(|c| c.retry_count = 7), ["retry_count"]);
    assert_eq!(at_fault(|c| c.rnr_retry = 7), ["rnr_retry"]);
    assert_eq!(at_fault(|c| c.timeout_exponent = 0), ["timeout_exponent"]);
    assert_eq!(at_fault(|c| c.timeout_exponent = 32), ["timeout_exponent"]);
}

#[test]
fn a_duration_is_a_whole_number_of_windows() {
    let faults = faults(|c| c.duration_ms = 2005);
    assert_eq!(
        faults[0].to_string(),
        "duration_ms is 2005, but window_ms = 10 allows only a multiple of it"
    );
}

#[test]
fn atomics_move_eight_aligned_bytes() {
    let change = |c: &mut RunConfiguration| {
        c.operation = Operation::FetchAndAdd;
        c.access_bytes = 64;
        c.slot_layout = SlotLayout::Unaligned;
    };
    assert_eq!(at_fault(change), ["access_bytes", "slot_layout"]);
    assert!(at_fault(|c| c.operation = Operation::CompareAndSwap).is_empty());
}

#[test]
fn spread_objects_have_a_working_set_that_holds_one_for_each_queue_pair() {
    let spread = |working_set_bytes| {
        faults(move |c| {
            c.operation = Operation::FetchAndAdd;
            c.slot_layout = SlotLayout::Spread;
            c.address_pattern = AddressPattern::Uniform;
            c.working_set_bytes = Some(working_set_bytes);
            c.queue_pairs = 4;
        })
    };
    assert_eq!(spread(32), []);
    assert_eq!(
        spread(31)[0].to_string(),
        "working_set_bytes is 31, but slot_layout = spread with 4 queue pairs allows only access_bytes for \
         each queue pair, or more"
    );
    assert_eq!(at_fault(|c| c.slot_layout = SlotLayout::Spread), ["slot_layout"]);
}

#[test]
fn only_what_sends_data_can_send_it_inline() {
    assert_eq!(at_fault(|c| c.inline_bytes = Some(64)), ["inline_bytes"]);
    let write = |c: &mut RunConfiguration| c.operation = Operation::Write;
    assert!(at_fault(|c| (write(c), c.inline_bytes = Some(8)).0).is_empty());
    let too_long = |c: &mut RunConfiguration| {
        write(c);
        (c.inline_bytes, c.access_bytes) = (Some(8), 9);
    };
    assert_eq!(at_fault(too_long), ["access_bytes"]);
}

#[test]
fn what_belongs_to_one_choice_is_needed_there_and_refused_elsewhere() {
    assert_eq!(at_fault(|c| c.write_fraction = Some(0.5)), ["write_fraction"]);
    assert_eq!(at_fault(|c| c.operation = Operation::Mixed), ["write_fraction"]);
    assert_eq!(at_fault(|c| c.arrivals = Some(Arrivals::Fixed)), ["arrivals"]);
    let open = |c: &mut RunConfiguration| c.loop_shape = LoopShape::Open;
    assert_eq!(at_fault(open), ["arrivals", "rate_ops_per_second"]);
    let zipf = |c: &mut RunConfiguration| c.address_pattern = AddressPattern::Zipf;
    assert_eq!(at_fault(zipf), ["zipf_exponent", "working_set_bytes"]);
    assert_eq!(at_fault(|c| c.working_set_bytes = Some(4096)), ["working_set_bytes"]);
}

#[test]
fn fractions_rates_and_exponents_must_be_numbers_in_range() {
    let mixed = |fraction: f64| {
        at_fault(|c| (c.operation, c.write_fraction) = (Operation::Mixed, Some(fraction)))
    };
    assert!(mixed(0.0).is_empty() && mixed(1.0).is_empty());
    assert_eq!(mixed(1.01), ["write_fraction"]);
    assert_eq!(mixed(f64::NAN), ["write_fraction"]);
    let open = |rate: f64| {
        at_fault(|c| {
            (c.loop_shape, c.arrivals) = (LoopShape::Open, Some(Arrivals::Poisson));
            c.rate_ops_per_second = Some(rate);
        })
    };
    assert!(open(1000.0).is_empty());
    assert_eq!(open(0.0), ["rate_ops_per_second"]);
    assert_eq!(open(f64::INFINITY), ["rate_ops_per_second"]);
}

#[test]
fn a_ping_pong_needs_an_operation_that_the_peer_can_see() {
    let ping_pong = |c: &mut RunConfiguration| c.loop_shape = LoopShape::PingPong;
    assert_eq!(at_fault(ping_pong), ["operation"]);
    for operation in [
        Operation::Write,
        Operation::WriteWithImmediate,
        Operation::Send,
        Operation::WriteAnsweredBySend,
    ] {
        assert!(at_fault(|c| (ping_pong(c), c.operation = operation).0).is_empty());
    }
}

#[test]
fn a_write_that_is_answered_by_a_send_needs_somebody_who_answers() {
    let answered = |c: &mut RunConfiguration| c.operation = Operation::WriteAnsweredBySend;
    assert_eq!(at_fault(answered), ["loop"]);
    let datagrams = |c: &mut RunConfiguration| {
        answered(c);
        (c.loop_shape, c.service) = (LoopShape::PingPong, Service::UnreliableDatagram);
    };
    assert_eq!(at_fault(datagrams), ["operation"]);
}

#[test]
fn the_receiver_says_where_a_send_goes() {
    assert!(at_fault(|c| c.operation = Operation::Send).is_empty());
    let spread = |c: &mut RunConfiguration| {
        (c.operation, c.address_pattern) = (Operation::Send, AddressPattern::Uniform);
        c.working_set_bytes = Some(1 << 20);
    };
    assert_eq!(at_fault(spread), ["address_pattern"]);
}

#[test]
fn receive_queues_are_shared_where_something_is_received() {
    for &operation in Operation::ALL {
        let shared = |c: &mut RunConfiguration| {
            (c.operation, c.receive_queues) = (operation, ReceiveQueues::Shared);
            c.write_fraction = (operation == Operation::Mixed).then_some(0.5);
            if operation == Operation::WriteAnsweredBySend {
                c.loop_shape = LoopShape::PingPong;
            }
        };
        let is_received = operation.needs_receives();
        let due: &[&str] = if is_received { &[] } else { &["receive_queues"] };
        assert_eq!(at_fault(shared), due, "{operation}");
    }
    let told = faults(|c| c.receive_queues = ReceiveQueues::Shared)[0].to_string();
    let due = "receive_queues is shared, but has no meaning with operation = read; leave it out";
    assert_eq!(told, due);
}

#[test]
fn names_that_would_leave_their_directory_are_refused() {
    for name in ["", "../x", "a/b", ".hidden", "with space", "a.partial", "a.replaced", "a.lock"] {
        assert_eq!(at_fault(|c| c.run_id = name.to_owned()), ["run_id"], "{name:?}");
    }
}

#[test]
fn a_misspelt_place_is_refused_with_the_places_there_are() {
    let faults = faults(|c| c.server_region = "rdma-locl".to_owned());
    assert_eq!(
        faults[0].to_string(),
        "server_region is \"rdma-locl\"; allowed: any, rdma-local, rdma-remote, node:N or N"
    );
    assert_eq!(at_fault(|c| c.client_rings = "cpus:0".to_owned()), ["client_rings"]);
    assert_eq!(at_fault(|c| c.server_threads = "cpus:65536".to_owned()), ["server_threads"]);
}

#[test]
fn a_datagram_is_no_longer_than_a_packet_of_the_path() {
    let of = |service, access_bytes| {
        faults(|c| {
            (c.operation, c.service, c.mtu_bytes) = (Operation::Send, service, 1024);
            (c.access_bytes, c.slot_layout) = (access_bytes, SlotLayout::Padded);
        })
    };
    assert!(of(Service::UnreliableDatagram, 1024).is_empty());
    let longer = of(Service::UnreliableDatagram, 1025);
    assert_eq!(longer.len(), 1, "{longer:?}");
    assert_eq!(
        longer[0].to_string(),
        "access_bytes is 1025, above mtu_bytes, which is 1024; allowed: at most 1024"
    );
    assert!(of(Service::UnreliableConnection, 1025).is_empty(), "several packets");
}

#[test]
fn every_fault_is_told_at_once() {
    let mut configuration = RunConfiguration::default();
    (configuration.mtu_bytes, configuration.seed) = (1500, 1 << 53);
    let error = configuration.check().unwrap_err();
    assert_eq!(
        error.to_string(),
        "seed is 9007199254740992; allowed: 0 to 9007199254740991; and mtu_bytes is 1500; allowed: 256, \
         512, 1024, 2048, 4096"
    );
}

/// Two workers that mix.
fn working(configuration: &mut RunConfiguration) {
    configuration.workers = 2;
    configuration.worker_operation = WorkerOperation::Mixed;
    configuration.worker_write_fraction = Some(0.9);
    configuration.worker_access_bytes = Some(8);
    configuration.worker_pattern = Some(WorkerPattern::Uniform);
}

#[test]
fn workers_say_what_they_do_and_nobody_says_nothing() {
    assert!(at_fault(working).is_empty());
    let missing = at_fault(|c| c.workers = 2);
    assert_eq!(missing, ["worker_operation", "worker_access_bytes", "worker_pattern"]);
    let idle = at_fault(|c| {
        working(c);
        (c.workers, c.worker_think_time_ns) = (0, 1);
    });
    let all = ["worker_operation", "worker_access_bytes", "worker_pattern", "worker_think_time_ns"];
    assert_eq!(idle, all);
}

#[test]
fn a_workers_fraction_width_and_pace_have_their_limits() {
    let after = |change: fn(&mut RunConfiguration)| {
        at_fault(|c| {
            working(c);
            change(c);
        })
    };
    assert_eq!(after(|c| c.worker_write_fraction = Some(1.1)), ["worker_write_fraction"]);
    assert_eq!(after(|c| c.worker_write_fraction = None), ["worker_write_fraction"]);
    assert_eq!(after(|c| c.worker_access_bytes = Some(3)), ["worker_access_bytes"]);
    assert_eq!(after(|c| c.worker_rate_per_second = Some(0.0)), ["worker_rate_per_second"]);
    let both = |c: &mut RunConfiguration| {
        (c.worker_think_time_ns, c.worker_rate_per_second) = (1, Some(5.0));
    };
    assert_eq!(after(both), ["worker_think_time_ns"]);
    let atomic = |c: &mut RunConfiguration| {
        c.worker_operation = WorkerOperation::FetchAndAdd;
        (c.worker_write_fraction, c.worker_access_bytes) = (None, Some(4));
    };
    assert_eq!(after(atomic), ["worker_access_bytes"]);
    assert_eq!(after(|c| c.worker_threads = "cpu:1".to_owned()), ["worker_threads"]);
}

#[test]
fn the_published_sequence_leaves_little_to_choose() {
    let after = |change: fn(&mut RunConfiguration)| {
        at_fault(|c| {
            working(c);
            (c.worker_pattern, c.worker_access_bytes) = (Some(WorkerPattern::AsPublished), Some(1));
            change(c);
        })
    };
    assert!(after(|_| {}).is_empty());
    assert_eq!(after(|c| c.worker_access_bytes = Some(8)), ["worker_access_bytes"]);
    assert_eq!(after(|c| c.worker_rate_per_second = Some(9.0)), ["worker_rate_per_second"]);
    fn other(c: &mut RunConfiguration, operation: WorkerOperation, bytes: u32) {
        (c.worker_operation, c.worker_write_fraction) = (operation, None);
        c.worker_access_bytes = Some(bytes);
    }
    assert!(after(|c| other(c, WorkerOperation::Read, 1)).is_empty());
    assert!(after(|c| other(c, WorkerOperation::CompareAndSwap, 8)).is_empty());
    assert!(after(|c| other(c, WorkerOperation::FetchAndAdd, 8)).is_empty());
    assert_eq!(after(|c| other(c, WorkerOperation::Write, 8)), ["worker_access_bytes"]);
}

#[test]
fn a_load_is_described_whole_or_not_at_all() {
    let missing = at_fault(|c| c.load_kind = LoadKind::Independent);
    let all = [
        "load_process",
        "load_bytes",
        "load_thread_count",
        "load_write_fraction",
        "load_pattern",
        "load_threads",
        "load_memory",
    ];
    assert_eq!(missing, all);
    let loaded = |memory: &'static str, fraction| {
        at_fault(move |c| {
            c.load_kind = LoadKind::Independent;
            c.load_process = Some(LoadProcess::InProcess);
            (c.load_bytes, c.load_thread_count) = (Some(1 << 20), Some(4));
            (c.load_write_fraction, c.load_pattern) = (Some(fraction), Some(LoadPattern::Uniform));
            c.load_threads = Some("any".to_owned());
            c.load_memory = Some(memory.to_owned());
        })
    };
    assert!(loaded("interleave", 0.5).is_empty());
    assert!(loaded("preferred:rdma-local", 1.0).is_empty());
    assert_eq!(loaded("preferred", 0.5), ["load_memory"]);
    assert_eq!(loaded("any", 1.5), ["load_write_fraction"]);
    assert_eq!(at_fault(|c| c.load_bytes = Some(8)), ["load_bytes"]);
}

#[test]
fn every_number_has_bounds_and_absurd_ones_are_refused_before_anything_is_allocated() {
    let numbers = serde_json::to_value(RunConfiguration::default()).unwrap();
    let bounded: Vec<_> = RunConfiguration::RULED.iter().map(|ruled| ruled.column).collect();
    for (name, value) in numbers.as_object().unwrap() {
        assert!(!value.is_number() || bounded.contains(&name.as_str()), "{name} has no bounds");
    }
    assert_eq!(at_fault(|c| c.workers = u32::MAX)[0], "workers");
    assert_eq!(at_fault(|c| c.send_queue_depth = u32::MAX), ["send_queue_depth"]);
    assert_eq!(at_fault(|c| c.warm_up_ms = u64::MAX), ["warm_up_ms"]);
    assert_eq!(at_fault(|c| (c.duration_ms, c.window_ms) = (1 << 54, 1 << 54)).len(), 2);
    let many = |c: &mut RunConfiguration| {
        (c.duration_ms, c.window_ms, c.queue_pairs) = (10_000_000, 1, 64);
    };
    let told = faults(many)[0].to_string();
    assert!(
        told.starts_with("duration_ms is 10000000 with 64 queue pairs, but window_ms"),
        "{told}"
    );
}
