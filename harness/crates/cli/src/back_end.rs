//! The one place that names back ends, and opens them for the commands.

use onesided_control::Settings as ControlSettings;
use onesided_placement::{DeviceLocality, NodeId};
use onesided_results::vocabulary::Source;
use onesided_runner::{Harness, Site};
use onesided_transport::Transport;
use onesided_verbs::VerbsDevice;

use crate::arguments::DeviceArguments;

/// Version of this program.
pub const fn harness_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Source revision that this program was built from, where the build was told it.
pub const fn harness_revision() -> Option<&'static str> {
    option_env!("ONESIDED_REVISION")
}

/// Opens the device that was asked for.
pub fn open(arguments: &DeviceArguments) -> anyhow::Result<VerbsDevice> {
    Ok(VerbsDevice::open(arguments.device.as_deref(), arguments.device_port)?)
}

/// Looks at the machine around an opened device.
pub fn site<'a>(
    device: &'a VerbsDevice,
    arguments: &DeviceArguments,
) -> anyhow::Result<Site<'a, VerbsDevice>> {
    let name = &device.description().name;
    let locality = match arguments.device_node {
        Some(node) => DeviceLocality::given(name, NodeId(node)),
        None => DeviceLocality::of(name),
    };
    let harness = Harness {
        version: harness_version().to_owned(),
        revision: harness_revision().map(str::to_owned),
        library: library_version(),
    };
    Ok(Site::around(device, locality, harness)?.with_gid_index(arguments.gid_index))
}

/// Version of rdma-core, from the name of the library's file (`libibverbs.so.1.14.44.0` is of
/// 44.0): the library itself does not tell. Absent where it is not loaded or named otherwise.
pub fn library_version() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let path = line.split_whitespace().last()?;
        path.contains("/libibverbs.so.1").then_some(path)
    })?;
    let version = path.rsplit("libibverbs.so.1.").next()?;
    version.split_once('.').map(|(_, release)| release.to_owned())
}

/// Where numbers taken over a device come from: Soft-RoCE never passes for a NIC.
pub fn source(device: &VerbsDevice) -> Source {
    match device.description().driver.as_deref() {
        Some("rdma_rxe") => Source::SoftRoce,
        _ => Source::Measured,
    }
}

/// How the control channel introduces this program.
pub fn control_settings() -> ControlSettings {
    let harness = match harness_revision() {
        Some(revision) => format!("{}+{revision}", harness_version()),
        None => harness_version().to_owned(),
    };
    ControlSettings { harness, ..ControlSettings::default() }
}
