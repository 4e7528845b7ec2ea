use super::*;

fn entry(cpu_node: u32, memory_node: u32, load_threads: u32, latency_ns: f64) -> Entry {
    Entry {
        cpu_node,
        memory_node,
        load_threads,
        latency_ns,
        low_ns: latency_ns,
        high_ns: latency_ns,
        replicates: 1,
        load_rate_per_second: None,
    }
}

fn step_of(cpu_node: u32, level: Level, latency_ns: f64) -> Step {
    use onesided_access::chase::plateaus::Range;
    let to_bytes = (level != Level::Memory).then_some(8192);
    let range = Range { level, from_bytes: 4096, to_bytes };
    let (low_ns, high_ns) = (latency_ns, latency_ns);
    step(cpu_node, 0, Plateau { range, working_sets: 1, latency_ns, low_ns, high_ns })
}

#[test]
fn the_numbers_of_the_study_give_its_84_ns_and_3_6_percent() {
    let steps = [
        step_of(0, Level::Cache(1), 1.6),
        step_of(0, Level::Cache(3), 38.0),
        step_of(0, Level::Memory, 90.0),
    ];
    let matrix = [entry(0, 0, 0, 90.0), entry(0, 1, 0, 122.0), entry(0, 1, 8, 400.0)];
    let found = arithmetic(&steps, &matrix).unwrap();
    assert_eq!((found.cache_ns, found.memory_ns, found.difference_ns), (38.0, 122.0, 84.0));
    assert_eq!((found.cache_level.as_str(), found.memory), ("L3", Compared::NumaRemote));
    assert!((found.percent_of_read - 3.652).abs() < 0.001, "{}", found.percent_of_read);
}

#[test]
fn without_a_remote_pair_local_memory_is_compared_and_said_to_be() {
    let steps = [step_of(0, Level::Cache(3), 10.0)];
    let found = arithmetic(&steps, &[entry(0, 0, 0, 90.0)]).unwrap();
    assert_eq!((found.memory, found.difference_ns), (Compared::NumaLocal, 80.0));
    assert!(arithmetic(&[], &[entry(0, 0, 0, 90.0)]).is_none(), "no cache is known");
    assert!(arithmetic(&steps, &[entry(0, 0, 8, 90.0)]).is_none(), "nothing idle was measured");
}

#[test]
fn a_median_of_an_even_number_lies_between() {
    assert_eq!(median(&mut [4.0, 1.0, 3.0]), Some(3.0));
    assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&mut []), None);
}
