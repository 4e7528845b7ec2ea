//! The tables for people.

use comfy_table::Table;
use onesided_pcie::{Cost, Limit, Operation, Payload, Post, Ratio, Transport, to_f64};
use onesided_results::{
    row::{PcieHostRow, PcieTransactionRow, PcieTransferRow, PcieVerbRow},
    vocabulary::Word as _,
};

use super::{
    link::Linked,
    outcome::{Outcome, payload, signal_every, way},
};
use crate::printed::{self, counted};

/// All operations: transfers and limits of each.
pub fn operations(linked: &Linked, outcomes: &[Outcome]) -> String {
    let mut text = heading(linked);
    let mut told = String::new();
    for outcome in outcomes {
        let about = about(&outcome.operation);
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

/// The transactions of each operation, in the order of happening.
pub fn transactions(linked: &Linked, all: &[(Operation, Vec<PcieTransactionRow>)]) -> String {
    let header =
        ["side", "what", "started by", "transaction", "from", "once in", "packets", "bytes"];
    let mut text = heading(linked);
    for (operation, rows) in all {
        let mut table = printed::table(header, 5..);
        for row in rows {
            table.add_row([
                row.side.to_string(),
                row.purpose.to_string(),
                row.started_by.to_string(),
                row.transaction.to_string(),
                row.sent_by.to_string(),
                row.once_in_operations.to_string(),
                row.packets.to_string(),
                format!("{} + {}", row.data_bytes, row.header_bytes),
            ]);
        }
        text += &format!("\n{}\n\n{table}\n", about(operation));
    }
    text + "Bytes of a packet: its data and what is around them.\n"
}

/// Which transport carries which verb.
pub fn verbs(rows: &[PcieVerbRow]) -> String {
    let header = [
        "operation",
        "transport",
        "network",
        "carried",
        "WQE header",
        "inlined at most",
        "header received",
    ];
    let bytes = |number: Option<u64>| stated(number, |bytes| format!("{bytes} B"));
    let mut table = printed::table(header, 4..);
    for row in rows {
        table.add_row([
            row.operation.to_string(),
            row.transport.to_string(),
            row.link_layer.to_string(),
            if row.carried { "yes" } else { "no" }.to_owned(),
            bytes(row.wqe_header_bytes),
            bytes(row.inline_limit_bytes),
            bytes(row.received_header_bytes),
        ]);
    }
    format!("{table}\n(003 Table 1)\n")
}

/// What is on the way from processor to network.
pub fn hosts(rows: &[PcieHostRow]) -> String {
    let header = ["processors", "PCI Express", "each way", "card", "ports", "network", "a port"];
    let mut table = printed::table(header, 2..3);
    for row in rows {
        let lanes = row.pcie_generation.zip(row.pcie_lanes);
        let sockets = row.sockets.map(|sockets| format!("{sockets} x ")).unwrap_or_default();
        table.add_row([
            stated(row.processor_model.as_ref(), |model| format!("{sockets}{model}")),
            stated(lanes, |(generation, lanes)| format!("{generation}.0 x{lanes}")),
            stated(row.pcie_bytes_per_second, |bytes| format!("{:.1} MB/s", bytes as f64 / 1e6)),
            stated(row.card_model.as_ref(), String::clone),
            stated(row.ports, |ports| ports.to_string()),
            stated(row.link_layer, |layer| layer.to_string()),
            stated(row.link_bits_per_second, |bits| format!("{} Gb/s", bits as f64 / 1e9)),
        ]);
    }
    let about = rows.first().map(|row| format!("{} ({})\n", row.title, row.facts_from));
    format!("{}{table}\nEmpty: not stated.\n", about.unwrap_or_default())
}

/// A cell; empty of what is not stated.
fn stated<T>(value: Option<T>, words: impl FnOnce(T) -> String) -> String {
    value.map(words).unwrap_or_default()
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

fn about(operation: &Operation) -> String {
    let wqe = operation.wqe();
    // Only datagrams differ by it.
    let network = match operation.transport {
        Transport::Ud => format!(" on {}", operation.link_layer),
        _ => String::new(),
    };
    let payload = payload(operation).map_or("header-only", Payload::word);
    let posted = match operation.post {
        Post::Mmio => "by MMIO".to_owned(),
        Post::Doorbell { batch } => format!("by Doorbell, {batch} a batch"),
    };
    let signaled = match signal_every(operation) {
        None => "unsignaled".to_owned(),
        Some(1) => "each signaled".to_owned(),
        Some(every) => format!("one in {every} signaled"),
    };
    format!(
        "{} over {}{network}, {} B, {payload}, {posted}, {signaled}; WQE of {} B in {} (003 Table 1)",
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
        let first = [part.what.to_string(), transfer, part.every.to_string()];
        table.add_row(first.into_iter().chain(numbers(cost)).chain([part.source().to_owned()]));
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
