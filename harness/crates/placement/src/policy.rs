//! The calling thread's memory policy, for allocations made inside libraries.

use std::io;
use std::marker::PhantomData;

use crate::place::NodeId;
use crate::syscall::{self, ThreadPolicy};

/// Why a thread's memory policy could not be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The node does not exist, has no memory, or this process may not use it.
    #[error("node {node} cannot be bound to: no such node, no memory on it, or not allowed")]
    NodeUnavailable {
        /// The node asked for.
        node: NodeId,
    },
    /// The call is forbidden (containers often do so) or this kernel has no NUMA.
    #[error("the kernel refuses {call}; a container may need `--cap-add SYS_NICE`")]
    Refused {
        /// The system call.
        call: &'static str,
        /// What it answered.
        source: io::Error,
    },
}

/// Binds what the calling thread allocates to a node for as long as it lives, then restores the
/// thread's policy.
///
/// Meant for memory that a library obtains itself, such as the rings of a queue pair: wrap the
/// creating call. It decides about pages *obtained* meanwhile. An allocator likes to hand out
/// pages it already has, so the free ones are first given back to the kernel (`malloc_trim(3)`).
/// That leaves pages partly in use, the first and the last of an allocation that does not have
/// them to itself, and, in threads other than the main one, the free end of the thread's own glibc
/// arena: create queue pairs from the main thread, or run with `MALLOC_ARENA_MAX=1`. Prove the
/// result with [`Residency`](crate::Residency), for memory whose address is not known with
/// [`MappingSnapshot`](crate::MappingSnapshot).
///
/// When the node has no page left the process is killed (`set_mempolicy(2)`, `MPOL_BIND`), so keep
/// large allocations to [`BoundMemory`](crate::BoundMemory), which looks first.
///
/// The policy belongs to a thread, so the guard cannot be sent to another. Guards nest.
#[derive(Debug)]
#[must_use = "the policy is restored when the guard is dropped"]
pub struct PolicyGuard {
    previous: ThreadPolicy,
    stays_on_its_thread: PhantomData<*const ()>,
}

impl PolicyGuard {
    /// Binds to a node until dropped.
    ///
    /// # Errors
    /// The node cannot be used, or the call is forbidden.
    pub fn bind(node: NodeId) -> Result<Self, PolicyError> {
        let policy = ThreadPolicy::bind(node).ok_or(PolicyError::NodeUnavailable { node })?;
        give_back_free_pages();
        let previous = syscall::thread_policy()
            .map_err(|source| PolicyError::Refused { call: "get_mempolicy", source })?;
        match syscall::set_thread_policy(&policy) {
            Ok(()) => Ok(Self { previous, stays_on_its_thread: PhantomData }),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                Err(PolicyError::NodeUnavailable { node })
            }
            Err(source) => Err(PolicyError::Refused { call: "set_mempolicy", source }),
        }
    }

    /// Restores the previous policy and says whether that worked; dropping does the same without
    /// saying.
    ///
    /// # Errors
    /// The cpuset changed meanwhile so that the previous policy is no longer possible.
    pub fn restore(self) -> Result<(), PolicyError> {
        syscall::set_thread_policy(&self.previous)
            .map_err(|source| PolicyError::Refused { call: "set_mempolicy", source })
    }
}

impl Drop for PolicyGuard {
    fn drop(&mut self) {
        // Fails only when the process's cpuset changed under it; `restore` is there to be told.
        let _ = syscall::set_thread_policy(&self.previous);
    }
}

#[cfg(target_env = "gnu")]
fn give_back_free_pages() {
    // SAFETY: may be called at any time; touches only memory that the allocator holds as free.
    unsafe { libc::malloc_trim(0) };
}

/// Other C libraries have no such call: what they keep free stays where it is.
#[cfg(not(target_env = "gnu"))]
fn give_back_free_pages() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_bound_while_the_guard_lives_and_restored_afterwards() {
        let before = syscall::thread_policy().unwrap();
        let (_, node) = crate::affinity::current_cpu();
        let guard = PolicyGuard::bind(node).unwrap();
        assert_eq!(syscall::thread_policy().unwrap(), ThreadPolicy::bind(node).unwrap());
        let inner = PolicyGuard::bind(node).unwrap();
        inner.restore().unwrap();
        assert_eq!(syscall::thread_policy().unwrap(), ThreadPolicy::bind(node).unwrap());
        drop(guard);
        assert_eq!(syscall::thread_policy().unwrap(), before);
    }

    #[test]
    fn a_node_that_does_not_exist_is_refused_and_changes_nothing() {
        let before = syscall::thread_policy().unwrap();
        for node in [NodeId(1023), NodeId(1024), NodeId(u32::MAX)] {
            let error = PolicyGuard::bind(node).unwrap_err();
            assert!(matches!(error, PolicyError::NodeUnavailable { .. }), "{error}");
        }
        assert_eq!(syscall::thread_policy().unwrap(), before);
    }
}
