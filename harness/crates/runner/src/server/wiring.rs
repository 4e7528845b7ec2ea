//! The server's queue pairs and the client hosts at their other ends.

use onesided_control::message::{Connection, PinnedClient};
use onesided_plan::HostShare;
use onesided_results::{
    RunConfiguration,
    vocabulary::{Phase, Side},
};
use onesided_transport::{
    Destination, DeviceDescription, Endpoint, EndpointAddress, GidChoice, Negotiated, Transport,
    gid, negotiate,
};

use crate::{error::RunError, plan, route, site::Site};

/// What the server must know of a client host to make ready for it.
pub(super) struct ClientHost<'d> {
    pub device: &'d DeviceDescription,
    pub pinned: PinnedClient,
}

/// Which of the server's endpoints go to which client host, and how.
pub(super) struct Wiring {
    /// The same for all client hosts: what the weakest can.
    pub negotiated: Negotiated,
    ends: Vec<ClientEnd>,
}

struct ClientEnd {
    gid: GidChoice,
    part: HostShare,
}

impl Wiring {
    /// Agrees on what every client host and this device can do.
    pub(super) fn plan<T: Transport>(
        site: &Site<'_, T>,
        configuration: &RunConfiguration,
        clients: &[ClientHost<'_>],
    ) -> Result<Self, RunError> {
        let own = site.transport.description();
        if let Some(other) = clients.iter().find(|host| host.device.back_end != own.back_end) {
            let what = format!(
                "the client is on the back end {}, the server on {}: give both sides the same \
                 --back-end",
                other.device.back_end, own.back_end
            );
            return Err(RunError::plain(Phase::Connect, what));
        }
        let path_mtu = plan::path_mtu(configuration)?;
        let asked = Negotiated { path_mtu, max_rd_atomic: configuration.max_rd_atomic };
        let agree = |agreed: Negotiated, client: &ClientHost<'_>| {
            let theirs = client.device.connection_limits();
            negotiate(agreed.path_mtu, agreed.max_rd_atomic, theirs, own.connection_limits())
                .map_err(|source| RunError::new(Phase::Connect, "", source))
        };
        let negotiated = clients.iter().try_fold(asked, agree)?;
        let end = |(client, part): (&ClientHost<'_>, HostShare)| {
            gid::choose(own.link_layer, &own.gids, &client.device.gids, site.gid_index)
                .map(|gid| ClientEnd { gid, part })
                .map_err(|source| RunError::new(Phase::Connect, "server", source))
        };
        let ends = clients.iter().zip(HostShare::deal(configuration)).map(end);
        Ok(Self { negotiated, ends: ends.collect::<Result<_, _>>()? })
    }

    /// The address that the server is reached under by a client host.
    pub(super) fn gid(&self, host: usize) -> &GidChoice {
        &self.ends[host].gid
    }

    /// Where a client host reaches its endpoints.
    pub(super) fn addresses<E: Endpoint>(
        &self,
        host: usize,
        endpoints: &[E],
    ) -> Vec<EndpointAddress> {
        let ClientEnd { gid, part } = &self.ends[host];
        endpoints[part.threads()].iter().map(|endpoint| endpoint.address(gid.entry)).collect()
    }

    /// Connects the endpoints of a client host; of datagrams, where its queue pairs are reached.
    pub(super) fn connect<E: Endpoint>(
        &self,
        host: usize,
        endpoints: &mut [E],
        connection: &Connection,
        configuration: &RunConfiguration,
    ) -> Result<Vec<Destination>, RunError> {
        let ClientEnd { gid, part } = &self.ends[host];
        let (theirs, ours) = (connection.endpoints.len(), part.shares.len());
        if theirs != ours {
            let what = format!("the client names {theirs} endpoints, the run has {ours}");
            return Err(RunError::plain(Phase::Connect, what));
        }
        route::check(Side::Server, gid, &connection.endpoints)?;
        let attributes = plan::connection(configuration, self.negotiated, gid.entry);
        let mut destinations = Vec::new();
        for (endpoint, theirs) in endpoints[part.threads()].iter_mut().zip(&connection.endpoints) {
            let found = plan::connect(endpoint, configuration.service, theirs, &attributes)
                .map_err(|source| RunError::new(Phase::Connect, "server", source))?;
            destinations.extend(found);
        }
        Ok(destinations)
    }
}
