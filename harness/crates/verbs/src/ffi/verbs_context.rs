//! What `infiniband/verbs.h` does in macros and static inline functions, which no symbol offers.
//!
//! ```text
//!   struct verbs_context                     grows at its front, release by release
//!     query_port   -320 bytes                (v28 and later)
//!     ...
//!     sz             -8 bytes                how much of it the running library has
//!     struct ibv_context  <-- what ibv_open_device returns points here
//!       ops.poll_cq, ops.post_send, ops.post_recv
//!       abi_compat                           all ones: a verbs_context is around it
//! ```

use std::{ffi::c_int, mem};

use super::bindings::*;

/// `_ibv_query_gid_table`, which older libraries lack (before rdma-core 32).
pub(crate) type QueryGidTable = unsafe extern "C" fn(
    context: *mut ibv_context,
    entries: *mut ibv_gid_entry,
    max_entries: usize,
    flags: u32,
    entry_size: usize,
) -> isize;

/// `verbs_context::query_port`, which fills as much of the attributes as the caller knows.
type QueryPort = unsafe extern "C" fn(
    context: *mut ibv_context,
    port: u8,
    attributes: *mut ibv_port_attr,
    attributes_size: usize,
) -> c_int;

/// `__VERBS_ABI_IS_EXTENDED`.
const ABI_IS_EXTENDED: usize = usize::MAX;

/// `verbs_get_ctx_op(context, query_port)`: the operation, if the running library has it.
///
/// # Safety
/// `context` is open.
unsafe fn query_port_operation(context: *mut ibv_context) -> Option<QueryPort> {
    // SAFETY: the context is open.
    if unsafe { (*context).abi_compat }.addr() != ABI_IS_EXTENDED {
        return None;
    }
    let front = context.cast::<u8>();
    // SAFETY: a context with this mark lies at the end of a verbs_context, right behind `sz`.
    let size = unsafe { front.sub(VERBS_CONTEXT_SZ as usize).cast::<usize>().read() };
    if size < VERBS_CONTEXT_QUERY_PORT as usize + mem::size_of::<ibv_context>() {
        return None;
    }
    // SAFETY: `sz` says that the structure reaches as far to the front as this field, and a
    // function pointer that may be null is an Option of one.
    unsafe { front.sub(VERBS_CONTEXT_QUERY_PORT as usize).cast::<Option<QueryPort>>().read() }
}

/// `ibv_query_port` as the header's macro of that name. The symbol of that name writes an older,
/// shorter structure, which is a prefix of this one.
///
/// # Errors
/// The errno.
///
/// # Safety
/// `context` is open and was opened through `symbols`.
pub(crate) unsafe fn query_port(
    symbols: &Symbols,
    context: *mut ibv_context,
    port: u8,
) -> Result<ibv_port_attr, c_int> {
    let mut attributes = ibv_port_attr::default();
    // SAFETY: the caller's promise is the one asked for.
    let code = match unsafe { query_port_operation(context) } {
        // SAFETY: the attributes are as long as is said.
        Some(query) => unsafe {
            query(context, port, &raw mut attributes, mem::size_of::<ibv_port_attr>())
        },
        // SAFETY: the older structure is a prefix, so it fits.
        None => unsafe { symbols.ibv_query_port(context, port, (&raw mut attributes).cast()) },
    };
    if code == 0 { Ok(attributes) } else { Err(code) }
}

/// `ibv_post_send`: an indirect call into the provider.
///
/// # Safety
/// `queue_pair` lives, `first` is a list that ends in a null pointer, and what it refers to is
/// valid as `ibv_post_send(3)` says.
#[inline]
pub(crate) unsafe fn post_send(
    queue_pair: *mut ibv_qp,
    first: *mut ibv_send_wr,
    refused: &mut *mut ibv_send_wr,
) -> c_int {
    // SAFETY: a queue pair that lives has a context that is open, and every provider fills this
    // operation (`verbs_set_ops` puts a refusing one where the provider has none).
    unsafe {
        let post = (*(*queue_pair).context).ops.post_send.unwrap_unchecked();
        post(queue_pair, first, refused)
    }
}

/// `ibv_post_recv`: an indirect call into the provider.
///
/// # Safety
/// As [`post_send`].
#[inline]
pub(crate) unsafe fn post_receive(
    queue_pair: *mut ibv_qp,
    first: *mut ibv_recv_wr,
    refused: &mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: as in `post_send`.
    unsafe {
        let post = (*(*queue_pair).context).ops.post_recv.unwrap_unchecked();
        post(queue_pair, first, refused)
    }
}

/// `ibv_post_srq_recv`: an indirect call into the provider, to a queue that `queue_pair` has.
///
/// # Safety
/// As [`post_send`]; the queue lives.
#[inline]
pub(crate) unsafe fn post_shared_receive(
    queue_pair: *mut ibv_qp,
    queue: *mut ibv_srq,
    first: *mut ibv_recv_wr,
    refused: &mut *mut ibv_recv_wr,
) -> c_int {
    // SAFETY: as in `post_send`.
    unsafe {
        let post = (*(*queue_pair).context).ops.post_srq_recv.unwrap_unchecked();
        post(queue, first, refused)
    }
}

/// `ibv_poll_cq`: an indirect call into the provider. Negative is a broken queue.
///
/// # Safety
/// `completion_queue` lives, and nobody else polls it now.
#[inline]
pub(crate) unsafe fn poll_completions(
    completion_queue: *mut ibv_cq,
    completions: &mut [ibv_wc],
) -> c_int {
    // A count above what C's int holds cannot be: the slice is the endpoint's own.
    let room = completions.len() as c_int;
    // SAFETY: as in `post_send`; there is room for that many.
    unsafe {
        let poll = (*(*completion_queue).context).ops.poll_cq.unwrap_unchecked();
        poll(completion_queue, room, completions.as_mut_ptr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT: usize = VERBS_CONTEXT_QUERY_PORT as usize;

    unsafe extern "C" fn answer(
        _: *mut ibv_context,
        port: u8,
        attributes: *mut ibv_port_attr,
        size: usize,
    ) -> c_int {
        assert_eq!(size, mem::size_of::<ibv_port_attr>());
        // SAFETY: the caller under test passes a whole structure.
        unsafe { (*attributes).lid = u16::from(port) };
        0
    }

    /// A verbs_context whose library says that it has `size` bytes of it.
    #[repr(C, align(8))]
    struct Extended {
        query_port: Option<QueryPort>,
        others: [u8; FRONT - 16],
        size: usize,
        context: ibv_context,
    }

    fn extended(size: usize, mark: usize) -> Box<Extended> {
        let context = ibv_context {
            abi_compat: std::ptr::without_provenance_mut(mark),
            ..ibv_context::default()
        };
        Box::new(Extended { query_port: Some(answer), others: [0; FRONT - 16], size, context })
    }

    fn operation(of: &mut Extended) -> Option<QueryPort> {
        let whole: *mut Extended = of;
        // SAFETY: the context lies within the structure that surrounds it.
        unsafe { query_port_operation(&raw mut (*whole).context) }
    }

    #[test]
    fn the_port_is_queried_through_the_structure_around_the_context() {
        let whole = FRONT + mem::size_of::<ibv_context>();
        let found = operation(&mut extended(whole, ABI_IS_EXTENDED)).expect("it is there");
        let mut attributes = ibv_port_attr::default();
        // SAFETY: `answer` does not use the context.
        let code = unsafe {
            found(std::ptr::null_mut(), 7, &raw mut attributes, mem::size_of::<ibv_port_attr>())
        };
        assert_eq!((code, attributes.lid), (0, 7));
    }

    #[test]
    fn a_library_whose_structure_is_shorter_is_not_read_beyond_its_end() {
        let short = FRONT + mem::size_of::<ibv_context>() - 8;
        assert!(operation(&mut extended(short, ABI_IS_EXTENDED)).is_none());
    }

    #[test]
    fn a_context_without_the_mark_has_nothing_around_it() {
        assert!(operation(&mut extended(usize::MAX, 0)).is_none());
    }
}
