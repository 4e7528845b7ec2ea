//! Memory controllers and the interconnect under load that has nothing to do with the region.

use crate::{Locality, parameters::Parameters, scenario::HostLoad};

/// What independent load adds to an access of the region.
///
/// Load that fits the last-level cache does not reach memory; beyond that, the share that misses
/// does. The controller of the region's node adds its wait by the share of load on it, and the
/// interconnect by the share that crosses it, if the region is on the far side.
pub(crate) fn memory_wait_ns(parameters: &Parameters, region: Locality, load: HostLoad) -> f64 {
    let bytes = load.bytes as f64;
    if bytes <= parameters.cache_bytes {
        return 0.0;
    }
    let misses = 1.0 - parameters.cache_bytes / bytes;
    let crossing = match region {
        Locality::RdmaLocal => 0.0,
        Locality::RdmaRemote => parameters.crossing_wait_ns * load.crossing,
    };
    misses * (parameters.controller_wait_ns * load.on_node + crossing)
}
