//! A receive queue that several queue pairs have.

use std::{io, ptr, ptr::NonNull, sync::Arc};

use crate::{
    context::ProtectionDomain,
    ffi::{ibv_srq, ibv_srq_attr, ibv_srq_init_attr},
};

/// The queue, alive as long as a queue pair that has it.
pub(crate) struct SharedReceiveQueue {
    protection_domain: Arc<ProtectionDomain>,
    raw: NonNull<ibv_srq>,
    depth: u32,
}

// SAFETY: a handle; verbs take it from any thread.
unsafe impl Send for SharedReceiveQueue {}
// SAFETY: shared use reads the handle; posts are the data path's, by one thread at a time.
unsafe impl Sync for SharedReceiveQueue {}

impl SharedReceiveQueue {
    /// Creates one with room for at least `depth` requests (`ibv_create_srq(3)`).
    pub(crate) fn create(
        protection_domain: &Arc<ProtectionDomain>,
        depth: u32,
    ) -> io::Result<Arc<Self>> {
        let mut attributes = ibv_srq_init_attr {
            srq_context: ptr::null_mut(),
            // Some providers refuse a queue without room.
            attr: ibv_srq_attr { max_wr: depth.max(1), max_sge: 1, srq_limit: 0 },
        };
        let symbols = protection_domain.context().library().symbols();
        // SAFETY: the protection domain lives; the attributes are read and written during the call.
        let raw =
            unsafe { symbols.ibv_create_srq(protection_domain.as_ptr(), &raw mut attributes) };
        let raw = NonNull::new(raw).ok_or_else(io::Error::last_os_error)?;
        let (protection_domain, depth) = (Arc::clone(protection_domain), attributes.attr.max_wr);
        Ok(Arc::new(Self { protection_domain, raw, depth }))
    }

    /// Requests that it really has room for, as the provider says it.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    pub(crate) fn as_ptr(&self) -> *mut ibv_srq {
        self.raw.as_ptr()
    }
}

impl Drop for SharedReceiveQueue {
    fn drop(&mut self) {
        let symbols = self.protection_domain.context().library().symbols();
        // SAFETY: the queue pairs that have it hold it alive, so none is left.
        unsafe { symbols.ibv_destroy_srq(self.as_ptr()) };
    }
}
