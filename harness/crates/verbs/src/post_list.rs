//! Work requests in the form that `ibv_post_send(3)` takes, linked beforehand.
//!
//! ```text
//!   requests   [0] --next--> [1] --next--> [2] --next--> ... [n-1] --next--> null
//!               |             |             |
//!             sg_list       sg_list       sg_list            filled in once
//!               v             v             v
//!   segments   [0]           [1]           [2]
//! ```
//!
//! A post writes what varies into the front of both arrays, cuts the list behind its last
//! request, and mends it afterwards. Nothing is allocated and no link but that one is written.

use std::{ffi::c_int, ptr, ptr::NonNull};

use onesided_transport::{Opcode, Payload, Signal, WorkRequest};

use crate::ffi::{
    IBV_SEND_INLINE, IBV_SEND_SIGNALED, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
    IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, ibv_send_wr,
    ibv_send_wr__bindgen_ty_1 as Immediate, ibv_send_wr__bindgen_ty_2 as Remote,
    ibv_send_wr__bindgen_ty_2__bindgen_ty_1 as RemoteMemory,
    ibv_send_wr__bindgen_ty_2__bindgen_ty_2 as RemoteAtomic, ibv_sge, ibv_wr_opcode,
};

/// The arrays. They are owned through pointers, because they point at each other.
pub(crate) struct PostList {
    requests: NonNull<[ibv_send_wr]>,
    segments: NonNull<[ibv_sge]>,
}

impl PostList {
    /// Room for `length` requests, at least 1.
    pub(crate) fn new(length: usize) -> Self {
        assert!(length > 0, "a post list has room for a request");
        let segments = leak(vec![ibv_sge::default(); length]);
        let requests = leak(vec![ibv_send_wr::default(); length]);
        let list = Self { requests, segments };
        for index in 0..length {
            // SAFETY: both arrays are that long and nobody else refers to them; the last link
            // stays null, as `index + 1` is only taken within the array.
            unsafe {
                let request = list.request(index);
                (*request).sg_list = list.segment(index);
                if index + 1 < length {
                    (*request).next = list.request(index + 1);
                }
            }
        }
        list
    }

    /// How many requests there is room for.
    pub(crate) fn length(&self) -> usize {
        self.requests.len()
    }

    /// Calls `post` with the list of all `requests`, which must fit.
    #[inline]
    pub(crate) fn with<R>(
        &mut self,
        requests: &[WorkRequest],
        post: impl FnOnce(*mut ibv_send_wr) -> R,
    ) -> R {
        assert!((1..=self.length()).contains(&requests.len()), "the list has room");
        for (index, request) in requests.iter().enumerate() {
            // SAFETY: the arrays are as long as was asserted, and borrowed exclusively.
            unsafe { write(self.request(index), self.segment(index), request) };
        }
        let last = self.request(requests.len() - 1);
        // SAFETY: the last request is one of the array.
        let link = unsafe { ptr::replace(&raw mut (*last).next, ptr::null_mut()) };
        let result = post(self.request(0));
        // SAFETY: as above.
        unsafe { (*last).next = link };
        result
    }

    /// The position in the list of a request that a provider refused. Soft-RoCE leaves the
    /// pointer null when the kernel refuses the doorbell: then it is the first.
    #[inline]
    pub(crate) fn position(&self, refused: *const ibv_send_wr) -> usize {
        let bytes = refused.addr().wrapping_sub(self.requests.cast::<ibv_send_wr>().addr().get());
        let position = bytes / size_of::<ibv_send_wr>();
        if position < self.length() { position } else { 0 }
    }

    /// A slot; `index` must be within the array.
    fn request(&self, index: usize) -> *mut ibv_send_wr {
        debug_assert!(index < self.length());
        // In bounds, so the address cannot wrap.
        self.requests.cast::<ibv_send_wr>().as_ptr().wrapping_add(index)
    }

    /// A slot; `index` must be within the array.
    fn segment(&self, index: usize) -> *mut ibv_sge {
        debug_assert!(index < self.length());
        self.segments.cast::<ibv_sge>().as_ptr().wrapping_add(index)
    }
}

impl Drop for PostList {
    fn drop(&mut self) {
        // SAFETY: both came from boxes of that length, and are freed once.
        unsafe {
            drop(Box::from_raw(self.requests.as_ptr()));
            drop(Box::from_raw(self.segments.as_ptr()));
        }
    }
}

fn leak<T>(elements: Vec<T>) -> NonNull<[T]> {
    NonNull::from(Box::leak(elements.into_boxed_slice()))
}

/// Writes what varies.
///
/// A segment of no bytes is no segment (`num_sge` 0): in a segment, some hardware (ConnectX-3)
/// takes a length of 0 for 2^31 bytes, and each provider works around it in its own way.
///
/// # Safety
/// Both slots can be written.
#[inline]
unsafe fn write(slot: *mut ibv_send_wr, segment: *mut ibv_sge, request: &WorkRequest) {
    let operation = operation(request);
    // SAFETY: the caller's promise.
    unsafe {
        (*segment).addr = request.local.address;
        (*segment).length = operation.length;
        (*segment).lkey = request.local.key;
        (*slot).wr_id = request.id;
        (*slot).num_sge = c_int::from(operation.length != 0);
        (*slot).opcode = operation.code;
        (*slot).send_flags = operation.flags;
        (*slot).__bindgen_anon_1 = operation.immediate;
        (*slot).wr = operation.remote;
    }
}

/// What an opcode makes of the rest of a request.
struct Operation {
    code: ibv_wr_opcode,
    flags: u32,
    length: u32,
    immediate: Immediate,
    remote: Remote,
}

#[inline]
fn operation(request: &WorkRequest) -> Operation {
    let signaled = match request.signal {
        Signal::Signaled => IBV_SEND_SIGNALED,
        Signal::Unsignaled => 0,
    };
    let inline = match request.payload {
        Payload::Inline => IBV_SEND_INLINE,
        Payload::Gathered => 0,
    };
    let rdma = |code, flags, immediate: u32| Operation {
        code,
        flags: signaled | flags,
        length: request.local.length,
        immediate: Immediate { imm_data: immediate.to_be() },
        remote: Remote {
            rdma: RemoteMemory { remote_addr: request.remote.address, rkey: request.remote.key },
        },
    };
    let atomic = |code, compare_add, swap| Operation {
        code,
        flags: signaled,
        length: Opcode::ATOMIC_BYTES,
        immediate: Immediate { imm_data: 0 },
        remote: Remote {
            atomic: RemoteAtomic {
                remote_addr: request.remote.address,
                compare_add,
                swap,
                rkey: request.remote.key,
            },
        },
    };
    match request.opcode {
        // An inline flag on what is no write would have the provider copy the destination.
        Opcode::Read => rdma(IBV_WR_RDMA_READ, 0, 0),
        Opcode::Write => rdma(IBV_WR_RDMA_WRITE, inline, 0),
        Opcode::WriteWithImmediate { immediate } => {
            rdma(IBV_WR_RDMA_WRITE_WITH_IMM, inline, immediate)
        }
        Opcode::CompareAndSwap { compare, swap } => {
            atomic(IBV_WR_ATOMIC_CMP_AND_SWP, compare, swap)
        }
        Opcode::FetchAndAdd { add } => atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, add, 0),
    }
}

#[cfg(test)]
mod tests;
