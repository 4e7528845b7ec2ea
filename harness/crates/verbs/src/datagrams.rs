//! Where datagrams go.

use std::{io, ptr::NonNull, sync::Arc};

use onesided_transport::ConnectError;

use crate::{
    connection::address_vector,
    context::ProtectionDomain,
    ffi::{ibv_ah, ibv_send_wr__bindgen_ty_2__bindgen_ty_3 as Target},
    rules::{BrokenRule, Connection},
};

/// The way to a peer, as the device keeps it.
pub(crate) struct AddressHandle {
    protection_domain: Arc<ProtectionDomain>,
    raw: NonNull<ibv_ah>,
}

// SAFETY: a handle; verbs take it from any thread.
unsafe impl Send for AddressHandle {}

impl AddressHandle {
    /// To the peer of what would be a connection.
    pub(crate) fn create(
        protection_domain: &Arc<ProtectionDomain>,
        connection: &Connection<'_>,
    ) -> Result<Self, ConnectError> {
        if let Some(BrokenRule { rule: broken_rule, .. }) = connection.broken_rule() {
            let source = io::Error::from_raw_os_error(libc::EINVAL);
            return Err(ConnectError::NoWay { broken_rule, source });
        }
        let mut attributes = address_vector(connection, connection.own.port);
        let symbols = protection_domain.context().library().symbols();
        // SAFETY: the protection domain lives; the attributes are read during the call.
        let raw = unsafe { symbols.ibv_create_ah(protection_domain.as_ptr(), &raw mut attributes) };
        let Some(raw) = NonNull::new(raw) else {
            let source = io::Error::last_os_error();
            let broken_rule = connection.explain(&source, None);
            return Err(ConnectError::NoWay { broken_rule, source });
        };
        Ok(Self { protection_domain: Arc::clone(protection_domain), raw })
    }

    /// What requests to a queue pair there carry.
    pub(crate) fn target(&self, number: u32, key: u32) -> Target {
        Target { ah: self.raw.as_ptr(), remote_qpn: number, remote_qkey: key }
    }
}

impl Drop for AddressHandle {
    fn drop(&mut self) {
        let symbols = self.protection_domain.context().library().symbols();
        // SAFETY: the library made it, and it is destroyed once, after the queue pairs that may name it.
        unsafe { symbols.ibv_destroy_ah(self.raw.as_ptr()) };
    }
}
