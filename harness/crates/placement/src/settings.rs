//! Settings of the machine that raise doubts about a measurement.
//!
//! Each is `None` where the kernel does not tell: the file is not there, or cannot be read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use onesided_vocabulary::MemoryLockLimit;
use serde::Serialize;

use crate::kernel_file;
use crate::place::{CpuId, CpuSet};

/// Automatic NUMA balancing: whether the kernel moves pages towards the threads that use them
/// (`/proc/sys/kernel/numa_balancing`, Linux `Documentation/admin-guide/sysctl/kernel.rst`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NumaBalancing {
    /// Pages stay.
    Off,
    /// Pages that are not bound may move.
    On,
    /// Cold pages may move to slower memory.
    MemoryTiering,
    /// A value this program does not know.
    Other(String),
}

/// Transparent huge pages for memory that does not choose itself
/// (`/sys/kernel/mm/transparent_hugepage/enabled`, Linux `Documentation/admin-guide/mm/transhuge.rst`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TransparentHugePages {
    /// Everywhere.
    Always,
    /// Where asked for.
    Madvise,
    /// Nowhere.
    Never,
    /// A value this program does not know.
    Other(String),
}

/// Whether something of the processor is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// In use, or allowed to be.
    On,
    /// Not in use.
    Off,
}

/// The settings that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Whether the kernel moves pages by itself.
    pub numa_balancing: Option<NumaBalancing>,
    /// Whether memory becomes huge pages by itself.
    pub transparent_huge_pages: Option<TransparentHugePages>,
    /// Whether two threads share a core.
    pub smt: Option<Switch>,
    /// The frequency governor of each CPU that has one, such as `performance`.
    pub governors: BTreeMap<CpuId, String>,
    /// Whether the clock may rise above its nominal rate.
    pub turbo: Option<Switch>,
    /// How much memory may be locked.
    pub memlock: Option<MemoryLockLimit>,
    /// The CPUs kept free of the scheduler's balancing (`isolcpus=`); empty is a real value.
    pub isolated_cpus: Option<BTreeSet<CpuId>>,
}

impl Settings {
    /// The settings of this machine and process.
    pub fn read() -> Self {
        Self { memlock: memlock(), ..Self::read_at(Path::new("/sys"), Path::new("/proc")) }
    }

    /// What the trees at `sys` and `proc` tell; the limit on locked memory, a property of the
    /// process, is not among it.
    pub fn read_at(sys: &Path, proc: &Path) -> Self {
        let sys_text = |path: &str| told(&sys.join(path));
        let cpus = "devices/system/cpu";
        let smt = sys_text(&format!("{cpus}/smt/active"));
        let isolated = sys_text(&format!("{cpus}/isolated"));
        Self {
            numa_balancing: told(&proc.join("sys/kernel/numa_balancing")).map(numa_balancing),
            transparent_huge_pages: sys_text("kernel/mm/transparent_hugepage/enabled")
                .map(transparent_huge_pages),
            smt: smt.as_deref().and_then(switch),
            governors: governors(&sys.join(cpus)),
            turbo: turbo(&sys.join(cpus)),
            memlock: None,
            isolated_cpus: isolated.as_deref().and_then(isolated_cpus),
        }
    }
}

/// An unreadable file is no reason to stop a measurement: the setting is then not known.
fn told(path: &Path) -> Option<String> {
    kernel_file::text(path).ok().flatten()
}

fn numa_balancing(text: String) -> NumaBalancing {
    match text.as_str() {
        "0" => NumaBalancing::Off,
        "1" => NumaBalancing::On,
        "2" => NumaBalancing::MemoryTiering,
        _ => NumaBalancing::Other(text),
    }
}

/// The word in brackets of `always [madvise] never`.
fn transparent_huge_pages(text: String) -> TransparentHugePages {
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    match chosen.map(|(word, _)| word) {
        Some("always") => TransparentHugePages::Always,
        Some("madvise") => TransparentHugePages::Madvise,
        Some("never") => TransparentHugePages::Never,
        _ => TransparentHugePages::Other(text),
    }
}

fn switch(text: &str) -> Option<Switch> {
    match text {
        "1" => Some(Switch::On),
        "0" => Some(Switch::Off),
        _ => None,
    }
}

fn turbo(cpus: &Path) -> Option<Switch> {
    let no_turbo = told(&cpus.join("intel_pstate/no_turbo"));
    match no_turbo.as_deref().and_then(switch) {
        Some(Switch::On) => Some(Switch::Off),
        Some(Switch::Off) => Some(Switch::On),
        None => told(&cpus.join("cpufreq/boost")).as_deref().and_then(switch),
    }
}

fn governors(cpus: &Path) -> BTreeMap<CpuId, String> {
    let folders = std::fs::read_dir(cpus).into_iter().flatten().flatten();
    folders
        .filter_map(|folder| {
            let name = folder.file_name();
            let cpu = name.to_str()?.strip_prefix("cpu")?.parse().ok()?;
            Some((CpuId(cpu), told(&folder.path().join("cpufreq/scaling_governor"))?))
        })
        .collect()
}

fn isolated_cpus(list: &str) -> Option<BTreeSet<CpuId>> {
    match list {
        "" => Some(BTreeSet::new()),
        list => Some(list.parse::<CpuSet>().ok()?.iter().collect()),
    }
}

fn memlock() -> Option<MemoryLockLimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one `rlimit`.
    match unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) } {
        0 if limit.rlim_cur == libc::RLIM_INFINITY => Some(MemoryLockLimit::Unlimited),
        0 => Some(MemoryLockLimit::Bytes(limit.rlim_cur)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Trees(tempfile::TempDir);

    impl Trees {
        fn with(files: &[(&str, &str)]) -> Self {
            let trees = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                let path = trees.0.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            trees
        }

        fn read(&self) -> Settings {
            Settings::read_at(&self.0.path().join("sys"), &self.0.path().join("proc"))
        }
    }

    #[test]
    fn everything_a_server_tells_is_read() {
        let settings = Trees::with(&[
            ("proc/sys/kernel/numa_balancing", "1\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
            ("sys/devices/system/cpu/isolated", "2-3,10\n"),
        ])
        .read();
        assert_eq!(settings.numa_balancing, Some(NumaBalancing::On));
        assert_eq!(settings.transparent_huge_pages, Some(TransparentHugePages::Always));
        assert_eq!(settings.smt, Some(Switch::On));
        assert_eq!(settings.turbo, Some(Switch::On));
        assert_eq!(settings.governors[&CpuId(0)], "powersave");
        assert_eq!(settings.governors[&CpuId(10)], "performance");
        let isolated = BTreeSet::from([CpuId(2), CpuId(3), CpuId(10)]);
        assert_eq!(settings.isolated_cpus, Some(isolated));
    }

    #[test]
    fn what_is_not_told_is_absent_and_an_empty_list_is_not() {
        let nothing = Trees::with(&[]).read();
        assert_eq!(nothing.numa_balancing, None);
        assert_eq!(nothing.transparent_huge_pages, None);
        assert_eq!((nothing.smt, nothing.turbo), (None, None));
        assert!(nothing.governors.is_empty());
        assert_eq!(nothing.isolated_cpus, None);
        let empty = Trees::with(&[("sys/devices/system/cpu/isolated", "\n")]).read();
        assert_eq!(empty.isolated_cpus, Some(BTreeSet::new()));
    }

    #[test]
    fn amd_boost_off_and_unknown_values_are_told_apart() {
        let settings = Trees::with(&[
            ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
            ("proc/sys/kernel/numa_balancing", "7\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always madvise never\n"),
        ])
        .read();
        assert_eq!(settings.turbo, Some(Switch::Off));
        assert_eq!(settings.numa_balancing, Some(NumaBalancing::Other("7".to_owned())));
        let unchosen = TransparentHugePages::Other("always madvise never".to_owned());
        assert_eq!(settings.transparent_huge_pages, Some(unchosen));
    }

    #[test]
    fn this_process_has_a_limit_on_locked_memory_or_none() {
        let settings = Settings::read();
        assert!(settings.memlock.is_some());
    }
}
