//! Connections refused, with the rule that they break.

use onesided_transport::{
    CompletionQueues, ConnectError, ConnectionAttributes, Endpoint, EndpointAddress, Gid,
    LinkLayer, Opcode, PathMtu, Payload, PostError, QueuePairState, Signal, Transport, WorkRequest,
};
use onesided_verbs::VerbsDevice;

use crate::{
    Test,
    loop_back::{LoopBack, attributes, completions, connection},
};

pub const TESTS: &[Test] = &[
    ("another_number_of_queue_pairs_does_not_connect", counts_differ),
    ("a_path_mtu_above_the_ports_is_refused_by_name", mtu_above_port),
    ("more_outstanding_reads_than_the_device_has_are_refused_by_name", too_many_reads),
    ("a_peer_that_cannot_be_reached_is_refused_with_its_address", unreachable_peer),
    ("connecting_twice_says_that_it_is_connected_already", connects_once),
    ("a_post_before_connecting_is_refused_and_not_sent_later", post_before_connect),
];

/// The refusal of a connection to an own address after `change`.
fn refusal(
    device: &VerbsDevice,
    change: impl FnOnce(&mut ConnectionAttributes, &mut EndpointAddress),
) -> ConnectError {
    let one = attributes(1, CompletionQueues::PerThread);
    let mut endpoint = device.create_endpoint(&one).expect("an endpoint can be made");
    let mut wrong = connection(device);
    let mut peer = endpoint.address(wrong.gid);
    change(&mut wrong, &mut peer);
    endpoint.connect(&peer, &wrong).expect_err("a rule is broken")
}

#[track_caller]
fn assert_rule(error: ConnectError, state: QueuePairState, part: &str) {
    let ConnectError::Transition { queue_pair: 0, to, broken_rule, .. } = error else {
        panic!("expected a refused transition, found {error}")
    };
    assert_eq!(to, state);
    assert!(broken_rule.contains(part), "{broken_rule}");
}

fn counts_differ(device: &VerbsDevice) {
    let error = refusal(device, |_, peer| peer.queue_pairs.push(peer.queue_pairs[0]));
    assert!(matches!(error, ConnectError::CountDiffers { own: 1, peer: 2 }), "{error}");
}

fn mtu_above_port(device: &VerbsDevice) {
    let active = device.description().active_mtu;
    let Some(above) = PathMtu::ALL.into_iter().find(|&mtu| mtu > active) else {
        let error = refusal(device, |wrong, _| wrong.retry_count = 7);
        return assert_rule(error, QueuePairState::ReadyToSend, "retry count 7 is not 0 to 6");
    };
    let error = refusal(device, |wrong, _| wrong.path_mtu = above);
    let part = format!("path MTU {above} is above the active MTU {active}");
    assert_rule(error, QueuePairState::ReadyToReceive, &part);
}

fn too_many_reads(device: &VerbsDevice) {
    let limit = device.description().limits.max_rd_atomic_as_responder;
    let error = refusal(device, |wrong, _| wrong.max_rd_atomic = limit + 1);
    let part = format!("max_rd_atomic {} is above the {limit}", limit + 1);
    assert_rule(error, QueuePairState::ReadyToReceive, &part);
}

fn unreachable_peer(device: &VerbsDevice) {
    if device.description().link_layer != LinkLayer::Ethernet {
        // A LID is not resolved: nothing is refused before the first packet.
        return;
    }
    // 240.0.0.0/4 is reserved and routed nowhere (RFC 1112, section 4).
    let nowhere = Gid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 240, 0, 0, 1]);
    let error = refusal(device, |_, peer| peer.gid = Some(nowhere));
    let part = "the peer's GID 240.0.0.1 cannot be reached from";
    assert_rule(error, QueuePairState::ReadyToReceive, part);
}

fn connects_once(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    let connection = connection(device);
    let peer = pair.server.address(connection.gid);
    let error = pair.client.connect(&peer, &connection).expect_err("it is connected");
    assert_rule(error, QueuePairState::ReadyToReceive, "the queue pair is connected already");
}

fn post_before_connect(device: &VerbsDevice) {
    let LoopBack { server, client_memory, server_memory, .. } = LoopBack::single(device);
    drop(server);
    let one = attributes(1, CompletionQueues::PerThread);
    let mut client = device.create_endpoint(&one).expect("a client can be made");
    let mut server = device.create_endpoint(&one).expect("a server can be made");
    let request = WorkRequest {
        id: 1,
        opcode: Opcode::FetchAndAdd { add: 1 },
        local: client_memory.local(0, 8),
        remote: server_memory.remote(0),
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    // SAFETY: the request refers to memory that outlives the endpoints.
    let error = unsafe { client.post(0, &[request]) }.expect_err("it is not connected");
    assert!(matches!(error, PostError::Invalid { queue_pair: 0, request: 0, .. }), "{error}");
    let connection = connection(device);
    let (to_client, to_server) = (client.address(connection.gid), server.address(connection.gid));
    client.connect(&to_server, &connection).expect("the client connects");
    server.connect(&to_client, &connection).expect("the server connects");
    // SAFETY: as above.
    unsafe { client.post(0, &[request]) }.expect("it is connected");
    assert_eq!(completions(&mut client, 1)[0].id, 1);
    assert_eq!(server_memory.get(0), 1, "the refused request was not sent after all");
}
