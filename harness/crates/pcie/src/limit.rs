//! How many operations a second each resource allows.

use onesided_vocabulary::Word as _;

use crate::{Resource, What, cost::Cost, link::Link, parts::Part, ratio::Ratio};

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

impl Limit {
    /// Where the paper divides by the resource.
    pub const fn source(&self) -> &'static str {
        match self.resource {
            Resource::WriteCombining | Resource::WqeFetch => "003 §5.2.1",
            Resource::CpuToDevice | Resource::DeviceToCpu => {
                "003 §2.1: lanes x bandwidth of a lane"
            }
        }
    }
}

/// Bytes of `resource` that one operation takes.
fn bytes(resource: Resource, link: &Link, parts: &[Part]) -> Ratio {
    let counted = |what: What| {
        let of: Vec<_> = parts.iter().filter(|part| part.what == what).copied().collect();
        Cost::of_parts(link, &of).cpu_to_device_bytes
    };
    match resource {
        Resource::WriteCombining => counted(What::WqeStore),
        Resource::WqeFetch => counted(What::WqeFetch),
        Resource::CpuToDevice => Cost::of_parts(link, parts).cpu_to_device_bytes,
        Resource::DeviceToCpu => Cost::of_parts(link, parts).device_to_cpu_bytes,
    }
}

/// The limits of operations made of these parts; a resource that they do not use has none.
pub fn limits(link: &Link, parts: &[Part]) -> Vec<Limit> {
    let limit = |resource: Resource| {
        let bytes = bytes(resource, link, parts);
        let at_most = Ratio::from_integer(link.bytes_per_second().into());
        let rate = (bytes != Ratio::ZERO).then(|| at_most / bytes)?;
        Some(Limit { resource, bytes, rate })
    };
    Resource::ALL.iter().copied().filter_map(limit).collect()
}

/// The smallest of the limits, the first of equal ones.
pub fn bottleneck(limits: &[Limit]) -> Option<&Limit> {
    limits.iter().min_by_key(|limit| limit.rate)
}
