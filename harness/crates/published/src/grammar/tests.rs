use super::*;

const FOLDERS: [(&str, &str, Testbed); 18] = [
    (
        "baseline/clients_four/cread/sread/numa_one/0workers.result",
        "v1-throughput-by-queue-pairs",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/baseline/clients_one/cwrite/sread/numa_zero/0workers.result",
        "throughput-by-queue-pairs",
        Testbed::ConnectX3,
    ),
    (
        "closedloop/clients_onetwentyeight/cread/sread/numa_one/0workers.result",
        "v1-latency-by-queue-pairs",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/closedloop/sixtyfour_byte/clients_two/cread/sread/numa_one/0workers.result",
        "latency-by-queue-pairs",
        Testbed::ConnectX3,
    ),
    ("memsize/fourk_mtu/cread/numa_one/64byte.result", "v1-access-size", Testbed::ConnectX3),
    (
        "cache_aligned/memsize/clients_eight/cread/numa_one/4096byte.result",
        "access-size",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/memsize_mtu/fourtynintysix/cread/numa_one/8byte.result",
        "access-size-by-mtu",
        Testbed::ConnectX3,
    ),
    (
        "workers/tenp_writes/eight_byte/clients_eight/cread/srw/numa_one/4workers.result",
        "v1-workers",
        Testbed::ConnectX3,
    ),
    (
        "workers/zerop_writes/clients_eight/cread/srw/numa_one/4workers.result",
        "v1-workers",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/workers/eight_byte/clients_eight/cwrite/srw/numa_one/8workers.result",
        "workers",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/workers/xfour/eight_byte/results/cwrite/srw/numa_one/8workers.result",
        "workers-cx4",
        Testbed::ConnectX4,
    ),
    (
        "cache_aligned/write_ratio/clients_eight/eight_byte/fiftyp/cread/srw/numa_one/1workers.result",
        "write-ratio",
        Testbed::ConnectX3,
    ),
    (
        "load/tenk/numa_one/eight_byte/clients_eight/cread/sread/numa_one/0workers.result",
        "v1-load",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/load/ninetyp/onebil/numaone/eight_byte/clients_eight/cread/sread/numa_zero/0workers.result",
        "load",
        Testbed::ConnectX3,
    ),
    (
        "cache_aligned/load/twentyfour_thread/twok/eight_byte/clients_eight/cread/sread/numa_zero/0workers.result",
        "load-24-threads",
        Testbed::ConnectX3,
    ),
    ("noallocflow/clients_one/ccas/scas/numa_one/16workers.result", "ddio-off", Testbed::ConnectX3),
    ("cflush/fourbyte/scas/remote/2workers.result", "flushed-cache", Testbed::Apt),
    ("xfour/openloop_two/crw/srw/numa_one/1workers.result", "operations-cx4", Testbed::ConnectX4),
];

fn of(path: &str) -> Factors {
    factors(path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn each_folder_is_of_its_topic_and_testbed() {
    for (path, experiment, testbed) in FOLDERS {
        let factors = of(path);
        assert_eq!((factors.experiment, factors.testbed), (experiment, testbed), "{path}");
        let second = path.starts_with("cache_aligned/");
        let generation = if second { CodeGeneration::V2 } else { CodeGeneration::V1 };
        assert_eq!(factors.generation, Some(generation), "{path}");
    }
}

#[test]
fn a_path_with_an_unknown_component_is_refused_with_the_path_and_the_component() {
    for (path, ..) in FOLDERS {
        let parts: Vec<_> = path.split('/').collect();
        for at in 0..parts.len() {
            let mut parts = parts.clone();
            parts[at] = "fivety_byte";
            let path = parts.join("/");
            let error = factors(&path).unwrap_err().to_string();
            assert!(error.starts_with(&path) && error.contains("\"fivety_byte\""), "{error}");
            assert!(error.contains("known: "), "{error}");
        }
    }
}

#[test]
fn a_path_that_ends_early_or_late_is_refused() {
    for (path, ..) in FOLDERS {
        let (folder, _) = path.rsplit_once('/').unwrap();
        let error = factors(folder).unwrap_err();
        assert!(matches!(error, GrammarError::Short { .. }), "{error}");
        let error = factors(&format!("{path}/more")).unwrap_err();
        assert!(matches!(error, GrammarError::Long { .. }), "{error}");
    }
}

#[test]
fn a_number_of_workers_or_bytes_is_one_of_the_releases() {
    for name in [
        "3workers.result",
        "+1workers.result",
        "01workers.result",
        "1workers.results",
        "workers.result",
    ] {
        let path = format!("xfour/openloop_two/crw/srw/numa_one/{name}");
        let error = factors(&path).unwrap_err();
        assert!(matches!(error, GrammarError::Unknown { .. }), "{error}");
    }
    assert!(factors("memsize/onek_mtu/cread/numa_one/9byte.result").is_err());
}

#[test]
fn memory_on_the_cards_node_is_local_and_the_cards_differ_in_their_node() {
    let local = |path: &str| of(path).locality == Locality::RdmaLocal;
    assert!(local("memsize/onek_mtu/cread/numa_zero/8byte.result"));
    assert!(!local("memsize/onek_mtu/cread/numa_one/8byte.result"));
    assert!(!local("xfour/openloop_two/crw/srw/numa_zero/1workers.result"));
    assert!(local("xfour/openloop_two/crw/srw/numa_one/1workers.result"));
    assert!(local("cflush/cread/sread/local/1workers.result"));
    assert!(!local(
        "cache_aligned/workers/xfour/eight_byte/results/cread/srw/numa_zero/8workers.result"
    ));
}

#[test]
fn the_client_moves_with_the_memory_in_the_first_program_only() {
    let client = |path: &str| of(path).client_locality;
    let (local, remote) = (Some(Locality::RdmaLocal), Some(Locality::RdmaRemote));
    assert_eq!(client("baseline/clients_four/cread/sread/numa_one/0workers.result"), remote);
    assert_eq!(client("cflush/cread/sread/remote/1workers.result"), remote);
    assert_eq!(client("xfour/openloop_two/crw/srw/numa_one/1workers.result"), local);
    assert_eq!(
        client("cache_aligned/baseline/clients_one/cread/sread/numa_one/0workers.result"),
        local
    );
    assert_eq!(client(FOLDERS[10].0), None);
}

#[test]
fn writers_of_24_and_more_threads_were_readers_and_keep_their_label() {
    let path = |workers| {
        format!(
            "cache_aligned/workers/eight_byte/clients_eight/cread/swrite/numa_one/{workers}workers.result"
        )
    };
    let (sixteen, twenty_four) = (of(&path(16)), of(&path(24)));
    assert_eq!(sixteen.worker_operation(), WorkerOperation::Write);
    assert_eq!(twenty_four.worker_operation(), WorkerOperation::Read);
    assert_eq!(twenty_four.worker_label, Some("swrite"));
    assert_eq!(of(&path(0)).worker_operation(), WorkerOperation::None);
}

#[test]
fn writes_of_1024_bytes_were_of_512_and_keep_their_label() {
    let write = of("cache_aligned/memsize_mtu/fivetwelve/cwrite/numa_one/1024byte.result");
    assert_eq!((write.access_bytes, write.access_label), (512, Some(1024)));
    let read = of("cache_aligned/memsize_mtu/fivetwelve/cread/numa_one/1024byte.result");
    assert_eq!((read.access_bytes, read.access_label), (1024, Some(1024)));
}

#[test]
fn a_load_of_elements_is_one_of_eight_times_the_bytes() {
    let load = |path: &str| of(path).load;
    let v1 =
        load("load/tenk/numa_one/eight_byte/clients_eight/cread/sread/numa_one/0workers.result");
    assert_eq!(v1, Load { node: Some(LoadNode::RdmaRemote), bytes: Some(80_000) });
    let none =
        load("load/no_load/numa_one/eight_byte/clients_eight/cread/sread/numa_one/0workers.result");
    assert_eq!(none, Load::default());
    // 1000 elements in one folder, 1024 in the other.
    let ninety = "cache_aligned/load/ninetyp/onek/eight_byte/clients_eight/cread/sread/numa_one/0workers.result";
    let threads = "cache_aligned/load/twentyfour_thread/onek/eight_byte/clients_eight/cread/sread/numa_one/0workers.result";
    assert_eq!((load(ninety).bytes, load(threads).bytes), (Some(8_000), Some(8_192)));
    let unsized_ = load(
        "cache_aligned/load/twentyfour_thread/sixtyfour_byte/clients_eight/cread/sread/numa_one/0workers.result",
    );
    assert_eq!(unsized_, Load { node: Some(LoadNode::Agnostic), bytes: None });
}

#[test]
fn other_factors_are_those_of_the_folders() {
    let factors = of("memsize/fourk_mtu/cread/numa_one/64byte.result");
    assert_eq!(
        (factors.queue_pairs, factors.mtu_bytes, factors.access_bytes),
        (32, Some(4096), 64)
    );
    let factors =
        of("workers/tenp_writes/eight_byte/clients_thirtytwo/cread/srw/numa_one/4workers.result");
    assert_eq!((factors.queue_pairs, factors.write_fraction()), (32, Some(0.1)));
    assert_eq!(of("noallocflow/clients_one/ccas/scas/numa_one/16workers.result").ddio, Ddio::Off);
    let cache =
        |workers| of(&format!("cflush/cread/sread/local/{workers}workers.result")).cache_state;
    assert_eq!((cache(0), cache(1)), (CacheState::Flushed, CacheState::Warm));
    let closed = of(
        "cache_aligned/closedloop/sixtyfour_byte/clients_two/cread/sread/numa_one/0workers.result",
    );
    assert_eq!(
        (closed.content, closed.access_bytes, closed.threads()),
        (Content::Latencies, 64, Some(2))
    );
    assert_eq!(of("memcached/numa_one.result").load.place(), LoadNode::RdmaRemote);
}

#[test]
fn campaigns_are_of_connect_x3_and_those_of_the_first_program_are_as_the_values_say() {
    let campaign = |path: &str| of(path).campaign;
    let of_trees = [
        ("cache_aligned/memsize/", Some(Campaign::A)),
        ("cache_aligned/baseline/", Some(Campaign::A)),
        ("cache_aligned/memsize_mtu/", Some(Campaign::B)),
        ("cache_aligned/workers/eight_byte/", Some(Campaign::B)),
        ("cache_aligned/workers/xfour/", None),
        ("cache_aligned/closedloop/", None),
        ("baseline/", Some(Campaign::A)),
        ("memsize/", Some(Campaign::A)),
        ("load/", Some(Campaign::A)),
        ("workers/", Some(Campaign::A)),
        ("noallocflow/", Some(Campaign::B)),
        ("closedloop/", None),
        ("cflush/", None),
        ("xfour/", None),
    ];
    for (tree, expected) in of_trees {
        let mut paths = FOLDERS.iter().filter(|(path, ..)| path.starts_with(tree)).peekable();
        assert!(paths.peek().is_some(), "no path of {tree}");
        paths.for_each(|(path, ..)| assert_eq!(campaign(path), expected, "{path}"));
    }
}
