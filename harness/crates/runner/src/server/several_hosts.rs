//! One run of several client hosts, coordinated by the session of the client that asked for it.

use std::time::{Duration, Instant};

use onesided_control::{
    Channel,
    message::{
        ClientMessage, Completed, Connection, CountedQueuePair, Finished, PartFinished,
        Participation, PinnedClient, Preparation, ServerMessage, TogetherFinished,
    },
};
use onesided_measure::{MOST_BUCKETS, Ticks};
use onesided_plan::HostShare;
use onesided_results::{RunConfiguration, record::ClientClockRecord, vocabulary::Phase};
use onesided_transport::Transport;

use super::{
    clocks::{self, ROUND_TRIPS, Reading, RoundTrip},
    ending::{Ending, refuse},
    host_load::Interval,
    pool::Pool,
    prepared::PreparedRun,
    team::Team,
    wiring::ClientHost,
};
use crate::{
    error::RunError,
    patience::{ANSWER_WITHIN, end_within},
    site::Site,
    turn::Turn,
};

/// Serves a run whose configuration asks for more than one client host.
pub(super) fn serve_run<T>(
    site: &Site<'_, T>,
    pool: &Pool,
    lead: &Channel,
    preparation: &Preparation,
    turn: Option<&Turn>,
) -> Result<(), Ending>
where
    T: Transport + Sync,
{
    let configuration = &preparation.configuration;
    configuration.check().map_err(|source| {
        let what = "the client's configuration";
        Ending::Refused(RunError::new(Phase::Connect, what, source))
    })?;
    let mut team = Team::claim(pool, lead, configuration.client_hosts)?;
    let run = Run { site, configuration, preparation, turn, team: &team };
    // Kept until every host has stopped: their requests go to its memory.
    let mut prepared = None;
    let ended = run.play(&mut prepared).map_err(|ending| tell_lead(lead, ending));
    match &ended {
        Ok(()) => {}
        Err(Ending::Lost(error)) => {
            team.abandon(&format!("the client that asked is gone: {error}"))
        }
        Err(Ending::Abandoned(reason)) => team.abandon(reason),
        Err(Ending::Refused(error) | Ending::Reported(error)) => team.abandon(&error.to_string()),
    }
    drop(prepared);
    ended
}

/// Tells the lead at once why the run failed: it may be measuring, and the others take their time.
fn tell_lead(lead: &Channel, ending: Ending) -> Ending {
    match ending {
        Ending::Refused(error) => match refuse(lead, error.phase, &error.explanation()) {
            Ok(()) => Ending::Reported(error),
            Err(lost) => Ending::Lost(lost),
        },
        other => other,
    }
}

/// A run and who takes part.
struct Run<'r, 's, 't, T> {
    site: &'r Site<'s, T>,
    configuration: &'r RunConfiguration,
    preparation: &'r Preparation,
    turn: Option<&'r Turn>,
    team: &'t Team<'t>,
}

/// What every host says at its end.
struct Ends {
    lead: Completed,
    parts: Vec<PartFinished>,
}

impl<'r, 's, T: Transport + Sync> Run<'r, 's, '_, T> {
    fn play(&self, prepared: &mut Option<PreparedRun<'r, 's, T>>) -> Result<(), Ending> {
        let pinned = self.assign()?;
        let devices = self.team.further().iter().map(|joined| &joined.device);
        let devices = std::iter::once(&self.preparation.device).chain(devices);
        let clients = devices.zip(pinned).map(|(device, pinned)| ClientHost { device, pinned });
        let clients: Vec<_> = clients.collect();
        let run = PreparedRun::new(self.site, self.configuration, &clients);
        let run = prepared.insert(run.map_err(Ending::Refused)?);
        self.connect(run)?;
        let before = self.read_clocks()?;
        self.team.tell_all(&ServerMessage::Gather)?;
        let met = |message| match message {
            ClientMessage::Met => Ok(()),
            other => Err(other),
        };
        let due = "that its threads have met";
        self.team.each(self.team.hosts(), ANSWER_WITHIN, due, met, || ())?;
        let t0 = self.start(&before)?;
        let ends = self.await_ends(run, t0)?;
        let counted = self.take_counts()?;
        let after = self.read_clocks()?;
        let uncertainty_ns = before.iter().map(|reading| reading.uncertainty_ns).max().unwrap_or(0);
        let length_ns = self.configuration.duration_ms * 1_000_000;
        let interval = Interval { t0, length_ns, uncertainty_ns };
        let parts = ends.parts.iter().map(|part| part.completed.operations);
        let operations = parts.fold(ends.lead.operations, u64::saturating_add);
        let run = prepared.take().expect("a run that was prepared is there until it is finished");
        let finished = run.finish(operations, interval, self.turn).map_err(Ending::Refused)?;
        self.hand_over(finished, ends, counted, &before, &after)
    }

    /// Gives each further host its part; says what every host's threads are pinned to.
    fn assign(&self) -> Result<Vec<PinnedClient>, Ending> {
        let mut taken = vec![self.preparation.pinned.clone()];
        for host in self.team.hosts().skip(1) {
            let part = Participation {
                configuration: self.configuration.clone(),
                host: host as u32,
                taken: taken.clone(),
                measurement: self.preparation.measurement.clone(),
            };
            self.team.tell(host, &ServerMessage::Participate(Box::new(part)))?;
            match self.team.receive(host)? {
                ClientMessage::Pinned(pinned) => taken.push(pinned),
                _ => return Err(self.team.out_of_order(host, "what it is pinned to")),
            }
        }
        Ok(taken)
    }

    fn connect(&self, run: &mut PreparedRun<'_, '_, T>) -> Result<(), Ending> {
        for host in self.team.hosts() {
            let announced = run.announce(host).map_err(Ending::Refused)?;
            self.team.tell(host, &ServerMessage::Prepared(Box::new(announced)))?;
        }
        let connection = |message| match message {
            ClientMessage::Connect(connection) => Ok(connection),
            other => Err(other),
        };
        let hosts = self.team.hosts();
        let due = "where its queue pairs are";
        let connections: Vec<Connection> =
            self.team.each(hosts, ANSWER_WITHIN, due, connection, || ())?;
        for (host, connection) in connections.iter().enumerate() {
            run.connect(host, connection).map_err(Ending::Refused)?;
        }
        run.begin(&connections[0], self.team.lead_state()).map_err(Ending::Refused)?;
        self.team.tell_all(&ServerMessage::Connected)
    }

    /// Asks every host what its clock shows, one after another.
    fn read_clocks(&self) -> Result<Vec<Reading>, Ending> {
        let read = |host| {
            let trips: Vec<_> =
                (0..ROUND_TRIPS).map(|_| self.round_trip(host)).collect::<Result<_, Ending>>()?;
            Ok(Reading::of(&trips).expect("there are some round trips"))
        };
        self.team.hosts().map(read).collect()
    }

    fn round_trip(&self, host: usize) -> Result<RoundTrip, Ending> {
        let sent_ns = self.raw_ns(self.site.clock.now())?;
        self.team.tell(host, &ServerMessage::ReadClock)?;
        let ClientMessage::Clock { raw_ns: theirs_ns } = self.team.receive(host)? else {
            return Err(self.team.out_of_order(host, "what its clock shows"));
        };
        Ok(RoundTrip { sent_ns, theirs_ns, received_ns: self.raw_ns(self.site.clock.now())? })
    }

    fn raw_ns(&self, reading: Ticks) -> Result<u64, Ending> {
        let failed = |source| Ending::Refused(RunError::new(Phase::Connect, "the clock", source));
        self.site.clock.raw_ns_at(reading).map_err(failed)
    }

    /// Names the instant at which the warm-up begins to every host, by its own clock; says when the
    /// measured interval begins by this one's.
    fn start(&self, clocks: &[Reading]) -> Result<Ticks, Ending> {
        let now = self.site.clock.now();
        let notice_ns = clocks::notice_ns(clocks);
        let at_ns = self.raw_ns(now)? + notice_ns;
        for (host, reading) in clocks.iter().enumerate() {
            let at_raw_ns = reading.theirs(at_ns);
            self.team.tell(host, &ServerMessage::Start { at_raw_ns })?;
        }
        let warm_up = Duration::from_millis(self.configuration.warm_up_ms);
        let ahead = Duration::from_nanos(notice_ns) + warm_up;
        Ok(Ticks(now.0 + self.site.clock.ticks_of(ahead)))
    }

    /// Waits until every host is done, and proves in the middle where everything is.
    fn await_ends(&self, run: &mut PreparedRun<'_, '_, T>, t0: Ticks) -> Result<Ends, Ending> {
        enum Said {
            Lead(Completed),
            Further(Box<PartFinished>),
        }
        let clock = self.site.clock;
        let half = Duration::from_millis(self.configuration.duration_ms / 2);
        let middle = Ticks(t0.0 + clock.ticks_of(half));
        let mut unproven = true;
        let in_the_middle = || {
            if unproven && clock.now() >= middle {
                run.prove_during();
                unproven = false;
            }
        };
        let end = |message| match message {
            ClientMessage::Finish(completed) => Ok(Said::Lead(completed)),
            ClientMessage::PartFinished(finished) => Ok(Said::Further(finished)),
            other => Err(other),
        };
        let hosts = self.team.hosts();
        // The common start may be some seconds ahead.
        let within = ANSWER_WITHIN + end_within(self.configuration);
        let said = self.team.each(hosts, within, "its end", end, in_the_middle)?;
        let (mut lead, mut parts) = (None, Vec::new());
        for said in said {
            match said {
                Said::Lead(completed) => lead = Some(completed),
                Said::Further(finished) => parts.push(*finished),
            }
        }
        match lead {
            Some(lead) if parts.len() == self.team.further().len() => Ok(Ends { lead, parts }),
            _ => Err(self.team.out_of_order(0, "the end of its own part")),
        }
    }

    /// Takes what each further host counted: of its queue pairs and in the run's windows, whatever it says
    /// that its part was.
    fn take_counts(&self) -> Result<Vec<CountedQueuePair>, Ending> {
        let due = "what a queue pair counted";
        let mut counted = Vec::new();
        for share in HostShare::deal(self.configuration).into_iter().skip(1) {
            let deadline = Instant::now() + ANSWER_WITHIN;
            for queue_pair in share.queue_pairs() {
                let message = self.team.receive_before(share.host, deadline)?;
                let ClientMessage::Counted(said) = message else {
                    return Err(self.team.out_of_order(share.host, due));
                };
                if !is_of(self.configuration, queue_pair, &said) {
                    return Err(self.team.out_of_order(share.host, due));
                }
                counted.push(*said);
            }
        }
        Ok(counted)
    }

    fn hand_over(
        &self,
        mut finished: Finished,
        ends: Ends,
        counted: Vec<CountedQueuePair>,
        before: &[Reading],
        after: &[Reading],
    ) -> Result<(), Ending> {
        let names = self.team.further().iter().map(|joined| joined.host.clone());
        let names = std::iter::once(self.preparation.host.clone()).chain(names);
        let late = ends.parts.iter().map(|part| part.completed.late_ns);
        let late = std::iter::once(ends.lead.late_ns).chain(late);
        let clocks = names.zip(late).zip(before.iter().zip(after));
        let clocks =
            clocks.map(|((host, late_ns), (before, after))| record(host, late_ns, before, after));
        finished.together = Some(TogetherFinished { clocks: clocks.collect(), parts: ends.parts });
        for queue_pair in counted {
            self.team.tell(0, &ServerMessage::Counted(Box::new(queue_pair)))?;
        }
        self.team.tell(0, &ServerMessage::Finished(Box::new(finished)))?;
        // A host that is lost from here on is missed by the next run.
        self.team
            .hosts()
            .skip(1)
            .for_each(|host| drop(self.team.tell(host, &ServerMessage::PartOver)));
        Ok(())
    }
}

/// Whether counts can be those of a queue pair of the run.
fn is_of(configuration: &RunConfiguration, queue_pair: usize, said: &CountedQueuePair) -> bool {
    let windows = configuration.duration_ms.div_ceil(configuration.window_ms);
    said.queue_pair as usize == queue_pair
        && said.windows.len() as u64 <= windows
        && said.buckets.len() <= MOST_BUCKETS
}

fn record(host: String, late_ns: u64, before: &Reading, after: &Reading) -> ClientClockRecord {
    let (drift_ppm, drift_uncertainty_ppm) = before.drift_ppm(after);
    ClientClockRecord {
        host,
        offset_ns: before.offset_ns,
        uncertainty_ns: before.uncertainty_ns,
        round_trips: before.round_trips,
        drift_ppm,
        drift_uncertainty_ppm,
        late_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_another_queue_pair_or_of_more_than_the_run_has_are_refused() {
        let configuration =
            RunConfiguration { duration_ms: 40, window_ms: 10, ..RunConfiguration::default() };
        let said = |queue_pair, windows, buckets| CountedQueuePair {
            queue_pair,
            windows: vec![1; windows],
            before_start: 0,
            after_end: 0,
            buckets: vec![(1, 1, 1); buckets],
            samples: 1,
            saturated: 0,
            min_ns: Some(1),
            max_ns: Some(1),
            sum_ns: 1,
            sum_of_squares_ns2: 1,
        };
        let is_right = |said| is_of(&configuration, 3, &said);
        assert!(is_right(said(3, 4, 1)) && is_right(said(3, 0, 0)));
        assert!(!is_right(said(2, 4, 1)) && !is_right(said(u32::MAX, 4, 1)));
        assert!(!is_right(said(3, 5, 1)));
        assert!(!is_right(said(3, 4, MOST_BUCKETS + 1)));
    }
}
