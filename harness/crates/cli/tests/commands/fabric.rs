//! `onesided fabric` through the real program, on the machine the tests run on.
//!
//! What passing lets us claim: each experiment gives a row for all that was asked for, with content
//! that was compared and found right, in a table that `onesided check` takes; and bad input ends
//! with status 2, a message that names it and what would be right, and nothing on stdout. Numbers
//! of a debug build are not looked at.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

use onesided_platform::measuring::HostLock;
use onesided_results::{
    TableHost,
    row::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow},
    vocabulary::{FabricSides, Operation, PagerankVariant, ReadWay, Source},
};
use serde::de::DeserializeOwned;

use crate::program::{Ended, command, ended};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written"))
    }

    fn command(&self) -> Command {
        let mut command = command();
        command.env("ONESIDED_FABRIC", self.0.path().join("fabric"));
        command.env("ONESIDED_HOST_LOCK", self.0.path().join("host"));
        command
    }

    fn onesided(&self, arguments: &[&str]) -> Ended {
        ended(self.command().args(arguments))
    }

    #[track_caller]
    fn valid(&self, arguments: &[&str]) -> String {
        self.onesided(arguments).valid().stdout
    }

    #[track_caller]
    fn refused(&self, arguments: &[&str], fragments: &[&str]) {
        self.onesided(&[&["fabric"], arguments].concat()).could_not_run(fragments);
    }

    /// The rows of an experiment, whose table `check` takes, too.
    #[track_caller]
    fn rows<R: DeserializeOwned>(&self, what: &str, more: &[&str]) -> Vec<R> {
        let path = self.0.path().join(format!("new/fabric-{what}.csv.gz"));
        let path = path.to_str().expect("text");
        let common = ["fabric", what, "--csv", "--replicates", "1", "--out", path];
        let csv = self.valid(&[&common[..], more].concat());
        let beside = std::fs::read_to_string(path.replace(".csv.gz", ".host.json"));
        let beside: TableHost = serde_json::from_str(&beside.expect("it is there")).expect("whole");
        assert!(beside.command.contains(&what.to_owned()), "{:?}", beside.command);
        assert!(!beside.host.kernel.is_empty() && !beside.host.nodes.is_empty());
        assert!(self.valid(&["check", path]).starts_with("ok "));
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().expect("rows of the table")
    }
}

#[test]
fn reads_have_every_size_from_one_and_from_both_sides_and_are_right() {
    let place = Place::new();
    let few = ["--duration", "5ms", "--profile", "this-1.x", "--hop-delay", "1us"];
    let more = ["--threads-per-node", "2,1"];
    let rows: Vec<FabricReadsRow> = place.rows("reads", &[few.as_slice(), &more].concat());
    assert_eq!(rows.len(), 2 * 2 * 9);
    for row in &rows {
        assert!(matches!(row.threads_per_node, Some(1 | 2)), "{row:?}");
        assert_eq!((row.source, row.back_end.as_str()), (Source::Emulated, "rmc"));
        assert_eq!((row.profile.as_str(), row.fabric_hop_ns), ("this-1.x", Some(1000)));
        assert_eq!(row.differing_words, Some(0), "{row:?}");
        assert!(row.operations.is_some_and(|count| count > 0), "{row:?}");
        let cpus = row.requester_cpus.as_deref().expect("CPUs").split(' ').count();
        assert_eq!(cpus, if row.sides == Some(FabricSides::Single) { 1 } else { 2 });
        if let Some(latency_ns) = row.latency_ns {
            assert!(latency_ns >= 2000.0, "a hop there and one back: {row:?}");
        }
    }
    let sizes: BTreeSet<_> = rows.iter().map(|row| (row.operation, row.access_bytes)).collect();
    assert_eq!(sizes.len(), 9);
    assert!(sizes.contains(&(Operation::FetchAndAdd, Some(8))));
}

#[test]
fn direct_reads_are_labelled_and_of_what_the_other_node_has_written() {
    let place = Place::new();
    let few = ["--duration", "2ms", "--threads-per-node", "2"];
    let rows: Vec<FabricReadsRow> = place.rows("reads", &few);
    let (direct, packets): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.read_way == Some(ReadWay::EmulatedDirect));
    assert_eq!((direct.len(), packets.len()), (2 * 8, 2 * 9));
    assert!(packets.iter().all(|row| row.read_way == Some(ReadWay::Packets)));
    for row in &direct {
        assert_eq!((row.source, row.operation), (Source::Emulated, Operation::Read));
        assert_eq!(row.differing_words, Some(0), "{row:?}");
        // No queue, and nobody who answers.
        assert_eq!((row.window, row.threads_per_node), (None, None), "{row:?}");
        let sides = if row.sides == Some(FabricSides::Single) { 1 } else { 2 };
        for cpus in [&row.requester_cpus, &row.responder_cpus] {
            assert_eq!(cpus.as_deref().expect("CPUs").split(' ').count(), sides, "{row:?}");
        }
        let places = (1 << 18) / u64::from(row.access_bytes.expect("bytes").max(128));
        let operations = row.operations.expect("a number");
        assert!(operations >= 4 * places && operations.is_multiple_of(places), "{row:?}");
        assert!(row.latency_ns.is_some() && row.throughput_ops.is_some(), "{row:?}");
    }
    let printed = place.valid(&[&["fabric", "reads", "--replicates", "1"], &few[..]].concat());
    assert!(printed.contains("emulated-direct") && printed.contains("Table 2"), "{printed}");
}

#[test]
fn direct_reads_alone_have_no_table_2_and_nothing_of_packets() {
    let place = Place::new();
    let alone = ["reads", "--ways", "emulated-direct"];
    let few = ["--duration", "1ms", "--sides", "single", "--replicates", "1"];
    let printed = place.valid(&[&["fabric"], &alone[..], &few[..]].concat());
    assert!(printed.contains("emulated-direct") && !printed.contains("Table 2"), "{printed}");
    for (flag, value) in [("--window", "8"), ("--large-window", "8"), ("--threads-per-node", "1")] {
        place.refused(&[&alone[..], &[flag, value]].concat(), &[flag, "by packets", "add packets"]);
    }
    let delayed = ["--hop-delay", "50ns"];
    place.refused(
        &[&alone[..], &delayed].concat(),
        &["--ways emulated-direct", "no packet that --hop-delay could delay"],
    );
    place.refused(&["reads", "--ways", "tcp"], &["--ways", "packets, emulated-direct"]);
    // Unasked they are left out, which is said.
    let ended = place.onesided(&[&["fabric", "reads", "--csv"], &few[..], &delayed].concat());
    let ended = ended.valid();
    assert!(ended.stderr.contains("emulated-direct is left out"), "{}", ended.stderr);
    assert!(!ended.stdout.contains("emulated-direct"), "{}", ended.stdout);
}

/// On two CPUs both nodes can ask at the same time if one thread of each does all.
#[test]
fn one_thread_a_node_asks_and_answers_on_the_cpu_that_the_row_says() {
    let allowed: Vec<_> =
        onesided_placement::cpus_of_current_thread().expect("CPUs").iter().collect();
    let [first, second, ..] = allowed[..] else {
        let line = b"SKIPPED: two CPUs are needed\n";
        std::io::Write::write_all(&mut std::io::stderr(), line).expect("standard error");
        return;
    };
    let (cpus, few) = (format!("{first},{second}"), ["--duration", "2ms"]);
    let asked =
        [&few[..], &["--cpus", &cpus, "--threads-per-node", "1", "--ways", "packets"]].concat();
    for row in Place::new().rows::<FabricReadsRow>("reads", &asked) {
        let both = row.sides == Some(FabricSides::Double);
        let [asks, answers] = [[first, second], [second, first]].map(|all| {
            let all = &all[..if both { 2 } else { 1 }];
            all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(row.requester_cpus, Some(asks), "{row:?}");
        assert_eq!(row.responder_cpus, Some(answers), "{row:?}");
        assert_eq!((row.threads_per_node, row.differing_words), (Some(1), Some(0)));
        assert!(!row.doubts.as_deref().unwrap_or_default().contains("crowded"), "{row:?}");
    }
}

#[test]
fn with_few_cpus_both_sides_are_also_of_one_thread_a_node() {
    let cpu = onesided_placement::cpus_of_current_thread().expect("CPUs").first().to_string();
    let few = ["--duration", "1ms", "--cpus", &cpu];
    let place = Place::new();
    let threads = |sides: &str| -> BTreeSet<_> {
        let asked = [&few[..], &["--sides", sides, "--ways", "packets"]].concat();
        let rows = place.rows::<FabricReadsRow>("reads", &asked);
        assert!(
            rows.iter().all(|row| row.doubts.as_deref().is_some_and(|it| it.contains("crowded")))
        );
        rows.into_iter().map(|row| row.threads_per_node).collect()
    };
    assert_eq!(threads("double"), BTreeSet::from([Some(1), Some(2)]));
    assert_eq!(threads("single"), BTreeSet::from([Some(2)]));
}

#[test]
fn several_depths_are_rows_each_and_long_reads_have_no_more_than_theirs() {
    let few = ["--duration", "1ms", "--sides", "single", "--threads-per-node", "1,1"];
    let asked = [&few[..], &["--window", "1,8,32,8", "--large-window", "8"]].concat();
    let rows: Vec<FabricReadsRow> = Place::new().rows("reads", &asked);
    let windows = |bytes: u32| -> Vec<_> {
        let by_packets = |row: &&FabricReadsRow| row.read_way == Some(ReadWay::Packets);
        let of = rows.iter().filter(by_packets).filter(|row| row.access_bytes == Some(bytes));
        of.map(|row| row.window.expect("it is known")).collect()
    };
    for bytes in [8, 64, 2048] {
        assert_eq!(windows(bytes), [1, 8, 32]);
    }
    for bytes in [4096, 8192] {
        assert_eq!(windows(bytes), [1, 8]);
    }
}

#[test]
fn rows_say_how_much_memory_was_asked_for_and_where_it_was_found() {
    let place = Place::new();
    let few = ["--duration", "2ms", "--sides", "single", "--buffer-bytes", "1MiB"];
    let nodes = onesided_placement::Topology::discover().expect("nodes").nodes;
    let first = nodes[0].id.to_string();
    let asked = [&few[..], &["--memory-nodes", &first]].concat();
    if onesided_placement::refused_calls().contains(&"mbind") {
        let line = b"SKIPPED: this container forbids to bind memory\n";
        std::io::Write::write_all(&mut std::io::stderr(), line).expect("standard error");
        return;
    }
    for row in place.rows::<FabricReadsRow>("reads", &asked) {
        assert_eq!(row.buffer_bytes, Some(1 << 20));
        let found = row.memory_nodes.as_deref().expect("of both nodes");
        assert_eq!(found, format!("{first} {first}"), "{row:?}");
        assert_eq!(row.differing_words, Some(0), "{row:?}");
    }
    let refuse = |arguments: &[&str], told: &str| place.refused(arguments, &[told]);
    refuse(&["reads", "--memory-nodes", "0,4000"], "--memory-nodes 4000 is not there");
    refuse(&["reads", "--memory-nodes", "near"], "'near' is no NUMA node nor a range of them");
    refuse(&["reads", "--buffer-bytes", "12KiB"], "--buffer-bytes 12288 cannot be");
    refuse(&["reads", "--buffer-bytes", "2GiB"], "--buffer-bytes 2147483648 cannot be");
    refuse(&["messages", "--hop-by-distance"], "--hop-delay");
    let no_delay = ["reads", "--hop-by-distance", "--hop-delay", "0ns"];
    refuse(&no_delay, "multiplies --hop-delay, which is 0");
}

/// Every CPU is another's for half of the time at the least.
#[test]
fn rows_beside_other_work_are_marked_and_that_is_told() {
    let (place, over) = (Place::new(), AtomicBool::new(false));
    let cpus = std::thread::available_parallelism().expect("a number").get();
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let ran = std::thread::scope(|scope| {
        // However this ends: the scope waits for those that spin.
        let _ends = Ends(&over);
        let spin = || {
            while !over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        (0..2 * cpus).for_each(|_| drop(scope.spawn(spin)));
        let few = ["--nodes", "1", "--scale", "14", "--supersteps", "20", "--replicates", "1"];
        place.onesided(&[&["fabric", "pagerank", "--csv"], &few[..]].concat()).valid()
    });
    let marked = ran.stdout.lines().filter(|line| line.ends_with(",preempted")).count();
    assert!(marked >= 2, "{}", ran.stdout);
    let told = format!("in {marked} of 4 rows a thread had no CPU for a tenth of its time");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
}

/// Beyond the last-level cache where the kernel says how large that is; else an error asks for bytes.
#[test]
fn table_2_has_a_column_for_each_size_of_memories_one_of_them_beyond_the_caches() {
    let place = Place::new();
    let few = ["--duration", "1ms", "--replicates", "1", "--sides", "single", "--ways", "packets"];
    let asked = [&["fabric", "reads", "--buffer-bytes", "256KiB,memory"], &few[..]].concat();
    let cpu = onesided_placement::cpus_of_current_thread().expect("CPUs").first();
    let Some(last) = onesided_access::chase::caches::of(cpu).pop() else {
        place.onesided(&asked).could_not_run(&["--buffer-bytes memory", "give bytes"]);
        return;
    };
    if last.bytes > 64 << 20 {
        let line = b"SKIPPED: memories beyond these caches take long to compare\n";
        std::io::Write::write_all(&mut std::io::stderr(), line).expect("standard error");
        return;
    }
    let printed = place.valid(&asked);
    let beyond = format!("here, {} KiB memories", 2 * last.bytes / 1024);
    for column in ["here, 256 KiB memories", &beyond] {
        assert!(printed.contains(column), "{printed}");
    }
}

#[test]
fn people_are_shown_table_2_with_what_is_stated_named_so() {
    let few = ["--duration", "2ms", "--replicates", "1", "--sides", "single"];
    let printed = Place::new().valid(&[&["fabric", "reads"], &few[..]].concat());
    for fragment in ["emulated", "Table 2", "stated", "35 (4 cores)", "operations, M/s"] {
        assert!(printed.to_lowercase().contains(&fragment.to_lowercase()), "{printed}");
    }
}

#[test]
fn messages_have_every_length_and_way_and_are_right_over_tcp_too() {
    let few = ["--duration", "2ms", "--threshold", "1KiB", "--hop-delay", "50ns"];
    let rows: Vec<FabricMessagesRow> = Place::new().rows("messages", &few);
    assert_eq!(rows.len(), 4 * 11);
    for row in &rows {
        assert_eq!(row.differing_messages, Some(0), "{row:?}");
        assert!(row.messages.is_some_and(|count| count > 32), "{row:?}");
        let word = row.way.map(|way| way.to_string());
        let threshold = (word.as_deref() == Some("combined")).then_some(1024);
        assert_eq!(row.threshold_bytes, threshold);
        let is_tcp = row.back_end == "tcp";
        assert_eq!(is_tcp, word.is_none(), "{row:?}");
        // No fabric, so no hop, nobody who answers, and two threads.
        assert_eq!(is_tcp, row.fabric_hop_ns.is_none() && row.responder_cpus.is_none(), "{row:?}");
        if is_tcp {
            // That would be of another pair of cores.
            assert_eq!((row.threads, row.core_round_trip_ns), (Some(2), None));
            assert_eq!(row.thread_cpus.as_deref().expect("CPUs").split(' ').count(), 2);
        }
    }
    let lengths = |is_tcp| -> Vec<_> {
        let of = rows.iter().filter(|row| (row.back_end == "tcp") == is_tcp);
        of.map(|row| row.message_bytes.expect("it is known"))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    assert_eq!(lengths(true), lengths(false));
}

#[test]
fn only_the_ways_that_were_asked_for_are_measured() {
    let few = ["--duration", "1ms", "--ways", "tcp,push,tcp"];
    let rows: Vec<FabricMessagesRow> = Place::new().rows("messages", &few);
    assert_eq!(rows.iter().filter(|row| row.back_end == "tcp").count(), 11);
    assert_eq!(rows.len(), 2 * 11);
    let alone = ["fabric", "messages", "--duration", "1ms", "--replicates", "1", "--ways", "tcp"];
    let place = Place::new();
    let printed = place.valid(&alone);
    assert!(printed.starts_with("TCP on loopback, 2 threads; 004 states"), "{printed}");
    assert!(!place.0.path().join("fabric").exists(), "nobody needed a node");
}

#[test]
fn pagerank_has_every_variant_and_the_ranks_of_the_reference() {
    let few = ["--nodes", "1,2", "--scale", "6", "--supersteps", "3", "--window", "1,64,64"];
    let rows: Vec<FabricPagerankRow> = Place::new().rows("pagerank", &few);
    assert_eq!(rows.len(), 5 * 2);
    let windows = rows.iter().filter(|row| row.nodes == 2).filter_map(|row| row.window);
    assert_eq!(windows.collect::<Vec<_>>(), [1, 64], "each once");
    for row in &rows {
        let is_fine_grain = row.variant == PagerankVariant::FineGrain;
        assert_eq!(row.window.is_some(), is_fine_grain, "{row:?}");
        assert!(row.total_variation.is_some_and(|apart| apart < 1e-9), "{row:?}");
        assert_eq!((row.vertices, row.supersteps), (Some(64), Some(3)));
        let reads = row.remote_reads.expect("a count");
        let is_alone = row.nodes == 1 || row.variant == PagerankVariant::SharedMemory;
        assert_eq!(reads == 0, is_alone, "{row:?}");
    }
}

/// With an edge a vertex, which takes a second of a program that is not optimised.
#[test]
fn without_a_scale_the_graph_is_as_large_as_usual_and_memory_allows_and_that_is_said() {
    let few = ["--nodes", "1", "--supersteps", "1", "--edges-per-vertex", "1", "--replicates", "1"];
    let ran = Place::new().onesided(&[&["fabric", "pagerank", "--csv"], &few[..]].concat()).valid();
    let mut reader = csv::Reader::from_reader(ran.stdout.as_bytes());
    let rows: Result<Vec<FabricPagerankRow>, _> = reader.deserialize().collect();
    let scale = rows.expect("rows of the table")[0].scale.expect("it was drawn");
    // That of a machine with 0.4 GB available, and the usual one.
    assert!((19..=20).contains(&scale), "{scale}");
    assert!(ran.stderr.contains(&format!("scale {scale}, ")), "{}", ran.stderr);
    assert!(ran.stderr.contains("--scale chooses another"), "{}", ran.stderr);
}

/// While another measures, the program says who that is and nothing else: what it draws is named before.
#[test]
fn nothing_is_drawn_or_ranked_while_another_has_its_turn() {
    let place = Place::new();
    let lock = HostLock::at(place.0.path().join("host"));
    let held = lock.take("another", None, |_| {}).expect("it can be used").expect("nobody has it");
    let mut command = place.command();
    command.args(["fabric", "pagerank", "--csv", "--replicates", "1", "--nodes", "1"]);
    command.args(["--scale", "6", "--supersteps", "2"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the program starts");
    let lines = BufReader::new(program.stderr.take().expect("it is piped")).lines();
    let mut lines = lines.map(|line| line.expect("text"));
    let first = lines.next().expect("it says that it waits");
    assert!(first.contains("waits until this host is free"), "{first}");
    drop(held);
    let others: String = lines.collect::<Vec<_>>().join("\n");
    assert!(others.contains("draws a graph of 2^6 vertices"), "{others}");
    assert!(others.contains("ranks it by the reference"), "{others}");
    assert!(program.wait().expect("it ends").success());
}

#[test]
fn a_graph_beyond_the_memory_is_refused_before_any_of_it_is_taken() {
    let place = Place::new();
    let many = ["pagerank", "--scale", "28", "--edges-per-vertex", "4000000000"];
    place
        .refused(&many, &["--scale 28: 2^28 vertices with 4000000000 edges each", "are available"]);
}

#[test]
fn without_numbers_of_nodes_each_node_has_a_cpu() {
    let cpus: Vec<_> = onesided_placement::cpus_of_current_thread().expect("CPUs").iter().collect();
    let one = cpus[0].to_string();
    let nodes = |more: &[&str]| -> BTreeSet<_> {
        let few = ["--scale", "4", "--supersteps", "1"];
        let rows = Place::new().rows::<FabricPagerankRow>("pagerank", &[&few[..], more].concat());
        rows.into_iter().map(|row| row.nodes).collect()
    };
    assert_eq!(nodes(&["--cpus", &one]), BTreeSet::from([1]));
    let expected = [1, 2, 4, 8, 16].into_iter().filter(|nodes| *nodes as usize <= cpus.len());
    assert_eq!(nodes(&[]), expected.collect());
}

#[test]
fn pagerank_by_loads_has_no_packets_to_delay_and_says_so() {
    let few = ["--nodes", "2", "--scale", "5", "--supersteps", "2", "--hop-delay", "50ns"];
    let arguments = [&["fabric", "pagerank", "--csv", "--replicates", "1"], &few[..]].concat();
    let ran = Place::new().onesided(&arguments).valid();
    assert!(ran.stderr.contains("emulated-direct is left out"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("emulated-direct"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 1 + 3);
}

#[test]
fn more_nodes_than_cpus_are_told_and_marked() {
    let place = Place::new();
    let few = ["--nodes", "2", "--scale", "4", "--supersteps", "2", "--cpus", "0"];
    let arguments = [&["fabric", "pagerank", "--csv", "--replicates", "1"], &few[..]].concat();
    let ran = place.onesided(&arguments);
    let told = ran.stderr.clone();
    if told.contains("may not use CPU 0") {
        let line = b"SKIPPED: CPU 0 is not for this process\n";
        std::io::Write::write_all(&mut std::io::stderr(), line).expect("standard error");
        return;
    }
    let csv = ran.valid().stdout;
    assert!(told.contains("more threads at the same time than CPUs"), "{told}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",crowded")), "{csv}");
}

/// An emulated node for each of more nodes than CPUs: with the usual graph that takes hours.
#[test]
fn more_nodes_than_cpus_rank_a_small_graph_unasked_and_that_is_said() {
    let cpu = onesided_placement::cpus_of_current_thread().expect("CPUs").first().to_string();
    let few = ["--nodes", "2", "--supersteps", "1", "--cpus", &cpu, "--edges-per-vertex", "2"];
    let arguments = [&["fabric", "pagerank", "--csv", "--replicates", "1"], &few[..]].concat();
    let ran = Place::new().onesided(&arguments).valid();
    assert!(ran.stderr.contains("scale 12, as 2 nodes take turns on 1 CPU: 4096 vertices"));
}

#[test]
fn edges_may_be_read_from_a_file_and_a_wrong_one_is_named() {
    let place = Place::new();
    let path = place.0.path().join("edges.txt");
    std::fs::write(&path, "# from to\n1 2\n2 3\n3 1\n1 3\n").expect("it can be written");
    let path = path.to_str().expect("text");
    let few = ["--edges", path, "--nodes", "2", "--supersteps", "4"];
    let rows: Vec<FabricPagerankRow> = place.rows("pagerank", &few);
    assert_eq!((rows[0].vertices, rows[0].edges, rows[0].scale), (Some(3), Some(4), None));
    place.refused(&["pagerank", "--edges", "/nonexistent/edges"], &["/nonexistent/edges"]);
    place
        .refused(&["pagerank", "--edges", "/dev/zero"], &["/dev/zero", "a regular file is needed"]);
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let place = Place::new();
    place.refused(&["reads", "--window", "999"], &["--window 999", "1 to 128"]);
    place.refused(&["reads", "--window", "8,0"], &["--window 0", "1 to 128"]);
    place.refused(&["reads", "--threads-per-node", "3"], &["--threads-per-node", "1..=2"]);
    place.refused(&["reads", "--large-window", "0"], &["--large-window 0", "1 to 128"]);
    place.refused(&["reads", "--duration", "1ns"], &["--duration 1ns", "1ms"]);
    place.refused(&["messages", "--duration", "5min"], &["--duration", "60s"]);
    place.refused(&["messages", "--ways", "udp"], &["--ways", "push, pull, combined, tcp"]);
    place.refused(&["messages", "--threads", "3"], &["--threads", "1..=2"]);
    place.refused(&["messages", "--threshold", "9kb"], &["no unit of memory"]);
    place.refused(&["pagerank", "--nodes", "999"], &["--nodes 999", "1 to 64"]);
    place.refused(&["pagerank", "--scale", "99"], &["--scale", "1..="]);
    place.refused(&["reads", "--cpus", "x"], &["'x' is no CPU", "0-3"]);
    place.refused(&["reads", "--cpus", "0,0"], &["--cpus", "CPU 0"]);
    place.refused(&["reads", "--cpus", "4095"], &["--cpus", "may not use CPU 4095"]);
    place.refused(&["reads", "--hop-delay", "5"], &["a unit is missing"]);
    place.refused(&["reads", "--profile", "../up"], &["--profile", "letters, digits"]);
    let directory = place.0.path().to_str().expect("text").to_owned();
    place.refused(&["reads", "--out", &directory], &[&directory, "is a directory"]);
}
