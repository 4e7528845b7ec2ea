//! Placements as a table, for people.

use comfy_table::Table;

use super::{Line, Numbers};
use crate::printed;

const NUMBERS: [&str; 5] =
    ["operations/s", "95 % interval", "latency", "95 % interval", "one at a time"];

/// Of placements whose workers, if there are any, are beside the memory.
pub(super) fn table(lines: &[Line]) -> Table {
    let has_workers = lines.iter().any(|line| line.workers.is_some());
    let memory = if has_workers { "memory and workers" } else { "memory" };
    let mut table = printed::table([memory, "client"].into_iter().chain(NUMBERS), 2..);
    for line in lines {
        let places = [line.region, line.client].map(|place| place.to_string());
        let numbers = line.predicted.as_ref().map(cells).unwrap_or_default();
        table.add_row(places.into_iter().chain(numbers));
    }
    table
}

fn cells(numbers: &Numbers) -> [String; NUMBERS.len()] {
    let between = |ends: Option<[f64; 2]>, text: fn(f64) -> String| {
        ends.map_or_else(
            || "not known".to_owned(),
            |[low, high]| format!("{} to {}", text(low), text(high)),
        )
    };
    let or_nothing = |ns: Option<f64>| ns.map_or_else(String::new, whole_ns);
    [
        mega(numbers.throughput_ops),
        between(numbers.throughput_between, mega),
        or_nothing(numbers.latency_mean_ns),
        between(numbers.latency_between, whole_ns),
        or_nothing(numbers.unloaded_ns),
    ]
}

fn mega(rate: f64) -> String {
    format!("{:.2} M", rate / 1e6)
}

fn whole_ns(ns: f64) -> String {
    format!("{ns:.0} ns")
}
