//! The one place that names back ends, and opens them for the commands.

mod emulated;

use onesided_control::Settings as ControlSettings;
use onesided_placement::{DeviceLocality, NodeId};
use onesided_results::vocabulary::Source;
use onesided_runner::{Harness, Site};
use onesided_transport::Transport;
use onesided_verbs::{OpenError, VerbsDevice};

use crate::{
    arguments::{BackEnd, DeviceArguments},
    revision::harness_revision,
};

pub use emulated::{crowd, locality, open as open_emulated, open_node, tell_swept};

/// Version of this program.
pub const fn harness_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What a command does on a device, whatever the back end. The data path below it is made for each
/// back end by the compiler.
pub trait OnDevice {
    /// What comes out.
    type Output;

    /// Does it on an opened device, numbers of which come from `source`.
    fn on<T: Transport + Sync>(
        self,
        site: Site<'_, T>,
        source: Source,
    ) -> anyhow::Result<Self::Output>;
}

/// Opens the device that was asked for, looks at the machine around it, and does what is to be
/// done there.
pub fn on_device<D: OnDevice>(arguments: &DeviceArguments, task: D) -> anyhow::Result<D::Output> {
    arguments.check()?;
    match arguments.back_end {
        BackEnd::Verbs => {
            let device = open_verbs(arguments.device.as_deref(), arguments.device_port)?;
            let name = &device.description().name;
            let locality = verbs_locality(name, arguments.device_node);
            let site = site(&device, locality, library_version(), arguments)?;
            task.on(site, verbs_source(&device))
        }
        BackEnd::Rmc => {
            let device = open_emulated(arguments)?;
            emulated::tell(&device);
            let locality = locality(&device, arguments)?;
            let site = site(&device, locality, None, arguments)?;
            task.on(site, Source::Emulated)
        }
    }
}

/// Opens the RDMA device and port that were asked for, or chooses one.
pub fn open_verbs(device: Option<&str>, port: Option<u8>) -> Result<VerbsDevice, OpenError> {
    VerbsDevice::open(device, port)
}

/// The NUMA node that an RDMA device is on, unless it is given what the kernel says.
pub fn verbs_locality(device: &str, device_node: Option<u32>) -> DeviceLocality {
    match device_node {
        Some(node) => DeviceLocality::given(device, NodeId(node)),
        None => DeviceLocality::of(device),
    }
}

/// Looks at the machine around an opened device.
fn site<'a, T: Transport>(
    device: &'a T,
    locality: DeviceLocality,
    library: Option<String>,
    arguments: &DeviceArguments,
) -> anyhow::Result<Site<'a, T>> {
    Ok(Site::around(device, locality, harness(library))?.with_gid_index(arguments.gid_index))
}

/// This program, with the library below its back end.
pub fn harness(library: Option<String>) -> Harness {
    Harness {
        version: harness_version().to_owned(),
        revision: harness_revision().map(str::to_owned),
        library,
    }
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

/// Where numbers taken over an RDMA device come from: Soft-RoCE never passes for a NIC.
pub fn verbs_source(device: &VerbsDevice) -> Source {
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
