//! Registered memory.

use std::{ffi::c_int, io, ptr::NonNull, sync::Arc};

use onesided_transport::{Access, Region, RegisterError, RemoteMemory};

use crate::{
    context::ProtectionDomain,
    ffi::{
        IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_READ,
        IBV_ACCESS_REMOTE_WRITE, ibv_mr,
    },
    locked_memory::LockedMemory,
};

/// Memory that is registered until this is dropped.
pub struct VerbsRegion {
    protection_domain: Arc<ProtectionDomain>,
    raw: NonNull<ibv_mr>,
    local_key: u32,
    remote: RemoteMemory,
}

// SAFETY: the handle is used again only to deregister, which verbs allow from any thread.
unsafe impl Send for VerbsRegion {}
// SAFETY: shared use reads plain numbers.
unsafe impl Sync for VerbsRegion {}

impl VerbsRegion {
    /// Registers `length` bytes at `address`.
    ///
    /// # Safety
    /// As [`onesided_transport::Transport::register`].
    pub(crate) unsafe fn register(
        protection_domain: &Arc<ProtectionDomain>,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<Self, RegisterError> {
        let symbols = protection_domain.context().library().symbols();
        // No optional access flag is ever given, so the header's macro would call this symbol.
        // SAFETY: the protection domain lives, the memory is the caller's promise.
        let raw = unsafe {
            symbols.ibv_reg_mr(
                protection_domain.as_ptr(),
                address.cast(),
                length,
                access_flags(access),
            )
        };
        let raw = NonNull::new(raw)
            .ok_or_else(|| why_not_registered(length as u64, io::Error::last_os_error()))?;
        // SAFETY: the library returned a region, whose keys it filled in.
        let (local_key, key) = unsafe { ((*raw.as_ptr()).lkey, (*raw.as_ptr()).rkey) };
        let remote = RemoteMemory {
            address: address.expose_provenance() as u64,
            length_bytes: length as u64,
            key,
        };
        Ok(Self { protection_domain: Arc::clone(protection_domain), raw, local_key, remote })
    }
}

impl Region for VerbsRegion {
    fn local_key(&self) -> u32 {
        self.local_key
    }

    fn remote(&self) -> RemoteMemory {
        self.remote
    }
}

impl Drop for VerbsRegion {
    fn drop(&mut self) {
        let symbols = self.protection_domain.context().library().symbols();
        // SAFETY: the region was made by this library and is deregistered once.
        unsafe { symbols.ibv_dereg_mr(self.raw.as_ptr()) };
    }
}

/// Rights as verbs code them. Remote writes and atomics need the local right, too
/// (`ibv_reg_mr(3)`), which the contract always gives.
pub(crate) fn access_flags(access: Access) -> c_int {
    let right = |given: bool, flag: u32| if given { flag } else { 0 };
    let flags = IBV_ACCESS_LOCAL_WRITE
        | right(access.remote_read, IBV_ACCESS_REMOTE_READ)
        | right(access.remote_write, IBV_ACCESS_REMOTE_WRITE)
        | right(access.remote_atomic, IBV_ACCESS_REMOTE_ATOMIC);
    flags as c_int
}

/// The kernel says ENOMEM beyond a limit on locked memory, and EPERM when the limit is 0.
fn why_not_registered(length_bytes: u64, source: io::Error) -> RegisterError {
    let limit_bytes = match source.raw_os_error() {
        Some(libc::ENOMEM | libc::EPERM) => {
            LockedMemory::of_this_process().limit_below(length_bytes)
        }
        _ => None,
    };
    match limit_bytes {
        Some(limit_bytes) => RegisterError::LockedMemoryLimit { length_bytes, limit_bytes },
        None => RegisterError::Refused { length_bytes, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_right_has_its_flag_and_local_writes_are_always_allowed() {
        assert_eq!(access_flags(Access::LOCAL), 1);
        assert_eq!(access_flags(Access::REMOTE), 1 | 2 | 4 | 8);
        assert_eq!(access_flags(Access { remote_read: true, ..Access::LOCAL }), 1 | 4);
    }

    #[test]
    fn an_error_that_is_not_about_memory_is_kept_as_it_is() {
        let source = io::Error::from_raw_os_error(libc::EFAULT);
        let RegisterError::Refused { source, length_bytes: 64 } = why_not_registered(64, source)
        else {
            panic!("EFAULT is not the limit");
        };
        assert_eq!(source.raw_os_error(), Some(libc::EFAULT));
    }
}
