//! Tests of the rules, on a port that no machine needs to have.

use onesided_transport::{
    AtomicCapability, DeviceLimits, Gid, GidEntry, GidKind, PathMtu, PortState, QueuePairAddress,
    Service,
};

use super::*;

fn own(link_layer: LinkLayer) -> DeviceDescription {
    DeviceDescription {
        name: "test0".into(),
        back_end: "verbs".into(),
        driver: None,
        firmware: None,
        vendor_part: None,
        port: 1,
        port_state: PortState::Active,
        link_layer,
        local_identifier: 3,
        active_mtu: PathMtu::Bytes1024,
        atomic_capability: AtomicCapability::Device,
        services: vec![Service::ReliableConnection],
        shared_receives: Vec::new(),
        limits: DeviceLimits {
            shared_receive_queue_depth: 0,
            queue_pairs: 8,
            queue_depth: 8,
            completion_queue_entries: 8,
            max_rd_atomic_as_responder: 16,
            max_rd_atomic_as_requester: 8,
        },
        gids: vec![],
        fabric_hop_ns: None,
        fabric_drop_every: None,
    }
}

fn gid(last: u8) -> Gid {
    Gid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last])
}

fn peer() -> EndpointAddress {
    EndpointAddress {
        local_identifier: 4,
        gid: Some(gid(2)),
        queue_pairs: vec![QueuePairAddress { number: 17, packet_sequence_number: 5 }; 2],
        datagram_key: 0,
    }
}

fn attributes() -> ConnectionAttributes {
    ConnectionAttributes {
        gid: Some(GidEntry { index: 1, kind: GidKind::RoceV2, gid: gid(1) }),
        path_mtu: PathMtu::Bytes1024,
        max_rd_atomic: 8,
        timeout_exponent: 14,
        retry_count: 6,
        rnr_retry: 7,
        hop_limit: 64,
    }
}

fn broken_by(change: impl FnOnce(&mut ConnectionAttributes, &mut EndpointAddress)) -> BrokenRule {
    let (own, mut peer, mut attributes) = (own(LinkLayer::Ethernet), peer(), attributes());
    change(&mut attributes, &mut peer);
    let connection = Connection { own: &own, peer: &peer, attributes: &attributes };
    connection.broken_rule().expect("a rule is broken")
}

#[test]
fn a_connection_that_keeps_all_rules_breaks_none() {
    let (own, peer, attributes) = (own(LinkLayer::Ethernet), peer(), attributes());
    let connection = Connection { own: &own, peer: &peer, attributes: &attributes };
    assert_eq!(connection.broken_rule(), None);
}

#[test]
fn a_path_mtu_above_the_ports_is_named_with_both() {
    let broken = broken_by(|attributes, _| attributes.path_mtu = PathMtu::Bytes4096);
    assert_eq!(broken.to, QueuePairState::ReadyToReceive);
    assert_eq!(broken.rule, "path MTU 4096 is above the active MTU 1024 of port 1 of test0");
}

#[test]
fn outstanding_reads_are_limited_as_responder_and_as_requester() {
    let broken = broken_by(|attributes, _| attributes.max_rd_atomic = 9);
    assert_eq!(broken.to, QueuePairState::ReadyToSend);
    assert!(broken.rule.contains("max_rd_atomic 9 is above the 8"), "{}", broken.rule);
    let broken = broken_by(|attributes, _| attributes.max_rd_atomic = 17);
    assert_eq!(broken.to, QueuePairState::ReadyToReceive);
    assert!(broken.rule.contains("above the 16"), "{}", broken.rule);
}

#[test]
fn roce_without_a_gid_on_either_side_is_refused() {
    let broken = broken_by(|attributes, _| attributes.gid = None);
    assert!(broken.rule.contains("RoCE, which needs a GID"), "{}", broken.rule);
    let broken = broken_by(|_, peer| peer.gid = None);
    assert!(broken.rule.contains("the peer told no GID"), "{}", broken.rule);
}

#[test]
fn a_gid_index_that_verbs_cannot_name_is_refused() {
    let broken = broken_by(|attributes, _| {
        attributes.gid = Some(GidEntry { index: 256, kind: GidKind::RoceV2, gid: gid(1) });
    });
    assert_eq!(broken.rule, "verbs cannot name GID index 256: it is above 255");
}

#[test]
fn infiniband_needs_a_lid_where_it_has_no_gid() {
    let (own, mut peer) = (own(LinkLayer::Infiniband), peer());
    let attributes = ConnectionAttributes { gid: None, ..attributes() };
    let rule = |peer: &EndpointAddress| {
        Connection { own: &own, peer, attributes: &attributes }.broken_rule()
    };
    assert_eq!(rule(&peer), None);
    peer.local_identifier = 0;
    assert!(rule(&peer).expect("LID 0").rule.contains("subnet manager"));
}

#[test]
fn retries_and_timeouts_that_would_wait_for_ever_are_refused() {
    let broken = broken_by(|attributes, _| attributes.retry_count = 7);
    assert_eq!(broken.rule, "retry count 7 is not 0 to 6");
    let broken = broken_by(|attributes, _| attributes.timeout_exponent = 0);
    assert_eq!(broken.rule, "timeout exponent 0 is not 1 to 31");
    let broken = broken_by(|attributes, _| attributes.rnr_retry = 8);
    assert_eq!(broken.rule, "receiver-not-ready retry 8 is not 0 to 7");
}

#[test]
fn a_number_of_more_than_24_bits_names_the_queue_pair_that_has_it() {
    let broken = broken_by(|_, peer| peer.queue_pairs[1].number = 1 << 24);
    assert_eq!((broken.queue_pair, broken.to), (1, QueuePairState::ReadyToReceive));
    assert!(broken.rule.contains("16777216 has more than 24 bits"), "{}", broken.rule);
}

#[test]
fn what_the_provider_says_is_translated() {
    let (own, peer, attributes) = (own(LinkLayer::Ethernet), peer(), attributes());
    let connection = Connection { own: &own, peer: &peer, attributes: &attributes };
    let explain =
        |code, state| connection.explain(&io::Error::from_raw_os_error(code), Some(state));
    let unreachable = explain(libc::ENETUNREACH, IBV_QPS_INIT);
    assert!(unreachable.contains("GID 10.0.0.2 cannot be reached from 10.0.0.1"), "{unreachable}");
    let refused = explain(libc::EINVAL, IBV_QPS_RTS);
    assert!(refused.contains("path MTU 1024, max_rd_atomic 8"), "{refused}");
    assert!(refused.ends_with("the queue pair is connected already"), "{refused}");
    assert!(explain(libc::ENODEV, IBV_QPS_ERR).contains("test0 is gone"));
}

#[test]
fn addresses_of_two_versions_of_ip_are_told_with_both_and_what_to_do() {
    let link_local = Gid([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 9]);
    let entry = |kind| Some(GidEntry { index: 0, kind, gid: link_local });
    let broken = broken_by(|attributes, _| attributes.gid = entry(GidKind::RoceV2));
    assert_eq!(broken.to, QueuePairState::ReadyToReceive);
    assert!(
        broken.rule.starts_with(
            "GID index 0 (fe80::200:0:0:9) is IPv6 and the peer's 10.0.0.2 is IPv4: give"
        ),
        "{broken:?}"
    );
    assert!(broken.rule.contains("ip addr add") && broken.rule.contains("--gid-index"));
}

#[test]
fn addresses_of_one_version_of_ip_or_of_roce_without_ip_are_not_judged() {
    let link_local = |last| Gid([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, last]);
    let rule = |kind, theirs| {
        let (own, mut peer, mut attributes) = (own(LinkLayer::Ethernet), peer(), attributes());
        attributes.gid = Some(GidEntry { index: 0, kind, gid: link_local(9) });
        peer.gid = Some(theirs);
        Connection { own: &own, peer: &peer, attributes: &attributes }.broken_rule()
    };
    assert_eq!(rule(GidKind::RoceV2, link_local(8)), None);
    assert_eq!(rule(GidKind::RoceV1, gid(2)), None);
}
