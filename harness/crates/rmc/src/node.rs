//! A node that is at work: its tables, who executes what others ask of it, and its own thread.

use std::{
    io,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use onesided_placement::{CpuSet, ThreadTimes, current_thread_id, pin_current_thread};

use crate::{
    duty::{self, Duty},
    fabric::OpenError,
    local::LocalNode,
};

/// A node and its responder's thread, which ends with the last of those that hold it.
pub(crate) struct Node {
    pub(crate) local: Arc<LocalNode>,
    /// The duty of executing what others ask.
    pub(crate) duty: Arc<Duty>,
    /// Of its thread, or why they are not known.
    pub(crate) times: io::Result<ThreadTimes>,
    thread: Option<JoinHandle<()>>,
}

impl Node {
    /// Starts the node's responder, pinned where that was asked for.
    pub(crate) fn start(local: Arc<LocalNode>, cpus: Option<CpuSet>) -> Result<Self, OpenError> {
        let duty = Arc::new(Duty::new());
        let (thread, times) = start(&local, &duty, cpus)?;
        Ok(Self { local, duty, times, thread: Some(thread) })
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.local.end();
        if let Some(thread) = self.thread.take() {
            // It panics only on a broken invariant, and has said so.
            let _ = thread.join();
        }
    }
}

fn start(
    local: &Arc<LocalNode>,
    duty: &Arc<Duty>,
    cpus: Option<CpuSet>,
) -> Result<(JoinHandle<()>, io::Result<ThreadTimes>), OpenError> {
    let folder = local.context.folder().to_owned();
    let failed = |source| OpenError::of("start the responder of a node in", &folder, source);
    let (local, duty) = (Arc::clone(local), Arc::clone(duty));
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new()
        .name("responder".to_owned())
        .spawn(move || {
            let pinned = cpus.map_or(Ok(()), |cpus| {
                pin_current_thread(&cpus).map_err(|source| OpenError::Pin { cpus, source })
            });
            let is_well = pinned.is_ok();
            // The opener waits for it.
            let _ = sender.send(pinned.map(|()| current_thread_id()));
            if is_well {
                duty::run(&local, &duty);
            }
        })
        .map_err(failed)?;
    let id = receiver.recv().map_err(|error| failed(io::Error::other(error)))??;
    Ok((thread, ThreadTimes::of_thread(id)))
}
