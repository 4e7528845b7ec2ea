use std::fs;
use std::path::Path;

use onesided_placement::{CpuId, CpuSet, cpus_of_main_thread, pin_current_thread};

use super::*;

fn unit(root: &Path, name: &str, kind: &str, mask: Option<&str>, files: &[(&str, &str)]) {
    let place = root.join("sys/bus/event_source/devices").join(name);
    let mask = mask.map(|mask| ("cpumask", mask));
    for (file, text) in files.iter().copied().chain([("type", kind)]).chain(mask) {
        let path = place.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }
}

/// As sysfs describes a channel of a Skylake-SP's memory controller.
const CHANNEL: [(&str, &str); 8] = [
    ("format/event", "config:0-7"),
    ("format/umask", "config:8-15"),
    ("events/clockticks", "event=0x00"),
    ("events/cas_count_read", "event=0x04,umask=0x03"),
    ("events/cas_count_read.scale", "6.103515625e-5"),
    ("events/cas_count_read.unit", "MiB"),
    ("events/cas_count_write", "event=0x04,umask=0x0c"),
    ("events/cas_count_write.unit", "MiB"),
];

fn source(root: &Path) -> Source {
    let paranoid = root.join("proc/sys/kernel/perf_event_paranoid");
    fs::create_dir_all(paranoid.parent().unwrap()).unwrap();
    fs::write(paranoid, "2\n").unwrap();
    Source::new(root.join("sys"), root.join("proc"))
}

#[test]
fn units_with_a_cpumask_are_found_with_events_units_and_format() {
    let root = tempfile::tempdir().unwrap();
    unit(root.path(), "uncore_imc_0", "13", Some("0,24"), &CHANNEL);
    unit(root.path(), "cpu", "4", None, &[("events/cycles", "event=0x3c")]);
    unit(root.path(), "broken", "x", Some("0"), &[]);
    let (units, doubts) = source(root.path()).units();
    assert_eq!(doubts, ["broken: its type `x` is no number"]);
    let [unit] = units.as_slice() else { panic!("{units:?}") };
    assert_eq!((unit.name.as_str(), unit.kind), ("uncore_imc_0", 13));
    assert_eq!(unit.cpus.to_string(), "0,24");
    let events: Vec<_> = unit.events.keys().map(String::as_str).collect();
    assert_eq!(events, ["cas_count_read", "cas_count_write", "clockticks"]);
    assert_eq!(unit.words(&unit.events["cas_count_read"]).unwrap().words, [0x304, 0, 0]);
    let wanted: Vec<_> = unit.wanted().into_iter().map(|(_, event, _)| event).collect();
    assert_eq!(wanted, ["cas_count_read", "cas_count_write"]);
}

#[test]
fn requests_of_cards_are_counted_where_the_format_of_a_unit_has_their_terms() {
    let root = tempfile::tempdir().unwrap();
    let common = [("format/event", "config:0-7"), ("format/umask", "config:8-15")];
    let filters = [("format/filter_opc", "config1:23-31")];
    unit(root.path(), "uncore_cbox_0", "9", Some("0"), &[&common[..], &filters].concat());
    // That of a client.
    unit(root.path(), "uncore_cbox_1", "9", Some("0"), &common);
    let ports = [("format/ch_mask", "config:36-43"), ("format/fc_mask", "config:44-46")];
    unit(root.path(), "uncore_iio_2", "9", Some("0"), &[&common[..], &ports].concat());
    let (units, doubts) = source(root.path()).units();
    assert_eq!(doubts, [""; 0]);
    let [cbox, client, iio] = units.as_slice() else { panic!("{units:?}") };
    let words = |unit: &Unit| -> Vec<_> {
        let wanted = unit.wanted().into_iter();
        wanted.map(|(_, event, terms)| (event, unit.words(&terms).unwrap().words)).collect()
    };
    assert_eq!(words(cbox), [("pcie_rd_cur", [0x135, 0x19e << 23, 0])]);
    assert_eq!(words(client), []);
    let reads: Vec<_> = (0..4).map(|port| [0x484 | 1 << (36 + port) | 7 << 44, 0, 0]).collect();
    assert_eq!(words(iio).iter().map(|(_, words)| *words).collect::<Vec<_>>(), reads);
    assert_eq!(words(iio)[3].0, "mem_read_part3");
}

#[test]
fn a_machine_without_such_units_says_which_there_are() {
    let root = tempfile::tempdir().unwrap();
    let opened = source(root.path()).open(USUAL_LIMIT);
    assert!(opened.refused[0].contains("has no performance events"), "{:?}", opened.refused);
    unit(root.path(), "cpu", "4", None, &[]);
    unit(root.path(), "software", "1", None, &[]);
    let opened = source(root.path()).open(USUAL_LIMIT);
    let [why] = opened.refused.as_slice() else { panic!("{:?}", opened.refused) };
    assert!(why.contains("no unit has a cpumask") && why.contains("cpu, software"), "{why}");
    unit(root.path(), "amd_df", "9", Some("0"), &[("format/event", "config:0-7")]);
    let opened = source(root.path()).open(USUAL_LIMIT);
    assert!(opened.refused[0].ends_with("there are: amd_df"), "{:?}", opened.refused);
    assert_eq!(opened.counters.names().count(), 0);
}

#[test]
fn beyond_the_limit_events_are_left_out_from_the_least_wanted_on_and_that_is_said() {
    let root = tempfile::tempdir().unwrap();
    unit(root.path(), "uncore_imc_0", "0", Some("0"), &CHANNEL);
    unit(root.path(), "uncore_aaa", "0", Some("0"), &[]);
    let ports = [("events/bw_in_port0", "event=0x20"), ("events/bw_out_port0", "event=0x30")];
    unit(root.path(), "uncore_iio_free_running_0", "0", Some("0"), &ports);
    let refused = source(root.path()).open(2).refused;
    let expected =
        "2 events left out, from uncore_iio_free_running_0/bw_in_port0 on: the limit is 2";
    assert_eq!(refused[0], expected);
}

/// A unit of software events under the name of a hardware one: page faults of everybody on a CPU.
fn page_faults(root: &Path, cpu: CpuId) {
    let events = [
        ("format/event", "config:0-7"),
        ("events/cas_count_read", "event=0x02"),
        ("events/cas_count_read.scale", "2"),
        ("events/cas_count_read.unit", "faults"),
        ("events/cas_count_write", "event=0x05"),
        ("events/data_reads", "evnt=1"),
    ];
    unit(root, "uncore_imc_0", "1", Some(&cpu.to_string()), &events);
}

#[test]
fn counters_are_opened_in_a_group_read_and_named_after_unit_event_and_cpu() {
    let root = tempfile::tempdir().unwrap();
    let cpu = cpus_of_main_thread().unwrap().first();
    page_faults(root.path(), cpu);
    let Opened { mut counters, refused } = source(root.path()).open(USUAL_LIMIT);
    if refused.iter().any(|why| why.contains("perf_event_open is refused")) {
        eprintln!("SKIPPED: {refused:?}");
        return;
    }
    assert_eq!(refused, ["uncore_imc_0/data_reads: its format has no `evnt`"]);
    let names = ["cas_count_read", "cas_count_write"];
    let names = names.map(|event| format!("uncore_imc_0/{event}@cpu{cpu}"));
    assert_eq!(counters.names().collect::<Vec<_>>(), names);
    let before = counters.read();
    let touching = std::thread::spawn(move || {
        pin_current_thread(&CpuSet::of(cpu)).unwrap();
        // New memory: one fault for each page, or for each of the 8 huge ones.
        vec![1_u8; 16 << 20].iter().map(|byte| u64::from(*byte)).sum::<u64>()
    });
    assert_eq!(touching.join().unwrap(), 16 << 20);
    let after = counters.read();
    assert!(before.failed.is_empty() && after.failed.is_empty(), "{before:?} {after:?}");
    let counted = after.since(&before);
    // Nobody swaps on a machine that is tested on: all faults, and the minor ones among them.
    assert!(names.iter().all(|name| counted.counts[name] >= 8), "{counted:?}");
    assert!(counted.estimated.is_empty(), "software counters never wait: {counted:?}");
}

fn reading(value: u64, enabled_ns: u64, running_ns: u64) -> Reading {
    let count = Count { value, enabled_ns, running_ns };
    Reading { counts: [("a/b@cpu0".to_owned(), count)].into(), failed: Vec::new() }
}

#[test]
fn a_counter_that_shared_its_hardware_is_scaled_within_the_interval_and_named() {
    let counted = reading(1300, 2000, 1100).since(&reading(1000, 1000, 1000));
    assert_eq!(counted.counts["a/b@cpu0"], 3000);
    assert_eq!(counted.estimated, ["a/b@cpu0"]);
    let whole = reading(1300, 2000, 1500).since(&reading(1000, 1000, 500));
    assert_eq!((whole.counts["a/b@cpu0"], whole.estimated.len()), (300, 0));
    let never = reading(1000, 2000, 1000).since(&reading(1000, 1000, 1000));
    assert_eq!(never, Counted::default());
}

#[test]
fn this_machine_is_asked_and_answers_with_counters_or_with_a_reason() {
    let Opened { mut counters, refused } = Counters::open(USUAL_LIMIT);
    let names = counters.names().count();
    assert!(names > 0 || !refused.is_empty());
    assert!(names <= USUAL_LIMIT);
    let reading = counters.read();
    assert!(reading.counts.len() == names || !reading.failed.is_empty());
}
