//! The client's side of a run, from the first message to the record.

mod common_start;
mod further;
mod line;
mod measured;
mod merged;
mod opened;
mod settle;

use onesided_control::{
    Channel,
    message::{ClientMessage, CountedQueuePair, Finished, LoadSeries, ServerMessage},
};
use onesided_measure::RunCounts;
use onesided_plan::HostShare;
use onesided_results::{
    Doubt, RunConfiguration,
    record::{Outcome, RunRecord},
    version,
    vocabulary::{Phase, Side, Source},
};
use onesided_transport::Transport;

use crate::{
    doubts, error::RunError, partial_record::PartialRecord, patience::ANSWER_WITHIN, site::Site,
};

use common_start::CommonStart;
pub use further::{JoinSummary, take_part};
use line::{Line, unexpected};
use measured::Measured;
use opened::LocalSide;
pub(crate) use opened::wish;
use settle::settle;

/// A run that was tried: its record, and its counts where there are any.
#[derive(Debug)]
pub struct RunResult {
    /// What is written to `run.json`.
    pub record: RunRecord,
    /// What is written beside it; absent if nothing was measured.
    pub counts: Option<RunCounts>,
    /// What the server's own threads did, window by window; empty without any.
    pub load: Vec<LoadSeries>,
}

/// Does one run over an authenticated channel. A run that fails has a record that says so.
pub fn run<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    configuration: &RunConfiguration,
    source: Source,
    started_at: String,
) -> RunResult
where
    T: Transport + Sync,
{
    let mut partial = PartialRecord::default();
    let (outcome, counts) = match attempt(site, channel, configuration, &mut partial) {
        Ok(counts) => (None, Some(counts)),
        Err(error) => {
            give_up(channel, error.to_string());
            let (phase, message) = (error.phase, error.explanation());
            (Some(Outcome::Failed { phase, message }), None)
        }
    };
    let doubts = partial.doubts.iter().map(Doubt::record);
    let doubts: Vec<_> = doubts.chain(partial.further_doubts).collect();
    let record = RunRecord {
        schema_version: version::RECORD.written,
        configuration: configuration.clone(),
        source,
        back_end: site.transport.description().back_end.clone(),
        started_at,
        outcome: outcome.unwrap_or_else(|| Outcome::of_doubts(&doubts)),
        doubts,
        negotiated: partial.negotiated,
        client: partial.client,
        further_clients: partial.further_clients,
        client_clocks: partial.client_clocks,
        server: partial.server,
        clock: Some(site.clock_record(partial.drift_ppm)),
        phases: partial.phases,
        totals: partial.totals,
        verification: partial.verification,
        simulation: None,
    };
    RunResult { record, counts, load: partial.load }
}

fn attempt<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    configuration: &RunConfiguration,
    partial: &mut PartialRecord,
) -> Result<RunCounts, RunError>
where
    T: Transport + Sync,
{
    let line = Line::of(channel, site.clock, configuration);
    // While the server takes its memory and queue pairs, the client takes its own.
    let own = partial.phase(Phase::SetUp, |_| {
        configuration
            .check()
            .map_err(|source| RunError::new(Phase::SetUp, "the configuration", source))?;
        site.check_port()?;
        let part = HostShare::deal(configuration).swap_remove(0);
        let pins = opened::deal(site, configuration, &part, &[])?;
        opened::ask_to_prepare(site, &line, configuration, &pins)?;
        LocalSide::new(site, configuration, part, pins)
    })?;
    let opened = partial.phase(Phase::Connect, |partial| {
        let prepared = opened::await_prepared(&line)?;
        partial.server = Some(prepared.side.clone());
        partial.note_negotiated(configuration, prepared.negotiated);
        own.connect(&line, &prepared, partial)
    })?;
    let connected = site.clock.now();
    let together = match configuration.client_hosts {
        0 | 1 => None,
        _ => Some(CommonStart::gathered(&line)?),
    };
    let measured = Measured::of(opened, line.peer(), together.as_ref(), partial)?;
    let late_ns = together.map_or(0, |together| together.late_ns());
    let completed = measured.completed(site.clock, connected, late_ns);
    partial.phase(Phase::Verify, |partial| {
        line.tell(&ClientMessage::Finish(completed), Phase::Verify)?;
        verify(site, configuration, &line, measured, partial)
    })
}

/// What comes after the last completion. While the server proves and verifies, so does the client.
fn verify<T>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    line: &Line<'_>,
    measured: Measured<'_, T>,
    partial: &mut PartialRecord,
) -> Result<RunCounts, RunError>
where
    T: Transport + Sync,
{
    let mut settled = settle(site, configuration, measured, site.turn.as_ref(), partial)?;
    // Of several hosts they are not the whole yet.
    partial.totals = (configuration.client_hosts <= 1).then(|| settled.run_totals(None));
    let (mut finished, counted) = await_finished(line)?;
    let (received, foreign) = (finished.received, finished.foreign_datagrams);
    partial.load = std::mem::take(&mut finished.load_series);
    let together = finished.together.take();
    let server = partial.server.as_mut().expect("a run that was set up has its server's side");
    let theirs = finished.complete(server);
    partial.verify(Side::Server, theirs);
    partial.verify(Side::Client, settled.verification.clone());
    doubts::raise(partial, site, configuration, &settled.outcomes, &settled.counts);
    if let Some(together) = together {
        merged::add(partial, configuration, &mut settled, together, counted)?;
    }
    partial.totals = Some(settled.run_totals(received));
    doubts::of_messages(received, settled.totals.completed, partial);
    doubts::of_foreign(foreign, &mut partial.doubts);
    Ok(settled.counts)
}

/// Tells the server that the run is given up, and takes what it had said about it before it heard:
/// the next run would take that for its own answers.
fn give_up(channel: &Channel, reason: String) {
    // The server may be gone as well; then there is nobody to tell.
    if channel.send(&ClientMessage::Abandon { reason }).is_err() {
        return;
    }
    // The server may itself be waiting that long for a further host.
    while let Ok(message) = channel.receive(2 * ANSWER_WITHIN) {
        if matches!(message, ServerMessage::Abandoned) {
            return;
        }
    }
}

/// The end of the run, and before it what other client hosts counted.
fn await_finished(line: &Line<'_>) -> Result<(Finished, Vec<CountedQueuePair>), RunError> {
    let mut counted = Vec::new();
    loop {
        match line.answer(Phase::Verify)? {
            ServerMessage::Counted(queue_pair) => counted.push(*queue_pair),
            ServerMessage::Finished(finished) => return Ok((*finished, counted)),
            other => return Err(unexpected(Phase::Verify, "the end of the run", &other)),
        }
    }
}
