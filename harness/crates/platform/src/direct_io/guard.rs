//! The guard: Direct I/O is off for as long as it lives.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::error::DirectIoError;
use super::guardian::{DONE, READY};
use super::journal::{self, Change};
use super::restore::{self, Restored};
use super::{PciAddress, Roots};

/// How long a guardian may take to say that it is there, and to end. Ours: a start takes some
/// milliseconds; a machine that needs seconds for it is not one to measure on.
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds Direct I/O off at a root port; gives it back when dropped.
///
/// [`Guard::restore`] tells how that went; a drop cannot, and leaves what failed to the guardian
/// and the journal.
#[derive(Debug)]
pub struct Guard {
    port: PciAddress,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    sys: PathBuf,
    change: Change,
    journal: PathBuf,
    _lock: File,
    guardian: Child,
}

impl Roots {
    /// Switches Direct I/O off at the root port above an RDMA device, until the guard is dropped.
    ///
    /// `guardian` is the command whose process calls [`super::stand_guard`]; it is given
    /// `--sys DIR --journal FILE`, runs in a process group of its own, and is there before
    /// anything is changed. Where Direct I/O is off already nothing is changed or started.
    ///
    /// # Errors
    /// Unsupported hardware, no root, a journal of this port that is left or in use, no guardian,
    /// or a register that does not take the value. The register is then as it was.
    pub fn switch_off(&self, device: &str, guardian: Command) -> Result<Guard, DirectIoError> {
        let (space, register) = self.register_of(device)?;
        let port = space.port.clone();
        let original = space.byte(register.offset)?;
        let journal = journal::path(self.journals(), &port);
        if journal.exists() {
            // Off now, but on again as soon as its holder ends.
            return Err(DirectIoError::AlreadyHeld { port, journal });
        }
        if original & register.allocating == 0 {
            return Ok(Guard { port, held: None });
        }
        space.writable()?;
        let change = Change { port: port.clone(), id: space.id()?, register, original };
        let (journal, lock) = journal::create(self.journals(), &change)?;
        let guardian = match start(guardian, self, &journal) {
            Ok(guardian) => guardian,
            Err(error) => {
                // A journal that stays does no harm: recovering finds nothing to give back. Why
                // there is no guardian is what a caller can act on.
                let _ = journal::remove(&journal);
                return Err(error);
            }
        };
        let sys = self.sys().to_owned();
        let held = Held { sys, change, journal, _lock: lock, guardian };
        // From here on whatever goes wrong drops the guard, which restores.
        let guard = Guard { port, held: Some(held) };
        let off = original & !register.allocating;
        space.write(register.offset, off, register.allocating)?;
        Ok(guard)
    }
}

impl Guard {
    /// The root port.
    pub fn port(&self) -> &PciAddress {
        &self.port
    }

    /// Whether this guard switched Direct I/O off and is to give it back; false where it was off
    /// already.
    pub fn changed(&self) -> bool {
        self.held.is_some()
    }

    /// Gives Direct I/O back and checks that it is, then dismisses the guardian.
    ///
    /// # Errors
    /// The register cannot be written. The guardian has then tried as well; where it failed, too,
    /// the journal stays for [`Roots::recover`]. Or the register is as it was, and the journal
    /// cannot be removed.
    pub fn restore(mut self) -> Result<Restored, DirectIoError> {
        self.held.take().map_or(Ok(Restored::WasOff), Held::give_back)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            // A drop has nobody to tell; the guardian is the one who tells on failure.
            let _ = held.give_back();
        }
    }
}

impl Held {
    fn give_back(mut self) -> Result<Restored, DirectIoError> {
        let restored = restore::restore(&self.sys, &self.change);
        let removed = restored.is_ok().then(|| journal::remove(&self.journal));
        let pipe = self.guardian.stdin.take();
        if let (Some(mut pipe), true) = (pipe, restored.is_ok()) {
            // A guardian that is gone needs no dismissal.
            let _ = pipe.write_all(DONE);
        }
        end(&mut self.guardian);
        removed.transpose()?;
        restored
    }
}

fn start(
    mut command: Command,
    roots: &Roots,
    journal: &std::path::Path,
) -> Result<Child, DirectIoError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |why| DirectIoError::NoGuardian { program: program.clone(), why };
    command.arg("--sys").arg(roots.sys()).arg("--journal").arg(journal);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    match wait_until_ready(&mut child) {
        Ok(()) => Ok(child),
        Err(why) => {
            // Killed, not dismissed: what does not say the word may not know the other one.
            let _ = child.kill();
            let _ = child.wait();
            Err(failed(why))
        }
    }
}

fn wait_until_ready(child: &mut Child) -> Result<(), String> {
    let mut pipe = child.stdout.take().expect("stdout was asked for as a pipe");
    let deadline = Instant::now() + PATIENCE;
    let mut said = Vec::new();
    while said != READY {
        if !READY.starts_with(&said) {
            return Err(format!("it said `{}`", String::from_utf8_lossy(&said)));
        }
        if !readable(pipe.as_raw_fd(), deadline) {
            return Err(format!("it said nothing within {} s", PATIENCE.as_secs()));
        }
        let mut byte = [0];
        match pipe.read(&mut byte) {
            Ok(0) => return Err("it ended".to_owned()),
            Ok(_) => said.push(byte[0]),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Whether something can be read from a descriptor before the deadline.
fn readable(descriptor: i32, deadline: Instant) -> bool {
    let mut waiting = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    loop {
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        // SAFETY: one entry is given, and the kernel writes its `revents` only.
        match unsafe { libc::poll(&mut waiting, 1, left.try_into().unwrap_or(i32::MAX)) } {
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            answer => return answer > 0,
        }
    }
}

/// Waits for a guardian whose pipe is closed; one that hangs is killed, the journal is there still.
fn end(guardian: &mut Child) {
    let deadline = Instant::now() + PATIENCE;
    while let Ok(None) = guardian.try_wait() {
        if Instant::now() > deadline {
            let _ = guardian.kill();
            let _ = guardian.wait();
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
