//! libnuma's view of the nodes, asked for facts only.
//!
//! The library is opened at run time, so that the harness starts on machines without it. It is
//! asked only about nodes it lists itself, and only where sysfs is visible: otherwise it prints
//! to standard error and invents one node (`numa(3)`).

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint};
use std::path::Path;
use std::ptr::NonNull;

use libloading::Library;

use super::sysfs;
use crate::place::{CpuId, CpuSet, NodeId};

const NAME: &str = "libnuma.so.1";

/// The most nodes any Linux is built for (`CONFIG_NODES_SHIFT` is at most 10).
const LARGEST_NODE: c_int = 1023;

/// What libnuma says, node by node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibnumaView {
    /// The nodes it knows.
    pub nodes: BTreeMap<NodeId, LibnumaNode>,
}

/// One node as libnuma sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibnumaNode {
    /// Its CPUs; `None` for a node that has only memory.
    pub cpus: Option<CpuSet>,
    /// Distances it knows; those it does not know are left out.
    pub distances: BTreeMap<NodeId, u32>,
}

/// Why libnuma has nothing to say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibnumaError {
    /// The library or one of its functions is not there.
    #[error("cannot load {NAME} (Debian and Ubuntu: apt install libnuma1)")]
    NotLoadable {
        /// What the dynamic linker said.
        #[from]
        source: libloading::Error,
    },
    /// This program is linked statically, and loads no library.
    #[error("this program is linked statically and loads no {NAME}")]
    Static,
    /// sysfs does not tell of nodes, so libnuma would only guess.
    #[error("the kernel tells of no NUMA nodes under /sys")]
    NoNodesInSysfs,
    /// `numa_available(3)` answered -1.
    #[error("{NAME} says that NUMA is not available here")]
    NotAvailable,
    /// The library could not say which CPUs a node has.
    #[error("{NAME} cannot tell the CPUs of node {node}")]
    CpusUnknown {
        /// The node asked for.
        node: NodeId,
    },
}

/// `struct bitmask` of `numa.h`; only ever handled by pointer.
#[repr(C)]
struct Bitmask {
    size: std::ffi::c_ulong,
    _words: *mut std::ffi::c_ulong,
}

struct Functions {
    max_node: unsafe extern "C" fn() -> c_int,
    node_to_cpus: unsafe extern "C" fn(c_int, *mut Bitmask) -> c_int,
    distance: unsafe extern "C" fn(c_int, c_int) -> c_int,
    allocate_cpumask: unsafe extern "C" fn() -> *mut Bitmask,
    bitmask_free: unsafe extern "C" fn(*mut Bitmask),
    is_bit_set: unsafe extern "C" fn(*const Bitmask, c_uint) -> c_int,
    nodes: *const Bitmask,
}

impl LibnumaView {
    /// Opens libnuma, asks, and closes it again.
    ///
    /// # Errors
    /// The library is missing, or says that it cannot be used here.
    pub fn open() -> Result<Self, LibnumaError> {
        if cfg!(target_feature = "crt-static") {
            return Err(LibnumaError::Static);
        }
        if !sysfs::has_nodes(Path::new("/sys")) {
            return Err(LibnumaError::NoNodesInSysfs);
        }
        // SAFETY: libnuma's initialiser only reads files and calls get_mempolicy(2).
        let library = unsafe { Library::new(NAME)? };
        // SAFETY: the type is that of `int numa_available(void)` in numa.h.
        let available =
            unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"numa_available\0")? };
        // SAFETY: may be called at any time, and is to be called before anything else (numa(3)).
        if unsafe { available() } < 0 {
            return Err(LibnumaError::NotAvailable);
        }
        // The functions must not outlive `library`: they are used up before it is closed.
        Functions::of(&library)?.view()
    }
}

impl Functions {
    fn of(library: &Library) -> Result<Self, LibnumaError> {
        // SAFETY: each field's type is the prototype in numa.h of libnuma 2 (`LIBNUMA_API_VERSION`
        // 2), which is what an unversioned look-up finds; `numa_nodes_ptr` is a variable that
        // holds a pointer, set once by the library's initialiser.
        unsafe {
            Ok(Self {
                max_node: *library.get(b"numa_max_node\0")?,
                node_to_cpus: *library.get(b"numa_node_to_cpus\0")?,
                distance: *library.get(b"numa_distance\0")?,
                allocate_cpumask: *library.get(b"numa_allocate_cpumask\0")?,
                bitmask_free: *library.get(b"numa_bitmask_free\0")?,
                is_bit_set: *library.get(b"numa_bitmask_isbitset\0")?,
                nodes: **library.get::<*const *const Bitmask>(b"numa_nodes_ptr\0")?,
            })
        }
    }

    fn view(&self) -> Result<LibnumaView, LibnumaError> {
        // SAFETY: the library is initialised and available.
        let last = unsafe { (self.max_node)() }.min(LARGEST_NODE);
        let listed: Vec<c_int> =
            (0..=last).filter(|node| self.holds(self.nodes, *node as c_uint)).collect();
        let mut nodes = BTreeMap::new();
        for node in &listed {
            let distances =
                listed.iter().filter_map(|to| Some((id(*to), self.distance(*node, *to)?)));
            let seen = LibnumaNode { cpus: self.cpus(*node)?, distances: distances.collect() };
            nodes.insert(id(*node), seen);
        }
        Ok(LibnumaView { nodes })
    }

    fn cpus(&self, node: c_int) -> Result<Option<CpuSet>, LibnumaError> {
        let unknown = LibnumaError::CpusUnknown { node: id(node) };
        // SAFETY: takes nothing; the mask is given back below.
        let Some(mask) = NonNull::new(unsafe { (self.allocate_cpumask)() }) else {
            return Err(unknown);
        };
        // SAFETY: the node is one that libnuma lists, the mask is from numa_allocate_cpumask.
        let answer = unsafe { (self.node_to_cpus)(node, mask.as_ptr()) };
        // SAFETY: the mask is a valid `struct bitmask`.
        let size = unsafe { mask.as_ref() }.size.min(8192) as c_uint;
        let cpus = CpuSet::new((0..size).filter(|bit| self.holds(mask.as_ptr(), *bit)).map(CpuId));
        // SAFETY: allocated above, not used afterwards.
        unsafe { (self.bitmask_free)(mask.as_ptr()) };
        match answer {
            0 => Ok(cpus),
            _ => Err(unknown),
        }
    }

    fn holds(&self, mask: *const Bitmask, bit: c_uint) -> bool {
        // SAFETY: a valid mask; bits beyond its size answer 0.
        !mask.is_null() && unsafe { (self.is_bit_set)(mask, bit) } != 0
    }

    /// The distance, or `None` when libnuma answers 0, its word for "not known".
    fn distance(&self, from: c_int, to: c_int) -> Option<u32> {
        // SAFETY: both nodes are ones that libnuma lists.
        u32::try_from(unsafe { (self.distance)(from, to) }).ok().filter(|distance| *distance > 0)
    }
}

fn id(node: c_int) -> NodeId {
    NodeId(node.unsigned_abs())
}
