//! Completion queues and queue pairs, each alive as long as what is made from it.

use std::{
    ffi::{c_int, c_uint},
    io, ptr,
    ptr::NonNull,
    sync::Arc,
};

use onesided_transport::{EndpointAttributes, Service};

use crate::{
    context::{Context, ProtectionDomain},
    ffi::{
        IBV_QP_ACCESS_FLAGS, IBV_QP_CAP, IBV_QP_PKEY_INDEX, IBV_QP_PORT, IBV_QP_QKEY,
        IBV_QP_SQ_PSN, IBV_QP_STATE, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPT_RC,
        IBV_QPT_UC, IBV_QPT_UD, ibv_cq, ibv_qp, ibv_qp_attr, ibv_qp_cap, ibv_qp_init_attr,
        ibv_qp_state,
    },
    library::check,
    region::access_flags,
    shared_receives::SharedReceiveQueue,
};

/// A queue that completions are put into.
pub(crate) struct CompletionQueue {
    context: Arc<Context>,
    raw: NonNull<ibv_cq>,
}

// SAFETY: only handed about here; polling is the data path's, by one thread at a time.
unsafe impl Send for CompletionQueue {}
// SAFETY: shared use reads the handle.
unsafe impl Sync for CompletionQueue {}

impl CompletionQueue {
    /// Creates one with room for at least `entries`. There is no event channel: it is polled.
    pub(crate) fn create(context: &Arc<Context>, entries: u32) -> io::Result<Arc<Self>> {
        let entries = c_int::try_from(entries).map_err(io::Error::other)?;
        let symbols = context.library().symbols();
        // SAFETY: the context is open; the user pointer and the channel may be null.
        let raw = unsafe {
            symbols.ibv_create_cq(context.as_ptr(), entries, ptr::null_mut(), ptr::null_mut(), 0)
        };
        let raw = NonNull::new(raw).ok_or_else(io::Error::last_os_error)?;
        Ok(Arc::new(Self { context: Arc::clone(context), raw }))
    }

    /// Entries that it really has room for.
    pub(crate) fn entries(&self) -> u64 {
        // SAFETY: the queue lives; the field is set at its creation.
        u64::try_from(unsafe { (*self.as_ptr()).cqe }).unwrap_or(0)
    }

    pub(crate) fn as_ptr(&self) -> *mut ibv_cq {
        self.raw.as_ptr()
    }
}

impl Drop for CompletionQueue {
    fn drop(&mut self) {
        // SAFETY: the queue pairs that report to it hold it alive, so none is left.
        unsafe { self.context.library().symbols().ibv_destroy_cq(self.as_ptr()) };
    }
}

/// What queue pairs report to, and the receive queue that they share, if they do.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) completions: Arc<CompletionQueue>,
    pub(crate) receives: Option<Arc<SharedReceiveQueue>>,
}

/// Requests that really fit into a queue pair's own queues.
pub(crate) struct Capacity {
    pub(crate) sends: u64,
    pub(crate) receives: u64,
}

/// A queue pair whose two queues report to one completion queue.
pub(crate) struct QueuePair {
    protection_domain: Arc<ProtectionDomain>,
    /// Held for its life alone.
    _queues: Queues,
    raw: NonNull<ibv_qp>,
}

// SAFETY: a handle; verbs take it from any thread.
unsafe impl Send for QueuePair {}

impl QueuePair {
    /// Creates one, in the state `RESET`.
    pub(crate) fn create(
        protection_domain: &Arc<ProtectionDomain>,
        queues: &Queues,
        attributes: &EndpointAttributes,
    ) -> io::Result<Self> {
        let shared = queues.receives.as_ref();
        let mut attributes = ibv_qp_init_attr {
            send_cq: queues.completions.as_ptr(),
            recv_cq: queues.completions.as_ptr(),
            srq: shared.map_or(ptr::null_mut(), |queue| queue.as_ptr()),
            qp_type: match attributes.service {
                Service::ReliableConnection => IBV_QPT_RC,
                Service::UnreliableConnection => IBV_QPT_UC,
                Service::UnreliableDatagram => IBV_QPT_UD,
            },
            cap: ibv_qp_cap {
                max_send_wr: attributes.send_queue_depth,
                max_recv_wr: if shared.is_some() { 0 } else { attributes.receive_queue_depth },
                max_send_sge: 1,
                max_recv_sge: if shared.is_some() { 0 } else { 1 },
                max_inline_data: attributes.inline_bytes,
            },
            ..ibv_qp_init_attr::default()
        };
        let symbols = protection_domain.context().library().symbols();
        // SAFETY: all parents live.
        let raw = unsafe { symbols.ibv_create_qp(protection_domain.as_ptr(), &raw mut attributes) };
        let raw = NonNull::new(raw).ok_or_else(io::Error::last_os_error)?;
        let protection_domain = Arc::clone(protection_domain);
        Ok(Self { protection_domain, _queues: queues.clone(), raw })
    }

    /// Takes it from `RESET` to `INIT`, where receive requests can be posted.
    /// One of datagrams has a key instead of rights (IB spec vol. 1, 11.2.5.2).
    pub(crate) fn initialize(
        &self,
        port: u8,
        attributes: &EndpointAttributes,
        datagram_key: u32,
    ) -> io::Result<()> {
        let is_of_datagrams = attributes.service == Service::UnreliableDatagram;
        let (own, qkey) = match is_of_datagrams {
            true => (IBV_QP_QKEY, datagram_key),
            false => (IBV_QP_ACCESS_FLAGS, 0),
        };
        let attributes = ibv_qp_attr {
            qp_state: IBV_QPS_INIT,
            pkey_index: 0,
            port_num: port,
            qkey,
            qp_access_flags: access_flags(attributes.access) as c_uint,
            ..ibv_qp_attr::default()
        };
        self.modify(attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | own)
    }

    /// Takes one of datagrams, which knows no peer, from `INIT` to where it sends and receives.
    pub(crate) fn open(&self, packet_sequence_number: u32) -> io::Result<()> {
        let ready = ibv_qp_attr { qp_state: IBV_QPS_RTR, ..ibv_qp_attr::default() };
        self.modify(ready, IBV_QP_STATE)?;
        let attributes = ibv_qp_attr {
            qp_state: IBV_QPS_RTS,
            sq_psn: packet_sequence_number,
            ..ibv_qp_attr::default()
        };
        self.modify(attributes, IBV_QP_STATE | IBV_QP_SQ_PSN)
    }

    /// `ibv_modify_qp(3)` with the attributes that the mask `given` names.
    pub(crate) fn modify(&self, mut attributes: ibv_qp_attr, given: u32) -> io::Result<()> {
        let symbols = self.protection_domain.context().library().symbols();
        // SAFETY: the queue pair lives, the attributes are read during the call.
        let code =
            unsafe { symbols.ibv_modify_qp(self.as_ptr(), &raw mut attributes, given as c_int) };
        check(code)
    }

    /// The state that the device says it is in.
    pub(crate) fn state(&self) -> io::Result<ibv_qp_state> {
        self.query(IBV_QP_STATE).map(|(attributes, _)| attributes.qp_state)
    }

    /// Requests that really fit into both its queues. Creation returns it, too, but Soft-RoCE
    /// returns what was asked for there, and takes more.
    pub(crate) fn capacity(&self) -> io::Result<Capacity> {
        let (_, created) = self.query(IBV_QP_CAP)?;
        let ibv_qp_cap { max_send_wr, max_recv_wr, .. } = created.cap;
        Ok(Capacity { sends: max_send_wr.into(), receives: max_recv_wr.into() })
    }

    /// `ibv_query_qp(3)` for the attributes that the mask `wanted` names.
    fn query(&self, wanted: u32) -> io::Result<(ibv_qp_attr, ibv_qp_init_attr)> {
        let mut attributes = ibv_qp_attr::default();
        let mut created = ibv_qp_init_attr::default();
        let symbols = self.protection_domain.context().library().symbols();
        // SAFETY: the queue pair lives, both structures are written to variables that live.
        let code = unsafe {
            symbols.ibv_query_qp(
                self.as_ptr(),
                &raw mut attributes,
                wanted as c_int,
                &raw mut created,
            )
        };
        check(code).map(|()| (attributes, created))
    }

    /// Its number, 24 bits, by which the peer and completions name it.
    pub(crate) fn number(&self) -> u32 {
        // SAFETY: the queue pair lives; the field is set at its creation.
        unsafe { (*self.as_ptr()).qp_num }
    }

    pub(crate) fn as_ptr(&self) -> *mut ibv_qp {
        self.raw.as_ptr()
    }
}

impl Drop for QueuePair {
    fn drop(&mut self) {
        // SAFETY: the library made it, and it is destroyed once.
        unsafe {
            self.protection_domain.context().library().symbols().ibv_destroy_qp(self.as_ptr())
        };
    }
}
