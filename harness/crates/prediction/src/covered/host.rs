//! Workers and independent load, as far as the model has a notion of them.

use onesided_results::{
    RunConfiguration,
    vocabulary::{LoadKind, WorkerOperation, WorkerPattern},
};
use onesided_sim::{HostLoad, Locality, Parameters, Workers};

use super::{
    NotCovered,
    places::{Placed, placed, refused},
};

/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;

/// The workers of a run whose configuration was checked.
pub(super) fn workers(
    configuration: &RunConfiguration,
    place: Option<&Placed>,
    parameters: &Parameters,
    region_bytes: u64,
) -> Result<Workers, NotCovered> {
    let Some(place) = place else { return Ok(Workers::NONE) };
    let count = configuration.workers;
    if let Some(rate) = configuration.worker_rate_per_second {
        return Err(refused("worker_rate_per_second", rate, "the model has no pace of workers"));
    }
    let pause = configuration.worker_think_time_ns;
    if pause > 0 {
        let why = "no parameter tells how long an access of a worker takes, and so which share of \
                   its time it pauses";
        return Err(refused("worker_think_time_ns", pause, why));
    }
    if !place.shares_cpus && place.given && f64::from(count) > parameters.server_cpus {
        let why = "each was to have a CPU of its own, and the machine's node (server_cpus) has fewer; \
                   say shared:";
        return Err(refused("workers", count, why));
    }
    Ok(Workers {
        threads: count.into(),
        write_share: write_share(configuration)?,
        lines: lines(configuration, region_bytes)?,
    })
}

fn write_share(configuration: &RunConfiguration) -> Result<f64, NotCovered> {
    match configuration.worker_operation {
        WorkerOperation::Read => Ok(0.0),
        WorkerOperation::Mixed => configuration
            .worker_write_fraction
            .ok_or(NotCovered::Unknown { factor: "worker_write_fraction" }),
        // An atomic takes the line as a store does, whether it succeeds or not.
        _ => Ok(1.0),
    }
}

/// Lines that each worker ranges over, each line as much as any other.
fn lines(configuration: &RunConfiguration, region_bytes: u64) -> Result<u64, NotCovered> {
    // Objects that begin at an odd address reach into one line more, by a byte or so.
    let lines = (region_bytes / LINE_BYTES).max(1);
    let pattern = configuration.worker_pattern;
    let even = match pattern {
        Some(WorkerPattern::OwnLine) => u64::from(configuration.workers).is_multiple_of(lines),
        Some(WorkerPattern::SharedLine) => lines == 1,
        _ => true,
    };
    if even {
        return Ok(lines);
    }
    let level = pattern.map_or_else(String::new, |pattern| pattern.to_string());
    let why = "the model has all lines of the region used alike, and with so many these are not";
    Err(refused("worker_pattern", level, why))
}

/// Independent load, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    /// As the model sees it.
    pub host_load: HostLoad,
    /// Its memory; absent where it minds no node.
    pub memory: Option<Placed>,
    /// Its threads; absent where they mind no node.
    pub threads: Option<Placed>,
}

/// The load of a run whose configuration was checked; absent without.
///
/// A machine of the model has two nodes: what minds none is on each in equal parts.
pub(super) fn load(
    configuration: &RunConfiguration,
    region: Locality,
) -> Result<Option<Load>, NotCovered> {
    if configuration.load_kind == LoadKind::None {
        return Ok(None);
    }
    let bound = |factor, asked: &Option<String>| match asked.as_deref() {
        None | Some("any" | "interleave") => Ok(None),
        Some(asked) => placed(factor, asked, Locality::RdmaLocal).map(Some),
    };
    let threads = bound("load_threads", &configuration.load_threads)?;
    let spread = configuration.load_memory.as_deref() == Some("interleave");
    let memory = bound("load_memory", &configuration.load_memory)?;
    // What is bound to no node comes to be where the threads are that touch it first.
    let of_memory = match &memory {
        None if !spread => &threads,
        _ => &memory,
    };
    let on_node = of_memory.as_ref().map_or(0.5, |place| f64::from(place.locality == region));
    let crossing = match (of_memory, &threads) {
        (Some(memory), Some(threads)) => f64::from(memory.locality != threads.locality),
        _ => 0.5,
    };
    let bytes = configuration.load_bytes.unwrap_or(0);
    Ok(Some(Load { host_load: HostLoad { on_node, crossing, bytes }, memory, threads }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(threads: &str, memory: &str) -> RunConfiguration {
        RunConfiguration {
            load_kind: LoadKind::Independent,
            load_bytes: Some(1 << 30),
            load_threads: Some(threads.to_owned()),
            load_memory: Some(memory.to_owned()),
            ..RunConfiguration::default()
        }
    }

    /// Shares of the load on the region's node and across the interconnect.
    fn shares(threads: &str, memory: &str, region: Locality) -> (f64, f64) {
        let load = load(&loaded(threads, memory), region).unwrap().expect("there is load");
        assert_eq!(load.host_load.bytes, 1 << 30);
        (load.host_load.on_node, load.host_load.crossing)
    }

    #[test]
    fn load_is_where_its_memory_is_and_crosses_where_its_threads_are_not() {
        assert_eq!(shares("rdma-local", "rdma-local", Locality::RdmaLocal), (1.0, 0.0));
        assert_eq!(shares("rdma-local", "rdma-local", Locality::RdmaRemote), (0.0, 0.0));
        assert_eq!(shares("rdma-remote", "rdma-local", Locality::RdmaLocal), (1.0, 1.0));
        assert_eq!(shares("any", "rdma-remote", Locality::RdmaRemote), (1.0, 0.5));
        assert_eq!(shares("rdma-remote", "any", Locality::RdmaRemote), (1.0, 0.0));
        assert_eq!(shares("any", "any", Locality::RdmaLocal), (0.5, 0.5));
        assert_eq!(shares("rdma-local", "interleave", Locality::RdmaLocal), (0.5, 0.5));
        assert_eq!(load(&RunConfiguration::default(), Locality::RdmaLocal), Ok(None));
    }

    #[test]
    fn load_at_places_that_the_model_has_not_is_refused() {
        for memory in ["node:1", "bind:0,1", "preferred:rdma-local", "interleave:0-3"] {
            let error = load(&loaded("any", memory), Locality::RdmaLocal).unwrap_err().to_string();
            assert!(error.starts_with(&format!("load_memory = {memory}: ")), "{error}");
        }
    }

    #[test]
    fn workers_use_all_lines_alike_or_are_refused() {
        let lines_of = |pattern, workers, region_bytes| {
            let worker_pattern = Some(pattern);
            let run = RunConfiguration { workers, worker_pattern, ..RunConfiguration::default() };
            lines(&run, region_bytes)
        };
        assert_eq!(lines_of(WorkerPattern::AsPublished, 3, 65), Ok(1));
        assert_eq!(lines_of(WorkerPattern::Uniform, 3, 640), Ok(10));
        assert_eq!(lines_of(WorkerPattern::SharedLine, 3, 64), Ok(1));
        assert!(lines_of(WorkerPattern::SharedLine, 3, 128).is_err());
        assert_eq!(lines_of(WorkerPattern::OwnLine, 8, 256), Ok(4));
        assert!(lines_of(WorkerPattern::OwnLine, 6, 256).is_err());
    }
}
