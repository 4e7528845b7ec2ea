//! CPUs that share a core: two threads pinned to such a pair take turns in its execution units.
//!
//! Source: Linux, `Documentation/ABI/stable/sysfs-devices-system-cpu`, `thread_siblings_list`.

use std::io;
use std::path::{Path, PathBuf};

use onesided_placement::{CpuId, CpuSet, NumberListError};

/// Why it is not known who shares a CPU's core.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharingError {
    /// The kernel does not tell: there is no such CPU, or it is offline.
    #[error("CPU {cpu}: cannot read {}; is it online?", path.display())]
    Unreadable {
        /// The CPU.
        cpu: CpuId,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file says something that is not understood.
    #[error("CPU {cpu}: {} is no list of CPUs", path.display())]
    Malformed {
        /// The CPU.
        cpu: CpuId,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: NumberListError,
    },
}

/// The CPUs of a CPU's core, itself among them.
///
/// # Errors
/// The kernel does not tell, or not understandably.
pub fn siblings(cpu: CpuId) -> Result<CpuSet, SharingError> {
    siblings_at(Path::new("/sys"), cpu)
}

/// As [`siblings`], with sysfs elsewhere.
///
/// # Errors
/// As [`siblings`].
pub fn siblings_at(sys: &Path, cpu: CpuId) -> Result<CpuSet, SharingError> {
    let path = sys.join(format!("devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
    let list = std::fs::read_to_string(&path).map_err(|source| SharingError::Unreadable {
        cpu,
        path: path.clone(),
        source,
    })?;
    list.trim().parse().map_err(|source| SharingError::Malformed { cpu, path, source })
}

/// The pairs of these CPUs that share a core, the lower CPU first, ascending.
///
/// # Errors
/// As [`siblings`].
pub fn pairs_on_one_core(cpus: &CpuSet) -> Result<Vec<(CpuId, CpuId)>, SharingError> {
    pairs_on_one_core_at(Path::new("/sys"), cpus)
}

/// As [`pairs_on_one_core`], with sysfs elsewhere.
///
/// # Errors
/// As [`siblings`].
pub fn pairs_on_one_core_at(
    sys: &Path,
    cpus: &CpuSet,
) -> Result<Vec<(CpuId, CpuId)>, SharingError> {
    let mut pairs = Vec::new();
    for cpu in cpus {
        if let Some(among) = siblings_at(sys, cpu)?.intersection(cpus) {
            pairs.extend(among.iter().filter(|other| *other > cpu).map(|other| (cpu, other)));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(lists: &[(u32, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (cpu, list) in lists {
            let folder = root.path().join(format!("devices/system/cpu/cpu{cpu}/topology"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("thread_siblings_list"), format!("{list}\n")).unwrap();
        }
        root
    }

    fn pairs(root: &tempfile::TempDir, cpus: &str) -> Vec<(u32, u32)> {
        let pairs = pairs_on_one_core_at(root.path(), &cpus.parse().unwrap()).unwrap();
        pairs.into_iter().map(|(one, other)| (one.0, other.0)).collect()
    }

    #[test]
    fn pairs_are_those_of_the_given_cpus_that_share_a_core() {
        // Cores {0, 2}, {1, 3} and one of four threads, {4, 5, 6, 7}.
        let mut lists = vec![(0, "0,2"), (2, "0,2"), (1, "1,3"), (3, "1,3")];
        lists.extend((4..8).map(|cpu| (cpu, "4-7")));
        let root = tree(&lists);
        assert_eq!(pairs(&root, "0,1"), []);
        assert_eq!(pairs(&root, "0-3"), [(0, 2), (1, 3)]);
        assert_eq!(pairs(&root, "4,6,7"), [(4, 6), (4, 7), (6, 7)]);
        assert_eq!(siblings_at(root.path(), CpuId(5)).unwrap().to_string(), "4-7");
    }

    #[test]
    fn a_cpu_that_is_not_there_and_a_list_that_is_none_are_errors() {
        let root = tree(&[(0, "x")]);
        let error = |cpu| siblings_at(root.path(), CpuId(cpu)).unwrap_err();
        assert!(matches!(error(0), SharingError::Malformed { .. }));
        assert!(matches!(error(1), SharingError::Unreadable { .. }));
    }

    #[test]
    fn on_this_machine_every_cpu_is_its_own_sibling() {
        for cpu in &onesided_placement::cpus_of_main_thread().unwrap() {
            match siblings(cpu) {
                Ok(siblings) => assert!(siblings.contains(cpu)),
                Err(error) => eprintln!("SKIPPED: {error}"),
            }
        }
    }
}
