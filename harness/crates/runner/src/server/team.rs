//! The client hosts of one run: what is said to each, what each says.

use std::{
    thread,
    time::{Duration, Instant},
};

use onesided_control::{
    Channel, ChannelError, PeerState,
    message::{ClientMessage, ServerMessage},
};
use onesided_results::vocabulary::Phase;

use super::{
    ending::Ending,
    pool::{Claim, Joined, Pool},
};
use crate::{error::RunError, patience::ANSWER_WITHIN};

/// Between two looks at whether some host has said something: at first, and at the longest. Ours:
/// what hosts do before the start takes milliseconds; during a run nothing is urgent, and a CPU that
/// wakes fifty times a second does not show in it.
const LOOK_AGAIN: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// All client hosts of a run; number 0 is the lead, whose session this is.
pub(super) struct Team<'p> {
    lead: &'p Channel,
    further: Claim<'p>,
}

impl<'p> Team<'p> {
    /// Takes as many further hosts from the pool as the run needs beside its lead.
    pub(super) fn claim(
        pool: &'p Pool,
        lead: &'p Channel,
        client_hosts: u32,
    ) -> Result<Self, Ending> {
        let further = pool.claim(client_hosts as usize - 1).map_err(Ending::Refused)?;
        Ok(Self { lead, further })
    }

    /// Numbers of the hosts.
    pub(super) fn hosts(&self) -> std::ops::Range<usize> {
        0..self.further.len() + 1
    }

    /// The hosts beside the lead.
    pub(super) fn further(&self) -> &[Joined] {
        &self.further
    }

    fn channel(&self, host: usize) -> &Channel {
        match host {
            0 => self.lead,
            _ => &self.further[host - 1].channel,
        }
    }

    /// The watch over the lead.
    pub(super) fn lead_state(&self) -> PeerState {
        self.lead.peer()
    }

    /// Says something to one host.
    pub(super) fn tell(&self, host: usize, message: &ServerMessage) -> Result<(), Ending> {
        self.channel(host).send(message).map_err(|error| self.lost(host, error))
    }

    /// Says the same to all.
    pub(super) fn tell_all(&self, message: &ServerMessage) -> Result<(), Ending> {
        self.hosts().try_for_each(|host| self.tell(host, message))
    }

    /// Waits for what one host says next.
    pub(super) fn receive(&self, host: usize) -> Result<ClientMessage, Ending> {
        self.receive_before(host, Instant::now() + ANSWER_WITHIN)
    }

    /// The same, until `deadline`.
    pub(super) fn receive_before(
        &self,
        host: usize,
        deadline: Instant,
    ) -> Result<ClientMessage, Ending> {
        let within = deadline.saturating_duration_since(Instant::now());
        match self.channel(host).receive(within) {
            Ok(message) => self.judge(host, message),
            Err(error) => Err(self.lost(host, error)),
        }
    }

    /// Waits until each of `hosts` has said one thing, and `take` has taken it; `due` is what it is,
    /// for people. Meanwhile `meanwhile` is called again and again.
    pub(super) fn each<M>(
        &self,
        hosts: std::ops::Range<usize>,
        within: Duration,
        due: &str,
        take: impl Fn(ClientMessage) -> Result<M, ClientMessage>,
        mut meanwhile: impl FnMut(),
    ) -> Result<Vec<M>, Ending> {
        let deadline = Instant::now() + within;
        let [mut pause, longest] = LOOK_AGAIN;
        let mut answers: Vec<Option<M>> = hosts.clone().map(|_| None).collect();
        loop {
            for (answer, host) in answers.iter_mut().zip(hosts.clone()) {
                if answer.is_none()
                    && let Some(message) = self.next(host)?
                {
                    *answer = Some(take(message).map_err(|_| self.out_of_order(host, due))?);
                }
            }
            if answers.iter().all(Option::is_some) {
                return Ok(answers.into_iter().flatten().collect());
            }
            self.all_live()?;
            if Instant::now() >= deadline {
                let silent = answers.iter().position(Option::is_none).unwrap_or_default();
                let what = format!("{} did not say {due} in time", self.name(hosts.start + silent));
                return Err(Ending::Refused(RunError::plain(Phase::Connect, what)));
            }
            meanwhile();
            thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    /// What a host has said, if it has.
    fn next(&self, host: usize) -> Result<Option<ClientMessage>, Ending> {
        match self.channel(host).receive(Duration::ZERO) {
            Ok(message) => self.judge(host, message).map(Some),
            Err(ChannelError::TimedOut { .. }) => Ok(None),
            Err(error) => Err(self.lost(host, error)),
        }
    }

    /// Hands on what is no end of the run.
    fn judge(&self, host: usize, message: ClientMessage) -> Result<ClientMessage, Ending> {
        match message {
            ClientMessage::Abandon { reason } if host == 0 => Err(Ending::Abandoned(reason)),
            ClientMessage::PartFailed { phase, message } => {
                let what = format!("{} says ({phase}): {message}", self.name(host));
                Err(Ending::Refused(RunError::plain(Phase::Measure, what)))
            }
            other => Ok(other),
        }
    }

    /// Also of hosts that nothing is awaited from now.
    fn all_live(&self) -> Result<(), Ending> {
        for host in self.hosts() {
            if let Some(death) = self.channel(host).peer().death() {
                return Err(self.lost(host, death));
            }
        }
        Ok(())
    }

    fn lost(&self, host: usize, error: ChannelError) -> Ending {
        match host {
            0 => Ending::Lost(error),
            _ => {
                let what = format!("{} is gone", self.name(host));
                Ending::Refused(RunError::new(Phase::Measure, what, error))
            }
        }
    }

    /// An error about a host that said something else than what was `due`.
    pub(super) fn out_of_order(&self, host: usize, due: &str) -> Ending {
        let what = format!("{} said something else where {due} was due", self.name(host));
        Ending::Refused(RunError::plain(Phase::Connect, what))
    }

    fn name(&self, host: usize) -> String {
        match host {
            0 => "the client".to_owned(),
            _ => self.further[host - 1].name(),
        }
    }

    /// Lets the further hosts go after a run that came to no end; returns when each has released
    /// what it held. One that does not say so is not fit for another run, and is left.
    pub(super) fn abandon(&mut self, reason: &str) {
        let reason = ServerMessage::AbandonPart { reason: reason.to_owned() };
        // All are told before the first is awaited. One that is gone is nobody to tell.
        self.further.keep(|joined| joined.channel.send(&reason).is_ok());
        // Of all together: the run's memory and turn wait for them, and some may say anything but that.
        let deadline = Instant::now() + ANSWER_WITHIN;
        self.further.keep(|joined| has_released(joined, deadline));
    }
}

/// Waits until a host has released its part; what it said before it heard is about the run.
fn has_released(joined: &Joined, deadline: Instant) -> bool {
    loop {
        let within = deadline.saturating_duration_since(Instant::now());
        match joined.channel.receive(within) {
            Ok(ClientMessage::PartAbandoned) => return true,
            Ok(_) if !within.is_zero() => {}
            _ => return false,
        }
    }
}
