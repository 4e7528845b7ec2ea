//! Which of a port's addresses to use towards a peer.
//!
//! Two ends that pick the first entry of their GID tables often pick addresses that cannot reach
//! each other (link-local, RoCEv1, another subnet). The choice here is a pure function of both
//! tables and says why it chose.

use std::{fmt, net::Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::device::LinkLayer;

/// A 128-bit port address (IB spec vol. 1, 4.1.1); for RoCEv2 an IPv6 or IPv4-mapped address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gid(pub [u8; 16]);

impl Gid {
    /// Whether nobody beyond the link can reach it (fe80::/10).
    pub fn is_link_local(self) -> bool {
        self.0[0] == 0xfe && self.0[1] & 0xc0 == 0x80
    }

    /// Whether the table entry is unused.
    pub fn is_zero(self) -> bool {
        self.0 == [0; 16]
    }

    /// Whether both are in one subnet: /24 of mapped IPv4 addresses, /64 otherwise. The prefix
    /// length of the interface is not part of a GID table, so this is a preference, not a proof.
    pub fn shares_subnet_with(self, other: Self) -> bool {
        let mapped = |gid: Self| Ipv6Addr::from(gid.0).to_ipv4_mapped().is_some();
        match (mapped(self), mapped(other)) {
            (true, true) => self.0[..15] == other.0[..15],
            (false, false) => self.0[..8] == other.0[..8],
            _ => false,
        }
    }
}

impl fmt::Display for Gid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Ipv6Addr::from(self.0);
        match address.to_ipv4_mapped() {
            Some(address) => write!(formatter, "{address}"),
            None => write!(formatter, "{address}"),
        }
    }
}

/// The protocol that a GID table entry stands for (`enum ibv_gid_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GidKind {
    /// InfiniBand.
    Infiniband,
    /// RoCE version 1: Ethernet only, not routable.
    RoceV1,
    /// RoCE version 2: over UDP, routable.
    RoceV2,
}

impl fmt::Display for GidKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Infiniband => "InfiniBand",
            Self::RoceV1 => "RoCEv1",
            Self::RoceV2 => "RoCEv2",
        })
    }
}

/// One used entry of a port's GID table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GidEntry {
    /// Index in the table.
    pub index: u32,
    /// Protocol.
    pub kind: GidKind,
    /// The address.
    pub gid: Gid,
}

/// The entry to use, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GidChoice {
    /// The entry; absent on InfiniBand within a subnet, where the LID routes.
    pub entry: Option<GidEntry>,
    /// One sentence for people and for the record.
    pub reason: String,
}

/// Why no entry can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GidError {
    /// RoCE needs a GID and the port has none.
    #[error(
        "the port has no usable GID: give its network interface an address and bring it up \
         (`ip addr add ADDRESS/PREFIX dev INTERFACE; ip link set INTERFACE up`)"
    )]
    NoneUsable,
    /// The index asked for is not in the table.
    #[error("GID index {wanted} is not in the port's table, which has {}", list(available))]
    NoSuchIndex {
        /// What was asked for.
        wanted: u32,
        /// Indices that exist.
        available: Vec<u32>,
    },
}

fn list(indices: &[u32]) -> String {
    match indices {
        [] => "no entry".to_owned(),
        some => some.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Chooses the entry of `own` to reach a peer that has the entries `peer`.
///
/// Order of preference on Ethernet: RoCEv2 before RoCEv1, routable before link-local, the peer's
/// subnet before another, lowest index. On InfiniBand the LID routes and no global route header is
/// needed, unless `wanted` asks for one. Within one machine there is nothing to address.
///
/// # Errors
/// When `wanted` is not in the table, and on Ethernet when the table is empty.
pub fn choose(
    link_layer: LinkLayer,
    own: &[GidEntry],
    peer: &[GidEntry],
    wanted: Option<u32>,
) -> Result<GidChoice, GidError> {
    if let Some(wanted) = wanted {
        let entry = own.iter().find(|entry| entry.index == wanted).copied();
        let entry = entry.ok_or_else(|| GidError::NoSuchIndex {
            wanted,
            available: own.iter().map(|entry| entry.index).collect(),
        })?;
        let reason = format!("index {wanted} ({}, {}) was asked for", entry.kind, entry.gid);
        return Ok(GidChoice { entry: Some(entry), reason });
    }
    let unneeded = match link_layer {
        LinkLayer::Infiniband => Some("InfiniBand routes by LID within a subnet"),
        LinkLayer::None => Some("there is no network"),
        LinkLayer::Ethernet => None,
    };
    if let Some(why) = unneeded {
        return Ok(GidChoice { entry: None, reason: format!("{why}: no GID is needed") });
    }
    let near = |entry: &GidEntry| {
        peer.iter().any(|other| other.kind == entry.kind && entry.gid.shares_subnet_with(other.gid))
    };
    let rank = |entry: &GidEntry| {
        let routable = !entry.gid.is_link_local();
        let second_version = entry.kind == GidKind::RoceV2;
        // Two link-local addresses always look like one subnet, so routable counts first.
        (!second_version, !routable, !near(entry), entry.index)
    };
    let entry = own.iter().min_by_key(|entry| rank(entry)).ok_or(GidError::NoneUsable)?;
    let reason = format!(
        "index {} ({}, {}): {}{}{}",
        entry.index,
        entry.kind,
        entry.gid,
        if entry.kind == GidKind::RoceV2 { "RoCEv2" } else { "no RoCEv2 entry" },
        if entry.gid.is_link_local() { ", only link-local" } else { ", routable" },
        if near(entry) { ", in the peer's subnet" } else { ", peer in another subnet or unknown" },
    );
    Ok(GidChoice { entry: Some(*entry), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(index: u32, kind: GidKind, address: [u8; 4]) -> GidEntry {
        let [a, b, c, d] = address;
        let gid = Gid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d]);
        GidEntry { index, kind, gid }
    }

    fn link_local(index: u32, kind: GidKind) -> GidEntry {
        GidEntry { index, kind, gid: Gid([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) }
    }

    #[test]
    fn a_routable_roce_v2_address_is_preferred_to_link_local_and_to_version_one() {
        let own = [
            link_local(0, GidKind::RoceV2),
            mapped(1, GidKind::RoceV1, [10, 0, 0, 1]),
            mapped(2, GidKind::RoceV2, [10, 0, 0, 1]),
        ];
        let choice = choose(LinkLayer::Ethernet, &own, &[], None).unwrap();
        assert_eq!(choice.entry, Some(own[2]));
        assert!(choice.reason.contains("routable"), "{}", choice.reason);
    }

    #[test]
    fn of_two_routable_addresses_the_one_in_the_peers_subnet_is_taken() {
        let own = [
            mapped(1, GidKind::RoceV2, [192, 168, 7, 1]),
            mapped(3, GidKind::RoceV2, [10, 0, 0, 1]),
        ];
        let peer = [link_local(0, GidKind::RoceV2), mapped(1, GidKind::RoceV2, [10, 0, 0, 2])];
        let choice = choose(LinkLayer::Ethernet, &own, &peer, None).unwrap();
        assert_eq!(choice.entry, Some(own[1]));
        assert!(choice.reason.contains("peer's subnet"), "{}", choice.reason);
    }

    #[test]
    fn an_index_given_by_flag_wins_and_one_that_does_not_exist_is_refused() {
        let own = [link_local(0, GidKind::RoceV2), mapped(1, GidKind::RoceV2, [10, 0, 0, 1])];
        let choice = choose(LinkLayer::Ethernet, &own, &[], Some(0)).unwrap();
        assert_eq!(choice.entry, Some(own[0]));
        let refused = choose(LinkLayer::Ethernet, &own, &[], Some(7)).unwrap_err();
        assert_eq!(refused.to_string(), "GID index 7 is not in the port's table, which has 0, 1");
    }

    #[test]
    fn only_roce_needs_a_gid_and_without_one_says_what_to_do() {
        for link_layer in [LinkLayer::Infiniband, LinkLayer::None] {
            assert_eq!(choose(link_layer, &[], &[], None).unwrap().entry, None);
        }
        let refused = choose(LinkLayer::Ethernet, &[], &[], None).unwrap_err();
        assert!(refused.to_string().contains("ip addr add"), "{refused}");
    }
}
