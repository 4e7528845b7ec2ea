//! `onesided serve`: the side whose memory is accessed.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use anyhow::Context;
use clap::Args;
use onesided_control::{Listener, Pending};
use onesided_platform::{
    direct_io::{PciAddress, Restored, Roots},
    measuring::HostLock,
};
use onesided_results::vocabulary::Source;
use onesided_runner::{DirectIoControl, Pool, SessionEnd, Site, serve_session};
use onesided_transport::Transport;

use crate::{
    arguments::{DeviceArguments, TokenArguments, duration},
    back_end::{self, OnDevice, on_device},
    ending::Ending,
};

/// Serves runs: holds the memory that clients access, for many clients and many runs.
///
/// It answers until it is stopped. Clients and server share a secret, the token; where there is
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
    /// How long a run of several client hosts waits for those that have not joined yet, up to 50s
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = short_wait)]
    wait_for_clients: Duration,
    /// End after so many clients, those that join included [default: never]
    #[arg(long, value_name = "NUMBER")]
    clients: Option<u64>,
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
    on_device(&arguments.device, Serving(arguments))
}

struct Serving<'a>(&'a Arguments);

impl OnDevice for Serving<'_> {
    type Output = Ending;

    fn on<T: Transport + Sync>(self, site: Site<'_, T>, _source: Source) -> anyhow::Result<Ending> {
        serve(self.0, site)
    }
}

fn serve<T: Transport + Sync>(
    arguments: &Arguments,
    mut site: Site<'_, T>,
) -> anyhow::Result<Ending> {
    let program = own_program()?;
    site.direct_io = Some(DirectIoControl {
        roots: Roots::default(),
        guardian: program.clone(),
        may_change: arguments.change_ddio,
    });
    site.load_program = Some(program);
    site.host_lock = Some(HostLock::usual());
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
    let failed = AtomicU64::new(0);
    let pool = Pool::new(arguments.wait_for_clients);
    thread::scope(|scope| -> anyhow::Result<()> {
        let mut served = 0;
        while arguments.clients.is_none_or(|limit| served < limit) {
            let pending = match listener.accept() {
                Ok(pending) => pending,
                // It stays usable: running out of descriptors, for instance, passes.
                Err(error) => {
                    say!("a client could not be let in: {error}");
                    thread::sleep(BEFORE_THE_NEXT);
                    continue;
                }
            };
            served += 1;
            let (site, pool, failed) = (&site, &pool, &failed);
            thread::Builder::new()
                .name("session".to_owned())
                .spawn_scoped(scope, move || session(site, pool, pending, failed))?;
        }
        Ok(())
    })?;
    let all_well = failed.load(Ordering::Relaxed) == 0;
    Ok(if all_well { Ending::Valid } else { Ending::CheckFailed })
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

fn session<T: Transport + Sync>(
    site: &Site<'_, T>,
    pool: &Pool,
    pending: Pending,
    failed: &AtomicU64,
) {
    let peer = pending.peer_address();
    let log = |line: &str| say!("{peer}: {line}");
    let channel = match pending.authenticate() {
        Ok(channel) => channel,
        Err(error) => {
            failed.fetch_add(1, Ordering::Relaxed);
            return log(&format!("refused: {error}"));
        }
    };
    match serve_session(site, pool, channel, &log) {
        Ok(SessionEnd::Joined) => {}
        Ok(SessionEnd::Left(done)) => {
            failed.fetch_add(done.failed, Ordering::Relaxed);
            log(&format!("left after {} runs, {} failed", done.finished, done.failed));
        }
        Err(error) => {
            failed.fetch_add(1, Ordering::Relaxed);
            log(&format!("lost: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_off_is_said_to_have_been_switched_on() {
        let told = |restored| recovered(&"0000:3a:00.0".parse().unwrap(), restored);
        assert!(told(Restored::Restored).contains("0000:3a:00.0 was left switched off"));
        for restored in [Restored::FoundOn, Restored::WasOff] {
            let told = told(restored);
            assert!(told.contains("0000:3a:00.0") && !told.contains("switched off"), "{told}");
        }
    }
}
