//! What cannot be loaded.

use crate::program::refused;

#[test]
fn a_value_that_cannot_be_is_named_with_what_can() {
    refused("--threads 1", &["--bytes"]);
    refused("--bytes 1MB", &["'MB'", "KiB"]);
    refused("--bytes 0", &["--bytes: a region of 0 bytes", "too small"]);
    refused("--bytes 4 --width 8", &["--bytes: a region of 4 bytes is too small"]);
    refused("--bytes 4096 --threads 0", &["--threads"]);
    refused("--bytes 4096 --rate 5 --think-time 1us", &["--rate", "--think-time"]);
    refused("--bytes 4096 --window 0ns", &["windows of 0 ns"]);
    refused("--bytes 4096 --pattern zipf", &["'zipf'", "stream"]);
    refused("--bytes 4096 --duration 5", &["a unit is missing"]);
}

#[test]
fn what_threads_cannot_do_is_told_by_its_flag_before_memory_is_taken() {
    // More than a machine has: were it asked for first, that would be told.
    let refused = |flags: &str, fragments: &[&str]| {
        refused(&format!("--bytes 8000GiB {flags}"), fragments);
    };
    refused("--write-fraction 1.5", &["--write-fraction", "1.5 is not within 0 to 1"]);
    refused("--write-fraction nan", &["--write-fraction", "is not within 0 to 1"]);
    refused("--width 3", &["--width", "3 bytes is none of 1, 2, 4, 8"]);
    for rate in ["0", "-1", "inf"] {
        refused(&format!("--rate={rate}"), &["--rate", "more than 0"]);
    }
}

#[test]
fn a_place_that_is_not_on_this_machine_is_named_with_those_that_are() {
    refused("--bytes 4096 --memory 900", &["--memory", "no node 900", "there are: 0"]);
    refused("--bytes 4096 --memory interleave:0,900", &["no node 900"]);
    refused("--bytes 4096 --memory preferred:900", &["no node 900"]);
    refused("--bytes 4096 --memory moon", &["`moon`", "interleave:0,1"]);
    refused("--bytes 4096 --threads-on 900", &["--threads-on", "no node 900"]);
    refused("--bytes 4096 --threads-on cpus:60000", &["60000", "online"]);
    refused("--bytes 4096 --threads-on interleave", &["`interleave`", "cpus:0-3,8"]);
}

#[test]
fn a_listed_cpu_takes_one_thread() {
    refused("--bytes 4096 --threads 2 --threads-on cpus:0", &["--threads 2", "1 CPU listed"]);
}

#[test]
fn a_place_relative_to_a_device_needs_a_device_or_its_node() {
    let missing = ["the node of nosuch0 is not known", "--device-node"];
    refused("--bytes 4096 --memory rdma-local --device nosuch0", &missing);
    refused("--bytes 4096 --threads-on rdma-remote --device nosuch0", &missing);
}

#[test]
fn a_buffer_that_a_node_or_the_machine_cannot_give_is_refused_with_numbers() {
    refused("--bytes 8000GiB --memory 0", &["node 0 has", "bytes to give", "asked: 8589934592000"]);
    refused("--bytes 8000GiB", &["this machine has", "bytes to give"]);
}
