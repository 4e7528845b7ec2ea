//! The server's side of a run: memory that is accessed, queue pairs that answer.
//!
//! A session is one client's connection; it may ask for many runs, one after another. Sessions do
//! not share anything but the device and the client hosts that have joined, so a failed one leaves
//! the others alone.

mod budget;
mod clocks;
mod cpus;
mod ending;
mod hardware;
mod host_load;
mod pool;
mod prepared;
mod replenish;
mod responder;
mod several_hosts;
mod team;
mod wiring;

use std::time::Duration;

use onesided_control::{
    Channel, ChannelError,
    message::{ClientMessage, Preparation, ServerMessage},
};
use onesided_results::vocabulary::Phase;
use onesided_transport::Transport;

use crate::{
    error::RunError,
    patience::{ANSWER_WITHIN, IDLE_WITHIN, end_within},
    site::Site,
    turn::Turn,
};

pub use budget::{Amount, Budget};
pub(crate) use cpus::wishes;
use ending::{Ending, refuse};
pub use pool::Pool;
use prepared::PreparedRun;
use wiring::ClientHost;

/// What a session did, for the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSummary {
    /// Runs that came to their end.
    pub finished: u64,
    /// Runs that did not.
    pub failed: u64,
}

/// How a session ended in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client left.
    Left(SessionSummary),
    /// The client is in the pool now, for the runs of others.
    Joined,
}

/// Serves one client until it closes the channel or joins `pool`.
///
/// `log` is told one line about each run.
///
/// # Errors
/// When the channel broke in the middle of a run.
pub fn serve_session<T>(
    site: &Site<'_, T>,
    pool: &Pool,
    channel: Channel,
    log: &dyn Fn(&str),
) -> Result<SessionEnd, ChannelError>
where
    T: Transport + Sync,
{
    let mut summary = SessionSummary::default();
    let mut turn = None;
    loop {
        let message = match channel.receive::<ClientMessage>(IDLE_WITHIN) {
            Err(ChannelError::Closed) => return Ok(SessionEnd::Left(summary)),
            other => other?,
        };
        let preparation = match message {
            ClientMessage::Prepare(preparation) => preparation,
            ClientMessage::Join(joining) => {
                log(&format!("{} has joined", pool.add(channel, *joining)));
                return Ok(SessionEnd::Joined);
            }
            // Of a run that was refused, or that the client could not even ask for.
            ClientMessage::Abandon { .. } => {
                channel.send(&ServerMessage::Abandoned)?;
                continue;
            }
            other => {
                let what = format!(
                    "\"{}\" came where a session waits for \"prepare\" or \"join\": a run begins with its \
                     preparation",
                    other.name()
                );
                refuse(&channel, Phase::Connect, &what)?;
                continue;
            }
        };
        let run_id = &preparation.configuration.run_id;
        let ended = take_turn(site, &preparation, &mut turn).and_then(|turn| {
            match preparation.configuration.client_hosts {
                0 | 1 => prepare(site, &preparation)
                    .and_then(|run| serve_run(run, &preparation, &channel, turn)),
                _ => several_hosts::serve_run(site, pool, &channel, &preparation, turn),
            }
        });
        match ended {
            Ok(()) => summary.finished += 1,
            Err(ending) => {
                summary.failed += 1;
                give_up(&channel, ending, &|line| log(&format!("{run_id}: {line}")))?;
            }
        }
    }
}

/// Turns a client away that proved its token, with the reason, and waits until it has gone or asked.
///
/// # Errors
/// When the channel broke.
pub fn turn_away(channel: &Channel, reason: &str) -> Result<(), ChannelError> {
    match channel.receive::<ClientMessage>(TURNED_AWAY_WITHIN) {
        Err(ChannelError::Closed) => Ok(()),
        other => other.and_then(|_| refuse(channel, Phase::Connect, reason)),
    }
}

/// Longest time that a client which is turned away may take to ask. Ours: it asks at once.
const TURNED_AWAY_WITHIN: Duration = Duration::from_secs(5);

/// Says what there is to say about a run that did not come to its end.
fn give_up(channel: &Channel, ending: Ending, log: &dyn Fn(&str)) -> Result<(), ChannelError> {
    match ending {
        Ending::Lost(error) => {
            log(&format!("the client is gone: {error}"));
            Err(error)
        }
        Ending::Abandoned(reason) => {
            log(&format!("given up by the client: {reason}"));
            channel.send(&ServerMessage::Abandoned)
        }
        Ending::Refused(error) => {
            log(&error.to_string());
            refuse(channel, error.phase, &error.explanation())
        }
        Ending::Reported(error) => {
            log(&error.to_string());
            Ok(())
        }
    }
}

/// The client's measurement has this host from its first run until it leaves.
fn take_turn<'t, T>(
    site: &Site<'_, T>,
    preparation: &Preparation,
    turn: &'t mut Option<Turn>,
) -> Result<Option<&'t Turn>, Ending> {
    if turn.is_none() {
        *turn = site.turn_for(preparation.measurement.as_ref()).map_err(Ending::Refused)?;
    }
    Ok(turn.as_ref())
}

fn prepare<'s, 'a, T>(
    site: &'s Site<'a, T>,
    preparation: &Preparation,
) -> Result<PreparedRun<'s, 'a, T>, Ending>
where
    T: Transport + Sync,
{
    let Preparation { configuration, device, pinned, .. } = preparation;
    let client = ClientHost { device, pinned: pinned.clone() };
    PreparedRun::new(site, configuration, &[client]).map_err(Ending::Refused)
}

/// What the client of a run is to say next, or the time until then is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Connect,
    /// Nothing; half of the measured interval is then over.
    Middle,
    Finish,
}

impl Awaited {
    /// The message that is due.
    fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Middle | Self::Finish => "finish",
        }
    }
}

fn serve_run<T>(
    mut run: PreparedRun<'_, '_, T>,
    preparation: &Preparation,
    channel: &Channel,
    turn: Option<&Turn>,
) -> Result<(), Ending>
where
    T: Transport + Sync,
{
    let send = |message: &ServerMessage| channel.send(message).map_err(Ending::Lost);
    send(&ServerMessage::Prepared(Box::new(run.announce(0).map_err(Ending::Refused)?)))?;
    let mut awaited = Awaited::Connect;
    loop {
        let within = match awaited {
            Awaited::Connect => ANSWER_WITHIN,
            Awaited::Middle => run.to_the_middle(),
            // Of a run that is half over already: a little later than need be.
            Awaited::Finish => end_within(&preparation.configuration),
        };
        let message = match channel.receive(within) {
            Err(ChannelError::TimedOut { .. }) if awaited == Awaited::Middle => {
                run.prove_during();
                awaited = Awaited::Finish;
                continue;
            }
            Err(ChannelError::TimedOut { .. }) => {
                let what = format!(
                    "the client lives and has not said \"{}\" for {} s: the run is given up",
                    awaited.name(),
                    within.as_secs()
                );
                return Err(Ending::Refused(RunError::plain(Phase::Connect, what)));
            }
            other => other.map_err(Ending::Lost)?,
        };
        let came = run.now();
        match message {
            ClientMessage::Connect(connection) if awaited == Awaited::Connect => {
                run.connect(0, &connection).map_err(Ending::Refused)?;
                run.begin(&connection, channel.peer()).map_err(Ending::Refused)?;
                send(&ServerMessage::Connected)?;
                awaited = Awaited::Middle;
            }
            ClientMessage::Finish(completed) if awaited != Awaited::Connect => {
                let interval = run.interval(completed, came);
                let finished = run.finish(completed.operations, interval, turn);
                let finished = finished.map_err(Ending::Refused)?;
                return send(&ServerMessage::Finished(Box::new(finished)));
            }
            ClientMessage::Abandon { reason } => return Err(Ending::Abandoned(reason)),
            other => {
                let what = format!(
                    "\"{}\" came where a run waits for \"{}\" or \"abandon\"",
                    other.name(),
                    awaited.name()
                );
                return Err(Ending::Refused(RunError::plain(Phase::Connect, what)));
            }
        }
    }
}
