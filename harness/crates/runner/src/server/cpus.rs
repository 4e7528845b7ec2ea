//! The CPUs of the server's threads of one run.

use onesided_control::message::PinnedClient;
use onesided_placement::CpuSet;
use onesided_results::RunConfiguration;
use onesided_transport::Transport;

use crate::{
    error::RunError,
    pins::{self, Sharing, Wish},
    plan,
    site::Site,
};

/// What the workers and the load may run on.
#[derive(Default)]
pub(super) struct HostPins {
    pub workers: Vec<Option<CpuSet>>,
    pub load: Vec<Option<CpuSet>>,
}

/// What the server's threads may run on.
pub(super) struct Pins {
    pub responders: Vec<Option<CpuSet>>,
    pub host: HostPins,
}

impl Pins {
    /// Deals the server's CPUs; those of clients on the same machine are taken.
    pub(super) fn deal<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        clients: &[PinnedClient],
    ) -> Result<Self, RunError> {
        let theirs = pins::of_clients(clients, "client_threads");
        let dealt = pins::deal(&site.topology, &site.locality, theirs, &wishes(configuration))?;
        let [responders, workers, load] = <[_; 3]>::try_from(dealt).expect("a deal for each wish");
        Ok(Self { responders, host: HostPins { workers, load } })
    }
}

/// What the server's threads of a run want, role by role: responders, workers, load.
pub(crate) fn wishes(configuration: &RunConfiguration) -> [Wish<'_>; 3] {
    let responders = plan::server_threads(configuration) as usize;
    let loaders = configuration.load_thread_count.unwrap_or(0) as usize;
    let load_words = configuration.load_threads.as_deref().unwrap_or("any");
    let wish = |field, words, threads, sharing| Wish { field, words, threads, sharing };
    let workers = configuration.workers as usize;
    [
        wish("server_threads", &*configuration.server_threads, responders, Sharing::InTurn),
        wish("worker_threads", &configuration.worker_threads, workers, Sharing::OneEach),
        wish("load_threads", load_words, loaders, Sharing::WhatIsLeft),
    ]
}
