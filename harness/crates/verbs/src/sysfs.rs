//! What the kernel says about RDMA devices in `/sys/class`
//! (Documentation/ABI/stable/sysfs-class-infiniband).

use std::{
    fs,
    path::{Path, PathBuf},
};

use onesided_transport::{GidKind, LinkLayer};

/// A tree of devices: the kernel's, or one that a test made.
pub(crate) struct Sysfs {
    root: PathBuf,
    device_files: PathBuf,
}

impl Sysfs {
    /// The kernel's.
    pub(crate) fn of_kernel() -> Self {
        Self { root: "/sys/class".into(), device_files: "/dev/infiniband".into() }
    }

    /// The devices that the kernel has, whether or not libibverbs has a provider for them.
    pub(crate) fn devices(&self) -> Vec<String> {
        names(&self.root.join("infiniband"))
    }

    /// The file through which a device is opened. It need not be there: containers have their own
    /// `/dev`. While the module ib_uverbs is not loaded it has no number yet: `uverbs*`.
    pub(crate) fn device_file(&self, device: &str) -> PathBuf {
        let folder = self.root.join("infiniband_verbs");
        let ibdev = |name: &String| read(&folder.join(name).join("ibdev"));
        let file = names(&folder).into_iter().find(|name| ibdev(name).as_deref() == Some(device));
        self.device_files.join(file.as_deref().unwrap_or("uverbs*"))
    }

    fn device(&self, device: &str) -> PathBuf {
        self.root.join("infiniband").join(device)
    }

    /// The folder of a port.
    pub(crate) fn port(&self, device: &str, port: u8) -> PathBuf {
        self.device(device).join("ports").join(port.to_string())
    }

    /// The kernel driver of a device, where it can be told.
    ///
    /// A device on a bus links to it. Soft-RoCE is on no bus: it has no `device`, and of the
    /// drivers without one it alone has a `parent`, the name of its network interface.
    pub(crate) fn driver(&self, device: &str) -> Option<String> {
        let folder = self.device(device);
        if let Ok(driver) = fs::read_link(folder.join("device/driver")) {
            return Some(driver.file_name()?.to_str()?.to_owned());
        }
        let on_a_bus = folder.join("device").exists();
        (!on_a_bus && folder.join("parent").exists()).then(|| "rdma_rxe".to_owned())
    }

    /// The kind of an entry of a port's GID table; `None` where the entry is unused.
    pub(crate) fn gid_kind(
        &self,
        device: &str,
        port: u8,
        index: u32,
        link_layer: LinkLayer,
    ) -> Option<GidKind> {
        let path = self.port(device, port).join("gid_attrs/types").join(index.to_string());
        match (read(&path)?.as_str(), link_layer) {
            ("IB/RoCE v1", LinkLayer::Infiniband) => Some(GidKind::Infiniband),
            ("IB/RoCE v1", _) => Some(GidKind::RoceV1),
            ("RoCE v2", _) => Some(GidKind::RoceV2),
            _ => None,
        }
    }
}

/// The names in a folder, in order; none where there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The trimmed text of a file; `None` where it cannot be read or is empty.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A tree in a folder that goes away with it. Paths start below `/sys/class`; `dev` stands
    /// for the folder of device files.
    pub(crate) struct Tree {
        folder: tempfile::TempDir,
    }

    impl Tree {
        pub(crate) fn new() -> Self {
            Self { folder: tempfile::tempdir().expect("a temporary folder") }
        }

        pub(crate) fn file(&self, path: &str, text: &str) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            fs::write(path, text).expect("a file");
        }

        pub(crate) fn sysfs(&self) -> Sysfs {
            let root = self.folder.path().to_owned();
            Sysfs { device_files: root.join("dev"), root }
        }
    }

    #[test]
    fn the_driver_of_a_device_on_a_bus_is_what_its_link_names() {
        let tree = Tree::new();
        tree.file("infiniband/mlx5_0/device/vendor", "0x15b3\n");
        let link = tree.folder.path().join("infiniband/mlx5_0/device/driver");
        symlink("../../../../bus/pci/drivers/mlx5_core", link).expect("a link");
        assert_eq!(tree.sysfs().driver("mlx5_0"), Some("mlx5_core".into()));
    }

    #[test]
    fn soft_roce_is_told_by_its_parent_and_an_unknown_device_stays_unknown() {
        let tree = Tree::new();
        tree.file("infiniband/named_as_it_likes/parent", "eth0\n");
        tree.file("infiniband/other/node_type", "4: RNIC\n");
        tree.file("infiniband/on_a_bus/device/vendor", "0x1\n");
        tree.file("infiniband/on_a_bus/parent", "eth0\n");
        assert_eq!(tree.sysfs().driver("named_as_it_likes"), Some("rdma_rxe".into()));
        assert_eq!(tree.sysfs().driver("other"), None);
        assert_eq!(tree.sysfs().driver("on_a_bus"), None);
        assert_eq!(tree.sysfs().driver("absent"), None);
    }

    #[test]
    fn the_kind_of_a_gid_depends_on_its_type_and_on_the_link_layer() {
        let tree = Tree::new();
        tree.file("infiniband/d/ports/1/gid_attrs/types/0", "IB/RoCE v1\n");
        tree.file("infiniband/d/ports/1/gid_attrs/types/1", "RoCE v2\n");
        tree.file("infiniband/d/ports/1/gid_attrs/types/2", "\n");
        let kind = |index, layer| tree.sysfs().gid_kind("d", 1, index, layer);
        assert_eq!(kind(0, LinkLayer::Ethernet), Some(GidKind::RoceV1));
        assert_eq!(kind(0, LinkLayer::Infiniband), Some(GidKind::Infiniband));
        assert_eq!(kind(1, LinkLayer::Ethernet), Some(GidKind::RoceV2));
        assert_eq!(kind(2, LinkLayer::Ethernet), None);
        assert_eq!(kind(3, LinkLayer::Ethernet), None);
    }

    #[test]
    fn devices_are_listed_in_order_and_none_where_the_kernel_has_no_rdma() {
        let tree = Tree::new();
        tree.file("infiniband/rxe1/parent", "eth1\n");
        tree.file("infiniband/rxe0/parent", "eth0\n");
        assert_eq!(tree.sysfs().devices(), ["rxe0", "rxe1"]);
        assert!(Tree::new().sysfs().devices().is_empty());
    }

    #[test]
    fn the_file_of_a_device_is_found_by_the_device_that_it_names() {
        let tree = Tree::new();
        tree.file("infiniband_verbs/abi_version", "6\n");
        tree.file("infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
        tree.file("infiniband_verbs/uverbs1/ibdev", "rxe0\n");
        assert!(tree.sysfs().device_file("rxe0").ends_with("dev/uverbs1"));
        assert!(tree.sysfs().device_file("rxe1").ends_with("dev/uverbs*"));
    }
}
