//! The machine's RDMA devices, as facts of a profile.
//!
//! Sources: Linux, `Documentation/ABI/stable/sysfs-class-infiniband`,
//! `Documentation/ABI/testing/sysfs-bus-pci`.

use std::{
    num::{NonZeroU32, NonZeroU64},
    path::{Path, PathBuf},
};

use onesided_placement::{DeviceLocality, LocalityEvidence, Topology, device_model_at};
use onesided_results::machine::{LinkLayer, Nic, NicKind};

use super::tree::Tree;

const CLASS: &str = "sys/class/infiniband";

/// Every device with why what is missing of it is.
pub fn all(tree: &Tree, topology: &Topology) -> Vec<(Nic, Vec<String>)> {
    tree.names(CLASS).iter().map(|device| one(tree, topology, device)).collect()
}

fn one(tree: &Tree, topology: &Topology, device: &str) -> (Nic, Vec<String>) {
    let folder = format!("{CLASS}/{device}");
    let locality = DeviceLocality::of_at(&tree.sys(), device);
    let in_hardware = tree.0.join(&folder).join("device").exists();
    let kind = if in_hardware { NicKind::Rdma } else { NicKind::SoftRdma };
    let port = port(tree, &folder);
    let rate = port.as_ref().and_then(|port| tree.text(format!("{port}/rate")));
    let layer = port.as_ref().and_then(|port| tree.text(format!("{port}/link_layer")));
    let function = pci_function(tree, &folder, &locality);
    let pci = |name: &str| tree.text(function.as_ref()?.join(name));
    let driver = std::fs::read_link(tree.0.join(&folder).join("device/driver")).ok();
    let known = |node: &u32| topology.nodes.iter().any(|known| known.id.0 == *node);
    let nic = Nic {
        kind,
        name: Some(device.to_owned()),
        model: device_model_at(&tree.sys(), device),
        driver: driver.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
        firmware: tree.text(format!("{folder}/fw_ver")),
        node: locality.node.map(|node| node.0).filter(known),
        node_evidence: Some(locality.evidence.to_string()),
        ports: u32::try_from(tree.names(format!("{folder}/ports")).len())
            .ok()
            .and_then(NonZeroU32::new),
        link_layer: layer.as_deref().and_then(link_layer),
        // What the driver of a software device states is no rate of any wire.
        link_bits_per_second: rate.as_deref().filter(|_| in_hardware).and_then(bits_per_second),
        pcie_generation: pci("current_link_speed").as_deref().and_then(pcie_generation),
        pcie_lanes: pci("current_link_width").as_deref().and_then(pcie_lanes),
        access_queue_entries: None,
        tlb_entries: None,
        source: None,
    };
    let untold = untold(&nic);
    (nic, untold)
}

/// The port with a link, else the first.
fn port(tree: &Tree, folder: &str) -> Option<String> {
    let ports = tree.names(format!("{folder}/ports"));
    let paths = || ports.iter().map(|port| format!("{folder}/ports/{port}"));
    let active = |path: &String| {
        tree.text(format!("{path}/state")).is_some_and(|state| state.ends_with("ACTIVE"))
    };
    paths().find(active).or_else(|| paths().next())
}

/// The PCI function of a device, or of the card that carries a software device: the nearest folder
/// upwards that tells the speed of its link.
fn pci_function(tree: &Tree, folder: &str, locality: &DeviceLocality) -> Option<PathBuf> {
    let device = match &locality.evidence {
        LocalityEvidence::NetdevAncestor { netdevs, .. } => {
            tree.sys().join("class/net").join(netdevs.last()?).join("device")
        }
        _ => tree.0.join(folder).join("device"),
    };
    let physical = device.canonicalize().ok()?;
    let root = tree.sys().canonicalize().ok()?;
    let tells = |path: &&Path| path.join("current_link_speed").is_file();
    let within = |path: &&Path| path.starts_with(&root);
    physical.ancestors().take_while(within).find(tells).map(Path::to_owned)
}

fn untold(nic: &Nic) -> Vec<String> {
    let in_software = nic.kind == NicKind::SoftRdma;
    let link = match in_software {
        true => "the kernel does it over another card, and the rate that it states is of no wire",
        false => "no port tells a rate",
    };
    let model = match in_software {
        true => "a software device",
        false => "its driver tells no hca_type or board_id",
    };
    [
        (nic.model.is_none(), "model", model),
        (nic.driver.is_none(), "driver", "sysfs links to none"),
        (nic.firmware.is_none(), "firmware", "no fw_ver"),
        (nic.node.is_none(), "node", "see node_evidence, or the node is not online"),
        (nic.link_layer.is_none(), "link_layer", "no port tells one"),
        (nic.link_bits_per_second.is_none(), "link_bits_per_second", link),
        (nic.pcie_generation.is_none(), "pcie_generation", "no current_link_speed on its way up"),
        (nic.pcie_lanes.is_none(), "pcie_lanes", "no current_link_width on its way up"),
    ]
    .into_iter()
    .filter(|(missing, _, _)| *missing)
    .map(|(_, field, why)| format!("{field}: {why}"))
    .collect()
}

fn link_layer(word: &str) -> Option<LinkLayer> {
    match word {
        "InfiniBand" => Some(LinkLayer::Infiniband),
        "Ethernet" => Some(LinkLayer::Ethernet),
        _ => None,
    }
}

/// The rate of a port: `56 Gb/sec (4X FDR)`, `2.5 Gb/sec (1X SDR)`.
fn bits_per_second(rate: &str) -> Option<NonZeroU64> {
    let (number, rest) = rate.split_once(' ')?;
    let gigabits: f64 = number.parse().ok().filter(|_| rest.starts_with("Gb/sec"))?;
    // Rates are whole tenths of a gigabit.
    NonZeroU64::new((gigabits * 10.0).round() as u64 * 100_000_000)
}

/// The generation with a speed: `8.0 GT/s PCIe` (PCI Express base specification, each revision).
fn pcie_generation(speed: &str) -> Option<u8> {
    let number = speed.split_once(" GT/s")?.0;
    match number.strip_suffix(".0").unwrap_or(number) {
        "2.5" => Some(1),
        "5" => Some(2),
        "8" => Some(3),
        "16" => Some(4),
        "32" => Some(5),
        "64" => Some(6),
        _ => None,
    }
}

/// The lanes; the kernel writes 0 or 255 where it does not know.
fn pcie_lanes(width: &str) -> Option<u8> {
    width.parse().ok().filter(|lanes| [1, 2, 4, 8, 16, 32].contains(lanes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_ports_are_read_with_their_unit_and_without_rounding_errors() {
        let bits = |rate| bits_per_second(rate).map(NonZeroU64::get);
        assert_eq!(bits("56 Gb/sec (4X FDR)"), Some(56_000_000_000));
        assert_eq!(bits("2.5 Gb/sec (1X SDR)"), Some(2_500_000_000));
        assert_eq!(bits("100 Gb/sec (4X EDR)"), Some(100_000_000_000));
        for rate in ["", "56", "56 Mb/sec", "0 Gb/sec", "-1 Gb/sec", "nan Gb/sec"] {
            assert_eq!(bits(rate), None, "{rate}");
        }
    }

    #[test]
    fn speeds_of_pci_express_are_generations_and_unknown_ones_are_not_told() {
        let spelled = [("2.5 GT/s PCIe", 1), ("5 GT/s", 2), ("8.0 GT/s PCIe", 3), ("64.0 GT/s", 6)];
        for (speed, generation) in spelled {
            assert_eq!(pcie_generation(speed), Some(generation), "{speed}");
        }
        assert_eq!(pcie_generation("Unknown"), None);
        assert_eq!(pcie_generation("9 GT/s"), None);
        assert_eq!(pcie_lanes("16"), Some(16));
        for width in ["0", "255", "63", "x8", ""] {
            assert_eq!(pcie_lanes(width), None, "{width}");
        }
    }
}
