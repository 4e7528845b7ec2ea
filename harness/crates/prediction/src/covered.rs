//! From a run's configuration to a scenario, as far as the model has a notion of it.
//!
//! Runs of a table, measured conditions and what advice is asked for come this way: one place says what
//! the model covers.

mod condition;
mod host;
mod places;

use onesided_plan::{RequestsError, requests};
use onesided_results::{
    Doubt, RunConfiguration,
    vocabulary::{CacheState, CompletionQueues, LoopShape, Operation, Service},
};
use onesided_sim::{Connection, HostLoad, Moment, Parameters, Scenario};

pub use condition::configuration_of;
pub(crate) use host::Load;
use places::refused;
pub(crate) use places::{Placed, Places};

/// Why the model says nothing of a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCovered {
    /// A factor at a level that the model has no notion of.
    #[error("{factor} = {level}: {why}")]
    Level {
        /// Which factor.
        factor: &'static str,
        /// Its level.
        level: String,
        /// What is missing.
        why: &'static str,
    },
    /// A factor that is not told.
    #[error("{factor} is not known")]
    Unknown {
        /// Which factor.
        factor: &'static str,
    },
    /// The run has no requests.
    #[error(transparent)]
    Requests(#[from] RequestsError),
}

/// The scenario of a run, that ends at `end`: without a limit of operations.
///
/// Direct cache access is not in it: a set-up of the profile has its costs, and
/// [`set_up_of`](crate::SimulationProfile::set_up_of) refuses what no set-up is of.
///
/// # Errors
/// [`NotCovered`] names the factor that the model cannot take into account.
pub fn covered(
    configuration: &RunConfiguration,
    parameters: &Parameters,
    end: Moment,
) -> Result<Scenario, NotCovered> {
    Covered::of(configuration, parameters, end).map(|covered| covered.scenario)
}

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
    /// Of a run whose configuration was checked, or is of a condition.
    pub(crate) fn of(
        configuration: &RunConfiguration,
        parameters: &Parameters,
        end: Moment,
    ) -> Result<Self, NotCovered> {
        // What is asked for tells more than how: lists of sends are not covered because they are sends.
        check_operation(configuration)?;
        check_loop(configuration)?;
        check_understood(configuration)?;
        check_caches(configuration)?;
        check_queues(configuration, parameters)?;
        let places = Places::of(configuration)?;
        let queue_pairs = 0..configuration.queue_pairs as usize;
        let clients = requests(configuration, queue_pairs, Scenario::UNITS_PER_SECOND)?;
        let region = places.region.locality;
        let load = host::load(configuration, region)?;
        let workers = places.workers.as_ref();
        let workers = host::workers(configuration, workers, parameters, clients.region_bytes)?;
        let scenario = Scenario {
            load: clients,
            threads: configuration.threads as usize,
            client_hosts: configuration.client_hosts as usize,
            region,
            client: places.client_threads.locality,
            connection: Connection {
                mtu_bytes: configuration.mtu_bytes,
                max_rd_atomic: configuration.max_rd_atomic.into(),
                inline_bytes: configuration.inline_bytes.unwrap_or(0),
            },
            workers,
            host_load: load.as_ref().map_or_else(HostLoad::default, |load| load.host_load),
            end,
        };
        let assumptions = assumptions(configuration, &places, load.as_ref());
        Ok(Self { scenario, places, load, assumptions })
    }
}

/// The factors that the model has, that are refused below, or that change nothing of what it tells: how long is
/// measured, what happens to packets that are lost, threads and rings that have no cost in it. Any other one is
/// refused at a level that is not the default, so that none is left out because nobody thought of it.
const UNDERSTOOD: [&str; 56] = [
    "operation",
    "write_fraction",
    "access_bytes",
    "slot_layout",
    "address_pattern",
    "zipf_exponent",
    "working_set_bytes",
    "queue_pairs",
    "threads",
    "client_hosts",
    "service",
    "completion_queues",
    "send_queue_depth",
    "window",
    "post_list",
    "signal_every",
    "inline_bytes",
    "mtu_bytes",
    "max_rd_atomic",
    "timeout_exponent",
    "retry_count",
    "rnr_retry",
    "hop_limit",
    "gid_index",
    "loop",
    "arrivals",
    "rate_ops_per_second",
    "think_time_ns",
    "warm_up_ms",
    "duration_ms",
    "window_ms",
    "operations_per_queue_pair",
    "server_region",
    "server_threads",
    "server_rings",
    "client_buffers",
    "client_threads",
    "client_rings",
    "workers",
    "worker_threads",
    "worker_operation",
    "worker_write_fraction",
    "worker_access_bytes",
    "worker_pattern",
    "worker_think_time_ns",
    "worker_rate_per_second",
    "load_kind",
    "load_process",
    "load_bytes",
    "load_thread_count",
    "load_threads",
    "load_memory",
    "load_write_fraction",
    "load_pattern",
    "cache_state",
    "ddio",
];

fn check_understood(configuration: &RunConfiguration) -> Result<(), NotCovered> {
    let mut changed = configuration.changed().into_iter();
    match changed.find(|(factor, _)| !UNDERSTOOD.contains(factor)) {
        Some((factor, level)) => Err(refused(factor, level, "the model has no notion of it")),
        None => Ok(()),
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

fn check_caches(configuration: &RunConfiguration) -> Result<(), NotCovered> {
    match configuration.cache_state {
        CacheState::Default => Ok(()),
        state => {
            Err(refused("cache_state", state, "the model does not follow lines into the cache"))
        }
    }
}

fn check_operation(configuration: &RunConfiguration) -> Result<(), NotCovered> {
    match (configuration.operation, configuration.service) {
        (operation @ (Operation::WriteWithImmediate | Operation::Send), _) => {
            Err(refused("operation", operation, "the model has no receive queues"))
        }
        (_, service @ (Service::UnreliableConnection | Service::UnreliableDatagram)) => {
            let why = "the model has every request acknowledged, as over a reliable connection";
            Err(refused("service", service, why))
        }
        _ if configuration.access_bytes == 0 => {
            Err(refused("access_bytes", 0, "the model has no accesses of nothing"))
        }
        _ => Ok(()),
    }
}

fn check_loop(configuration: &RunConfiguration) -> Result<(), NotCovered> {
    let why = match configuration.loop_shape {
        LoopShape::PingPong => "the model has no threads of the server that answer",
        LoopShape::Batch => {
            "the model posts a batch behind one doorbell, and its caches see a full window"
        }
        _ => return Ok(()),
    };
    Err(refused("loop", configuration.loop_shape, why))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_of_nothing_is_refused_and_never_taken_for_one_of_a_byte() {
        let nothing = RunConfiguration { access_bytes: 0, ..RunConfiguration::default() };
        let why = check_operation(&nothing).unwrap_err().to_string();
        assert!(why.contains("access_bytes = 0: the model has no accesses of nothing"), "{why}");
    }
}
