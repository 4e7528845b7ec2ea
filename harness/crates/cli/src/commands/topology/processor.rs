//! The machine's processors and caches, as facts of a profile.

use std::{
    collections::{BTreeMap, BTreeSet},
    num::{NonZeroU32, NonZeroU64},
};

use onesided_placement::{CpuSet, Topology};
use onesided_results::machine::{Cache, CacheKind, Processor};

use super::tree::Tree;

const CPUS: &str = "sys/devices/system/cpu";

/// The processors; and why what is missing is.
pub fn processor(tree: &Tree, topology: &Topology) -> (Processor, Vec<String>) {
    let mut untold = Vec::new();
    let mut told = |what: &str, fact: Option<NonZeroU32>| {
        if fact.is_none() {
            untold.push(what.to_owned());
        }
        fact
    };
    let cpus: Vec<_> = topology.online_cpus.iter().flat_map(CpuSet::iter).collect();
    let package = |cpu| tree.text(format!("{CPUS}/cpu{cpu}/topology/physical_package_id"));
    let packages: Option<BTreeSet<String>> = cpus.iter().map(package).collect();
    let sockets = packages.filter(|packages| !packages.contains("-1")).map_or(0, |all| all.len());
    let cores = topology.cores.len();
    let processor = Processor {
        model: cpuinfo(tree, "model name"),
        sockets: told("sockets: the kernel does not tell all CPUs' packages", count(sockets)),
        cores_per_socket: told(
            "cores_per_socket: not known, or processors that are not alike",
            whole(cores, sockets),
        ),
        threads_per_core: told(
            "threads_per_core: not known, or cores that are not alike",
            whole(cpus.len(), cores),
        ),
        frequency_hz: frequency(tree),
        source: None,
    };
    if processor.model.is_none() {
        untold.push("model: /proc/cpuinfo has no line \"model name\"".to_owned());
    }
    if processor.frequency_hz.is_none() {
        untold.push("frequency_hz: the kernel tells no cpufreq/base_frequency".to_owned());
    }
    (processor, untold)
}

/// The value of a line of `/proc/cpuinfo`, of the first CPU.
pub fn cpuinfo(tree: &Tree, key: &str) -> Option<String> {
    let text = tree.text("proc/cpuinfo")?;
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

/// The nominal clock (Linux, `Documentation/admin-guide/pm/intel_pstate.rst`, in kHz).
fn frequency(tree: &Tree) -> Option<NonZeroU64> {
    let kilohertz: u64 = tree.text(format!("{CPUS}/cpu0/cpufreq/base_frequency"))?.parse().ok()?;
    NonZeroU64::new(kilohertz.checked_mul(1000)?)
}

fn count(number: usize) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(number).ok()?)
}

/// `all / parts` where it is a whole number from 1.
fn whole(all: usize, parts: usize) -> Option<NonZeroU32> {
    (parts > 0 && all.is_multiple_of(parts)).then(|| count(all / parts)).flatten()
}

/// A cache without how many there are of it.
type Alike = (u8, Option<CacheKind>, NonZeroU64, Option<NonZeroU32>, Option<NonZeroU32>);

/// The caches, by level and kind (Linux, `Documentation/ABI/testing/sysfs-devices-system-cpu`).
pub fn caches(tree: &Tree, topology: &Topology) -> Vec<Cache> {
    let mut found: BTreeMap<Alike, BTreeSet<Option<String>>> = BTreeMap::new();
    for cpu in topology.online_cpus.iter().flat_map(CpuSet::iter) {
        let folder = format!("{CPUS}/cpu{cpu}/cache");
        for index in tree.names(&folder).iter().filter(|name| name.starts_with("index")) {
            let fact = |name: &str| tree.text(format!("{folder}/{index}/{name}"));
            let number = |name| fact(name)?.parse().ok().and_then(NonZeroU32::new);
            let level = fact("level").and_then(|level| level.parse().ok());
            let size = fact("size").as_deref().and_then(size_bytes);
            let (Some(level), Some(size)) = (level, size) else { continue };
            let kind = fact("type").as_deref().and_then(cache_kind);
            let ways = number("ways_of_associativity");
            let alike = (level, kind, size, ways, number("coherency_line_size"));
            found.entry(alike).or_default().insert(fact("shared_cpu_list"));
        }
    }
    let cache = |((level, kind, size_bytes, ways, line_bytes), shared): (Alike, _)| {
        let shared: BTreeSet<Option<String>> = shared;
        let all_told = !shared.contains(&None);
        let count = all_told.then(|| count(shared.len())).flatten();
        Cache { level, kind, size_bytes, ways, line_bytes, count, source: None }
    };
    found.into_iter().map(cache).collect()
}

fn cache_kind(word: &str) -> Option<CacheKind> {
    match word {
        "Data" => Some(CacheKind::Data),
        "Instruction" => Some(CacheKind::Instruction),
        "Unified" => Some(CacheKind::Unified),
        _ => None,
    }
}

/// A size as the kernel writes it: `48K`, seldom `32M`.
fn size_bytes(text: &str) -> Option<NonZeroU64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    NonZeroU64::new(number.parse::<u64>().ok()?.checked_mul(factor)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches_are_read_as_the_kernel_writes_them() {
        assert_eq!(size_bytes("48K").map(NonZeroU64::get), Some(49_152));
        assert_eq!(size_bytes("32M").map(NonZeroU64::get), Some(33_554_432));
        for text in ["", "K", "0K", "48k", "-1", "99999999999999999999K"] {
            assert_eq!(size_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn a_count_that_does_not_divide_is_not_told() {
        assert_eq!(whole(48, 24).map(NonZeroU32::get), Some(2));
        assert_eq!(whole(3, 2), None);
        assert_eq!(whole(3, 0), None);
        assert_eq!(whole(0, 2), None);
    }
}
