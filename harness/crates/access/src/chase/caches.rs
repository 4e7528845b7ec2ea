//! The caches of a CPU, as the kernel tells of them.

use std::{fs, path::Path};

use onesided_placement::{CpuId, CpuSet};

/// A cache that holds data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its level, from 1.
    pub level: u8,
    /// Its capacity in bytes.
    pub bytes: u64,
    /// The CPUs that share it; absent where the kernel does not say.
    pub shared_by: Option<CpuSet>,
}

/// The caches for data of a CPU, from the nearest to the last level; empty where the kernel does
/// not tell, as on many virtual machines and some ARM boards
/// (`/sys/devices/system/cpu/cpu*/cache`, Linux `Documentation/ABI/testing/sysfs-devices-system-cpu`).
///
/// What is told may be wrong in a virtual machine, which passes on what the host's processor says
/// of a whole socket, or what its emulator made up.
pub fn of(cpu: CpuId) -> Vec<Cache> {
    at(Path::new("/sys"), cpu)
}

/// The same from another tree; `root` is what is mounted at `/sys`.
pub fn at(root: &Path, cpu: CpuId) -> Vec<Cache> {
    let folder = root.join(format!("devices/system/cpu/cpu{cpu}/cache"));
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let indices = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut caches: Vec<Cache> = indices.filter_map(|index| cache(&index)).collect();
    caches.sort_by_key(|cache| (cache.level, cache.bytes));
    // A level with several caches for data: the largest is what a chase fills.
    caches.reverse();
    caches.dedup_by_key(|cache| cache.level);
    caches.reverse();
    caches
}

fn cache(index: &Path) -> Option<Cache> {
    let text = |name: &str| fs::read_to_string(index.join(name)).ok();
    if text("type")?.trim() == "Instruction" {
        return None;
    }
    Some(Cache {
        level: text("level")?.trim().parse().ok().filter(|level| *level > 0)?,
        bytes: bytes(text("size")?.trim()).filter(|bytes| *bytes > 0)?,
        shared_by: text("shared_cpu_list").and_then(|list| list.parse().ok()),
    })
}

/// `48K`, as the kernel writes sizes; also with M, and without a unit.
fn bytes(size: &str) -> Option<u64> {
    let number_end = size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len());
    let (number, unit) = size.split_at(number_end);
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_the_kernel_writes_them() {
        assert_eq!(bytes("48K"), Some(48 << 10));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("512"), Some(512));
        assert_eq!(bytes("K"), None);
        assert_eq!(bytes("12Q"), None);
    }
}
