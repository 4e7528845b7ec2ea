//! How much memory may be taken before the kernel starts killing.

use std::path::Path;

use crate::kernel_file::{self, KernelFileError, meminfo_bytes};
use crate::memory::{MemoryError, PageSize, bytes_of_page};
use crate::place::NodeId;
use crate::syscall;
use crate::topology::free_huge_pages;

const NODES: &str = "/sys/devices/system/node";

/// The part of a node's memory kept back where the watermarks cannot be read (ours: they came to
/// a fifteenth on a node of 768 MiB and to less on larger ones).
const RESERVED_SHARE: u64 = 8;

/// Refuses what a node, or the machine, cannot give.
///
/// The kernel itself does not refuse: a bound allocation beyond the node's memory ends with the
/// process killed, a huge page beyond the pool with a bus error.
pub(crate) fn check(
    asked_bytes: u64,
    page: PageSize,
    node: Option<NodeId>,
) -> Result<(), MemoryError> {
    match (page, node) {
        (PageSize::Base, Some(node)) => match node_free_bytes(node)? {
            None => Err(MemoryError::NodeUnavailable { node }),
            Some(free_bytes) if free_bytes < asked_bytes => {
                Err(MemoryError::NodeMemoryExhausted { node, asked_bytes, free_bytes })
            }
            Some(_) => Ok(()),
        },
        (PageSize::Base, None) => match machine_free_bytes()? {
            Some(free_bytes) if free_bytes < asked_bytes => {
                Err(MemoryError::MachineMemoryExhausted { asked_bytes, free_bytes })
            }
            _ => Ok(()),
        },
        (page, node) => check_huge_pages(asked_bytes, page, node),
    }
}

fn check_huge_pages(
    asked_bytes: u64,
    page: PageSize,
    node: Option<NodeId>,
) -> Result<(), MemoryError> {
    let folder = match node {
        Some(node) => format!("{NODES}/node{node}/hugepages"),
        None => "/sys/kernel/mm/hugepages".to_owned(),
    };
    if let Some(node) = node
        && !Path::new(NODES).join(format!("node{node}")).exists()
    {
        return Err(MemoryError::NodeUnavailable { node });
    }
    let page_bytes = bytes_of_page(page) as u64;
    let free_pages = free_huge_pages(Path::new(&folder))?.get(&page_bytes).copied();
    let free_pages = free_pages.unwrap_or_default();
    let asked_pages = asked_bytes / page_bytes;
    match free_pages >= asked_pages {
        true => Ok(()),
        false => Err(MemoryError::HugePagesExhausted { node, page, asked_pages, free_pages }),
    }
}

fn machine_free_bytes() -> Result<Option<u64>, KernelFileError> {
    let meminfo = kernel_file::text(Path::new("/proc/meminfo"))?;
    Ok(meminfo.and_then(|text| meminfo_bytes(&text, "MemAvailable")))
}

/// What this process may take without taking from what runs, in bytes: what the machine has
/// (`MemAvailable` of `proc_meminfo(5)`), and no more than its control group and those above leave, which
/// is less in a container with a limit. `None` where the kernel does not say.
///
/// # Errors
/// A file is there and cannot be read.
pub fn available_bytes() -> Result<Option<u64>, KernelFileError> {
    let groups = kernel_file::text(Path::new("/proc/self/cgroup"))?.unwrap_or_default();
    let left = group_left_bytes(Path::new("/sys/fs/cgroup"), &groups)?;
    Ok([machine_free_bytes()?, left].into_iter().flatten().min())
}

/// What the memory limits of these groups leave, by the second version's files (`memory.max` of the kernel's
/// cgroup-v2.rst); `None` where none has a limit. Pages of files that nobody uses can be had, too.
fn group_left_bytes(root: &Path, groups: &str) -> Result<Option<u64>, KernelFileError> {
    let Some(own) = groups.lines().find_map(|line| line.strip_prefix("0::/")) else {
        return Ok(None);
    };
    let mut least = None;
    for group in Path::new(own).ancestors() {
        let text =
            |name: &str| Ok(kernel_file::text(&root.join(group).join(name))?.unwrap_or_default());
        let Ok(most) = text("memory.max")?.trim().parse::<u64>() else { continue };
        let used = text("memory.current")?.trim().parse::<u64>().unwrap_or(0);
        let unused = text("memory.stat")?
            .lines()
            .find_map(|line| line.strip_prefix("inactive_file ")?.parse::<u64>().ok())
            .unwrap_or(0);
        let left = most.saturating_sub(used.saturating_sub(unused));
        least = Some(least.map_or(left, |least: u64| least.min(left)));
    }
    Ok(least)
}

/// What may be taken from a node; `None` when there is no such node.
fn node_free_bytes(node: NodeId) -> Result<Option<u64>, KernelFileError> {
    let path = format!("{NODES}/node{node}/meminfo");
    let Some(meminfo) = kernel_file::text(Path::new(&path))? else { return Ok(None) };
    let zoneinfo = kernel_file::text(Path::new("/proc/zoneinfo")).ok().flatten();
    let reserved = match zoneinfo {
        Some(text) => reserved_pages(&text, node) * syscall::base_page_bytes() as u64,
        None => meminfo_bytes(&meminfo, "MemTotal").unwrap_or(0) / RESERVED_SHARE,
    };
    Ok(takeable_bytes(&meminfo, reserved))
}

/// Free memory and half of the page cache, less what the kernel keeps back. Half, because part of
/// the cache is in use; `si_mem_available` in Linux, `mm/show_mem.c`, takes a like share.
fn takeable_bytes(meminfo: &str, reserved_bytes: u64) -> Option<u64> {
    let free = meminfo_bytes(meminfo, "MemFree")?;
    let cache = meminfo_bytes(meminfo, "Active(file)").unwrap_or(0)
        + meminfo_bytes(meminfo, "Inactive(file)").unwrap_or(0);
    Some((free + cache / 2).saturating_sub(reserved_bytes))
}

/// The pages below which the kernel starts to reclaim on a node: the `high` watermarks of its
/// parts in `/proc/zoneinfo` (`proc_zoneinfo(5)`).
fn reserved_pages(zoneinfo: &str, node: NodeId) -> u64 {
    let here = format!("Node {node},");
    let mut on_node = false;
    let mut pages = 0;
    for line in zoneinfo.lines() {
        if line.starts_with("Node ") {
            on_node = line.starts_with(&here);
        }
        let mut words = line.split_whitespace();
        if on_node && words.next() == Some("high") {
            pages += words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_a_group_or_one_above_it_leaves_is_what_is_left() {
        const MIB: u64 = 1 << 20;
        let root = tempfile::tempdir().unwrap();
        let left = |groups: &str| group_left_bytes(root.path(), groups).unwrap().map(|b| b / MIB);
        let limit = |group: &str, most: &str, used: u64, unused: u64| {
            let group = root.path().join(group);
            std::fs::create_dir_all(&group).unwrap();
            std::fs::write(group.join("memory.max"), most).unwrap();
            std::fs::write(group.join("memory.current"), (used * MIB).to_string()).unwrap();
            let stat = format!("anon 5\ninactive_file {}\n", unused * MIB);
            std::fs::write(group.join("memory.stat"), stat).unwrap();
        };
        let own = "1:name=systemd:/x\n0::/outer/inner\n";
        assert_eq!(left(own), None, "there are no limits");
        limit("outer/inner", "max\n", 10, 0);
        assert_eq!(left(own), None);
        limit("outer", &(100 * MIB).to_string(), 30, 10);
        assert_eq!(left(own), Some(80));
        limit("outer/inner", &(50 * MIB).to_string(), 10, 0);
        assert_eq!(left(own), Some(40));
        // As in a container that sees its own group as the root.
        limit("", &(8 * MIB).to_string(), 9, 0);
        assert_eq!(left("0::/"), Some(0));
        assert_eq!(left("4:memory:/old\n"), None, "the first version's are not read");
    }

    #[test]
    fn only_the_asked_nodes_watermarks_are_kept_back() {
        let zoneinfo = "Node 0, zone      DMA\n  pages free     3840\n        low      80\n        \
                        high     96\n    pagesets\n              high:  0\nNode 0, zone   \
                        Normal\n        high     1000\nNode 1, zone   Normal\n        high     \
                        20\nNode 10, zone  Normal\n        high     7\n";
        assert_eq!(reserved_pages(zoneinfo, NodeId(0)), 1096);
        assert_eq!(reserved_pages(zoneinfo, NodeId(1)), 20);
        assert_eq!(reserved_pages(zoneinfo, NodeId(10)), 7);
        assert_eq!(reserved_pages(zoneinfo, NodeId(2)), 0);
    }

    #[test]
    fn half_of_the_page_cache_counts_as_takeable_and_never_below_zero() {
        let meminfo = "Node 1 MemFree: 100 kB\nNode 1 Active(file): 10 kB\nNode 1 Inactive(file): \
                       30 kB\n";
        assert_eq!(takeable_bytes(meminfo, 0), Some(120 * 1024));
        assert_eq!(takeable_bytes(meminfo, 20 * 1024), Some(100 * 1024));
        assert_eq!(takeable_bytes(meminfo, u64::MAX), Some(0));
    }
}
