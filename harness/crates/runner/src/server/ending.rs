//! How a run ends that does not come to its end, and how the client is told.

use onesided_control::{Channel, ChannelError, message::ServerMessage};
use onesided_results::vocabulary::Phase;

use crate::error::RunError;

/// How a run ended that did not come to its end.
pub(super) enum Ending {
    Lost(ChannelError),
    Abandoned(String),
    Refused(RunError),
    /// The client has been told.
    Reported(RunError),
}

/// Tells the client why.
pub(super) fn refuse(channel: &Channel, phase: Phase, message: &str) -> Result<(), ChannelError> {
    channel.send(&ServerMessage::Failed { phase: phase.to_string(), message: message.to_owned() })
}
