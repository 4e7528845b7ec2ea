//! Where datagrams go, and which services a device has.

use std::{io, ptr::NonNull, sync::Arc};

use onesided_transport::{
    Access, CompletionQueues, ConnectError, EndpointAttributes, ReceiveQueues, Service, Word,
};

use crate::{
    connection::address_vector,
    context::ProtectionDomain,
    ffi::{ibv_ah, ibv_send_wr__bindgen_ty_2__bindgen_ty_3 as Target},
    queue::{CompletionQueue, QueuePair},
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

/// The services that a device has. No verb tells: one queue pair of each is made. Providers refuse what
/// they have not, with an error of their own choice. Where there is only no room now the service counts as
/// there: who makes its queue pairs is told what was lacking.
pub(crate) fn services(protection_domain: &Arc<ProtectionDomain>) -> Vec<Service> {
    let has = |service: &Service| {
        let attributes = EndpointAttributes {
            service: *service,
            queue_pairs: 1,
            send_queue_depth: 1,
            receive_queue_depth: 1,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access::LOCAL,
        };
        let made = CompletionQueue::create(protection_domain.context(), 2)
            .and_then(|queue| QueuePair::create(protection_domain, &queue, &attributes));
        let lacks_room = |error: io::Error| {
            let no_room = [libc::ENOMEM, libc::EAGAIN, libc::EMFILE, libc::ENOSPC];
            error.raw_os_error().is_some_and(|code| no_room.contains(&code))
        };
        service.is_reliable() || made.map_or_else(lacks_room, |_| true)
    };
    Service::ALL.iter().copied().filter(has).collect()
}
