//! Runs and traces beside the clients that they are of.

use std::path::Path;

use onesided_estimate::{
    printed::EPOCH_NS,
    stored::{Place, StoredError},
};
use onesided_results::{
    row::{PublishedClient, PublishedClientRow, PublishedRunRow, TraceRow},
    vocabulary::RawStatus,
};

use crate::{
    factors::OPERATIONS_PER_CLIENT,
    latencies::{self, Latency},
};

/// How far a number may be from a sum of others, all of six digits: five millionths each.
const ROUNDING: f64 = 1.1e-5;

/// A run and where it and its clients are.
pub(super) struct Told<'a> {
    pub(super) runs: &'a Path,
    pub(super) line: usize,
    pub(super) run: &'a PublishedRunRow,
    pub(super) clients: &'a Path,
}

/// Rows with their lines.
type Lines<'a, R> = [(usize, &'a R)];

impl Told<'_> {
    /// The run's row, beside what it follows from.
    fn place<'p>(&'p self, beside: &'p Path) -> Place<'p> {
        Place { path: self.runs, line: self.line, beside }
    }

    /// Refuses clients that are not those of the run.
    pub(super) fn check(&self, clients: &Lines<'_, PublishedClientRow>) -> Result<(), StoredError> {
        let due = |column, found: Option<f64>, due: Option<f64>| match (found, due) {
            (None, None) => Ok(()),
            (Some(found), Some(due)) if (found - due).abs() <= ROUNDING * due.abs() => Ok(()),
            (found, due) => {
                let text = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
                self.place(self.clients).refuse(column, text(found), text(due))
            }
        };
        for (at, (line, client)) in clients.iter().enumerate() {
            self.check_client(*line, at, client)?;
        }
        let own = || clients.iter().map(|(_, client)| &client.own);
        let sum = |value: fn(&PublishedClient) -> Option<f64>| {
            own().map(value).sum::<Option<f64>>().filter(|_| !clients.is_empty())
        };
        let of_rates = own().any(|client| client.rate_mean_ops.is_some());
        if !of_rates {
            let latency = |(_, client): &(usize, &PublishedClientRow)| {
                let (mean_ns, sd_ns) =
                    (client.common.latency_mean_ns?, client.common.latency_sd_ns?);
                Some(Latency { mean_ns, sd_ns })
            };
            let latencies: Option<Vec<_>> = clients.iter().map(latency).collect();
            let together = latencies.and_then(|latencies| latencies::together(&latencies));
            let run = &self.run.common;
            due("latency_mean_ns", run.latency_mean_ns, together.map(|latency| latency.mean_ns))?;
            return due("latency_sd_ns", run.latency_sd_ns, together.map(|latency| latency.sd_ns));
        }
        let rates = sum(|client| client.rate_mean_ops);
        due("throughput_published_ops", self.run.common.throughput_published_ops, rates)?;
        if self.run.own.status != RawStatus::Ok {
            return Ok(());
        }
        let recovered = sum(|client| client.recovered_operations);
        let issued = f64::from(self.run.common.queue_pairs) * f64::from(OPERATIONS_PER_CLIENT);
        due("closure", self.run.own.closure, recovered.map(|recovered| recovered / issued))?;
        let starts = own().map(|client| client.first_active_ns).max().flatten();
        let ends = own().filter_map(|client| client.end_ns);
        let window = starts.zip(ends.clone().min());
        let window = window.map(|(start, end)| end.saturating_sub(start)).zip(ends.max());
        let share = window.map(|(window, length)| whole(window) / whole(length));
        due("window_fraction", self.run.own.window_fraction, share)?;
        self.check_running(window.map_or(0, |(window, _)| window))
    }

    /// Refuses a throughput while running that is not that of all the window, of which the run was
    /// stalled for a part, in which it did a twentieth at most.
    fn check_running(&self, window_ns: u64) -> Result<(), StoredError> {
        let (run, own) = (&self.run.common, &self.run.own);
        let (Some(over_all), Some(stalled)) = (run.throughput_ops, own.stalled_ns) else {
            return Ok(());
        };
        let running = own.throughput_running_ops.unwrap_or(0.0);
        let most = over_all * whole(window_ns) / whole(window_ns.saturating_sub(stalled));
        let within = over_all * (1.0 - ROUNDING)..=most * (1.0 + ROUNDING);
        if within.contains(&running) {
            return Ok(());
        }
        let due = format!("{over_all} to {most}, by throughput_ops and stalled_ns");
        self.place(self.runs).refuse("throughput_running_ops", running, due)
    }

    /// Refuses a client that is of another run, or whose numbers do not go together.
    fn check_client(
        &self,
        line: usize,
        at: usize,
        client: &PublishedClientRow,
    ) -> Result<(), StoredError> {
        let (run, found, own) = (&self.run.common, &client.common, &client.own);
        let of_run = Place { path: self.clients, line, beside: self.runs };
        let alone = Place { beside: self.clients, ..of_run };
        of_run.expect("profile", &found.profile, &run.profile)?;
        of_run.expect("experiment", &found.experiment, &run.experiment)?;
        of_run.expect("source", found.source, run.source)?;
        alone.expect("queue_pair", found.queue_pair, at)?;
        let is_active = own.first_active_ns.is_some() || found.latency_mean_ns.is_some();
        let issued = if is_active { OPERATIONS_PER_CLIENT } else { 0 };
        alone.expect("operations", found.operations, issued)?;
        let samples = found.samples.unwrap_or(0);
        let Some(mean) = own.rate_mean_ops else {
            alone.expect("samples", samples, issued)?;
            let none = [
                ("recovered_operations", own.recovered_operations.is_none()),
                ("first_active_ns", own.first_active_ns.is_none()),
                ("end_ns", own.end_ns.is_none()),
            ];
            return match none.into_iter().find(|(_, is_absent)| !is_absent) {
                None => Ok(()),
                Some((column, _)) => alone.refuse(column, "a number", ""),
            };
        };
        if (mean > 0.0) != is_active {
            return alone.refuse("rate_mean_ops", mean, "0, as it was never active");
        }
        let (Some(recovered), Some(end)) = (own.recovered_operations, own.end_ns) else {
            let absent = if own.end_ns.is_none() { "end_ns" } else { "recovered_operations" };
            return alone.refuse(absent, "", "a number, as there are rates");
        };
        for (column, ns) in [("first_active_ns", own.first_active_ns), ("end_ns", own.end_ns)] {
            if ns.is_some_and(|ns| !ns.is_multiple_of(EPOCH_NS)) {
                return alone.refuse(column, ns.unwrap_or(0), "whole epochs of 10 ms");
            }
        }
        // Each line is an epoch of at least one of the clock's.
        let printed = samples.saturating_mul(EPOCH_NS);
        if printed > end || samples == 0 {
            return alone.refuse("samples", samples, format!("at most {}", end / EPOCH_NS));
        }
        let least = mean * whole(printed) / 1e9;
        let is_short = recovered < least * (1.0 - ROUNDING);
        let is_exact = printed == end && recovered > least * (1.0 + ROUNDING);
        if is_short || is_exact {
            let due = format!("{least} or more, by its rates");
            return alone.refuse("recovered_operations", recovered, due);
        }
        Ok(())
    }

    /// Refuses a trace that is not of the run's clients.
    pub(super) fn check_trace(
        &self,
        path: &Path,
        trace: &Lines<'_, TraceRow>,
        clients: &Lines<'_, PublishedClientRow>,
    ) -> Result<(), StoredError> {
        let spans: Vec<_> = (clients.iter())
            .filter_map(|(_, client)| Some((client.own.first_active_ns?, client.own.end_ns?)))
            .collect();
        for (at, (line, row)) in trace.iter().enumerate() {
            let run = &self.run.common;
            let of_run = Place { path, line: *line, beside: self.runs };
            let alone = Place { beside: path, ..of_run };
            let of_clients = Place { beside: self.clients, ..of_run };
            of_run.expect("profile", &row.profile, &run.profile)?;
            of_run.expect("experiment", &row.experiment, &run.experiment)?;
            of_run.expect("source", row.source, run.source)?;
            alone.expect("window", row.window, at)?;
            let start = at as u64 * EPOCH_NS;
            alone.expect("start_ns", row.start_ns, start)?;
            let active =
                spans.iter().filter(|(first, end)| (*first..*end).contains(&start)).count();
            of_clients.expect("clients", row.clients, active)?;
        }
        let Some(&(first, _)) = trace.first() else { return Ok(()) };
        let all = Place { path, line: first, beside: self.clients };
        let length = spans.iter().map(|(_, end)| end / EPOCH_NS).max().unwrap_or(0);
        all.expect("window", trace.len(), length)?;
        let epoch_s = whole(EPOCH_NS) / 1e9;
        let found = trace.iter().map(|(_, row)| row.throughput_ops).sum::<f64>() * epoch_s;
        let issued = f64::from(OPERATIONS_PER_CLIENT);
        let recovered = |(_, client): &(usize, &PublishedClientRow)| {
            client.own.recovered_operations.map_or(0.0, |recovered| recovered.min(issued))
        };
        let due: f64 = clients.iter().map(recovered).sum();
        if (found - due).abs() > ROUNDING * due {
            return all.refuse("throughput_ops", found, due);
        }
        let start = spans.iter().map(|(first, _)| *first).max().unwrap_or(0);
        let end = spans.iter().map(|(_, end)| *end).min().unwrap_or(0);
        let inside = trace.iter().filter(|(_, row)| (start..end).contains(&row.start_ns));
        let inside: Vec<_> = inside.map(|(_, row)| row.throughput_ops).collect();
        let (sum, count) = (inside.iter().sum::<f64>(), inside.len() as f64);
        match self.run.common.throughput_ops {
            Some(ops) if (sum - ops * count).abs() > ROUNDING * sum => {
                self.place(path).refuse("throughput_ops", ops, sum / count)
            }
            _ => Ok(()),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of a run are below 2^53 ns")]
fn whole(count: u64) -> f64 {
    count as f64
}
