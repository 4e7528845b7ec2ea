//! Which node of which fabric to open, and how it behaves.

use std::{path::PathBuf, time::Duration};

use onesided_placement::CpuSet;

use crate::{fabric::default_fabric, serving::Serving};

/// Which node to open.
#[derive(Clone, Debug)]
pub struct RmcOptions {
    /// The fabric's folder.
    pub fabric: PathBuf,
    /// The context: who may enter its folder may access what its members register.
    pub context: u32,
    /// The node; without one the first that is free.
    pub node: Option<u16>,
    /// Emulated delay of a hop. A request takes one hop, and its reply another.
    pub hop_delay: Duration,
    /// CPUs that the node's responder runs on; those of the thread that opens it otherwise.
    pub responder_cpus: Option<CpuSet>,
    /// Who executes what others ask of the node.
    pub serving: Serving,
}

impl Default for RmcOptions {
    fn default() -> Self {
        Self {
            fabric: default_fabric(),
            context: 0,
            node: None,
            hop_delay: Duration::ZERO,
            responder_cpus: None,
            serving: Serving::Thread,
        }
    }
}
