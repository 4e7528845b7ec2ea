//! Whether a run can be done with both of its sides on one machine.
//!
//! A run table may be of a machine with more nodes or CPUs than this one, and each run of it that
//! cannot be then fails when it is set up. Who asks here first, leaves those out beforehand.

use std::collections::BTreeMap;

use onesided_placement::{
    CpuId, CpuSet, DeviceLocality, LoadMemoryPlace, MemoryPlace, Resolve, Topology,
};
use onesided_plan::HostShare;
use onesided_results::{
    RunConfiguration,
    vocabulary::{Phase, PlacedMemory, Side},
};
use onesided_transport::DeviceDescription;

use crate::{client, error::RunError, pins, plan, server};

/// Resolves the places of a run, and deals CPUs to the threads of its clients and its server, as
/// both sides do it when all of them are on the machine of `topology` with one device at `locality`.
///
/// # Errors
/// What setting the run up would fail with: a place that the machine does not have, or too few CPUs.
pub fn check_on_one_host(
    topology: &Topology,
    locality: &DeviceLocality,
    configuration: &RunConfiguration,
) -> Result<(), RunError> {
    check_memory(topology, locality, configuration)?;
    let mut taken = BTreeMap::new();
    for part in HostShare::deal(configuration) {
        let wish = client::wish(configuration, &part);
        let others = named(&taken, "another client host");
        let dealt = pins::deal(topology, locality, others, &[wish])?;
        let own = dealt.iter().flatten().flatten().flat_map(CpuSet::iter);
        taken.extend(own.map(|cpu| (cpu, ())));
    }
    let others = named(&taken, "client_threads");
    pins::deal(topology, locality, others, &server::wishes(configuration)).map(|_| ())
}

/// Refuses what a device that both sides of a run have cannot give it, before anything is taken.
///
/// # Errors
/// What setting the run up would fail with: a service, or receive queues.
pub fn check_device(
    device: &DeviceDescription,
    configuration: &RunConfiguration,
) -> Result<(), RunError> {
    device
        .check_service(configuration.service)
        .map_err(|source| RunError::new(Phase::SetUp, "", source))?;
    [Side::Client, Side::Server]
        .into_iter()
        .try_for_each(|side| plan::check_receive_queues(configuration, side, device))
}

fn named(taken: &BTreeMap<CpuId, ()>, name: &'static str) -> BTreeMap<CpuId, &'static str> {
    taken.keys().map(|cpu| (*cpu, name)).collect()
}

fn check_memory(
    topology: &Topology,
    locality: &DeviceLocality,
    configuration: &RunConfiguration,
) -> Result<(), RunError> {
    for (what, words) in [
        (PlacedMemory::ServerRegion, &configuration.server_region),
        (PlacedMemory::ServerRings, &configuration.server_rings),
        (PlacedMemory::ClientBuffers, &configuration.client_buffers),
        (PlacedMemory::ClientRings, &configuration.client_rings),
    ] {
        let failed = |source| RunError::boxed(Phase::SetUp, format!("{what} = {words}"), source);
        let place: MemoryPlace = words.parse().map_err(|error| failed(Box::new(error)))?;
        place.resolve(topology, locality).map_err(|error| failed(Box::new(error)))?;
    }
    let Some(words) = &configuration.load_memory else { return Ok(()) };
    let failed = |source| RunError::boxed(Phase::SetUp, format!("load_memory = {words}"), source);
    let place: LoadMemoryPlace = words.parse().map_err(|error| failed(Box::new(error)))?;
    place.resolve(topology, locality).map(|_| ()).map_err(|error| failed(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use onesided_placement::{Node, NodeId, TopologySource};

    use super::*;

    /// A machine of one node with so many CPUs.
    fn machine(cpus: u32) -> (Topology, DeviceLocality) {
        let all: CpuSet = format!("0-{}", cpus - 1).parse().unwrap();
        let node = Node {
            id: NodeId(0),
            cpus: Some(all.clone()),
            memory_bytes: 1 << 30,
            free_bytes: 1 << 30,
            free_huge_pages: BTreeMap::new(),
            distances: BTreeMap::new(),
        };
        let topology = Topology {
            nodes: vec![node],
            source: TopologySource::Sysfs,
            online_cpus: Some(all),
            cores: Vec::new(),
            allowed: None,
        };
        let locality = DeviceLocality::of_emulation("rmc", &topology);
        (topology, locality)
    }

    fn why(cpus: u32, configuration: &RunConfiguration) -> Option<String> {
        let (topology, locality) = machine(cpus);
        check_on_one_host(&topology, &locality, configuration).err().map(|error| error.cause())
    }

    #[test]
    fn what_the_machine_has_is_possible() {
        assert_eq!(why(1, &RunConfiguration::default()), None);
        let workers = RunConfiguration {
            client_threads: "rdma-local".into(),
            workers: 1,
            worker_threads: "rdma-local".into(),
            ..RunConfiguration::default()
        };
        assert_eq!(why(2, &workers), None);
    }

    #[test]
    fn a_node_that_there_is_not_has_one_cause_whoever_asks_for_it() {
        let remote = || "rdma-remote".to_owned();
        let default = RunConfiguration::default;
        let asking = [
            RunConfiguration { server_region: remote(), ..default() },
            RunConfiguration { client_buffers: remote(), ..default() },
            RunConfiguration { client_threads: remote(), ..default() },
            RunConfiguration { load_memory: Some(remote()), ..default() },
            RunConfiguration { workers: 1, worker_threads: remote(), ..default() },
        ];
        for configuration in asking {
            let told = why(8, &configuration).expect("it is impossible");
            assert!(told.starts_with("`rdma-remote` needs a node with memory"), "{told}");
        }
    }

    #[test]
    fn clients_and_server_share_the_cpus_of_the_machine() {
        let crowded = RunConfiguration {
            client_threads: "rdma-local".into(),
            workers: 2,
            worker_threads: "rdma-local".into(),
            ..RunConfiguration::default()
        };
        let told = why(2, &crowded).expect("it is impossible");
        let words = "worker_threads = rdma-local has one free CPU (1) for 2 threads";
        assert!(told.starts_with(words) && told.contains("CPU 0: client_threads"), "{told}");
        assert_eq!(why(3, &crowded), None);
    }

    #[test]
    fn a_second_client_host_gets_what_the_first_leaves() {
        let two = RunConfiguration {
            client_hosts: 2,
            threads: 4,
            queue_pairs: 4,
            client_threads: "rdma-local".into(),
            ..RunConfiguration::default()
        };
        let told = why(2, &two).expect("it is impossible");
        assert!(told.contains("another client host"), "{told}");
        assert_eq!(why(4, &two), None);
    }
}
