//! Columns of memory latencies: those of `memory-latency.csv.gz`, and what follows from them.

use super::{Column, Domain, matched, only_filtered, yes_or_no};

/// The column that says whether memory is of the node of the CPU that loads from it.
pub const NUMA_LOCALITY: &str = "numa_locality";

/// The column that says where a load found its line.
pub const REACHED: &str = "reached";

/// Columns of memory latencies.
pub const OF_MEMORY_LATENCIES: [Column; 18] = [
    matched("profile", Domain::Text),
    matched("cpu_node", Domain::Number),
    matched("memory_node", Domain::Number),
    matched(NUMA_LOCALITY, Domain::Words(numa_localities)),
    matched("part", Domain::Words(parts)),
    matched("working_set_bytes", Domain::Number),
    matched("level", Domain::Words(levels)),
    matched(REACHED, Domain::Words(reached)),
    matched("pages", Domain::Words(pages)),
    matched("order", Domain::Words(orders)),
    matched("load_threads", Domain::Number),
    matched("load_node", Domain::Number),
    matched("load_bytes", Domain::Number),
    matched("load_write_fraction", Domain::Number),
    only_filtered("page_bytes", Domain::Number),
    only_filtered("placement", Domain::Words(placements)),
    only_filtered("valid", Domain::Words(yes_or_no)),
    only_filtered("doubts", Domain::List),
];

/// Whether `cpu_node` is `memory_node`: the study's words, relative to the CPU, not to the card.
fn numa_localities() -> Vec<&'static str> {
    vec!["numa-local", "numa-remote"]
}

/// `level`, of which memory is told apart by `numa_locality`: a cache is the CPU's own, wherever
/// the memory is that it holds lines of.
fn reached() -> Vec<&'static str> {
    vec!["l1", "l2", "l3", "l4", "local-memory", "remote-memory"]
}

fn parts() -> Vec<&'static str> {
    vec!["matrix", "sweep"]
}

fn levels() -> Vec<&'static str> {
    vec!["l1", "l2", "l3", "l4", "memory"]
}

fn pages() -> Vec<&'static str> {
    vec!["base", "transparent-huge", "huge-2m", "huge-1g"]
}

fn orders() -> Vec<&'static str> {
    vec!["blocks", "whole-range"]
}

fn placements() -> Vec<&'static str> {
    vec!["proven", "unproven", "misplaced"]
}

#[cfg(test)]
mod tests {
    use onesided_results::row::MemoryLatencyRow;

    use super::*;

    /// The words that the generated schema allows in a column of the table.
    fn words_of_schema(definition: &str) -> Vec<String> {
        let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../data/schema/");
        let schema = std::fs::read_to_string(format!("{schema}memory-latency-table.json")).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let definition = &schema["$defs"][definition];
        let words = definition["enum"].as_array().or(definition["oneOf"].as_array());
        let word = |word: &serde_json::Value| {
            word.as_str().or(word["const"].as_str()).expect("a word").to_owned()
        };
        words.unwrap_or_else(|| panic!("{definition}")).iter().map(word).collect()
    }

    #[test]
    fn filters_know_every_word_that_the_table_can_hold_and_no_other() {
        for (definition, words) in [
            ("LatencyPart", parts()),
            ("MemoryLevel", levels()),
            ("LatencyPages", pages()),
            ("LatencyOrder", orders()),
            ("LatencyPlacement", placements()),
        ] {
            assert_eq!(words_of_schema(definition), words, "{definition}");
        }
    }

    #[test]
    fn every_column_is_one_of_the_table_or_follows_from_it() {
        let derived = [NUMA_LOCALITY, REACHED, "valid"];
        let of_table = onesided_results::columns::<MemoryLatencyRow>();
        for column in OF_MEMORY_LATENCIES {
            let name = column.name;
            assert!(of_table.contains(&name) != derived.contains(&name), "{name}");
        }
    }
}
