//! Two devices of this host, opened, and how they are connected.

use anyhow::{Context as _, bail};
use onesided_fabric::visibility::Connection;
use onesided_results::vocabulary::Source;
use onesided_rmc::RmcOptions;
use onesided_transport::{
    ConnectionAttributes, DeviceDescription, LinkLayer, PathMtu, Transport, gid, negotiate,
};

use super::{Arguments, Counting, Outcome};
use crate::{
    arguments::{BackEnd, rmc_node},
    back_end,
};

/// Asked for: as runs do, unless they say otherwise.
const MTU: PathMtu = PathMtu::Bytes1024;
/// One READ is under way at a time.
const READS: u8 = 1;

/// Opens both devices, and counts.
pub fn on_two(arguments: &Arguments, counting: Counting<'_>) -> anyhow::Result<Outcome> {
    let device = &arguments.device;
    device.check()?;
    if device.drop_every.is_some() {
        bail!(
            "--drop-every loses messages of uc and ud only, and this command counts WRITEs over rc: leave it out"
        );
    }
    match device.back_end {
        BackEnd::Verbs => {
            let open = |name: Option<&str>| back_end::open_verbs(name, device.device_port);
            let requester = open(device.device.as_deref())?;
            let name = requester.description().name.clone();
            let peer = arguments.peer_device.as_deref();
            let responder = open(Some(peer.unwrap_or(&name)))
                .with_context(|| format!("--peer-device {}", peer.unwrap_or(&name)))?;
            counting.of([&requester, &responder], back_end::verbs_source(&responder))
        }
        BackEnd::Rmc => {
            let options = device.rmc_options()?;
            let peer = arguments.peer_device.as_deref();
            let node = peer.map(|name| rmc_node("--peer-device", name)).transpose()?;
            let requester = back_end::open_node(&options)?;
            back_end::tell_swept(&requester);
            let responder = back_end::open_node(&RmcOptions { node, ..options })
                .context("the responder's node")?;
            counting.of([&requester, &responder], Source::Emulated)
        }
    }
}

/// How two devices are connected.
pub fn connection<T: Transport>(
    devices: [&T; 2],
    gid_index: Option<u32>,
) -> anyhow::Result<Connection> {
    let [requester, responder] = devices.map(Transport::description);
    let mtu = MTU.min(requester.active_mtu).min(responder.active_mtu);
    let agreed =
        negotiate(mtu, READS, requester.connection_limits(), responder.connection_limits())?;
    let towards = |own: &DeviceDescription, peer: &DeviceDescription| match own.link_layer {
        LinkLayer::None => Ok(None),
        layer => gid::choose(layer, &own.gids, &peer.gids, gid_index).map(|choice| choice.entry),
    };
    let attributes = ConnectionAttributes {
        gid: towards(requester, responder)?,
        path_mtu: agreed.path_mtu,
        ..ConnectionAttributes::reliable(agreed.max_rd_atomic)
    };
    Ok(Connection { attributes, responder_gid: towards(responder, requester)? })
}
