//! The client's side of a run, from the first message to the record.

mod measured;
mod opened;
mod settle;

use std::time::{Duration, Instant};

use onesided_control::{
    Channel,
    message::{ClientMessage, Completed, Finished, LoadSeries, ServerMessage, Verification},
};
use onesided_measure::{RunCounts, Ticks};
use onesided_results::{
    RunConfiguration, SCHEMA_VERSION,
    record::{NegotiatedRecord, Outcome, PhaseTiming, RunRecord, RunTotals, SideRecord},
    vocabulary::{Phase, Side, Source},
};
use onesided_transport::{Negotiated, Transport};

use crate::{error::RunError, site::Site, validity::Doubt};

use opened::Taken;

/// Longest wait for one answer of the server. Ours: registering and touching the largest region
/// that fits a machine takes seconds, connecting thousands of queue pairs too.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

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

/// The parts of a record, as far as a run came.
#[derive(Default)]
pub(crate) struct Story {
    pub phases: Vec<PhaseTiming>,
    pub negotiated: Option<NegotiatedRecord>,
    pub client: Option<SideRecord>,
    pub server: Option<SideRecord>,
    pub totals: Option<RunTotals>,
    pub drift_ppm: Option<f64>,
    pub verification: Vec<onesided_results::record::VerificationRecord>,
    pub doubts: Vec<Doubt>,
    pub load: Vec<LoadSeries>,
}

impl Story {
    /// Takes down what both sides agreed on.
    pub(crate) fn note_negotiated(
        &mut self,
        configuration: &RunConfiguration,
        negotiated: Negotiated,
    ) {
        self.negotiated = Some(NegotiatedRecord {
            mtu_bytes: negotiated.path_mtu.bytes(),
            max_rd_atomic: negotiated.max_rd_atomic,
        });
        let (asked, agreed) = (configuration.max_rd_atomic, negotiated.max_rd_atomic);
        if agreed < asked {
            self.doubts.push(Doubt::MaxRdAtomicLowered { asked, agreed });
        }
    }

    /// Takes down what a comparison of content said.
    pub(crate) fn verify(&mut self, side: Side, verification: Verification) {
        match verification {
            Verification::Checked(record) => {
                if record.mismatched > 0 {
                    let found = record.first_mismatch.clone().unwrap_or_default();
                    let what = format!("{side}: not so: {}: {found}", record.what);
                    self.doubts.push(Doubt::ContentWrong { what });
                }
                self.verification.push(record);
            }
            // That a client's buffer is not changed by writes is nothing to doubt.
            Verification::NotApplicable { why } => {
                if side == Side::Server {
                    self.doubts.push(Doubt::ContentUnverified { why });
                }
            }
        }
    }

    /// Does one phase and notes how long it took, also when it fails.
    pub(crate) fn phase<R>(
        &mut self,
        phase: Phase,
        body: impl FnOnce(&mut Self) -> Result<R, RunError>,
    ) -> Result<R, RunError> {
        let began = Instant::now();
        let result = body(self);
        let took_ms = began.elapsed().as_secs_f64() * 1e3;
        self.phases.push(PhaseTiming { phase, took_ms });
        result
    }
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
    let mut story = Story::default();
    let (outcome, counts) = match attempt(site, channel, configuration, &mut story) {
        Ok(counts) => (None, Some(counts)),
        Err(error) => {
            give_up(channel, error.to_string());
            let (phase, message) = (error.phase, error.story());
            (Some(Outcome::Failed { phase, message }), None)
        }
    };
    let doubts: Vec<_> = story.doubts.iter().map(Doubt::record).collect();
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        configuration: configuration.clone(),
        source,
        back_end: site.transport.description().back_end.clone(),
        started_at,
        outcome: outcome.unwrap_or_else(|| Outcome::of_doubts(&doubts)),
        doubts,
        negotiated: story.negotiated,
        client: story.client,
        further_clients: Vec::new(),
        client_clocks: Vec::new(),
        server: story.server,
        clock: Some(site.clock_record(story.drift_ppm)),
        phases: story.phases,
        totals: story.totals,
        verification: story.verification,
    };
    RunResult { record, counts, load: story.load }
}

fn attempt<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    configuration: &RunConfiguration,
    story: &mut Story,
) -> Result<RunCounts, RunError>
where
    T: Transport + Sync,
{
    // While the server takes its memory and queue pairs, the client takes its own.
    let taken = story.phase(Phase::SetUp, |_| {
        configuration
            .check()
            .map_err(|source| RunError::new(Phase::SetUp, "the configuration", source))?;
        site.check_port()?;
        let pins = opened::deal(site, configuration)?;
        opened::ask_to_prepare(site, channel, configuration, &pins)?;
        Taken::new(site, configuration, pins)
    })?;
    let opened = story.phase(Phase::Connect, |story| {
        let prepared = opened::await_prepared(channel)?;
        story.server = Some(prepared.side.clone());
        taken.connect(channel, &prepared, story)
    })?;
    let connected = site.clock.now();
    let measured = opened.measure(channel.peer(), story)?;
    story.phase(Phase::Verify, |story| {
        let now = site.clock.now();
        let since = |then: Ticks| site.clock.nanoseconds(now.0.saturating_sub(then.0));
        let completed = Completed {
            operations: measured.totals.completed,
            since_connected_ns: since(connected),
            since_start_ns: since(measured.t0),
        };
        tell(channel, &ClientMessage::Finish(completed), Phase::Verify)?;
        // While the server proves and verifies, so does the client.
        settle::settle(site, configuration, measured, story, || await_finished(channel))
    })
}

/// Tells the server that the run is given up, and takes what it had said about it before it heard:
/// the next run would take that for its own answers.
fn give_up(channel: &Channel, reason: String) {
    // The server may be gone as well; then there is nobody to tell.
    if channel.send(&ClientMessage::Abandon { reason }).is_err() {
        return;
    }
    while let Ok(message) = channel.receive(ANSWER_WITHIN) {
        if matches!(message, ServerMessage::Abandoned) {
            return;
        }
    }
}

fn await_finished(channel: &Channel) -> Result<Finished, RunError> {
    match answer(channel, Phase::Verify)? {
        ServerMessage::Finished(finished) => Ok(*finished),
        other => Err(unexpected(Phase::Verify, "the end of the run", &other)),
    }
}

/// Sends a message of a phase.
pub(crate) fn tell(
    channel: &Channel,
    message: &ClientMessage,
    phase: Phase,
) -> Result<(), RunError> {
    channel.send(message).map_err(|source| RunError::new(phase, "the server", source))
}

/// Takes the server's answer; a failure it tells is an error here.
pub(crate) fn answer(channel: &Channel, phase: Phase) -> Result<ServerMessage, RunError> {
    match channel.receive(ANSWER_WITHIN) {
        Ok(ServerMessage::Failed { phase: theirs, message }) => {
            Err(RunError::plain(phase, format!("the server says ({theirs}): {message}")))
        }
        Ok(message) => Ok(message),
        Err(source) => Err(RunError::new(phase, "the server", source)),
    }
}

/// The server said something out of order.
pub(crate) fn unexpected(phase: Phase, due: &str, found: &ServerMessage) -> RunError {
    let name = match found {
        ServerMessage::Prepared(_) => "prepared",
        ServerMessage::Connected => "connected",
        ServerMessage::Finished(_) => "finished",
        ServerMessage::Failed { .. } => "failed",
        ServerMessage::Abandoned => "abandoned",
    };
    RunError::plain(phase, format!("the server said '{name}' where {due} was due"))
}
