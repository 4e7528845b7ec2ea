//! Tables of points: memory latencies and experiments on a fabric, with replicates pooled, simulated
//! sweeps, and what is computed.

use std::collections::BTreeMap;

use onesided_estimate::conditions::pooled;
use onesided_results::{vocabulary::Source, word::Word as _};
use serde::Serialize;

use crate::{
    columns::{Table, columns, fabric::CORE_ROUND_TRIPS, measures, pcie, shapes},
    frame::{Frame, Record, Words, number, record, text_of},
    value::{Estimate, Origin, number as count},
};

/// The record of a row, with what follows from its columns.
pub fn told<R: Serialize>(row: &R) -> (Source, Record) {
    let mut record = record(row);
    let source = record["source"].as_str().and_then(|word| Source::from_word(word).ok());
    let trips = match (number(&record, "latency_ns"), number(&record, "core_round_trip_ns")) {
        (Some(latency), Some(trip)) if trip > 0.0 => Some(latency / trip),
        _ => None,
    };
    record.extend(trips.map(|trips| (CORE_ROUND_TRIPS.to_owned(), trips.into())));
    if let Some(bytes) = number(&record, "bytes_per_second") {
        record.insert(shapes::BANDWIDTH.to_owned(), (bytes * 8e-9).into());
    }
    let limits = pcie::LIMITS.iter().filter_map(|limit| number(&record, limit));
    if let Some(limit) = limits.reduce(f64::min) {
        record.insert(pcie::LIMIT.to_owned(), limit.into());
    }
    let doubts = record.get("doubts").and_then(|doubts| doubts.as_str()).unwrap_or_default();
    let is_valid = doubts.is_empty();
    record.insert("valid".to_owned(), is_valid.into());
    (source.expect("a row that was read has a source"), record)
}

/// The frame of `rows`: one row for all replicates that agree in everything that queries can name.
pub fn frame(table: Table, rows: &[(Source, Record)], words: &mut Words) -> Frame {
    let names: Vec<_> = columns(table).iter().map(|column| column.name).collect();
    let mut alike: BTreeMap<String, Vec<&(Source, Record)>> = BTreeMap::new();
    for row in rows {
        let key = text_of(&row.1, ["source"].into_iter().chain(names.iter().copied()));
        alike.entry(key).or_default().push(row);
    }
    let mut frame = Frame::new(table, None);
    for rows in alike.into_values() {
        let (source, first) = (rows[0].0, &rows[0].1);
        // A row without a number is no replicate of it.
        let with = |name| rows.iter().filter(|(_, row)| number(row, name).is_some()).count();
        let replicates = measures(table).map(with).max().unwrap_or_default();
        let replicates = u32::try_from(replicates).unwrap_or(u32::MAX);
        // What a text states is what it states, and models and arithmetic say the same every time.
        let is_computed = matches!(table, Table::Shapes | Table::PcieOperations);
        let is_fact = source == Source::Published || is_computed;
        let of = |name| {
            let values: Vec<_> = rows.iter().filter_map(|(_, row)| number(row, name)).collect();
            (name, if is_fact { fact(&values) } else { estimate(&values) })
        };
        let measures = measures(table).map(of).collect();
        frame.push(source, replicates, |name| words.cell(first, name), measures, None);
    }
    frame
}

/// Chance has no part in it.
fn fact(values: &[f64]) -> Option<Estimate> {
    values.first().map(|value| Estimate::fact(*value))
}

/// The mean of replicates, with the interval that they have if there are two or more.
fn estimate(values: &[f64]) -> Option<Estimate> {
    pooled(values).map(|pooled| Estimate {
        point: pooled.mean,
        interval: pooled.interval,
        origin: if pooled.interval.is_some() { Origin::Replicates } else { Origin::None },
        freedom: count(values.len()) - 1.0,
    })
}
