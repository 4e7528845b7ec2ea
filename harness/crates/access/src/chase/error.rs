//! Why a latency could not be measured.

use std::io;

use onesided_placement::{AffinityError, CpuId, MemoryError, ResidencyError};

/// Why a latency could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChaseError {
    /// The working set cannot be cut into lines, or is too large.
    #[error(
        "a working set of {working_set_bytes} bytes cannot be chased through: expected a multiple \
         of {step_bytes}, from {step_bytes} to {at_most}"
    )]
    WorkingSet {
        /// What was asked for.
        working_set_bytes: u64,
        /// What it must be a multiple of.
        step_bytes: u64,
        /// The most there is room for.
        at_most: u64,
    },
    /// No working set was asked for.
    #[error("no working set to measure: give at least one")]
    NoWorkingSet,
    /// The memory cannot be had.
    #[error("no memory to chase through")]
    Memory {
        /// Why.
        #[from]
        source: MemoryError,
    },
    /// The kernel did not make transparent huge pages of the memory.
    #[error(
        "{huge_bytes} of {asked_bytes} bytes became transparent huge pages; free memory is in \
         pieces, or /sys/kernel/mm/transparent_hugepage/enabled says never: choose other pages"
    )]
    NotTransparentHuge {
        /// Bytes asked for.
        asked_bytes: u64,
        /// Bytes that are in huge pages.
        huge_bytes: u64,
    },
    /// It cannot be found out how large the memory's pages are.
    #[error("cannot find out the size of pages from /proc/self/smaps")]
    PagesUnknown {
        /// The kernel's answer.
        source: io::Error,
    },
    /// It cannot be asked where the memory is.
    #[error("cannot prove where the memory is")]
    Residency {
        /// Why.
        #[from]
        source: ResidencyError,
    },
    /// The thread cannot be pinned.
    #[error("cannot run on CPU {cpu}")]
    Affinity {
        /// The CPU asked for.
        cpu: CpuId,
        /// Why.
        source: AffinityError,
    },
    /// The thread did not stay on its CPU.
    #[error("pinned to CPU {asked}, found on CPU {found}: something moves threads on this machine")]
    Moved {
        /// The CPU asked for.
        asked: CpuId,
        /// Where the thread was afterwards.
        found: CpuId,
    },
    /// The thread could not be started.
    #[error("cannot start a thread")]
    Thread {
        /// The kernel's answer.
        source: io::Error,
    },
}
