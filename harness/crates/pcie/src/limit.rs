//! How many operations a second each resource allows.

use crate::{
    cost::Cost,
    link::Link,
    parts::{Part, What},
    ratio::Ratio,
};

/// What operations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Stores of WQEs to the card, in cache lines (003 §5.2.1).
    WriteCombining,
    /// Completions of the card's reads of WQEs, without Doorbells (003 §5.2.1).
    WqeFetch,
    /// Everything from the CPU to the card.
    CpuToDevice,
    /// Everything from the card to the CPU.
    DeviceToCpu,
}

impl Resource {
    /// All of them; of equal limits the first is the bottleneck.
    pub const ALL: [Self; 4] =
        [Self::WriteCombining, Self::WqeFetch, Self::CpuToDevice, Self::DeviceToCpu];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::WriteCombining => "write-combining",
            Self::WqeFetch => "wqe-fetch",
            Self::CpuToDevice => "cpu-to-device",
            Self::DeviceToCpu => "device-to-cpu",
        }
    }

    /// Where the paper divides by it.
    pub const fn source(self) -> &'static str {
        match self {
            Self::WriteCombining | Self::WqeFetch => "003 §5.2.1",
            Self::CpuToDevice | Self::DeviceToCpu => "003 §2.1: lanes x bandwidth of a lane",
        }
    }

    fn bytes(self, link: &Link, parts: &[Part]) -> Ratio {
        let counted = |what: What| {
            let of: Vec<_> = parts.iter().filter(|part| part.what == what).copied().collect();
            Cost::of_parts(link, &of).cpu_to_device_bytes
        };
        match self {
            Self::WriteCombining => counted(What::WqeStore),
            Self::WqeFetch => counted(What::WqeFetch),
            Self::CpuToDevice => Cost::of_parts(link, parts).cpu_to_device_bytes,
            Self::DeviceToCpu => Cost::of_parts(link, parts).device_to_cpu_bytes,
        }
    }
}

/// How many operations a second a resource allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The resource.
    pub resource: Resource,
    /// Bytes of it that an operation takes.
    pub bytes: Ratio,
    /// Operations a second.
    pub rate: Ratio,
}

/// The limits of operations made of these parts; a resource that they do not use has none.
pub fn limits(link: &Link, parts: &[Part]) -> Vec<Limit> {
    let limit = |resource: Resource| {
        let bytes = resource.bytes(link, parts);
        let at_most = Ratio::from_integer(link.bytes_per_second().into());
        let rate = (bytes != Ratio::ZERO).then(|| at_most / bytes)?;
        Some(Limit { resource, bytes, rate })
    };
    Resource::ALL.into_iter().filter_map(limit).collect()
}

/// The smallest of the limits, the first of equal ones.
pub fn bottleneck(limits: &[Limit]) -> Option<&Limit> {
    limits.iter().min_by_key(|limit| limit.rate)
}
