//! The client hosts that have joined, and which run has which of them.

use std::{
    ops::Deref,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use onesided_control::{Channel, message::Joining};
use onesided_results::vocabulary::Phase;
use onesided_transport::DeviceDescription;

use crate::error::RunError;

/// A client host that waits for runs, or takes part in one.
pub(super) struct Joined {
    /// Counts those that joined.
    number: u64,
    pub channel: Channel,
    pub host: String,
    pub device: DeviceDescription,
}

impl Joined {
    /// What it is called in messages: two processes of one machine have one host name.
    pub(super) fn name(&self) -> String {
        format!("client host {} ({})", self.host, self.channel.peer_address())
    }
}

/// The client hosts of a server, for all its sessions.
///
/// A run takes all that it needs at once or none, so that two runs that wait never wait for each
/// other.
pub struct Pool {
    joined: Mutex<Hosts>,
    changed: Condvar,
    within: Duration,
}

#[derive(Default)]
struct Hosts {
    /// In order of joining.
    idle: Vec<Joined>,
    /// Taking part in runs.
    busy: usize,
    /// Ever joined.
    ever: u64,
    /// Nobody is waited for any more.
    is_ended: bool,
}

impl Hosts {
    /// Forgets those that are gone.
    fn sweep(&mut self) {
        self.idle.retain(|joined| joined.channel.peer().is_alive());
    }
}

impl Pool {
    /// Without any host yet; a run waits `within` this time for those that it needs.
    pub fn new(within: Duration) -> Self {
        Self { joined: Mutex::default(), changed: Condvar::new(), within }
    }

    /// Hosts that have joined and live, those that take part in runs included.
    pub fn present(&self) -> usize {
        let mut hosts = self.hosts();
        hosts.sweep();
        hosts.idle.len() + hosts.busy
    }

    /// Lets no run wait for hosts any longer, as the server ends.
    pub fn end(&self) {
        self.hosts().is_ended = true;
        self.changed.notify_all();
    }

    /// Adds a host that has said that it joins; says its name.
    pub(super) fn add(&self, channel: Channel, joining: Joining) -> String {
        let mut hosts = self.hosts();
        hosts.sweep();
        hosts.ever += 1;
        let Joining { host, device } = joining;
        let joined = Joined { number: hosts.ever, channel, host, device };
        let name = joined.name();
        hosts.idle.push(joined);
        self.changed.notify_all();
        name
    }

    /// Takes the first `count` hosts that are not taken.
    ///
    /// # Errors
    /// When there are not as many in time.
    pub(super) fn claim(&self, count: usize) -> Result<Claim<'_>, RunError> {
        let deadline = Instant::now() + self.within;
        let mut hosts = self.hosts();
        loop {
            hosts.sweep();
            if hosts.idle.len() >= count {
                let taken = hosts.idle.drain(..count).collect();
                hosts.busy += count;
                return Ok(Claim { pool: self, hosts: taken, taken: count });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || hosts.is_ended {
                return Err(too_few(count, &hosts));
            }
            let waited = self.changed.wait_timeout(hosts, left);
            hosts = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn give_back(&self, returned: Vec<Joined>, of: usize) {
        let mut hosts = self.hosts();
        hosts.busy -= of;
        hosts.idle.extend(returned);
        // Whoever joined first is taken first: so each run of a table has the same hosts.
        hosts.idle.sort_by_key(|joined| joined.number);
        hosts.sweep();
        self.changed.notify_all();
    }

    /// A thread that panicked left no list in disorder.
    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_few(count: usize, hosts: &Hosts) -> RunError {
    let joined = match hosts.idle.len() + hosts.busy {
        1 => "1 further one has joined".to_owned(),
        joined => format!("{joined} further ones have joined"),
    };
    let busy = match hosts.busy {
        0 => String::new(),
        busy => format!(", {busy} of them in another run"),
    };
    let what = format!(
        "the run asks for {} client hosts, {joined}{busy}: start `onesided join` on more machines",
        count + 1
    );
    RunError::plain(Phase::SetUp, what)
}

/// Hosts of one run; they are given back when it is dropped.
pub(super) struct Claim<'p> {
    pool: &'p Pool,
    hosts: Vec<Joined>,
    taken: usize,
}

impl Claim<'_> {
    /// Closes the channels of the hosts that `is_fit` says no of: they are not given back.
    pub(super) fn keep(&mut self, is_fit: impl FnMut(&Joined) -> bool) {
        self.hosts.retain(is_fit);
    }
}

impl Deref for Claim<'_> {
    type Target = [Joined];

    fn deref(&self) -> &[Joined] {
        &self.hosts
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.pool.give_back(std::mem::take(&mut self.hosts), self.taken);
    }
}

#[cfg(test)]
mod tests;
