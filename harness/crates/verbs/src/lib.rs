//! The verbs back end: queue pairs of every service through rdma-core, looked up at run time.
//!
//! | module | what is there |
//! |---|---|
//! | `library` | libibverbs, loaded at run time and never linked |
//! | `ffi` | its declarations (generated), and what its header does inline |
//! | `sysfs` | what the kernel says in `/sys/class/infiniband` |
//! | `counters` | counters of a port |
//! | `device_list`, `context` | devices listed; a device opened, its protection domain |
//! | `device` | [`VerbsDevice`] |
//! | `opening`, `open_error` | which device and port, and why not |
//! | `description`, `gid_table`, `abilities` | what was opened, and what it can do |
//! | `region`, `locked_memory` | registered memory, and the limit that it runs into |
//! | `endpoint`, `wiring`, `queue`, `shared_receives` | queue pairs of one thread, from creation to `INIT` |
//! | `connection`, `rules` | `INIT` to `RTR` to `RTS`, and which rule a refusal breaks |
//! | `post_list`, `data_path` | post and poll |

mod abilities;
mod connection;
mod context;
mod counters;
mod data_path;
mod datagrams;
mod description;
mod device;
mod device_list;
mod endpoint;
mod ffi;
mod gid_table;
mod library;
mod locked_memory;
mod open_error;
mod opening;
mod post_list;
mod queue;
mod receive_list;
mod region;
mod rules;
mod shared_receives;
mod sysfs;
mod wiring;

pub use device::{DeviceName, VerbsDevice, devices};
pub use endpoint::VerbsEndpoint;
pub use library::{DEFAULT as DEFAULT_LIBRARY, LibraryError, OVERRIDE as LIBRARY_OVERRIDE};
pub use open_error::OpenError;
pub use opening::Selection;
pub use region::VerbsRegion;
