//! From a run's configuration to a scenario, as far as the model has a notion of it.

use onesided_results::{
    Doubt, RunConfiguration,
    vocabulary::{CacheState, CompletionQueues, Ddio},
};
use onesided_sim::{Connection, HostLoad, Parameters, Scenario};

use super::{
    SimulateRunError, SimulatedMachine,
    host::{self, Load},
    load,
    places::{Places, refused},
    share::Extent,
};
use crate::{covered::NotCovered, profile::no_parameters};

/// A run that the model covers.
#[derive(Clone, Debug)]
pub(crate) struct Covered {
    /// As the model sees it.
    pub scenario: Scenario,
    /// Where its parts are.
    pub places: Places,
    /// Independent load; absent without.
    pub load: Option<Load>,
    /// What was taken for granted.
    pub assumptions: Vec<Doubt>,
}

impl Covered {
    /// A run whose configuration was checked.
    pub(super) fn of(
        configuration: &RunConfiguration,
        machine: &SimulatedMachine,
        extent: Extent,
    ) -> Result<Self, SimulateRunError> {
        check_caches(configuration, machine.ddio)?;
        check_queues(configuration, &machine.parameters)?;
        let places = Places::of(configuration)?;
        let clients = load::load(configuration, extent)?;
        let region = places.region.reach;
        let load = host::load(configuration, region)?;
        let workers = places.workers.as_ref();
        let workers =
            host::workers(configuration, workers, &machine.parameters, clients.region_bytes)?;
        let scenario = Scenario {
            load: clients,
            threads: configuration.threads as usize,
            client_hosts: configuration.client_hosts as usize,
            region,
            client: places.client_threads.reach,
            connection: Connection {
                mtu_bytes: configuration.mtu_bytes,
                max_rd_atomic: configuration.max_rd_atomic.into(),
                inline_bytes: configuration.inline_bytes.unwrap_or(0),
            },
            workers,
            host_load: load.as_ref().map_or_else(HostLoad::default, |load| load.host_load),
            end: extent.until(),
        };
        let assumptions = assumptions(configuration, &places, load.as_ref());
        Ok(Self { scenario, places, load, assumptions })
    }
}

fn assumptions(
    configuration: &RunConfiguration,
    places: &Places,
    load: Option<&Load>,
) -> Vec<Doubt> {
    let mut assumptions = Vec::new();
    let open = places.assumed();
    if !open.is_empty() {
        assumptions.push(Doubt::PlacesAssumed { places: open });
    }
    if load.is_some() {
        assumptions.push(Doubt::LoadAsCalibrated {
            threads: or(configuration.load_thread_count, "any number of"),
            write_fraction: or(configuration.load_write_fraction, "any"),
        });
    }
    if load.is_some() || configuration.workers > 0 {
        assumptions.push(Doubt::HostAccessesNotCounted);
    }
    assumptions
}

fn or(value: Option<impl ToString>, absent: &str) -> String {
    value.map_or_else(|| absent.to_owned(), |value| value.to_string())
}

fn check_caches(configuration: &RunConfiguration, ddio: Ddio) -> Result<(), NotCovered> {
    if configuration.ddio != ddio {
        return Err(no_parameters(configuration.ddio));
    }
    match configuration.cache_state {
        CacheState::Default => Ok(()),
        state => {
            Err(refused("cache_state", state, "the model does not follow lines into the cache"))
        }
    }
}

fn check_queues(
    configuration: &RunConfiguration,
    parameters: &Parameters,
) -> Result<(), NotCovered> {
    if configuration.signal_every > 1 {
        let why = "the model has a completion for each request";
        return Err(refused("signal_every", configuration.signal_every, why));
    }
    let has_lines = parameters.wqe_line_ns > 0.0;
    if let Some(bytes) = configuration.inline_bytes.filter(|_| !has_lines) {
        let why = "the parameters do not tell what a cache line of a request costs (wqe_line_ns)";
        return Err(refused("inline_bytes", bytes, why));
    }
    if configuration.post_list > 1 && has_lines {
        let why = "the model has threads store every request, and none that the card fetches";
        return Err(refused("post_list", configuration.post_list, why));
    }
    let queues = configuration.completion_queues;
    if queues == CompletionQueues::PerQueuePair && configuration.threads < configuration.queue_pairs
    {
        return Err(refused("completion_queues", queues, "the model has one for each thread"));
    }
    Ok(())
}
