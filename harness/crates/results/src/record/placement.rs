//! What was asked of placement and what was found.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{MemorySpread, Moment, PlacedMemory, PlacementMethod, ThreadRole};

/// Where the pages of some memory were at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacementProof {
    /// Which memory.
    pub what: PlacedMemory,
    /// The place as it was asked for.
    pub asked: String,
    /// The node that this meant on the machine; absent if any would do.
    pub resolved_node: Option<u32>,
    /// Pages in all.
    pub pages: u64,
    /// Size of one page.
    pub page_bytes: u64,
    /// Pages found on each node.
    pub by_node: BTreeMap<u32, u64>,
    /// Pages whose node could not be found out.
    pub unproven_pages: u64,
    /// Pages that are not where they were asked to be, in runs of neighbours.
    pub misplaced: Vec<MisplacedPages>,
    /// Runs of misplaced pages that are not listed, to keep the record short.
    pub misplaced_not_listed: u64,
    /// Whether memory that was asked for on several nodes, or preferably on one, is spread as that
    /// says.
    pub spread: MemorySpread,
    /// When.
    pub when: Moment,
    /// How.
    pub method: PlacementMethod,
}

impl PlacementProof {
    /// The one node that every page was found on; absent if there are several or some unproven.
    pub fn proven_node(&self) -> Option<u32> {
        match self.by_node.iter().filter(|(_, pages)| **pages > 0).collect::<Vec<_>>()[..] {
            [(&node, _)] if self.unproven_pages == 0 => Some(node),
            _ => None,
        }
    }
}

/// Neighbouring pages on a node that was not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MisplacedPages {
    /// The first of them, counted from 0 at the memory's start.
    pub first_page: u64,
    /// How many.
    pub pages: u64,
    /// The node that they are on.
    pub node: u32,
}

/// Where a thread was asked to run and where it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadProof {
    /// What it is for.
    pub role: ThreadRole,
    /// Index among the threads of its role and side, from 0.
    pub thread: u32,
    /// The place as it was asked for.
    pub asked: String,
    /// CPUs that this meant, as the kernel lists them; absent if any would do.
    pub asked_cpus: Option<String>,
    /// The node that this meant; absent if any would do or the CPUs are on several.
    pub resolved_node: Option<u32>,
    /// CPUs that it was seen on.
    pub seen: Vec<CpuSample>,
    /// What it had of its CPUs; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<ThreadActivity>,
}

/// What a thread had of its CPUs while it measured, and how long nothing completed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadActivity {
    /// Length of the time that is looked at: of a client's thread the measured interval, of a
    /// server's from its start to its end.
    pub elapsed_ns: u64,
    /// Of it, time that the thread had a CPU (`clock_gettime(2)`, CLOCK_THREAD_CPUTIME_ID).
    pub ran_ns: u64,
    /// And time that it was ready to run and had none (`proc_pid_schedstat(5)`, the second number);
    /// absent if that cannot be told.
    pub waited_ns: Option<u64>,
    /// Why it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_note: Option<String>,
    /// How often it was taken off its CPU while it would have run on (`getrusage(2)`, ru_nivcsw).
    pub preemptions: u64,
    /// Longest time without a completion while a request was in flight; absent for a thread that
    /// waits for none.
    pub longest_gap_ns: Option<u64>,
    /// Sum of such times, of those that are a counting window long or longer.
    pub stalled_ns: Option<u64>,
}

/// How often a thread was seen on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CpuSample {
    /// The CPU.
    pub cpu: u32,
    /// Its node.
    pub node: u32,
    /// Times that it was seen there.
    pub samples: u64,
}
