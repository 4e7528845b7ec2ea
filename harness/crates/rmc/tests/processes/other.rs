//! The other process: this program, started once more.

use std::{
    env,
    io::BufReader,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use onesided_conformance::far::Other;

/// A process that serves, and ends with this.
pub struct Process {
    child: Child,
    pub other: Arc<Other>,
}

impl Process {
    /// Starts this program with the fabric in an environment variable.
    pub fn start(variable: &str, fabric: &Path) -> Self {
        let mut child = Command::new(env::current_exe().expect("this program has a file"))
            .env(variable, fabric)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, other: Arc::new(Other::new(stdin, stdout)) }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: i32) {
        // SAFETY: plain numbers; the process is our child, which is not waited for before.
        let code = unsafe { libc::kill(self.id() as i32, signal) };
        assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
    }

    /// Stops it, and waits until it has stopped: on a busy machine it could go on for a while.
    pub fn stop(&self) {
        self.signal(libc::SIGSTOP);
        let mut status = 0;
        // SAFETY: as above; the status lives.
        let found = unsafe { libc::waitpid(self.id() as i32, &raw mut status, libc::WUNTRACED) };
        assert!(found == self.id() as i32 && libc::WIFSTOPPED(status), "{status:#x}");
    }

    /// Ends it at once, and waits until the kernel has taken everything from it.
    pub fn kill(&self) {
        self.signal(libc::SIGKILL);
        let mut status = 0;
        // SAFETY: as above; the status lives.
        let found = unsafe { libc::waitpid(self.id() as i32, &raw mut status, 0) };
        assert_eq!(found, self.id() as i32);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends when nobody can ask any more; a test program that is ending does not wait.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
