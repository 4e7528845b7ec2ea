//! From an RDMA device to the root port above it.

use std::fs;
use std::path::{Component, Path};

use super::PciAddress;

/// The root port above a device, or why there is none.
pub(super) fn above(sys: &Path, device: &str) -> Result<PciAddress, String> {
    let folder = sys.join("class/infiniband").join(device);
    if device.is_empty() || device.contains('/') || !folder.exists() {
        return Err(format!("there is no RDMA device `{device}`"));
    }
    let Ok(physical) = fs::canonicalize(folder.join("device")) else {
        return Err("it is software and has no PCI device of its own".to_owned());
    };
    let way = below_host_bridge(&physical);
    match way.as_slice() {
        [] => Err(format!("it is at {}, not on a PCI bus", physical.display())),
        [only] => Err(format!("{only} is part of the CPU or chipset, without a root port above")),
        [port, ..] => Ok(port.clone()),
    }
}

/// The PCI functions of a path from the root port down. The host bridge (`pci0000:3a`) starts the
/// way; where there are two (a volume management device makes another) the last one does.
fn below_host_bridge(path: &Path) -> Vec<PciAddress> {
    let mut way = Vec::new();
    for part in path.components() {
        let Component::Normal(name) = part else { continue };
        let Some(name) = name.to_str() else { continue };
        if name.strip_prefix("pci").is_some_and(|rest| rest.contains(':')) {
            way.clear();
        } else if let Ok(address) = name.parse() {
            way.push(address);
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(path: &str) -> Vec<String> {
        below_host_bridge(Path::new(path)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_root_port_is_the_first_function_below_the_last_host_bridge() {
        assert_eq!(
            way("/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:08.0/0000:3d:00.1"),
            ["0000:3a:00.0", "0000:3b:00.0", "0000:3c:08.0", "0000:3d:00.1"]
        );
        assert_eq!(
            way("/sys/devices/pci0000:3a/0000:3a:05.5/pci10000:00/10000:00:02.0/10000:01:00.0"),
            ["10000:00:02.0", "10000:01:00.0"]
        );
        assert_eq!(way("/sys/devices/platform/vhost"), [""; 0]);
    }
}
