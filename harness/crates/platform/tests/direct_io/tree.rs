//! A made-up `/sys` with one card below one root port, and a folder for journals.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use onesided_platform::direct_io::Roots;

/// The RDMA device.
pub const DEVICE: &str = "mlx5_0";

/// Where its root port keeps the bit.
pub const OFFSET: usize = 0x180;

/// The byte there at first: bit 7 and some that are not ours.
pub const ORIGINAL: u8 = 0x91;

/// The same, switched off.
pub const OFF: u8 = 0x11;

const PORT: &str = "devices/pci0000:3a/0000:3a:00.0";

/// A tree in a folder of somebody's.
pub struct Tree(PathBuf);

impl Tree {
    /// Makes a tree: a Skylake-SP root port.
    pub fn new(folder: &Path) -> Self {
        let tree = Self::at(folder);
        // Other users are to come as far as sysfs lets them.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("our folder");
        let card = format!("sys/{PORT}/0000:3b:00.0");
        for made in [&card, "sys/class/infiniband/mlx5_0", "sys/bus/pci/devices"] {
            fs::create_dir_all(folder.join(made)).expect("a folder");
        }
        tree.link("class/infiniband/mlx5_0/device", &format!("{PORT}/0000:3b:00.0"));
        tree.link("bus/pci/devices/0000:3a:00.0", PORT);
        tree.set_port(0x8086, 0x2030, 4096);
        tree
    }

    /// A tree that is made already.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// A link as the kernel makes them: relative. Both paths count from `sys`.
    pub fn link(&self, path: &str, target: &str) {
        let up = "../".repeat(path.matches('/').count());
        symlink(format!("{up}{target}"), self.0.join("sys").join(path)).expect("a link");
    }

    /// Gives the port another identity and size of its configuration space.
    pub fn set_port(&self, vendor: u16, device: u16, bytes: usize) {
        let mut config = vec![0; bytes.max(OFFSET + 1)];
        config[..2].copy_from_slice(&vendor.to_le_bytes());
        config[2..4].copy_from_slice(&device.to_le_bytes());
        config[OFFSET] = ORIGINAL;
        config.truncate(bytes);
        fs::write(self.config(), config).expect("a file");
    }

    pub fn config(&self) -> PathBuf {
        self.0.join("sys").join(PORT).join("config")
    }

    /// The byte with the bit.
    pub fn byte(&self) -> u8 {
        fs::read(self.config()).expect("it is there")[OFFSET]
    }

    pub fn journals(&self) -> PathBuf {
        self.0.join("journals")
    }

    pub fn roots(&self) -> Roots {
        Roots::new(self.0.join("sys"), self.journals())
    }

    /// Nothing is left of a guard.
    #[track_caller]
    pub fn is_clean(&self) {
        let left = fs::read_dir(self.journals()).into_iter().flatten().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert!(left.is_empty(), "{left:?} is left");
    }
}
