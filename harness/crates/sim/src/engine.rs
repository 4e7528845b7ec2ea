//! The order of events.

mod machine;
#[cfg(test)]
mod tests;
mod thread;

use onesided_load::{Generator, Instant, Next, PlanError, Visitor, with_generator};

use crate::{
    outcome::{Completed, Observer},
    parameters::Parameters,
    queue_pair::{QueuePair, Stage},
    scenario::Scenario,
    stations::Verb,
    time::Moment,
    tournament::{LAST_MOMENT, MOST_ACTORS, Tournament},
};
use machine::Machine;
use thread::Threads;

/// Why a scenario cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The load itself is impossible.
    #[error(transparent)]
    Load(#[from] PlanError),
    /// More queue pairs than there are numbers for.
    #[error("{queue_pairs} queue pairs are above the simulator's {MOST_ACTORS}")]
    QueuePairs {
        /// How many were asked for.
        queue_pairs: usize,
    },
    /// More requests in flight than memory is taken for.
    #[error(
        "{window} requests outstanding on each of {queue_pairs} queue pairs are more than the \
         simulator's {MOST_OUTSTANDING} in all"
    )]
    Outstanding {
        /// Of one queue pair.
        window: u32,
        /// How many queue pairs there are.
        queue_pairs: usize,
    },
    /// A thread without a queue pair, or a host without a thread.
    #[error("{what} {count} is not within 1 and {most}")]
    Shares {
        /// What is shared out.
        what: &'static str,
        /// How many were asked for.
        count: usize,
        /// How many there can be.
        most: usize,
    },
    /// Virtual time has an end.
    #[error("an end after {:.0} s is beyond the simulator's {:.0} s", seconds(*end), seconds(LAST_MOMENT))]
    End {
        /// When the run was to end.
        end: Moment,
    },
    /// A connection that carries nothing.
    #[error("{what} of 0 lets nothing through; it is 1 or more")]
    Nothing {
        /// Which attribute.
        what: &'static str,
    },
}

/// Most requests in flight of all queue pairs. Ours: twice what 16,384 queue pairs of usual depth, 128,
/// have; some 100 MiB.
const MOST_OUTSTANDING: u64 = 1 << 22;

fn seconds(moment: Moment) -> f64 {
    moment.0 as f64 / 1e12
}

/// Runs `scenario` on a machine of these `parameters` and tells `observer` each completion, until
/// all is done or its end has come.
///
/// Time and memory are linear in operations and queue pairs but for the choice of the next event,
/// which takes the logarithm of the queue pairs.
///
/// # Errors
/// [`SimulateError`] says what of the scenario cannot be; nothing was simulated then.
pub fn simulate<O: Observer>(
    parameters: &Parameters,
    scenario: &Scenario,
    observer: &mut O,
) -> Result<(), SimulateError> {
    check(scenario)?;
    with_generator(&scenario.load, Run { parameters, scenario, observer, steps: Steps::Joined })?;
    Ok(())
}

/// Whether `scenario` can be simulated, but for the load itself.
///
/// # Errors
/// [`SimulateError`] says what cannot be.
pub fn check(scenario: &Scenario) -> Result<(), SimulateError> {
    let queue_pairs = scenario.load.run_queue_pairs;
    if queue_pairs > MOST_ACTORS {
        return Err(SimulateError::QueuePairs { queue_pairs });
    }
    let window = scenario.outstanding();
    if u64::from(window).saturating_mul(queue_pairs as u64) > MOST_OUTSTANDING {
        return Err(SimulateError::Outstanding { window, queue_pairs });
    }
    for (what, count, most) in [
        ("a number of threads of", scenario.threads, queue_pairs),
        ("a number of client hosts of", scenario.client_hosts, scenario.threads),
    ] {
        if !(1..=most).contains(&count) {
            return Err(SimulateError::Shares { what, count, most });
        }
    }
    if scenario.end > LAST_MOMENT {
        return Err(SimulateError::End { end: scenario.end });
    }
    for (what, value) in [
        ("a path MTU", scenario.connection.mtu_bytes),
        ("reads and atomics in flight", scenario.connection.max_rd_atomic),
    ] {
        if value == 0 {
            return Err(SimulateError::Nothing { what });
        }
    }
    Ok(())
}

/// Whether steps of an operation that nothing can come between are one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    Joined,
    /// Each in its turn, which is what the joined ones are held against.
    #[cfg(test)]
    Single,
}

struct Run<'a, O> {
    parameters: &'a Parameters,
    scenario: &'a Scenario,
    observer: &'a mut O,
    steps: Steps,
}

impl<O: Observer> Visitor for Run<'_, O> {
    type Output = ();

    fn visit<G: Generator>(self, generators: Vec<G>) {
        let Self { parameters, scenario, observer, steps } = self;
        let (count, joined) = (generators.len(), steps == Steps::Joined);
        let machine = Machine::new(parameters, scenario);
        let mut engine = Engine {
            end: scenario.end,
            replies_at_once: joined && machine.answers_in_order(scenario),
            completes_at_once: joined && !G::TIMED && scenario.threads == count,
            machine,
            threads: Threads::new(parameters, scenario),
            queue_pairs: vec![queue_pair(scenario); count],
            generators,
            next: Tournament::new(count),
            observer,
        };
        engine.run();
    }
}

/// One that carries when its requests should have been posted.
fn queue_pair(scenario: &Scenario) -> QueuePair<Moment> {
    let limit = scenario.connection.max_rd_atomic;
    QueuePair::new(scenario.outstanding(), limit, Moment::default())
}

struct Engine<'a, G, O> {
    end: Moment,
    /// Whether each answer is ready after those of all requests that were issued before.
    replies_at_once: bool,
    /// Whether a queue pair's thread does nothing but take its completions and post.
    completes_at_once: bool,
    machine: Machine,
    threads: Threads,
    queue_pairs: Vec<QueuePair<Moment>>,
    generators: Vec<G>,
    next: Tournament<u64>,
    observer: &'a mut O,
}

impl<G: Generator, O: Observer> Engine<'_, G, O> {
    fn run(&mut self) {
        for queue_pair in 0..self.queue_pairs.len() {
            self.ask(queue_pair, Moment::default());
            self.plan(queue_pair);
        }
        while let Some((queue_pair, now)) = self.next.first() {
            if now >= self.end {
                return;
            }
            match self.queue_pairs[queue_pair].stage_at(now) {
                Stage::Complete => self.complete(queue_pair, now),
                Stage::Reply => self.reply(queue_pair, now),
                Stage::Arrive => self.machine.arrive(&mut self.queue_pairs[queue_pair], now),
                Stage::Issue => self.issue(queue_pair, now),
                Stage::Ask => {
                    self.queue_pairs[queue_pair].ask_at = Moment::NEVER;
                    self.ask(queue_pair, now);
                }
            }
            self.plan(queue_pair);
        }
    }

    /// Tells the tournament when the queue pair acts next.
    #[inline]
    fn plan(&mut self, queue_pair: usize) {
        self.next.set(queue_pair, self.queue_pairs[queue_pair].next());
    }

    /// The card starts with the oldest request. What nobody can overtake from there on is done at
    /// once: a station that serves in the order of arrival is the same to those who ask early.
    #[inline]
    fn issue(&mut self, queue_pair: usize, now: Moment) {
        let host = self.threads.host_of(queue_pair);
        self.machine.issue(&mut self.queue_pairs[queue_pair], host, now);
        if self.replies_at_once {
            let answered = self.queue_pairs[queue_pair].replied_at;
            self.reply(queue_pair, answered);
        }
    }

    /// The oldest answer is sent back.
    #[inline]
    fn reply(&mut self, queue_pair: usize, now: Moment) {
        let host = self.threads.host_of(queue_pair);
        self.machine.reply(&mut self.queue_pairs[queue_pair], host, now);
        let visible = self.queue_pairs[queue_pair].completed_at;
        if self.completes_at_once && visible < self.end {
            self.complete(queue_pair, visible);
        }
    }

    /// The thread takes the oldest completion, and posts what is due then.
    #[inline]
    fn complete(&mut self, queue_pair: usize, now: Moment) {
        let intended = self.queue_pairs[queue_pair].take_completion();
        let at = self.threads.polls(queue_pair, now);
        self.observer.completed(Completed { queue_pair, intended, at });
        self.generators[queue_pair].completed(1, Instant(at.0));
        self.ask(queue_pair, at);
    }

    /// Posts all that the generator has for `now`.
    #[inline]
    fn ask(&mut self, queue_pair: usize, now: Moment) {
        let mut behind_one_doorbell = false;
        let mut posted = now;
        loop {
            match self.generators[queue_pair].next(Instant(now.0)) {
                Next::Post(post) => {
                    posted =
                        self.threads.posts(queue_pair, now, post.operation, behind_one_doorbell);
                    behind_one_doorbell = true;
                    let (verb, intended) = (Verb::from(post.operation), Moment(post.intended.0));
                    self.queue_pairs[queue_pair].post(verb, post.remote_offset, intended);
                }
                Next::WaitUntil(moment) => {
                    self.queue_pairs[queue_pair].ask_at = Moment(moment.0);
                    break;
                }
                Next::WaitForCompletion | Next::Finished => break,
            }
        }
        if behind_one_doorbell {
            self.queue_pairs[queue_pair].ring(self.threads.reaches_card(posted));
        }
    }
}
