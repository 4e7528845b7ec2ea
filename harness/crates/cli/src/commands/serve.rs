//! `onesided serve`: the side whose memory is accessed.

use std::{
    fmt, io,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, Scope},
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Args;
use onesided_access::threads::termination::Termination;
use onesided_control::{Ender, Listener, Pending};
use onesided_platform::{
    direct_io::{PciAddress, Restored, Roots},
    measuring::HostLock,
};
use onesided_results::vocabulary::Source;
use onesided_runner::{Budget, DirectIoControl, Pool, SessionEnd, Site, serve_session, turn_away};
use onesided_transport::Transport;

use crate::{
    arguments::{DeviceArguments, LimitArguments, TokenArguments, duration},
    back_end::{self, OnDevice, on_device},
    ending::Ending,
    printed::counted,
    say::of_a_peer,
};

/// Serves runs: holds the memory that clients access, for many clients and many runs.
///
/// It answers until it is stopped: at SIGTERM or Ctrl-C runs are ended, and what was changed for them is
/// given back. Clients and server share a secret, the token; where there is
/// none, the server makes one and says where.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided serve                                   for clients on this machine
  onesided serve --listen 10.0.0.2:18515           for clients of that network
  onesided serve --device mlx5_1 --device-node 1   where the kernel does not know the node
  onesided serve --back-end rmc                    without RDMA: emulated, for this machine")]
pub struct Arguments {
    /// Address and port of the control channel; anything but loopback must be asked for
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:18515")]
    listen: String,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// Let runs that ask for it switch Direct I/O off (Intel DDIO, a register of the root port
    /// above the device), as root; it is switched on again however the run ends
    #[arg(long)]
    change_ddio: bool,
    /// How long a run waits for client hosts that have not joined yet, at most 50s
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = short_wait)]
    wait_for_clients: Duration,
    /// Exit after so many clients with the token, those that join included [default: never]
    #[arg(long, value_name = "NUMBER")]
    clients: Option<u64>,
    #[command(flatten)]
    limits: LimitArguments,
}

/// A duration that ends before the client which waits for the answer gives the server up.
fn short_wait(text: &str) -> Result<Duration, String> {
    let wait = duration(text)?;
    if wait > LONGEST_WAIT {
        return Err(format!("at most {LONGEST_WAIT:?}: a client waits a minute for an answer"));
    }
    Ok(wait)
}

/// Longest wait for further client hosts.
const LONGEST_WAIT: Duration = Duration::from_secs(50);

/// Pause after a connection that failed before it was one. Ours: short for a person, long for a
/// processor.
const BEFORE_THE_NEXT: Duration = Duration::from_millis(200);

/// Serves until it is stopped.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    // Before there is another thread.
    let termination = Termination::hold().context("cannot wait for signals")?;
    on_device(&arguments.device, Serving { arguments, termination })
}

struct Serving<'a> {
    arguments: &'a Arguments,
    termination: Termination,
}

impl OnDevice for Serving<'_> {
    type Output = Ending;

    fn on<T: Transport + Sync>(self, site: Site<'_, T>, _source: Source) -> anyhow::Result<Ending> {
        serve(self.arguments, site, self.termination)
    }
}

fn serve<T: Transport + Sync>(
    arguments: &Arguments,
    mut site: Site<'_, T>,
    termination: Termination,
) -> anyhow::Result<Ending> {
    let program = own_program()?;
    site.direct_io = Some(DirectIoControl {
        roots: Roots::default(),
        guardian: program.clone(),
        may_change: arguments.change_ddio,
    });
    site.load_program = Some(program);
    site.host_lock = Some(HostLock::usual());
    site.budget = Budget::new(arguments.limits.of_runs());
    recover_direct_io();
    let (token, token_place) = arguments.token.for_server()?;
    let listener = Listener::bind(&arguments.listen, token, back_end::control_settings())?;
    let described = site.transport.description();
    say!(
        "serving {} (port {}) on {}; {}; token: {token_place}",
        described.name,
        described.port,
        listener.local_address(),
        site.locality
    );
    let server = Server {
        site: &site,
        pool: Pool::new(arguments.wait_for_clients),
        listener,
        limit: arguments.clients,
        most_clients: arguments.limits.most_clients,
        proven: AtomicU64::new(0),
        present: AtomicU64::new(0),
        failed: AtomicU64::new(0),
        refusals: Refusals::default(),
        ending: AtomicBool::new(false),
        enders: Mutex::default(),
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let waiter = thread::Builder::new().name("signals".to_owned());
        waiter.spawn_scoped(scope, || server.end_at_a_signal(termination, &is_over))?;
        let _over = Over(&is_over);
        thread::scope(|scope| server.accept_all(scope));
        Ok::<_, io::Error>(())
    })
    .context("cannot wait for signals")?;
    let all_well = server.failed.load(Ordering::Relaxed) == 0;
    Ok(if all_well { Ending::Valid } else { Ending::CheckFailed })
}

/// Ends the waiting for signals however serving ends, by a panic, too.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        if let Err(error) = Termination::wake() {
            say!("this server ends with the next signal: {error}");
        }
    }
}

/// What all sessions share.
struct Server<'a, 's, T> {
    site: &'a Site<'s, T>,
    pool: Pool,
    listener: Listener,
    /// Clients after which it ends.
    limit: Option<u64>,
    most_clients: u64,
    /// Clients that had the token.
    proven: AtomicU64,
    /// Those of them that are being served, but for those that have joined.
    present: AtomicU64,
    failed: AtomicU64,
    refusals: Refusals,
    /// Whether a signal has ended it.
    ending: AtomicBool,
    /// For each connection of a client with the token: what ends it.
    enders: Mutex<Vec<Ender>>,
}

impl<T: Transport + Sync> Server<'_, '_, T> {
    /// Gives each connection a thread, until as many clients as are wanted have come. What the system
    /// refuses (a descriptor, a thread) costs that one connection and not the server.
    fn accept_all<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let is_enough = || {
            self.ending.load(Ordering::Acquire)
                || self.limit.is_some_and(|limit| self.proven.load(Ordering::Acquire) >= limit)
        };
        while !is_enough() {
            let pending = match self.listener.accept() {
                Ok(pending) => pending,
                Err(error) => {
                    self.refusals.log(format_args!("a client could not be let in: {error}"));
                    thread::sleep(BEFORE_THE_NEXT);
                    continue;
                }
            };
            // This connection is our own, of `Listener::wake`.
            if is_enough() {
                break;
            }
            let thread = thread::Builder::new().name("session".to_owned());
            if let Err(error) = thread.spawn_scoped(scope, move || self.session(pending)) {
                let why = "a client could not be let in: no thread for it";
                self.refusals.log(format_args!("{why} (see `ulimit -u`): {error}"));
                thread::sleep(BEFORE_THE_NEXT);
            }
        }
    }

    /// Ends everything at the first signal, and the process at the second one, until all `is_over`.
    fn end_at_a_signal(&self, termination: Termination, is_over: &AtomicBool) {
        loop {
            let Some(signal) = termination.wait(Duration::MAX) else { continue };
            if is_over.load(Ordering::Acquire) {
                return;
            }
            if self.ending.swap(true, Ordering::AcqRel) {
                say!("{signal} again: ending at once");
                process::exit(signal.exit_status());
            }
            say!("{signal}: ending all runs");
            self.pool.end();
            self.listener.end_unproven();
            for ender in &*self.enders() {
                ender.end();
            }
            if let Err(error) = self.listener.wake() {
                say!("this server ends with its next client: {error}");
            }
        }
    }

    fn enders(&self) -> MutexGuard<'_, Vec<Ender>> {
        self.enders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, pending: Pending) {
        let peer = pending.peer_address();
        let channel = match pending.authenticate() {
            Ok(channel) => channel,
            // Whoever has no token is nobody's failure but its own.
            Err(error) => return self.refusals.log(format_args!("{peer}: refused: {error}")),
        };
        {
            let mut enders = self.enders();
            enders.retain(Ender::is_of_use);
            enders.push(channel.ender());
        }
        // A signal that came meanwhile did not find it.
        if self.ending.load(Ordering::Acquire) {
            return;
        }
        let proven = self.proven.fetch_add(1, Ordering::AcqRel) + 1;
        if self.limit.is_some_and(|limit| proven >= limit) {
            // The last one that was waited for: nobody else is.
            if let Err(error) = self.listener.wake() {
                say!("this server ends with its next client: {error}");
            }
        }
        let log = |line: &str| say!("{peer}: {}", of_a_peer(line));
        let joined = self.pool.present() as u64;
        if self.present.fetch_add(1, Ordering::AcqRel) + joined >= self.most_clients {
            self.present.fetch_sub(1, Ordering::AcqRel);
            let most = counted(self.most_clients, "client");
            let why = format!("the server has {most}, which is all that it serves at once");
            self.refusals.log(format_args!("{peer}: turned away: {why}"));
            let _ = turn_away(&channel, &format!("{why}; try again, or see its --most-clients"));
            return;
        }
        // What is wrong with one session must not end the others.
        let serving = || serve_session(self.site, &self.pool, channel, &log);
        let ended = panic::catch_unwind(AssertUnwindSafe(serving));
        self.present.fetch_sub(1, Ordering::AcqRel);
        match ended {
            Ok(Ok(SessionEnd::Joined)) => {}
            Ok(Ok(SessionEnd::Left(done))) => {
                self.failed.fetch_add(done.failed, Ordering::Relaxed);
                let runs = counted(done.finished, "run");
                log(&format!("left after {runs}, {} failed", done.failed));
            }
            Ok(Err(_)) if self.ending.load(Ordering::Acquire) => log("ended with this server"),
            Ok(Err(error)) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                log(&format!("lost: {error}"));
            }
            Err(_) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                log("ended by a mistake of this program, told above; the server goes on");
            }
        }
    }
}

/// The log of refused connections: a few lines in a period, then how many more there were, so that
/// nobody without a token fills a log.
#[derive(Default)]
struct Refusals(Mutex<Period>);

#[derive(Default)]
struct Period {
    since: Option<Instant>,
    lines: u32,
    unlogged: u64,
}

impl Refusals {
    /// Lines in a period. Ours: enough to see who it is.
    const LINES: u32 = 10;
    const PERIOD: Duration = Duration::from_secs(10);

    fn log(&self, line: fmt::Arguments<'_>) {
        let mut period = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if period.since.is_none_or(|since| since.elapsed() >= Self::PERIOD) {
            if period.unlogged > 0 {
                say!("{} more were not let in", period.unlogged);
            }
            *period = Period { since: Some(Instant::now()), ..Period::default() };
        }
        if period.lines < Self::LINES {
            period.lines += 1;
            say!("{}", of_a_peer(&line.to_string()));
        } else {
            period.unlogged += 1;
        }
    }
}

/// This program, for what it starts as processes of their own. Looked up once, at the start: a
/// name that is looked up later, by PATH, may be another program's, and this one may be root.
fn own_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file")
}

/// Gives back what a server that was killed along with its guardian left switched off.
fn recover_direct_io() {
    let left = |error| {
        let error = anyhow::Error::new(error);
        format!("what an earlier server left of Direct I/O is not restored: {error:#}")
    };
    match Roots::default().recover_each() {
        Ok(ports) => {
            for port in ports {
                say!("{}", port.map_or_else(left, |(port, restored)| recovered(&port, restored)));
            }
        }
        Err(error) => say!("{}", left(error)),
    }
}

/// What was found at a port of which a journal was left.
fn recovered(port: &PciAddress, restored: Restored) -> String {
    match restored {
        Restored::Restored => {
            format!("Direct I/O at root port {port} was left switched off: it is on again")
        }
        Restored::FoundOn | Restored::WasOff => format!(
            "an earlier server left a journal of Direct I/O at root port {port}, which is as it \
             was before: only the journal is removed"
        ),
    }
}

#[cfg(test)]
mod tests;
