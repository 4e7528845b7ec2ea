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
//! A post of k requests writes what varies into the last k places, and begins there: the list ends
//! where the array does. Nothing is allocated, and no link is ever written again.

use std::{ffi::c_int, ptr::NonNull};

use onesided_transport::{Destination, Destinations, Opcode, Payload, Signal, WorkRequest};

use crate::ffi::{
    IBV_SEND_INLINE, IBV_SEND_SIGNALED, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
    IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND,
    IBV_WR_SEND_WITH_IMM, ibv_send_wr, ibv_send_wr__bindgen_ty_2__bindgen_ty_1 as RemoteMemory,
    ibv_send_wr__bindgen_ty_2__bindgen_ty_2 as RemoteAtomic,
    ibv_send_wr__bindgen_ty_2__bindgen_ty_3 as Target, ibv_sge,
};

/// The arrays. They are owned through pointers, because they point at each other.
pub(crate) struct PostList {
    requests: NonNull<[ibv_send_wr]>,
    segments: NonNull<[ibv_sge]>,
    /// The last place of each, where a list of one is.
    last: NonNull<ibv_send_wr>,
    last_segment: NonNull<ibv_sge>,
    destinations: Destinations<Target>,
}

impl PostList {
    /// Room for `length` requests, at least 1.
    pub(crate) fn new(length: usize) -> Self {
        assert!(length > 0, "a post list has room for a request");
        let segments = leak(vec![ibv_sge::default(); length]);
        let requests = leak(vec![ibv_send_wr::default(); length]);
        // SAFETY: the last place is within the array.
        let last = unsafe { requests.cast::<ibv_send_wr>().add(length - 1) };
        // SAFETY: as above.
        let last_segment = unsafe { segments.cast::<ibv_sge>().add(length - 1) };
        let destinations = Destinations::of_new_endpoint();
        let list = Self { requests, segments, last, last_segment, destinations };
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

    /// Adds destinations of datagrams.
    pub(crate) fn add_destinations(
        &mut self,
        targets: impl Iterator<Item = Target>,
    ) -> Vec<Destination> {
        self.destinations.add(targets)
    }

    /// Whether a destination is one of those that were added here.
    #[inline]
    pub(crate) fn has(&self, destination: Destination) -> bool {
        self.destinations.find(destination).is_some()
    }

    /// How many requests there is room for.
    pub(crate) fn length(&self) -> usize {
        self.requests.len()
    }

    /// Calls `post` with the list of one `request`.
    #[inline]
    pub(crate) fn with_one<R>(
        &mut self,
        request: &WorkRequest,
        post: impl FnOnce(*mut ibv_send_wr) -> R,
    ) -> R {
        // SAFETY: there is at least one place in both arrays, which are borrowed exclusively.
        unsafe {
            write(self.last.as_ptr(), self.last_segment.as_ptr(), request, &self.destinations);
        }
        post(self.last.as_ptr())
    }

    /// Calls `post` with the list of all `requests`, which must fit.
    #[inline]
    pub(crate) fn with<R>(
        &mut self,
        requests: &[WorkRequest],
        post: impl FnOnce(*mut ibv_send_wr) -> R,
    ) -> R {
        assert!((1..=self.length()).contains(&requests.len()), "the list has room");
        let first = self.length() - requests.len();
        for (index, request) in (first..).zip(requests) {
            // SAFETY: the arrays are as long as was asserted, and borrowed exclusively.
            unsafe {
                write(self.request(index), self.segment(index), request, &self.destinations);
            }
        }
        post(self.request(first))
    }

    /// The position, in a list of `posted` requests, of the one that a provider refused. Soft-RoCE
    /// leaves the pointer null when the kernel refuses the doorbell: then it is the first.
    pub(crate) fn position(&self, refused: *const ibv_send_wr, posted: usize) -> usize {
        let first = self.request(self.length() - posted);
        let bytes = refused.addr().wrapping_sub(first.addr());
        let position = bytes / size_of::<ibv_send_wr>();
        if position < posted { position } else { 0 }
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
unsafe fn write(
    slot: *mut ibv_send_wr,
    segment: *mut ibv_sge,
    request: &WorkRequest,
    destinations: &Destinations<Target>,
) {
    let signaled = match request.signal {
        Signal::Signaled => IBV_SEND_SIGNALED,
        Signal::Unsignaled => 0,
    };
    // An inline flag on what sends no bytes would have the provider copy the destination.
    let written = match request.payload {
        Payload::Inline => signaled | IBV_SEND_INLINE,
        Payload::Gathered => signaled,
    };
    // SAFETY: the caller's promise.
    let (slot, segment) = unsafe { (&mut *slot, &mut *segment) };
    segment.addr = request.local.address;
    segment.length = request.local.length;
    segment.lkey = request.local.key;
    slot.wr_id = request.id;
    slot.wr.rdma = RemoteMemory { remote_addr: request.remote.address, rkey: request.remote.key };
    (slot.opcode, slot.send_flags) = match request.opcode {
        Opcode::Read => (IBV_WR_RDMA_READ, signaled),
        Opcode::Write => (IBV_WR_RDMA_WRITE, written),
        Opcode::WriteWithImmediate { immediate } => {
            slot.__bindgen_anon_1.imm_data = immediate.to_be();
            (IBV_WR_RDMA_WRITE_WITH_IMM, written)
        }
        Opcode::Send { immediate: None } => (IBV_WR_SEND, written),
        Opcode::Send { immediate: Some(immediate) } => {
            slot.__bindgen_anon_1.imm_data = immediate.to_be();
            (IBV_WR_SEND_WITH_IMM, written)
        }
        Opcode::Datagram { destination, immediate } => {
            slot.wr.ud = *destinations.find(destination).expect("the rules let no other one pass");
            slot.__bindgen_anon_1.imm_data = immediate.unwrap_or(0).to_be();
            let opcode = if immediate.is_some() { IBV_WR_SEND_WITH_IMM } else { IBV_WR_SEND };
            (opcode, written)
        }
        Opcode::CompareAndSwap { compare, swap } => {
            segment.length = Opcode::ATOMIC_BYTES;
            slot.wr.atomic = atomic(request, compare, swap);
            (IBV_WR_ATOMIC_CMP_AND_SWP, signaled)
        }
        Opcode::FetchAndAdd { add } => {
            segment.length = Opcode::ATOMIC_BYTES;
            slot.wr.atomic = atomic(request, add, 0);
            (IBV_WR_ATOMIC_FETCH_AND_ADD, signaled)
        }
    };
    slot.num_sge = c_int::from(segment.length != 0);
}

#[inline]
fn atomic(request: &WorkRequest, compare_add: u64, swap: u64) -> RemoteAtomic {
    let remote = request.remote;
    RemoteAtomic { remote_addr: remote.address, compare_add, swap, rkey: remote.key }
}

#[cfg(test)]
mod tests;
