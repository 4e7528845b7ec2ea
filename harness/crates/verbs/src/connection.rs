//! From `INIT` to `RTR` to `RTS` (`ibv_modify_qp(3)`; IB spec vol. 1, 10.3.1).

use std::io;

use onesided_transport::{
    ConnectError, ConnectionAttributes, QueuePairAddress, QueuePairState, Service,
};

use crate::{
    ffi::{
        IBV_QP_AV, IBV_QP_DEST_QPN, IBV_QP_MAX_DEST_RD_ATOMIC, IBV_QP_MAX_QP_RD_ATOMIC,
        IBV_QP_MIN_RNR_TIMER, IBV_QP_PATH_MTU, IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY, IBV_QP_RQ_PSN,
        IBV_QP_SQ_PSN, IBV_QP_STATE, IBV_QP_TIMEOUT, IBV_QPS_RTR, IBV_QPS_RTS, ibv_ah_attr,
        ibv_gid, ibv_global_route, ibv_qp_attr,
    },
    queue::QueuePair,
    rules::{BrokenRule, Connection},
};

/// How long a peer waits before it sends again to a queue pair without a receive request, as a
/// code of IB spec vol. 1, 9.7.5.2.8: 0.64 ms. Ours: time enough for a thread that is running to
/// post one, and short beside any wait that is given up.
const RECEIVER_NOT_READY_TIMER: u8 = 12;

/// Connects `own` to the peer's queue pairs, one to one.
///
/// `packet_sequence_numbers` are those that the peer was told.
pub(crate) fn connect(
    own: &[QueuePair],
    service: Service,
    packet_sequence_numbers: &[u32],
    connection: &Connection<'_>,
) -> Result<(), ConnectError> {
    let peers = &connection.peer.queue_pairs;
    if own.len() != peers.len() {
        return Err(ConnectError::CountDiffers { own: own.len(), peer: peers.len() });
    }
    if let Some(BrokenRule { queue_pair, to, rule: broken_rule }) = connection.broken_rule() {
        let source = io::Error::from_raw_os_error(libc::EINVAL);
        return Err(ConnectError::Transition { queue_pair, to, broken_rule, source });
    }
    let port = connection.own.port;
    for (index, queue_pair) in own.iter().enumerate() {
        let refused = |to| move |source| refused(connection, queue_pair, index, to, source);
        let (attributes, given) = to_receive(connection, port, service, peers[index]);
        queue_pair.modify(attributes, given).map_err(refused(QueuePairState::ReadyToReceive))?;
        let number = packet_sequence_numbers[index];
        let (attributes, given) = to_send(connection.attributes, service, number);
        queue_pair.modify(attributes, given).map_err(refused(QueuePairState::ReadyToSend))?;
    }
    Ok(())
}

fn refused(
    connection: &Connection<'_>,
    failed: &QueuePair,
    queue_pair: usize,
    to: QueuePairState,
    source: io::Error,
) -> ConnectError {
    let broken_rule = connection.explain(&source, failed.state().ok());
    ConnectError::Transition { queue_pair, to, broken_rule, source }
}

/// What `RTR` takes, and the mask that names it.
fn to_receive(
    connection: &Connection<'_>,
    port: u8,
    service: Service,
    peer: QueuePairAddress,
) -> (ibv_qp_attr, u32) {
    let attributes = ibv_qp_attr {
        qp_state: IBV_QPS_RTR,
        ah_attr: address_vector(connection, port),
        path_mtu: connection.attributes.path_mtu.index() + 1,
        dest_qp_num: peer.number,
        rq_psn: peer.packet_sequence_number,
        max_dest_rd_atomic: connection.attributes.max_rd_atomic,
        min_rnr_timer: RECEIVER_NOT_READY_TIMER,
        ..ibv_qp_attr::default()
    };
    let given = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    // Nobody waits for an answer of the others.
    let of_reliable = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    (attributes, if service.is_reliable() { given | of_reliable } else { given })
}

/// What `RTS` takes, and the mask that names it.
fn to_send(
    attributes: &ConnectionAttributes,
    service: Service,
    packet_sequence_number: u32,
) -> (ibv_qp_attr, u32) {
    let attributes = ibv_qp_attr {
        qp_state: IBV_QPS_RTS,
        sq_psn: packet_sequence_number,
        max_rd_atomic: attributes.max_rd_atomic,
        timeout: attributes.timeout_exponent,
        retry_cnt: attributes.retry_count,
        rnr_retry: attributes.rnr_retry,
        ..ibv_qp_attr::default()
    };
    let given = IBV_QP_STATE | IBV_QP_SQ_PSN;
    let of_reliable =
        IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
    (attributes, if service.is_reliable() { given | of_reliable } else { given })
}

/// The way to the peer: by LID alone within an InfiniBand subnet, otherwise with a global route
/// header, which on RoCE becomes the IP header.
pub(crate) fn address_vector(connection: &Connection<'_>, port: u8) -> ibv_ah_attr {
    let by_lid = ibv_ah_attr {
        dlid: connection.peer.local_identifier,
        port_num: port,
        ..ibv_ah_attr::default()
    };
    match (connection.attributes.gid, connection.peer.gid) {
        (Some(entry), Some(gid)) => ibv_ah_attr {
            is_global: 1,
            grh: ibv_global_route {
                dgid: ibv_gid { raw: gid.0 },
                sgid_index: u8::try_from(entry.index).expect("a longer index breaks a rule"),
                hop_limit: connection.attributes.hop_limit,
                ..ibv_global_route::default()
            },
            ..by_lid
        },
        _ => by_lid,
    }
}
