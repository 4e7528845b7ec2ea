//! A further client host: takes part in runs that another client asks for.

use std::time::Duration;

use onesided_control::{
    Channel, ChannelError,
    message::{ClientMessage, Joining, PartFinished, Participation, ServerMessage},
};
use onesided_plan::HostShare;
use onesided_results::{Doubt, RunConfiguration, record::FurtherClientRecord, vocabulary::Phase};
use onesided_transport::Transport;

use super::{
    common_start::CommonStart,
    line::{Line, unexpected},
    measured::Measured,
    opened::{self, LocalSide},
    settle::{Settled, settle},
};
use crate::{counted, doubts, error::RunError, partial_record::PartialRecord, site::Site};

/// Longest time between two runs. The server's heartbeats show that it lives.
const NEXT_RUN_WITHIN: Duration = Duration::from_secs(24 * 3600);

/// What a further client host did, for the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinSummary {
    /// Runs that it took part in to their end.
    pub finished: u64,
    /// Runs that came to none.
    pub failed: u64,
}

/// Joins a server's clients and takes part in their runs until the server closes the channel.
///
/// `log` is told one line about each run.
///
/// # Errors
/// When the server is lost: in the middle of a run, or otherwise than by closing the channel.
pub fn take_part<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    log: &dyn Fn(&str),
) -> Result<JoinSummary, ChannelError>
where
    T: Transport + Sync,
{
    let device = site.transport.description().clone();
    let joining = Joining { host: site.host().hostname, device };
    channel.send(&ClientMessage::Join(Box::new(joining)))?;
    let mut summary = JoinSummary::default();
    loop {
        let participation = match channel.receive(NEXT_RUN_WITHIN) {
            Ok(ServerMessage::Participate(participation)) => participation,
            // Of a run that failed here before the server gave it up.
            Ok(ServerMessage::AbandonPart { .. }) => {
                channel.send(&ClientMessage::PartAbandoned)?;
                continue;
            }
            // What else was still on its way is about that run, too.
            Ok(_) | Err(ChannelError::TimedOut { .. }) => continue,
            Err(ChannelError::Closed) => return Ok(summary),
            Err(error) => return Err(error),
        };
        let run_id = &participation.configuration.run_id;
        match play(site, channel, &participation) {
            Ok(operations) => {
                summary.finished += 1;
                log(&format!("{run_id}: {operations} operations from here"));
            }
            Err(error) => {
                summary.failed += 1;
                log(&format!("{run_id}: {error}"));
                fail(channel, &error)?;
            }
        }
    }
}

/// Says that this part came to no end, to a server that is there.
fn fail(channel: &Channel, error: &RunError) -> Result<(), ChannelError> {
    if let Some(death) = channel.peer().death() {
        return Err(death);
    }
    if error.is_given_up() {
        return channel.send(&ClientMessage::PartAbandoned);
    }
    let (phase, message) = (error.phase.to_string(), error.explanation());
    channel.send(&ClientMessage::PartFailed { phase, message })
}

/// Plays one part from its beginning to its end; says how many operations it did.
fn play<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    participation: &Participation,
) -> Result<u64, RunError>
where
    T: Transport + Sync,
{
    let Participation { configuration, host, taken, measurement } = participation;
    let line = Line::of(channel, site.clock, configuration);
    let turn = site.turn_for(measurement.as_ref())?;
    let mut partial = PartialRecord::default();
    let part = part_of(configuration, *host)?;
    site.check_port()?;
    let pins = opened::deal(site, configuration, &part, taken)?;
    line.tell(&ClientMessage::Pinned(opened::pinned(&pins)), Phase::SetUp)?;
    let own = LocalSide::new(site, configuration, part.clone(), pins)?;
    let prepared = opened::await_prepared(&line)?;
    let opened = own.connect(&line, &prepared, &mut partial)?;
    let connected = site.clock.now();
    let together = CommonStart::gathered(&line)?;
    let measured = Measured::of(opened, line.peer(), Some(&together), &mut partial)?;
    let completed = measured.completed(site.clock, connected, together.late_ns());
    let settled = settle(site, configuration, measured, turn.as_ref(), &mut partial)?;
    doubts::raise(&mut partial, site, configuration, &settled.outcomes, &settled.counts);
    let finished = PartFinished {
        completed,
        record: record(&part, &mut partial),
        doubts: partial.doubts.iter().map(Doubt::record).collect(),
        verification: settled.verification.clone(),
        signaled: settled.totals.signaled,
        completions: settled.totals.reported,
        measured_ns: settled.measured_ns,
    };
    hand_over(&line, finished, &settled)?;
    match line.answer(Phase::Verify)? {
        ServerMessage::PartOver => Ok(completed.operations),
        other => Err(unexpected(Phase::Verify, "the end of the run", &other)),
    }
}

/// This host's part, of a configuration that is checked again here.
fn part_of(configuration: &RunConfiguration, host: u32) -> Result<HostShare, RunError> {
    configuration
        .check()
        .map_err(|source| RunError::new(Phase::SetUp, "the configuration", source))?;
    let part = HostShare::deal(configuration).into_iter().nth(host as usize);
    part.ok_or_else(|| {
        let hosts = configuration.client_hosts;
        RunError::plain(Phase::SetUp, format!("the run has {hosts} client hosts, none is {host}"))
    })
}

fn record(part: &HostShare, partial: &mut PartialRecord) -> FurtherClientRecord {
    let queue_pairs = part.queue_pairs();
    FurtherClientRecord {
        side: partial.client.take().expect("a run that was measured has its client's side"),
        first_thread: part.first_thread as u32,
        threads: part.shares.len() as u32,
        first_queue_pair: queue_pairs.start as u32,
        queue_pairs: queue_pairs.len() as u32,
    }
}

fn hand_over(line: &Line<'_>, finished: PartFinished, settled: &Settled) -> Result<(), RunError> {
    line.tell(&ClientMessage::PartFinished(Box::new(finished)), Phase::Verify)?;
    counted::sent(&settled.counts).try_for_each(|counted| {
        line.tell(&ClientMessage::Counted(Box::new(counted)), Phase::Verify)
    })
}
