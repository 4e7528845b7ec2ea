//! Latency of one load by working set, for both orders and the pages that can be had:
//! `cargo run --release -p onesided-access --example chase [KIBIBYTES...]`.
//!
//! For looking at the method itself: where the two orders differ on huge pages, translation or a
//! prefetcher has a part in what is measured.

use onesided_access::chase::{Effort, Order, Pages, Probe, probe};
use onesided_measure::Clock;
use onesided_placement::current_cpu;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Result<Vec<u64>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let mut working_sets_bytes: Vec<u64> = asked?.into_iter().map(|kib| kib << 10).collect();
    if working_sets_bytes.is_empty() {
        working_sets_bytes = [16, 512, 8 << 10, 256 << 10].map(|kib| kib << 10).to_vec();
    }
    let clock = Clock::calibrate()?;
    let (cpu, node) = current_cpu();
    for pages in [Pages::Base, Pages::TransparentHuge, Pages::Huge2M] {
        for order in [Order::Blocks, Order::WholeRange] {
            let asked = Probe {
                cpu,
                memory_node: Some(node),
                working_sets_bytes: working_sets_bytes.clone(),
                pages: Some(pages),
                order,
                seed: 1,
                effort: Effort::default(),
            };
            let (pages, order) = (pages.to_string(), order.to_string());
            let outcome = probe(&asked, &clock, |reading| {
                let (kib, latency) = (reading.working_set_bytes >> 10, reading.latency);
                println!(
                    "{pages:16} {order:11} {kib:8} KiB {:7.2} ns, quartiles {:.2} to {:.2}",
                    latency.median_ns, latency.low_quartile_ns, latency.high_quartile_ns
                );
            });
            if let Err(error) = outcome {
                println!("{pages:16} {order:11} SKIPPED: {error}: {:?}", error.source_text());
            }
        }
    }
    Ok(())
}

/// An error's causes in one line.
trait SourceText: std::error::Error {
    fn source_text(&self) -> String {
        self.source().map(ToString::to_string).unwrap_or_default()
    }
}

impl<E: std::error::Error> SourceText for E {}
