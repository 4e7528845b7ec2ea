//! Why a device could not be opened.

use std::{io, path::PathBuf};

use crate::library::LibraryError;

/// Why a device could not be opened, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// libibverbs cannot be used.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// This machine has no RDMA device.
    #[error(
        "there is no RDMA device: load the driver of the NIC, or make an emulated one \
         (`modprobe rdma_rxe; rdma link add rxe0 type rxe netdev INTERFACE`; it needs root), \
         or use the emulated machine of `ci/lab`"
    )]
    NoDevice,
    /// The kernel has a device for which libibverbs has no provider.
    #[error(
        "the kernel has {device} but libibverbs has no provider for it: \
         `apt install ibverbs-providers`"
    )]
    NoProvider {
        /// The kernel's device.
        device: String,
    },
    /// There is no device of that name.
    #[error("there is no RDMA device {wanted}: this machine has {}", list(available))]
    NoSuchDevice {
        /// What was asked for.
        wanted: String,
        /// What there is.
        available: Vec<String>,
    },
    /// This user may not use the device.
    #[error(
        "no permission to open {} of {device}: run as root, or let this user read and write it; \
         in a container, `--device /dev/infiniband`", path.display()
    )]
    PermissionDenied {
        /// The device.
        device: String,
        /// The file that is opened.
        path: PathBuf,
    },
    /// The device's file is not there, as in a container that was not given it.
    #[error(
        "{} of {device} does not exist: load the module ib_uverbs; in a container, \
         `--device /dev/infiniband`", path.display()
    )]
    NoDeviceFile {
        /// The device.
        device: String,
        /// The file that is opened.
        path: PathBuf,
    },
    /// The device does not speak the InfiniBand transport (iWARP, EFA, usNIC).
    #[error(
        "{device} has no reliable connections that verbs alone can make (it is iWARP, EFA or \
         usNIC): InfiniBand or RoCE is needed"
    )]
    OtherTransport {
        /// The device.
        device: String,
    },
    /// The device has no such port.
    #[error("{device} has no port {wanted}: its ports are 1 to {available}")]
    NoSuchPort {
        /// The device.
        device: String,
        /// What was asked for.
        wanted: u8,
        /// How many it has.
        available: u8,
    },
    /// The port has an active MTU that verbs does not know.
    #[error("port {port} of {device} has an active MTU of unknown code {code}")]
    UnknownMtu {
        /// The device.
        device: String,
        /// The port.
        port: u8,
        /// What is no `enum ibv_mtu`.
        code: u32,
    },
    /// The device refused for a reason of its own.
    #[error("cannot {what} of {device}")]
    Refused {
        /// What was to be done.
        what: &'static str,
        /// The device.
        device: String,
        /// The provider's error.
        source: io::Error,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_device_name_is_answered_with_the_right_ones() {
        let wanted = "mlx5_9".to_owned();
        let none = OpenError::NoSuchDevice { wanted: wanted.clone(), available: vec![] };
        assert_eq!(none.to_string(), "there is no RDMA device mlx5_9: this machine has none");
        let available = vec!["mlx5_0".to_owned(), "rxe0".to_owned()];
        let some = OpenError::NoSuchDevice { wanted, available };
        assert!(some.to_string().ends_with("has mlx5_0, rxe0"), "{some}");
    }
}
