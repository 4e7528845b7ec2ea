//! What this process may use of the machine.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::place::{CpuSet, NodeId, NodeSet};
use crate::{affinity, kernel_file};

/// The CPUs and memory nodes this process may use, by cpuset, container or `taskset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allowed {
    /// CPUs in the main thread's mask (`sched_getaffinity(2)`); `None` when the kernel refuses.
    pub cpus: Option<CpuSet>,
    /// Nodes memory may come from (`Mems_allowed_list` in `proc_pid_status(5)`); `None` when the
    /// kernel does not say.
    pub memory_nodes: Option<BTreeSet<NodeId>>,
}

impl Allowed {
    /// Asks the kernel for this process. A `taskset` counts as the user's will: its mask is
    /// reported although the process could widen it.
    pub fn of_this_process() -> Self {
        let status = kernel_file::text(Path::new("/proc/self/status")).ok().flatten();
        Self {
            cpus: affinity::cpus_of_main_thread().ok(),
            memory_nodes: status.as_deref().and_then(memory_nodes),
        }
    }
}

fn memory_nodes(status: &str) -> Option<BTreeSet<NodeId>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"))?;
    Some(list.parse::<NodeSet>().ok()?.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_memory_nodes_are_read_from_the_status_file() {
        let status = "Name:\tx\nMems_allowed:\t0000000d\nMems_allowed_list:\t0,2-3\n";
        let nodes = memory_nodes(status).unwrap();
        assert_eq!(nodes, BTreeSet::from([NodeId(0), NodeId(2), NodeId(3)]));
        assert_eq!(memory_nodes("Name:\tx\n"), None);
    }

    #[test]
    fn this_process_may_use_at_least_the_cpu_it_runs_on() {
        let allowed = Allowed::of_this_process();
        let (_, node) = affinity::current_cpu();
        assert!(allowed.cpus.is_some());
        assert!(allowed.memory_nodes.is_none_or(|nodes| !nodes.is_empty()), "node {node}");
    }
}
