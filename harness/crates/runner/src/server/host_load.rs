//! The server's own threads that use memory during a run: workers on the region that clients
//! access, and the independent load.

mod in_process;
mod own_process;
mod report;

use onesided_access::threads::SharedMemory;
use onesided_control::message::LoadSeries;
use onesided_load::worker::TABLE_BYTES;
use onesided_placement::CpuSet;
use onesided_results::{
    RunConfiguration,
    record::{HostLoadRecord, PlacementProof, ThreadProof},
    vocabulary::{LoadKind, LoadProcess, Moment, Phase, WorkerOperation, WorkerPattern},
};
use onesided_transport::Transport;

use crate::{error::RunError, site::Site};

use in_process::Threads;
use own_process::Child;
pub(super) use report::Interval;
use report::{LoadThread, expected};

/// Most windows of all threads that are reported. Ours: twelve bytes each in a message of 16 MiB.
const MOST_WINDOWS: u64 = 1 << 20;

/// Threads that run until they are stopped, or this value is dropped.
pub(super) struct HostLoad {
    workers: Option<Threads>,
    load: Option<Load>,
    process: Option<LoadProcess>,
    private_table_bytes: u64,
}

enum Load {
    Threads(Threads),
    Process(Child),
}

/// What they did.
pub(super) struct HostLoadReport {
    pub record: HostLoadRecord,
    pub series: Vec<LoadSeries>,
    pub threads: Vec<ThreadProof>,
    pub placement: Vec<PlacementProof>,
}

impl HostLoad {
    /// Starts the independent load, if the run asks for one; nothing if it asks for no workers
    /// either. Returns when every thread of it accesses memory.
    pub(super) fn start<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        pins: Vec<Option<CpuSet>>,
    ) -> Result<Option<Self>, RunError> {
        let loaded = configuration.load_kind != LoadKind::None;
        if configuration.workers == 0 && !loaded {
            return Ok(None);
        }
        check_windows(configuration)?;
        let process = configuration.load_process.filter(|_| loaded);
        let load = match process {
            None => None,
            Some(LoadProcess::InProcess) => {
                Some(Load::Threads(Threads::load(site, configuration, pins)?))
            }
            Some(LoadProcess::OwnProcess) => {
                Some(Load::Process(Child::start(site, configuration, &pins)?))
            }
        };
        let private_table_bytes = private_table_bytes(configuration);
        Ok(Some(Self { workers: None, load, process, private_table_bytes }))
    }

    /// Starts the workers, if the run asks for any, and returns when they access memory.
    ///
    /// `region` stays mapped until they are stopped: that is the caller's part.
    pub(super) fn work<T: Transport>(
        &mut self,
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        region: SharedMemory,
        region_bytes: u64,
        pins: Vec<Option<CpuSet>>,
    ) -> Result<(), RunError> {
        if configuration.workers > 0 {
            let workers = Threads::work(site, configuration, region, region_bytes, pins)?;
            self.workers = Some(workers);
        }
        Ok(())
    }

    /// Where the load's memory is now.
    pub(super) fn prove(&mut self, when: Moment) -> Result<Vec<PlacementProof>, RunError> {
        match &mut self.load {
            Some(Load::Threads(threads)) => threads.prove(when),
            Some(Load::Process(child)) => child.proofs(when),
            None => Ok(Vec::new()),
        }
    }

    /// Stops them, and says what they did in the measured interval.
    pub(super) fn stop<T: Transport>(
        self,
        site: &Site<'_, T>,
        interval: Interval,
    ) -> Result<HostLoadReport, RunError> {
        let mut threads: Vec<LoadThread> = Vec::new();
        let mut placement = Vec::new();
        // Workers first: they are what the run is about.
        if let Some(workers) = self.workers {
            threads.extend(workers.stop(site, interval)?);
        }
        match self.load {
            Some(Load::Threads(load)) => {
                placement.extend(load.prove(Moment::After)?);
                threads.extend(load.stop(site, interval)?);
            }
            Some(Load::Process(child)) => {
                let (proofs, load) = child.stop(site, interval)?;
                placement.extend(proofs);
                threads.extend(load);
            }
            None => {}
        }
        let record = HostLoadRecord {
            process: self.process,
            private_table_bytes: self.private_table_bytes,
            alignment_uncertainty_ns: interval.uncertainty_ns,
            threads: threads.iter().map(|thread| thread.totals(interval)).collect(),
        };
        let proofs = threads.iter().map(|thread| thread.proof.clone()).collect();
        let series = threads.into_iter().map(LoadThread::into_series).collect();
        Ok(HostLoadReport { record, series, threads: proofs, placement })
    }
}

/// What each worker streams besides the region: of the published sequence, but for its atomics.
pub(super) fn private_table_bytes(configuration: &RunConfiguration) -> u64 {
    let as_published = configuration.worker_pattern == Some(WorkerPattern::AsPublished);
    let atomic = matches!(
        configuration.worker_operation,
        WorkerOperation::CompareAndSwap | WorkerOperation::FetchAndAdd
    );
    if as_published && !atomic { TABLE_BYTES as u64 } else { 0 }
}

fn check_windows(configuration: &RunConfiguration) -> Result<(), RunError> {
    let threads = configuration.workers + configuration.load_thread_count.unwrap_or(0);
    let windows = expected(configuration).as_millis() as u64 / configuration.window_ms;
    let windows = windows * u64::from(threads);
    if windows <= MOST_WINDOWS {
        return Ok(());
    }
    let what = format!(
        "{threads} workers and load threads would count {windows} windows of {} ms; at most \
         {MOST_WINDOWS} are reported: ask for a longer window_ms or a shorter duration_ms",
        configuration.window_ms
    );
    Err(RunError::plain(Phase::SetUp, what))
}
