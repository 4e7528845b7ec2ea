//! One raw file as rows of the tables.

pub(crate) mod rows;

use std::path::Path;

use onesided_estimate::printed::{ClientSummary, Clock, PrintedRate, Steady, published, steady};
use onesided_results::{
    Doubt,
    row::{PublishedClientRow, PublishedRunRow, TraceRow},
    vocabulary::RawStatus,
};
use sha2::{Digest, Sha256};

use crate::{
    RawError,
    digits::six_digits,
    doubts,
    factors::{Content, Factors, OPERATIONS_PER_CLIENT},
    key_value, latencies,
    oddities::Oddity,
    rates, traces,
};

/// What a file is, before it is read.
#[derive(Clone, Debug)]
pub struct RawFile {
    /// Its path from the folder `results`.
    pub raw_path: String,
    /// What is known to be wrong with it.
    pub oddity: Option<Oddity>,
    /// What its path says; absent if it is no run.
    pub factors: Option<Factors>,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub struct ReadFile {
    /// Its checksum.
    pub sha256: String,
    /// Its lines; absent if it is no run.
    pub lines: Option<usize>,
    /// A row for each of its runs, and its doubts, which are not yet in the row.
    pub runs: Vec<(PublishedRunRow, Vec<Doubt>)>,
    /// A row for each client.
    pub clients: Vec<PublishedClientRow>,
    /// Its throughput in time, of a run whose course is looked at.
    pub trace: Vec<TraceRow>,
}

/// Buffers that are used again for each file.
#[derive(Default)]
pub struct Scratch {
    rates: Vec<PrintedRate>,
}

/// What is estimated from a file of rates.
struct Estimates {
    clients: Vec<ClientSummary>,
    published: Option<f64>,
    steady: Option<Steady>,
    fast: Option<f64>,
}

/// Reads `text`, the content of `file` at `path`.
///
/// # Errors
/// When it is not what the study's programs write, or odd in a way that is not known of it.
pub fn read(
    path: &Path,
    file: &RawFile,
    text: &[u8],
    scratch: &mut Scratch,
) -> Result<ReadFile, RawError> {
    let digest = Sha256::digest(text);
    let mut read = ReadFile {
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        lines: None,
        runs: Vec::new(),
        clients: Vec::new(),
        trace: Vec::new(),
    };
    let Some(factors) = &file.factors else { return Ok(read) };
    if file.oddity == Some(Oddity::Empty) && text.is_empty() {
        read.add_run(file, factors, rows::run(file, factors, &read.sha256, RawStatus::Empty));
        read.lines = Some(0);
        return Ok(read);
    }
    let seed = u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"));
    match factors.content {
        Content::Rates => read.rates(path, file, factors, text, scratch, seed),
        Content::Latencies => read.latencies(path, file, factors, text),
        Content::KeyValue => read.key_value(path, file, factors, text),
    }?;
    Ok(read)
}

/// Both estimators on the lines of a file.
fn estimated(rates: &[PrintedRate], factors: &Factors, seed: u64) -> Estimates {
    let count = factors.queue_pairs as usize;
    let clock = Clock::recover(rates, count);
    let clients = ClientSummary::of(rates, &clock, count);
    let steady = steady(rates, &clock, &clients, f64::from(OPERATIONS_PER_CLIENT), seed);
    let fast = steady.as_ref().filter(|_| doubts::has_two_speeds(factors));
    let above = doubts::fast_micro_ops(factors.testbed);
    let fast = fast.and_then(|steady| steady.fraction_above(rates, &clock, count, above));
    Estimates { published: published(&clients), clients, steady, fast }
}

impl ReadFile {
    fn add_run(&mut self, file: &RawFile, factors: &Factors, row: PublishedRunRow) {
        let mut doubts = doubts::of_factors(factors);
        doubts.extend(doubts::of_file(row.own.status, file.oddity));
        self.runs.push((row, doubts));
    }

    fn rates(
        &mut self,
        path: &Path,
        file: &RawFile,
        factors: &Factors,
        text: &[u8],
        scratch: &mut Scratch,
        seed: u64,
    ) -> Result<(), RawError> {
        rates::read(path, text, factors.queue_pairs, &mut scratch.rates)?;
        let rates = &scratch.rates;
        self.lines = Some(rates.len());
        let all_zero = rates.iter().all(|rate| rate.micro_ops == 0);
        if all_zero != (file.oddity == Some(Oddity::AllZero)) {
            let path = path.to_owned();
            let error =
                if all_zero { RawError::AllZero { path } } else { RawError::NotZero { path } };
            return Err(error);
        }
        let estimates = estimated(rates, factors, seed);
        let status = if all_zero { RawStatus::AllZero } else { RawStatus::Ok };
        let mut row = rows::run(file, factors, &self.sha256, status);
        rows::estimates(&mut row, rates.len(), &estimates);
        let client = |(index, client)| rows::client_of_rates(&row.common, index, client);
        self.clients = (0..).zip(&estimates.clients).map(client).collect();
        if let Some(steady) = estimates.steady.as_ref().filter(|_| traces::wanted(file)) {
            self.trace = traces::rows(&row.common, steady, &estimates.clients);
        }
        self.add_run(file, factors, row);
        if status == RawStatus::Ok
            && let (Some((_, doubts)), Some(steady)) = (self.runs.last_mut(), &estimates.steady)
        {
            let usual = doubts::usual_speed(factors);
            doubts.extend(doubts::of_estimate(
                steady.closure,
                steady.throughput.is_some(),
                usual.zip(estimates.fast),
            ));
            doubts.extend(doubts::of_stalls(steady, factors.queue_pairs));
        }
        Ok(())
    }

    fn latencies(
        &mut self,
        path: &Path,
        file: &RawFile,
        factors: &Factors,
        text: &[u8],
    ) -> Result<(), RawError> {
        let clients = latencies::read(path, text, factors.queue_pairs)?;
        self.lines = Some(clients.len() + 1);
        let mut row = rows::run(file, factors, &self.sha256, RawStatus::Ok);
        rows::latencies(&mut row, &clients);
        let client = |(index, &latency)| rows::client_of_latency(&row.common, index, latency);
        self.clients = (0..).zip(&clients).map(client).collect();
        self.add_run(file, factors, row);
        Ok(())
    }

    fn key_value(
        &mut self,
        path: &Path,
        file: &RawFile,
        factors: &Factors,
        text: &[u8],
    ) -> Result<(), RawError> {
        let lines = key_value::read(path, text)?;
        self.lines = Some(lines.len());
        for line in lines {
            for (placement, ops) in key_value::PLACEMENTS.into_iter().zip(line.ops) {
                let factors = rows::factors_of_cell(factors, placement, line.clients);
                let mut row = rows::of_cell(file, &factors, placement, &self.sha256);
                row.common.throughput_published_ops = Some(six_digits(ops));
                self.add_run(file, &factors, row);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
