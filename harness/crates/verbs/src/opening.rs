//! The way to a device: which one, opened and queried, or why not.

use std::{fmt, fs::OpenOptions, io, sync::Arc};

use onesided_transport::PortState;

use crate::{
    context::Context,
    description::{Queried, port_state},
    device_list::{DeviceList, Listed},
    library::Library,
    open_error::OpenError,
    sysfs::Sysfs,
};

/// Why this device and port, of those there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// The device was asked for by name.
    Named,
    /// The first device with an active port.
    FirstActive {
        /// Devices there are.
        of: usize,
    },
    /// The first device that could be opened; no port of any is active.
    NoneActive {
        /// Devices there are.
        of: usize,
    },
}

impl fmt::Display for Selection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named => write!(formatter, "asked for"),
            Self::FirstActive { of } => write!(formatter, "the first active of {of} device(s)"),
            Self::NoneActive { of } => write!(formatter, "none of {of} device(s) is active"),
        }
    }
}

/// A device that was opened and queried, but not described yet.
pub(crate) struct Opened {
    pub(crate) context: Arc<Context>,
    pub(crate) queried: Queried,
}

impl Opened {
    fn open(device: Listed<'_>, port: Option<u8>) -> Result<Self, OpenError> {
        let name = device.name();
        if !device.speaks_infiniband_transport() {
            return Err(OpenError::OtherTransport { device: name });
        }
        let context = Context::open(device).map_err(|source| why_not_opened(device, source))?;
        let device_attributes =
            context.query_device().map_err(refused("query the limits", &name))?;
        let available = device_attributes.phys_port_cnt;
        let candidates = match port {
            Some(wanted) if wanted == 0 || wanted > available => {
                return Err(OpenError::NoSuchPort { device: name, wanted, available });
            }
            Some(wanted) => wanted..=wanted,
            None => 1..=available.max(1),
        };
        let mut chosen = None;
        for port in candidates {
            let attributes = context.query_port(port).map_err(refused("query a port", &name))?;
            let active = port_state(attributes.state) == PortState::Active;
            if active || chosen.is_none() {
                chosen = Some((port, attributes));
            }
            if active {
                break;
            }
        }
        let (port, port_attributes) = chosen.expect("there is at least one candidate");
        let queried = Queried { name, port, device_attributes, port_attributes };
        Ok(Self { context, queried })
    }

    fn state(&self) -> PortState {
        port_state(self.queried.port_attributes.state)
    }
}

/// Opens the device that is asked for, or chooses one.
pub(crate) fn open(
    library: &Arc<Library>,
    sysfs: &Sysfs,
    name: Option<&str>,
    port: Option<u8>,
) -> Result<(Opened, Selection), OpenError> {
    let list = DeviceList::query(library)?;
    match name {
        Some(wanted) => {
            let device = list.iter().find(|device| device.name() == wanted);
            let device = device.ok_or_else(|| no_such_device(wanted, &list, sysfs))?;
            Ok((Opened::open(device, port)?, Selection::Named))
        }
        None => first_active(&list, port, sysfs),
    }
}

/// The first device with an active port, else the first that opens, else why the first did not.
fn first_active(
    list: &DeviceList,
    port: Option<u8>,
    sysfs: &Sysfs,
) -> Result<(Opened, Selection), OpenError> {
    let of = list.iter().count();
    let mut inactive = None;
    let mut failure = None;
    for device in list.iter() {
        match Opened::open(device, port) {
            Ok(opened) if opened.state() == PortState::Active => {
                return Ok((opened, Selection::FirstActive { of }));
            }
            Ok(opened) => inactive = inactive.or(Some(opened)),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match (inactive, failure) {
        (Some(opened), _) => Ok((opened, Selection::NoneActive { of })),
        (None, Some(error)) => Err(error),
        (None, None) => Err(no_device(sysfs)),
    }
}

/// Libibverbs lists none; the kernel may still have some.
fn no_device(sysfs: &Sysfs) -> OpenError {
    match sysfs.devices().as_slice() {
        [] => OpenError::NoDevice,
        [device, ..] => not_listed(device, sysfs),
    }
}

fn no_such_device(wanted: &str, list: &DeviceList, sysfs: &Sysfs) -> OpenError {
    if sysfs.devices().iter().any(|device| device == wanted) {
        return not_listed(wanted, sysfs);
    }
    OpenError::NoSuchDevice { wanted: wanted.to_owned(), available: list.names() }
}

/// Why libibverbs leaves out a device that the kernel has: it has no file, or no provider.
fn not_listed(device: &str, sysfs: &Sysfs) -> OpenError {
    let path = sysfs.device_file(device);
    let device = device.to_owned();
    if path.exists() {
        OpenError::NoProvider { device }
    } else {
        OpenError::NoDeviceFile { device, path }
    }
}

/// The library's errno is that of the last of several ways that it tried, so the file is asked.
fn why_not_opened(device: Listed<'_>, source: io::Error) -> OpenError {
    let (name, path) = (device.name(), device.file());
    let tried = OpenOptions::new().read(true).write(true).open(&path);
    match tried.map_err(|error| error.kind()) {
        Err(io::ErrorKind::PermissionDenied) => OpenError::PermissionDenied { device: name, path },
        Err(io::ErrorKind::NotFound) => OpenError::NoDeviceFile { device: name, path },
        _ => OpenError::Refused { what: "open the device file", device: name, source },
    }
}

/// What to make of the provider's error when it refuses to do `what`.
pub(crate) fn refused(what: &'static str, device: &str) -> impl FnOnce(io::Error) -> OpenError {
    let device = device.to_owned();
    move |source| OpenError::Refused { what, device, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sysfs::tests::Tree;

    #[test]
    fn a_device_of_the_kernel_that_libibverbs_leaves_out_lacks_its_file_or_a_provider() {
        let tree = Tree::new();
        assert!(matches!(no_device(&tree.sysfs()), OpenError::NoDevice));
        tree.file("infiniband/rxe0/parent", "eth0\n");
        let error = no_device(&tree.sysfs());
        assert!(matches!(error, OpenError::NoDeviceFile { .. }), "{error}");
        assert!(error.to_string().contains("uverbs* of rxe0"), "{error}");
        assert!(error.to_string().contains("load the module ib_uverbs"), "{error}");
        tree.file("infiniband_verbs/uverbs3/ibdev", "rxe0\n");
        tree.file("dev/uverbs3", "");
        let error = no_device(&tree.sysfs());
        assert!(matches!(error, OpenError::NoProvider { .. }), "{error}");
        assert!(error.to_string().contains("apt install ibverbs-providers"), "{error}");
    }

    #[test]
    fn the_choice_of_a_device_is_said_in_words() {
        let chosen = Selection::FirstActive { of: 2 }.to_string();
        assert_eq!(chosen, "the first active of 2 device(s)");
    }
}
