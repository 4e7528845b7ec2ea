//! What two ends tell each other, and what they agree on.

use std::hash::{BuildHasher, Hasher, RandomState};

use onesided_vocabulary::Service;
use serde::{Deserialize, Serialize};

use crate::{gid::Gid, gid::GidEntry, mtu::PathMtu};

/// Attributes of a reliable connection, as agreed (`ibv_modify_qp(3)`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionAttributes {
    /// The local GID table entry to send from; absent where the LID routes.
    pub gid: Option<GidEntry>,
    /// Path MTU.
    pub path_mtu: PathMtu,
    /// Reads and atomics that may be outstanding on one queue pair, as requester and responder.
    pub max_rd_atomic: u8,
    /// Local ack timeout exponent: 4.096 µs × 2^this; 1 to 31 (0 would wait for ever).
    pub timeout_exponent: u8,
    /// Times a request is sent again without an answer; 0 to 6. The 7 of the encoding makes
    /// Soft-RoCE retry for ever, so it is not offered.
    pub retry_count: u8,
    /// Times a request is sent again when the peer has no receive request; 0 to 6, or 7: for ever.
    pub rnr_retry: u8,
    /// IP time to live of packets with a global route header.
    pub hop_limit: u8,
}

impl ConnectionAttributes {
    /// A connection whose path has no GID and loses nothing, with so many reads and atomics under
    /// way on a queue pair: what an emulated fabric, its programs and its tests take. A peer is
    /// asked again 6 times, after 4.096 µs × 2^14 each.
    pub fn reliable(max_rd_atomic: u8) -> Self {
        Self {
            gid: None,
            path_mtu: PathMtu::Bytes4096,
            max_rd_atomic,
            timeout_exponent: 14,
            retry_count: 6,
            rnr_retry: 6,
            hop_limit: 64,
        }
    }
}

/// What one end can do, told to the other before either connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionLimits {
    /// The port's active MTU.
    pub active_mtu: PathMtu,
    /// Outstanding reads and atomics it can start on one queue pair.
    pub max_rd_atomic_as_requester: u8,
    /// Outstanding reads and atomics it can answer on one queue pair.
    pub max_rd_atomic_as_responder: u8,
}

/// One queue pair's part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePairAddress {
    /// The queue pair's number, 24 bits.
    pub number: u32,
    /// The first packet sequence number it sends, 24 bits.
    pub packet_sequence_number: u32,
}

/// Where an endpoint can be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointAddress {
    /// The port's local identifier; 0 on Ethernet.
    pub local_identifier: u16,
    /// The GID in use; absent where the LID routes.
    pub gid: Option<Gid>,
    /// One for each queue pair, in order.
    pub queue_pairs: Vec<QueuePairAddress>,
    /// The key that datagrams to these queue pairs carry (Q_Key; IB spec vol. 1, 10.2.5); 0 of connections.
    #[serde(default)]
    pub datagram_key: u32,
}

/// A key for the datagrams of a new endpoint: at random, so that nobody who was not told it gets in by
/// chance; 0 of connections. Its highest bit is for who has privileges (IB spec vol. 1, 10.2.5).
pub fn draw_datagram_key(service: Service) -> u32 {
    match service {
        // The standard library's hasher is keyed at random, which is all that is needed here.
        Service::UnreliableDatagram => {
            (RandomState::new().build_hasher().finish() & 0x7fff_ffff) as u32
        }
        Service::ReliableConnection | Service::UnreliableConnection => 0,
    }
}

/// What a connection will really use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Negotiated {
    /// Path MTU.
    pub path_mtu: PathMtu,
    /// Outstanding reads and atomics on one queue pair: the minimum of what was asked and of what
    /// both sides can do.
    pub max_rd_atomic: u8,
}

/// Why two ends cannot agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NegotiateError {
    /// The path MTU is above a port's. It is refused rather than lowered: it is a factor.
    #[error(
        "path MTU {asked} is above the active MTU {available} of the {side} port; ask for \
         {available} or less, or raise the MTU of the network interface"
    )]
    MtuAbovePort {
        /// What was asked for.
        asked: PathMtu,
        /// The smaller active MTU.
        available: PathMtu,
        /// Whose port.
        side: &'static str,
    },
}

/// Agrees on what both ends can do. `max_rd_atomic` is lowered to what they can; a path MTU that
/// a port cannot carry is refused.
///
/// # Errors
/// When the path MTU is above either port's.
pub fn negotiate(
    asked_mtu: PathMtu,
    asked_max_rd_atomic: u8,
    client: ConnectionLimits,
    server: ConnectionLimits,
) -> Result<Negotiated, NegotiateError> {
    for (side, limits) in [("client's", client), ("server's", server)] {
        if asked_mtu > limits.active_mtu {
            let available = limits.active_mtu;
            return Err(NegotiateError::MtuAbovePort { asked: asked_mtu, available, side });
        }
    }
    // Each end sets both directions, so each limit of each end counts.
    let ends = [client, server].into_iter();
    let limits =
        ends.flat_map(|end| [end.max_rd_atomic_as_requester, end.max_rd_atomic_as_responder]);
    let max_rd_atomic = limits.fold(asked_max_rd_atomic, u8::min);
    Ok(Negotiated { path_mtu: asked_mtu, max_rd_atomic })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_datagrams_differ_and_ask_for_no_privilege() {
        let keys: std::collections::BTreeSet<_> =
            (0..64).map(|_| draw_datagram_key(Service::UnreliableDatagram)).collect();
        assert!(keys.len() > 60, "{keys:?}");
        assert!(keys.iter().all(|key| key >> 31 == 0));
        assert_eq!(draw_datagram_key(Service::ReliableConnection), 0);
    }

    fn limits(active_mtu: PathMtu, requester: u8, responder: u8) -> ConnectionLimits {
        ConnectionLimits {
            active_mtu,
            max_rd_atomic_as_requester: requester,
            max_rd_atomic_as_responder: responder,
        }
    }

    #[test]
    fn outstanding_reads_are_the_minimum_of_what_is_asked_and_of_both_ends_limits() {
        let client = limits(PathMtu::Bytes4096, 16, 64);
        let server = limits(PathMtu::Bytes4096, 32, 8);
        let agreed = |asked| negotiate(PathMtu::Bytes256, asked, client, server).unwrap();
        assert_eq!(agreed(128).max_rd_atomic, 8);
        assert_eq!(agreed(4).max_rd_atomic, 4);
    }

    #[test]
    fn a_path_mtu_above_either_port_is_refused_and_names_the_port() {
        let wide = limits(PathMtu::Bytes4096, 1, 1);
        let narrow = limits(PathMtu::Bytes1024, 1, 1);
        let refused = negotiate(PathMtu::Bytes2048, 1, wide, narrow).unwrap_err().to_string();
        assert!(refused.starts_with("path MTU 2048 is above the active MTU 1024 of the server's"));
    }
}
