//! The emulated controller: opened, and what people should know of it.

use anyhow::Context as _;
use onesided_placement::{DeviceLocality, NodeId, Topology};
use onesided_rmc::{RmcDevice, RmcOptions, handle_lost_memory};
use onesided_transport::Transport;

use crate::arguments::DeviceArguments;

/// Joins the fabric that was asked for as one of its nodes.
pub fn open(arguments: &DeviceArguments) -> anyhow::Result<RmcDevice> {
    open_node(&arguments.rmc_options()?)
}

/// The same, as these options say.
pub fn open_node(options: &RmcOptions) -> anyhow::Result<RmcDevice> {
    handle_lost_memory().context("cannot install the handler of SIGBUS")?;
    Ok(RmcDevice::open(options)?)
}

/// Says what was cleaned up, and when there are more nodes than cores.
pub fn tell(device: &RmcDevice) {
    tell_swept(device);
    if let Some(crowd) = crowd(device) {
        say!("{crowd}");
    }
}

/// Says what was cleaned up.
pub fn tell_swept(device: &RmcDevice) {
    for stale in device.swept() {
        say!(
            "node {} of {} was left by process {}, which has ended: it is removed",
            stale.node,
            device.context().display(),
            stale.process
        );
    }
}

/// What to be said of more nodes than CPUs.
pub fn crowd(device: &RmcDevice) -> Option<String> {
    let nodes = device.living_nodes().ok()?;
    let cpus = std::thread::available_parallelism().ok()?.get();
    (nodes > cpus).then(|| {
        format!(
            "{nodes} nodes of the fabric share {cpus} CPUs: they take turns, and times say more \
             about the scheduler than about the fabric"
        )
    })
}

/// The NUMA node that the controller is on.
pub fn locality(device: &RmcDevice, arguments: &DeviceArguments) -> anyhow::Result<DeviceLocality> {
    let name = &device.description().name;
    Ok(match arguments.device_node {
        Some(node) => DeviceLocality::given(name, NodeId(node)),
        None => DeviceLocality::of_emulation(name, &Topology::discover()?),
    })
}
