//! What a client host says to the server in a run, and what it hears.

use std::time::Duration;

use onesided_control::{
    Channel, ChannelError, PeerState,
    message::{ClientMessage, ServerMessage},
};
use onesided_measure::Clock;
use onesided_results::{RunConfiguration, vocabulary::Phase};

use crate::{
    error::{GivenUp, RunError},
    patience::{ANSWER_WITHIN, end_within},
};

/// A client host's end of the conversation about one run.
///
/// Whenever the server wants to know what the host's clock shows, it is told; what else it says is
/// handed on.
pub(super) struct Line<'a> {
    channel: &'a Channel,
    clock: Clock,
    patience: Duration,
}

impl<'a> Line<'a> {
    /// For a run. Where hosts wait for each other, an answer may take as long as the run.
    pub(super) fn of(channel: &'a Channel, clock: Clock, configuration: &RunConfiguration) -> Self {
        let patience = match configuration.client_hosts {
            0 | 1 => ANSWER_WITHIN,
            _ => end_within(configuration),
        };
        Self { channel, clock, patience }
    }

    /// The watch over the server.
    pub(super) fn peer(&self) -> PeerState {
        self.channel.peer()
    }

    /// The clock that the server is told of.
    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    /// Sends a message of a phase.
    pub(super) fn tell(&self, message: &ClientMessage, phase: Phase) -> Result<(), RunError> {
        self.channel.send(message).map_err(|source| RunError::new(phase, "the server", source))
    }

    /// Takes the server's answer; a failure it tells is an error here.
    pub(super) fn answer(&self, phase: Phase) -> Result<ServerMessage, RunError> {
        loop {
            let received = self.channel.receive(self.patience);
            let message = received.map_err(|source| RunError::new(phase, "the server", source))?;
            if let Some(answer) = self.handle(message, phase)? {
                return Ok(answer);
            }
        }
    }

    /// Takes what the server says within a short time, if it says something.
    pub(super) fn listen(
        &self,
        within: Duration,
        phase: Phase,
    ) -> Result<Option<ServerMessage>, RunError> {
        match self.channel.receive(within) {
            Ok(message) => self.handle(message, phase),
            Err(ChannelError::TimedOut { .. }) => Ok(None),
            Err(source) => Err(RunError::new(phase, "the server", source)),
        }
    }

    fn handle(
        &self,
        message: ServerMessage,
        phase: Phase,
    ) -> Result<Option<ServerMessage>, RunError> {
        match message {
            ServerMessage::ReadClock => {
                let shown = self.clock.raw_ns_at(self.clock.now());
                let raw_ns = shown.map_err(|source| RunError::new(phase, "the clock", source))?;
                self.tell(&ClientMessage::Clock { raw_ns }, phase)?;
                Ok(None)
            }
            ServerMessage::Failed { phase: theirs, message } => {
                Err(RunError::plain(phase, format!("the server says ({theirs}): {message}")))
            }
            ServerMessage::AbandonPart { reason } => {
                Err(RunError::new(phase, "", GivenUp { reason }))
            }
            other => Ok(Some(other)),
        }
    }
}

/// The server said something out of order.
pub(super) fn unexpected(phase: Phase, due: &str, found: &ServerMessage) -> RunError {
    let name = match found {
        ServerMessage::Prepared(_) => "prepared",
        ServerMessage::Connected => "connected",
        ServerMessage::Finished(_) => "finished",
        ServerMessage::Failed { .. } => "failed",
        ServerMessage::Abandoned => "abandoned",
        ServerMessage::Participate(_) => "participate",
        ServerMessage::ReadClock => "read-clock",
        ServerMessage::Gather => "gather",
        ServerMessage::Start { .. } => "start",
        ServerMessage::Counted(_) => "counted",
        ServerMessage::AbandonPart { .. } => "abandon-part",
        ServerMessage::PartOver => "part-over",
    };
    RunError::plain(phase, format!("the server said '{name}' where {due} was due"))
}
