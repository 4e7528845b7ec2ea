//! Where memory and threads live: topology, device locality, affinity, memory policy, residency
//! proof.
//!
//! | asked | module |
//! |---|---|
//! | which nodes, CPUs, distances are there | [`topology`] |
//! | which node is the NIC on, and how is that known | [`device`] |
//! | what does `rdma-remote` mean here | [`place`], [`resolve`] |
//! | memory on a node | [`memory`]; of a file: [`bind_file`]; inside a library: [`policy`] |
//! | is it really there | [`residency`], [`mappings`] |
//! | threads on CPUs | [`affinity`] |
//! | do others want the CPU of a thread that spins | [`preemption`] |
//! | how long did a thread wait for a CPU | [`scheduling`] |
//! | what else could spoil a measurement | [`settings`] |
//! | is this a container, and what is forbidden in it | [`container`], [`refused_calls()`] |
//!
//! Nothing here measures, prints or exits. Policies are set by raw system calls, because libnuma
//! hides their failures, and every placement can be proven afterwards.

mod address_space;
pub mod affinity;
pub mod container;
pub mod device;
pub mod file_table;
mod kernel_file;
pub mod mappings;
pub mod memory;
pub mod policy;
pub mod preemption;
mod refused_calls;
pub mod residency;
pub mod resolve;
pub mod scheduling;
pub mod settings;
mod supply;
mod syscall;
pub mod topology;

pub use affinity::{
    AffinityError, cpus_of_current_thread, cpus_of_main_thread, current_cpu, pin_current_thread,
};
pub use container::{Confinement, Container, Engine, Identity, Users};
pub use device::{DeviceLocality, LocalityEvidence, device_model, device_model_at};
pub use file_table::own_file_table;
pub use kernel_file::KernelFileError;
pub use mappings::{Mapping, MappingSnapshot};
pub use memory::{
    BoundMemory, MemoryError, MemoryPolicy, PageSize, bind_file, bytes_of_page, check_supply,
};
pub use policy::{PolicyError, PolicyGuard};
pub use preemption::PreemptionWatch;
pub use refused_calls::refused_calls;
pub use residency::{PageRun, PagesByNode, Residency, ResidencyError, ResidencyVerdict};

pub use onesided_vocabulary::place::{
    CpuId, CpuSet, LoadMemoryPlace, MemoryPlace, NodeChoice, NodeId, NodeSet, NumberListError,
    ParseNodeIdError, ParsePlaceError, ThreadPlace,
};
pub use onesided_vocabulary::{MemoryLockLimit, PlacementMethod, place};
pub use resolve::{Resolve, ResolveError};
pub use scheduling::{
    Scheduling, SchedulingWatch, SpinningWatch, ThreadTimes, current_thread_id, stolen_ms,
};
pub use settings::{NumaBalancing, Settings, Switch, TransparentHugePages};
pub use supply::available_bytes;
pub use topology::{
    Allowed, LibnumaError, LibnumaView, Node, Topology, TopologyError, TopologySource,
};
