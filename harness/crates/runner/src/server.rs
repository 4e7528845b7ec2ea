//! The server's side of a run: memory that is accessed, queue pairs that answer.
//!
//! A session is one client's connection; it may ask for many runs, one after another. Sessions do
//! not share anything but the device, so a failed one leaves the others alone.

mod cpus;
mod hardware;
mod host_load;
mod prepared;
mod responder;

use std::time::Duration;

use onesided_control::{
    Channel, ChannelError,
    message::{ClientMessage, ServerMessage},
};
use onesided_results::vocabulary::Phase;
use onesided_transport::Transport;

use crate::{error::RunError, site::Site};

use prepared::PreparedRun;

/// Longest time that an idle client may keep its session. Its heartbeats show that it lives, so
/// this bounds only what one run may take.
const NEXT_MESSAGE_WITHIN: Duration = Duration::from_secs(24 * 3600);

/// What a session did, for the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSummary {
    /// Runs that came to their end.
    pub finished: u64,
    /// Runs that did not.
    pub failed: u64,
}

/// Serves one client until it closes the channel.
///
/// `log` is told one line about each run.
///
/// # Errors
/// When the channel broke in the middle of a run.
pub fn serve_session<T>(
    site: &Site<'_, T>,
    channel: &Channel,
    log: &dyn Fn(&str),
) -> Result<SessionSummary, ChannelError>
where
    T: Transport + Sync,
{
    let mut summary = SessionSummary::default();
    loop {
        let message = match channel.receive::<ClientMessage>(NEXT_MESSAGE_WITHIN) {
            Err(ChannelError::Closed) => return Ok(summary),
            other => other?,
        };
        let preparation = match message {
            ClientMessage::Prepare(preparation) => preparation,
            // Of a run that was refused, or that the client could not even ask for.
            ClientMessage::Abandon { .. } => {
                channel.send(&ServerMessage::Abandoned)?;
                continue;
            }
            _ => {
                refuse(channel, Phase::Connect, "a run begins with its preparation")?;
                continue;
            }
        };
        let run_id = preparation.configuration.run_id.clone();
        let ended = PreparedRun::new(site, &preparation)
            .map_err(Ending::Refused)
            .and_then(|run| serve_run(run, channel));
        match ended {
            Ok(()) => summary.finished += 1,
            Err(Ending::Lost(error)) => {
                log(&format!("{run_id}: the client is gone: {error}"));
                return Err(error);
            }
            Err(Ending::Abandoned(reason)) => {
                summary.failed += 1;
                log(&format!("{run_id}: given up by the client: {reason}"));
                channel.send(&ServerMessage::Abandoned)?;
            }
            Err(Ending::Refused(error)) => {
                summary.failed += 1;
                log(&format!("{run_id}: {error}"));
                refuse(channel, error.phase, &error.story())?;
            }
        }
    }
}

/// How a run ended that did not come to its end.
enum Ending {
    Lost(ChannelError),
    Abandoned(String),
    Refused(RunError),
}

fn serve_run<T>(mut run: PreparedRun<'_, '_, T>, channel: &Channel) -> Result<(), Ending>
where
    T: Transport + Sync,
{
    let send = |message: &ServerMessage| channel.send(message).map_err(Ending::Lost);
    send(&ServerMessage::Prepared(Box::new(run.announce().map_err(Ending::Refused)?)))?;
    let mut next_within = NEXT_MESSAGE_WITHIN;
    loop {
        let message = match channel.receive(next_within) {
            Err(ChannelError::TimedOut { .. }) if next_within < NEXT_MESSAGE_WITHIN => {
                run.prove_during();
                next_within = NEXT_MESSAGE_WITHIN;
                continue;
            }
            other => other.map_err(Ending::Lost)?,
        };
        let came = run.now();
        match message {
            ClientMessage::Connect(connection) => {
                run.connect(&connection, channel.peer()).map_err(Ending::Refused)?;
                send(&ServerMessage::Connected)?;
                next_within = run.to_the_middle();
            }
            ClientMessage::Finish(completed) => {
                let finished = run.finish(completed, came).map_err(Ending::Refused)?;
                return send(&ServerMessage::Finished(Box::new(finished)));
            }
            ClientMessage::Abandon { reason } => return Err(Ending::Abandoned(reason)),
            ClientMessage::Prepare(_) => {
                let what = "the run before this one was neither finished nor abandoned";
                return Err(Ending::Refused(RunError::plain(Phase::Connect, what)));
            }
        }
    }
}

fn refuse(channel: &Channel, phase: Phase, message: &str) -> Result<(), ChannelError> {
    channel.send(&ServerMessage::Failed { phase: phase.to_string(), message: message.to_owned() })
}
