//! Path MTU: the largest payload of one packet on the way to the peer.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A path MTU in bytes, one of the five that InfiniBand has (IB spec vol. 1, 9.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum PathMtu {
    /// 256 bytes, what the study used throughout (000 §V-B).
    Bytes256,
    /// 512 bytes.
    Bytes512,
    /// 1024 bytes, the most that RoCE offers over a 1500-byte Ethernet MTU.
    Bytes1024,
    /// 2048 bytes.
    Bytes2048,
    /// 4096 bytes.
    Bytes4096,
}

/// A number of bytes that is no path MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given} is no path MTU: it is 256, 512, 1024, 2048 or 4096 bytes")]
pub struct PathMtuError {
    /// What was given, in bytes.
    pub given: u32,
}

impl PathMtu {
    /// All of them, smallest first.
    pub const ALL: [Self; 5] =
        [Self::Bytes256, Self::Bytes512, Self::Bytes1024, Self::Bytes2048, Self::Bytes4096];

    /// The largest that any port has (IB spec vol. 1, 9.3.5 and `enum ibv_mtu`).
    pub const LARGEST: Self = Self::Bytes4096;

    /// The payload of a full packet, in bytes.
    pub const fn bytes(self) -> u32 {
        256 << self.index()
    }

    /// The position in [`PathMtu::ALL`]; `enum ibv_mtu` is this plus one.
    pub const fn index(self) -> u32 {
        self as u32
    }
}

impl TryFrom<u32> for PathMtu {
    type Error = PathMtuError;

    fn try_from(given: u32) -> Result<Self, PathMtuError> {
        Self::ALL.into_iter().find(|mtu| mtu.bytes() == given).ok_or(PathMtuError { given })
    }
}

impl From<PathMtu> for u32 {
    fn from(mtu: PathMtu) -> Self {
        mtu.bytes()
    }
}

impl FromStr for PathMtu {
    type Err = PathMtuError;

    fn from_str(text: &str) -> Result<Self, PathMtuError> {
        Self::try_from(text.parse::<u32>().unwrap_or(0))
    }
}

impl fmt::Display for PathMtu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_mtu_survives_a_round_trip_through_its_bytes() {
        for mtu in PathMtu::ALL {
            assert_eq!(PathMtu::try_from(mtu.bytes()), Ok(mtu));
            assert_eq!(mtu.to_string().parse(), Ok(mtu));
        }
    }

    #[test]
    fn a_number_between_two_path_mtus_is_refused_with_the_allowed_ones() {
        let message = PathMtu::try_from(1500).unwrap_err().to_string();
        assert_eq!(message, "1500 is no path MTU: it is 256, 512, 1024, 2048 or 4096 bytes");
    }
}
