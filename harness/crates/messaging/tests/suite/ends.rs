//! Devices, and what is made between them.

use onesided_conformance::{Fixture, FixtureError};
use onesided_messaging::{Barrier, Channel, Opening, OpeningBarrier, Settings};
use onesided_transport::{
    ConnectionAttributes, GidEntry, LinkLayer, PathMtu, Transport, gid, negotiate,
};

pub type ChannelOf<F> = Channel<<F as Fixture>::Transport>;
pub type BarrierOf<F> = Barrier<<F as Fixture>::Transport>;

fn gid_towards<F: Fixture>(
    fixture: &F,
    own: &F::Transport,
    peer: &F::Transport,
) -> Result<Option<GidEntry>, FixtureError> {
    let (own, peer) = (own.description(), peer.description());
    if own.link_layer == LinkLayer::None {
        return Ok(None);
    }
    Ok(gid::choose(own.link_layer, &own.gids, &peer.gids, fixture.gid_index())?.entry)
}

fn attributes<T: Transport>(
    own: &T,
    peer: &T,
    gid: Option<GidEntry>,
) -> Result<ConnectionAttributes, FixtureError> {
    let (own, peer) = (own.description(), peer.description());
    let mtu = PathMtu::Bytes1024.min(own.active_mtu).min(peer.active_mtu);
    let agreed = negotiate(mtu, 16, own.connection_limits(), peer.connection_limits())?;
    Ok(ConnectionAttributes {
        gid,
        path_mtu: agreed.path_mtu,
        max_rd_atomic: agreed.max_rd_atomic,
        // 67 ms, as the conformance suite.
        timeout_exponent: 14,
        retry_count: 6,
        rnr_retry: 6,
        hop_limit: 64,
    })
}

/// Two ends of a channel, each of a device of its own.
pub fn channel<F: Fixture>(
    fixture: &F,
    settings: Settings,
) -> Result<(ChannelOf<F>, ChannelOf<F>), FixtureError> {
    unequal(fixture, settings, settings)
}

/// The same, with settings of their own.
pub fn unequal<F: Fixture>(
    fixture: &F,
    here: Settings,
    there: Settings,
) -> Result<(ChannelOf<F>, ChannelOf<F>), FixtureError> {
    let (client, server) = (fixture.client()?, fixture.server()?);
    let own_gid = gid_towards(fixture, &client, &server)?;
    let peer_gid = gid_towards(fixture, &server, &client)?;
    let (own, peer) = (Opening::new(&client, &here)?, Opening::new(&server, &there)?);
    let (told, back) = (own.invitation(own_gid), peer.invitation(peer_gid));
    let peer = peer.connect(&server, &told, &attributes(&server, &client, peer_gid)?)?;
    let own = own.connect(&client, &back, &attributes(&client, &server, own_gid)?)?;
    Ok((own, peer))
}

/// A barrier of so many nodes, each of a device of its own.
pub fn barrier<F: Fixture>(fixture: &F, nodes: usize) -> Result<Vec<BarrierOf<F>>, FixtureError> {
    let devices: Vec<_> = (0..nodes).map(|_| fixture.server()).collect::<Result<_, _>>()?;
    let opening = |(node, device)| OpeningBarrier::new(device, node, nodes);
    let mut openings: Vec<_> = devices.iter().enumerate().map(opening).collect::<Result<_, _>>()?;
    for node in 0..nodes {
        for peer in (0..nodes).filter(|&peer| peer != node) {
            let gid = gid_towards(fixture, &devices[peer], &devices[node])?;
            let told = openings[peer].invitation(node, gid)?;
            let gid = gid_towards(fixture, &devices[node], &devices[peer])?;
            let attributes = attributes(&devices[node], &devices[peer], gid)?;
            openings[node].connect(peer, &told, &attributes)?;
        }
    }
    Ok(openings.into_iter().map(OpeningBarrier::finish).collect::<Result<_, _>>()?)
}

/// Bytes that tell a message from every other.
pub fn message(number: u64, length: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}
