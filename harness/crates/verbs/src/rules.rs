//! Which rule the attributes of a connection break.
//!
//! Providers answer a broken rule with EINVAL and no word more, and some (Soft-RoCE with a path
//! MTU above the port's) not even with that. So what this side can know is checked first, and
//! what only the provider knew is translated afterwards.

use std::{io, net::Ipv6Addr, ops::RangeInclusive};

use onesided_transport::{
    ConnectionAttributes, DeviceDescription, EndpointAddress, Gid, GidEntry, GidKind, LinkLayer,
    QueuePairState,
};

use crate::ffi::{
    IBV_QPS_ERR, IBV_QPS_INIT, IBV_QPS_RESET, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_SQE,
    ibv_qp_state,
};

/// Queue pair and packet sequence numbers have 24 bits (IB spec vol. 1, 9.2).
const LARGEST_24_BITS: u32 = 0xff_ffff;
/// 0 means for ever, and the field has 5 bits (IB spec vol. 1, 9.7.6.1.3).
const TIMEOUT_EXPONENTS: RangeInclusive<u8> = 1..=31;
/// The field goes to 7, which Soft-RoCE takes for: for ever.
const RETRY_COUNTS: RangeInclusive<u8> = 0..=6;
/// 7 is: for ever (IB spec vol. 1, 9.7.5.2.8).
const RNR_RETRIES: RangeInclusive<u8> = 0..=7;

/// A connection that is about to be made.
pub(crate) struct Connection<'a> {
    pub(crate) own: &'a DeviceDescription,
    pub(crate) peer: &'a EndpointAddress,
    pub(crate) attributes: &'a ConnectionAttributes,
}

/// A rule that is broken for sure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BrokenRule {
    /// Index of the first queue pair that breaks it.
    pub(crate) queue_pair: usize,
    /// The transition that it forbids.
    pub(crate) to: QueuePairState,
    pub(crate) rule: String,
}

impl Connection<'_> {
    /// The first rule that is broken, of those that this side can know.
    pub(crate) fn broken_rule(&self) -> Option<BrokenRule> {
        let to_receive = self.broken_path().or_else(|| self.broken_receive_limit());
        let broken = |to, queue_pair| move |rule| BrokenRule { queue_pair, to, rule };
        to_receive
            .map(broken(QueuePairState::ReadyToReceive, 0))
            .or_else(|| self.broken_number())
            .or_else(|| self.broken_send_limit().map(broken(QueuePairState::ReadyToSend, 0)))
    }

    fn broken_path(&self) -> Option<String> {
        let name = &self.own.name;
        match (self.attributes.gid, self.peer.gid) {
            (Some(entry), _) if u8::try_from(entry.index).is_err() => {
                Some(format!("verbs cannot name GID index {}: it is above 255", entry.index))
            }
            (Some(entry), Some(peer)) => broken_family(entry, peer),
            (Some(entry), None) => Some(format!(
                "this side sends from its GID index {} but the peer told no GID to send to",
                entry.index
            )),
            (None, _) if self.own.link_layer == LinkLayer::Ethernet => {
                Some(format!("{name} is RoCE, which needs a GID on both sides"))
            }
            (None, _) if self.peer.local_identifier == 0 => Some(format!(
                "{name} routes by LID and the peer's is 0: is a subnet manager running?"
            )),
            (None, _) => None,
        }
    }

    fn broken_receive_limit(&self) -> Option<String> {
        let Self { own, attributes, .. } = self;
        if attributes.path_mtu > own.active_mtu {
            return Some(format!(
                "path MTU {} is above the active MTU {} of port {} of {}",
                attributes.path_mtu, own.active_mtu, own.port, own.name
            ));
        }
        above_limit(attributes.max_rd_atomic, own.limits.max_rd_atomic_as_responder, "answers")
    }

    fn broken_send_limit(&self) -> Option<String> {
        let Self { own, attributes, .. } = self;
        let limit = own.limits.max_rd_atomic_as_requester;
        above_limit(attributes.max_rd_atomic, limit, "starts")
            .or_else(|| {
                outside("timeout exponent", attributes.timeout_exponent, &TIMEOUT_EXPONENTS)
            })
            .or_else(|| outside("retry count", attributes.retry_count, &RETRY_COUNTS))
            .or_else(|| outside("receiver-not-ready retry", attributes.rnr_retry, &RNR_RETRIES))
    }

    fn broken_number(&self) -> Option<BrokenRule> {
        self.peer.queue_pairs.iter().enumerate().find_map(|(queue_pair, address)| {
            let numbers = [
                ("queue pair number", address.number),
                ("packet sequence number", address.packet_sequence_number),
            ];
            let (what, number) =
                numbers.into_iter().find(|&(_, number)| number > LARGEST_24_BITS)?;
            let rule = format!("the peer's {what} {number} has more than 24 bits");
            Some(BrokenRule { queue_pair, to: QueuePairState::ReadyToReceive, rule })
        })
    }

    /// Translates what the provider said about a transition that broke none of the above.
    pub(crate) fn explain(&self, source: &io::Error, state: Option<ibv_qp_state>) -> String {
        let Self { own, peer, attributes } = self;
        let to = peer
            .gid
            .map_or_else(|| format!("LID {}", peer.local_identifier), |gid| format!("GID {gid}"));
        match source.raw_os_error() {
            Some(libc::ETIMEDOUT | libc::EHOSTUNREACH | libc::ENETUNREACH | libc::EHOSTDOWN) => {
                let from = attributes.gid.map_or_else(String::new, |entry| {
                    format!(" from {} (GID index {})", entry.gid, entry.index)
                });
                format!(
                    "the peer's {to} cannot be reached{from}: do both interfaces have addresses \
                     in one network, and does `ping` get through?"
                )
            }
            Some(libc::ENODEV | libc::EIO) => format!("{} is gone or failed", own.name),
            _ => format!(
                "the device refused one of: {to}, GID index {}, path MTU {}, max_rd_atomic {}, \
                 timeout exponent {}, retry count {}, receiver-not-ready retry {}, hop limit {}; \
                 the queue pair is {}",
                attributes.gid.map_or_else(|| "none".to_owned(), |entry| entry.index.to_string()),
                attributes.path_mtu,
                attributes.max_rd_atomic,
                attributes.timeout_exponent,
                attributes.retry_count,
                attributes.rnr_retry,
                attributes.hop_limit,
                state_word(state),
            ),
        }
    }
}

/// No packet has a source of one and a destination of the other version of IP.
fn broken_family(own: GidEntry, peer: Gid) -> Option<String> {
    let version = |gid: Gid| match Ipv6Addr::from(gid.0).to_ipv4_mapped() {
        Some(_) => "IPv4",
        None => "IPv6",
    };
    let (ours, theirs) = (version(own.gid), version(peer));
    (own.kind == GidKind::RoceV2 && ours != theirs).then(|| {
        format!(
            "GID index {} ({}) is {ours} and the peer's {peer} is {theirs}: give the network \
             interface an address in the peer's network (`ip addr add ADDRESS/PREFIX dev \
             INTERFACE`), or choose GIDs of one version on both sides (--gid-index)",
            own.index, own.gid
        )
    })
}

fn above_limit(asked: u8, limit: u8, does: &str) -> Option<String> {
    (asked > limit).then(|| {
        format!(
            "max_rd_atomic {asked} is above the {limit} that one queue pair of the device {does}"
        )
    })
}

fn outside(what: &str, given: u8, allowed: &RangeInclusive<u8>) -> Option<String> {
    let (low, high) = (allowed.start(), allowed.end());
    (!allowed.contains(&given)).then(|| format!("{what} {given} is not {low} to {high}"))
}

/// `enum ibv_qp_state` in the words of the IB spec, volume 1, 10.3.1.
fn state_word(state: Option<ibv_qp_state>) -> &'static str {
    match state {
        Some(IBV_QPS_RESET) => "reset",
        Some(IBV_QPS_INIT) => "initialized",
        Some(IBV_QPS_RTR) => "ready to receive already",
        Some(IBV_QPS_RTS) => "connected already",
        Some(IBV_QPS_SQD) => "draining",
        Some(IBV_QPS_SQE | IBV_QPS_ERR) => "in error",
        _ => "in an unknown state",
    }
}

#[cfg(test)]
mod tests;
