//! Receive requests in the form that `ibv_post_recv(3)` takes.

use std::{ffi::c_int, ptr};

use onesided_transport::ReceiveRequest;

use crate::{
    data_path::{Refusal, Refused},
    ffi::{ibv_recv_wr, ibv_sge},
};

/// Requests behind one call of the provider at most; a longer list is posted in parts of this length. Ours:
/// as many as one poll takes completions, 3 KiB.
const LONGEST: usize = 64;

/// Room for a list, allocated once.
pub(crate) struct ReceiveList {
    requests: Box<[ibv_recv_wr]>,
    segments: Box<[ibv_sge]>,
}

impl ReceiveList {
    pub(crate) fn new() -> Self {
        Self {
            requests: vec![ibv_recv_wr::default(); LONGEST].into_boxed_slice(),
            segments: vec![ibv_sge::default(); LONGEST].into_boxed_slice(),
        }
    }

    /// Calls `post` with lists of `requests`, until one is refused: it gets the first of a list and where to
    /// leave the one refused.
    #[inline]
    pub(crate) fn in_parts(
        &mut self,
        requests: &[ReceiveRequest],
        mut post: impl FnMut(*mut ibv_recv_wr, &mut *mut ibv_recv_wr) -> c_int,
    ) -> Option<Refused> {
        if let [request] = requests {
            // Most lists: no loop over parts and places.
            let first = self.requests.as_mut_ptr();
            // SAFETY: both arrays have a place, and are borrowed exclusively.
            unsafe { write(first, self.segments.as_mut_ptr(), request, ptr::null_mut()) };
            let code = post(first, &mut ptr::null_mut());
            return (code != 0).then_some(Refused { request: 0, why: Refusal::Code(code) });
        }
        for (part, list) in requests.chunks(LONGEST).enumerate() {
            let first = self.link(list);
            let mut refused = ptr::null_mut();
            let code = post(first, &mut refused);
            if code != 0 {
                // As for sends: some providers leave the pointer null, which means the first.
                let bytes = refused.addr().wrapping_sub(first.addr());
                let position = bytes / size_of::<ibv_recv_wr>();
                let position = if position < list.len() { position } else { 0 };
                let request = part * LONGEST + position;
                return Some(Refused { request, why: Refusal::Code(code) });
            }
        }
        None
    }

    /// Fills in the list of `requests`, which fit; its first.
    #[inline]
    fn link(&mut self, requests: &[ReceiveRequest]) -> *mut ibv_recv_wr {
        assert!(requests.len() <= self.requests.len(), "the list has room");
        let (first, segments) = (self.requests.as_mut_ptr(), self.segments.as_mut_ptr());
        for (index, request) in requests.iter().enumerate() {
            let is_last = index + 1 == requests.len();
            let next = if is_last { ptr::null_mut() } else { first.wrapping_add(index + 1) };
            // SAFETY: both arrays are as long as was asserted, and borrowed exclusively.
            unsafe { write(first.add(index), segments.add(index), request, next) };
        }
        first
    }
}

/// Fills in one request and its segment.
///
/// # Safety
/// Both places can be written.
#[inline]
unsafe fn write(
    place: *mut ibv_recv_wr,
    segment: *mut ibv_sge,
    request: &ReceiveRequest,
    next: *mut ibv_recv_wr,
) {
    let buffer = request.buffer.filter(|buffer| buffer.length != 0);
    let gathered = buffer.map_or_else(ibv_sge::default, |buffer| ibv_sge {
        addr: buffer.address,
        length: buffer.length,
        lkey: buffer.key,
    });
    let linked = ibv_recv_wr {
        wr_id: request.id,
        next,
        sg_list: segment,
        num_sge: c_int::from(buffer.is_some()),
    };
    // SAFETY: the caller's promise.
    unsafe {
        segment.write(gathered);
        place.write(linked);
    }
}

#[cfg(test)]
mod tests {
    use onesided_transport::LocalSegment;

    use super::*;

    fn requests(count: u64) -> Vec<ReceiveRequest> {
        let buffer = |id| LocalSegment { address: 0x1000 * id, length: id as u32 % 3, key: 7 };
        (0..count).map(|id| ReceiveRequest { id, buffer: Some(buffer(id)) }).collect()
    }

    fn full_at(request: usize) -> Refused {
        Refused { request, why: Refusal::Code(libc::ENOMEM) }
    }

    /// What a provider finds in a list: of each its id, and of its buffer address and length.
    fn walk(mut at: *mut ibv_recv_wr) -> Vec<(u64, Option<(u64, u32)>)> {
        let mut seen = Vec::new();
        // SAFETY: the list is linked to its end, and its segments live as long.
        while let Some(request) = unsafe { at.as_ref() } {
            // SAFETY: as above.
            let buffer = (request.num_sge > 0).then(|| unsafe { &*request.sg_list });
            seen.push((request.wr_id, buffer.map(|buffer| (buffer.addr, buffer.length))));
            at = request.next;
        }
        seen
    }

    #[test]
    fn a_list_is_handed_over_in_order_and_in_parts() {
        let (mut seen, mut calls) = (Vec::new(), 0);
        let refused = ReceiveList::new().in_parts(&requests(2 * LONGEST as u64 + 1), |first, _| {
            seen.extend(walk(first));
            calls += 1;
            0
        });
        assert!(refused.is_none());
        assert_eq!(calls, 3);
        // A buffer without bytes is none.
        let bytes = |id: u64| Some((0x1000 * id, id as u32 % 3)).filter(|(_, length)| *length > 0);
        let expected: Vec<_> = (0..2 * LONGEST as u64 + 1).map(|id| (id, bytes(id))).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_one_refused_is_told_by_its_place_in_the_whole_list() {
        let mut calls = 0;
        let refused = ReceiveList::new().in_parts(&requests(100), |first, refused| {
            calls += 1;
            *refused = first.wrapping_add(9);
            if calls == 2 { libc::ENOMEM } else { 0 }
        });
        let refused = refused.expect("the second list is refused");
        assert_eq!(refused, full_at(LONGEST + 9));
        assert_eq!(calls, 2, "nothing is posted behind one that is refused");
    }

    #[test]
    fn a_provider_that_names_none_has_refused_the_first() {
        let refused = ReceiveList::new().in_parts(&requests(3), |_, _| libc::ENOMEM);
        assert_eq!(refused.expect("it is refused").request, 0);
    }

    #[test]
    fn a_list_of_one_is_handed_over_or_refused_alone() {
        let mut list = ReceiveList::new();
        let mut seen = Vec::new();
        let refused = list.in_parts(&requests(2)[1..], |first, _| {
            seen.extend(walk(first));
            0
        });
        assert!(refused.is_none());
        assert_eq!(seen, [(1, Some((0x1000, 1)))]);
        let refused = list.in_parts(&requests(1), |_, _| libc::ENOMEM).expect("it is refused");
        assert_eq!(refused, full_at(0));
    }

    #[test]
    fn a_list_of_nothing_calls_nobody() {
        assert!(ReceiveList::new().in_parts(&[], |_, _| unreachable!("nothing to post")).is_none());
    }
}
