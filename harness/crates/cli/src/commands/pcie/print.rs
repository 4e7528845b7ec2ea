//! The tables for people.

use comfy_table::Table;
use onesided_pcie::{Cost, Limit, Payload, Post, Ratio, to_f64};
use onesided_results::{row::PcieTransferRow, vocabulary::Word as _};

use super::{
    link::Linked,
    outcome::{Outcome, way},
};
use crate::printed::{self, counted};

/// All operations: transfers and limits of each.
pub fn operations(linked: &Linked, outcomes: &[Outcome]) -> String {
    let mut text = heading(linked);
    let mut told = String::new();
    for outcome in outcomes {
        let about = about(outcome);
        if about != told {
            text += &format!("\n{about}\n");
            told = about;
        }
        text += &format!("\nAt the {}, per operation:\n{}\n", outcome.side, parts(outcome));
        text += &format!("Most operations per second:\n{}\n", limits(outcome));
    }
    text
}

/// All transfers.
pub fn transfers(linked: &Linked, rows: &[PcieTransferRow]) -> String {
    let header = ["transfer", "bytes", "to card: packets", "bytes", "to CPU: packets", "bytes"];
    let mut table = printed::table(header, 1..);
    for row in rows {
        table.add_row([
            row.transfer.to_string(),
            row.access_bytes.to_string(),
            row.cpu_to_device_packets.to_string(),
            row.cpu_to_device_bytes.to_string(),
            row.device_to_cpu_packets.to_string(),
            row.device_to_cpu_bytes.to_string(),
        ]);
    }
    format!("{}{table}\n(003 §2.1)\n", heading(linked))
}

fn heading(linked: &Linked) -> String {
    let (link, generation) = (&linked.link, linked.link.generation());
    let of = linked.profile.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    format!(
        "PCI Express {} x{}{of}: {:.1} MB/s each way; headers: requests {} B, completions {} B \
         ({})\n",
        generation.name(),
        link.lanes(),
        link.bytes_per_second() as f64 / 1e6,
        generation.request_header_bytes(),
        generation.completion_header_bytes(),
        generation.source(),
    )
}

fn about(outcome: &Outcome) -> String {
    let operation = &outcome.operation;
    let wqe = operation.wqe();
    let payload = outcome.payload().map_or("header-only", Payload::word);
    let posted = match operation.post {
        Post::Mmio => "by MMIO".to_owned(),
        Post::Doorbell { batch } => format!("by Doorbell, {batch} a batch"),
    };
    let signaled = match outcome.signal_every() {
        None => "unsignaled".to_owned(),
        Some(1) => "each signaled".to_owned(),
        Some(every) => format!("one in {every} signaled"),
    };
    format!(
        "{} over {}, {} B, {payload}, {posted}, {signaled}; WQE of {} B in {} (003 Table 1)",
        operation.verb,
        operation.transport,
        operation.bytes,
        wqe.bytes(),
        counted(wqe.lines(), "cache line"),
    )
}

fn parts(outcome: &Outcome) -> Table {
    let header = [
        "what",
        "transfer",
        "once in",
        "to card: packets",
        "bytes",
        "to CPU: packets",
        "bytes",
        "source",
    ];
    let mut table = printed::table(header, 2..7);
    let numbers = |cost: &Cost| {
        [
            cost.cpu_to_device_packets,
            cost.cpu_to_device_bytes,
            cost.device_to_cpu_packets,
            cost.device_to_cpu_bytes,
        ]
        .map(number)
    };
    for (part, cost) in &outcome.parts {
        let transfer = format!("{} of {} B", way(part.transfer), part.transfer.bytes());
        let first = [part.what.words().to_owned(), transfer, part.every.to_string()];
        table
            .add_row(first.into_iter().chain(numbers(cost)).chain([part.what.source().to_owned()]));
    }
    let first = ["sum", "", ""].map(str::to_owned);
    table.add_row(first.into_iter().chain(numbers(&outcome.cost)).chain([String::new()]));
    table
}

fn limits(outcome: &Outcome) -> Table {
    let header = ["resource", "bytes an operation", "M/s", "", "source"];
    let mut table = printed::table(header, 1..3);
    let smallest = outcome.bottleneck();
    for limit in &outcome.limits {
        let Limit { resource, bytes, rate } = limit;
        let mark = if Some(*resource) == smallest { "bottleneck" } else { "" };
        table.add_row([
            resource.to_string(),
            number(*bytes),
            format!("{:.2}", to_f64(*rate) / 1e6),
            mark.to_owned(),
            limit.source().to_owned(),
        ]);
    }
    table
}

/// Whole numbers as they are, others with three digits.
fn number(ratio: Ratio) -> String {
    if ratio.is_integer() { ratio.to_string() } else { format!("{:.3}", to_f64(ratio)) }
}
