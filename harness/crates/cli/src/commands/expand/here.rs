//! This machine, as a run finds it that has both sides on it.

use anyhow::bail;
use onesided_placement::{DeviceLocality, NodeId, Topology};
use onesided_results::{RunConfiguration, vocabulary::Ddio};
use onesided_runner::{check_device, check_on_one_host};
use onesided_transport::{DeviceDescription, Transport as _};
use onesided_verbs::OpenError;

use crate::{
    arguments::{cpus_of, node_of},
    back_end,
};

/// This machine, and what carries operations on it.
pub struct Here {
    topology: Topology,
    locality: DeviceLocality,
    /// The RDMA device; absent where a controller is emulated.
    device: Option<DeviceDescription>,
}

impl Here {
    /// With an emulated controller, on the only node unless another one is given.
    pub fn emulated(device_node: Option<u32>) -> anyhow::Result<Self> {
        let topology = Topology::discover()?;
        let locality = match device_node {
            Some(node) => {
                cpus_of(NodeId(node))?;
                DeviceLocality::given(onesided_rmc::BACK_END, NodeId(node))
            }
            None => DeviceLocality::of_emulation(onesided_rmc::BACK_END, &topology),
        };
        if locality.node.is_none() {
            bail!("--possible-here: {locality}");
        }
        Ok(Self { topology, locality, device: None })
    }

    /// With the RDMA device that is named, else with the one that runs would choose; or that there is
    /// none.
    ///
    /// # Errors
    /// When a device, named or not, or a node that is named cannot be used.
    pub fn with_device(
        name: Option<&str>,
        device_node: Option<u32>,
    ) -> anyhow::Result<Result<Self, OpenError>> {
        let topology = Topology::discover()?;
        if let Some(node) = device_node {
            node_of(&topology, "--device-node", NodeId(node))?;
        }
        let device = match back_end::open_verbs(name, None) {
            Ok(device) => device.description().clone(),
            // A machine for other things; what is wrong with a device is to be mended.
            Err(error @ (OpenError::Library(_) | OpenError::NoDevice)) if name.is_none() => {
                return Ok(Err(error));
            }
            Err(error) => return Err(error.into()),
        };
        let locality = back_end::verbs_locality(&device.name, device_node);
        Ok(Ok(Self { topology, locality, device: Some(device) }))
    }

    /// Why a run cannot be done; absent if it can. Over an emulated controller there is every service, and
    /// queue pairs of each can share a receive queue.
    pub fn obstacle(&self, run: &RunConfiguration) -> Option<String> {
        match &self.device {
            Some(device) => {
                if let Err(error) = check_device(device, run) {
                    return Some(error.cause());
                }
            }
            None if run.ddio == Ddio::Off => {
                let why = "ddio = off: an emulated controller is behind no root port to change";
                return Some(why.to_owned());
            }
            None => {}
        }
        let error = check_on_one_host(&self.topology, &self.locality, run).err()?;
        Some(error.cause())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use onesided_conformance::reference::{Fabric, ReferenceTransport};
    use onesided_results::{
        vocabulary::{Operation, ReceiveQueues, Service},
        word::Word as _,
    };

    use super::*;

    /// This machine with a device that has these services.
    fn with_services(services: &[Service]) -> Here {
        let topology = Topology::discover().unwrap();
        let transport = ReferenceTransport::open(&Arc::new(Fabric::right()));
        let device = transport.described(|device| device.services = services.to_vec());
        let device = device.description().clone();
        let locality = DeviceLocality::given(&device.name, topology.nodes[0].id);
        Here { topology, locality, device: Some(device) }
    }

    fn sends(service: Service) -> RunConfiguration {
        RunConfiguration { operation: Operation::Send, service, ..RunConfiguration::default() }
    }

    #[test]
    fn a_run_over_a_service_that_the_device_lacks_is_impossible_for_the_reason_that_its_set_up_gives()
     {
        let reliable_only = with_services(&[Service::ReliableConnection]);
        assert_eq!(reliable_only.obstacle(&sends(Service::ReliableConnection)), None);
        for (service, word) in
            [(Service::UnreliableConnection, "uc"), (Service::UnreliableDatagram, "ud")]
        {
            let why = reliable_only.obstacle(&sends(service)).expect("it is impossible");
            let due =
                format!("reference0 has no queue pairs of the service {word}; it has those of: rc");
            assert_eq!(why, due);
        }
        let all = with_services(Service::ALL);
        for service in Service::ALL {
            assert_eq!(all.obstacle(&sends(*service)), None, "{service}");
        }
    }

    #[test]
    fn a_run_whose_queue_pairs_cannot_share_a_receive_queue_is_impossible() {
        let topology = Topology::discover().unwrap();
        let transport = ReferenceTransport::open(&Arc::new(Fabric::right()));
        let device = transport.described(|device| {
            device.shared_receives = vec![Service::ReliableConnection];
            device.limits.shared_receive_queue_depth = 300;
        });
        let device = device.description().clone();
        let locality = DeviceLocality::given(&device.name, topology.nodes[0].id);
        let here = Here { topology, locality, device: Some(device) };
        let shared =
            |service| RunConfiguration { receive_queues: ReceiveQueues::Shared, ..sends(service) };
        assert_eq!(here.obstacle(&shared(Service::ReliableConnection)), None);
        let why = here.obstacle(&shared(Service::UnreliableDatagram)).expect("it is impossible");
        assert_eq!(
            why,
            "queue pairs of the service ud cannot share a receive queue on reference0; those that can: rc"
        );
        let deep =
            RunConfiguration { window: 128, queue_pairs: 2, ..shared(Service::ReliableConnection) };
        let why = here.obstacle(&deep).expect("it is impossible");
        assert!(why.contains("--receive-queues") && why.contains("at most 300"), "{why}");
    }

    #[test]
    fn a_place_that_the_machine_lacks_is_an_obstacle_over_a_device_too() {
        let here = with_services(Service::ALL);
        let nowhere = RunConfiguration {
            server_region: "node:4000".to_owned(),
            ..sends(Service::UnreliableDatagram)
        };
        let why = here.obstacle(&nowhere).expect("it is impossible");
        assert!(why.contains("4000"), "{why}");
    }
}
