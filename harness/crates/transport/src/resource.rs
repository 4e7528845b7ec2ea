//! What a program needs of a device before it can ask for anything.

use crate::{endpoint::CreateEndpointError, memory::RegisterError};

/// Why a device gave no memory, or no queue pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// Memory could not be registered.
    #[error("memory cannot be registered")]
    Register {
        /// Why not.
        #[from]
        source: RegisterError,
    },
    /// The device has no such endpoint.
    #[error("a queue pair cannot be made")]
    Create {
        /// Why not.
        #[from]
        source: CreateEndpointError,
    },
}
