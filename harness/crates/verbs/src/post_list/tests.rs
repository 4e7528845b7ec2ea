//! Tests of the list, read back as a provider reads it.

use onesided_transport::{LocalSegment, RemoteSegment};

use super::*;

fn request(id: u64, opcode: Opcode) -> WorkRequest {
    WorkRequest {
        id,
        opcode,
        local: LocalSegment { address: 0x1000 + id, length: 64, key: 7 },
        remote: RemoteSegment { address: 0x2000 + id, key: 9 },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    }
}

/// Follows the links, as `ibv_post_send(3)` does.
fn walk(first: *mut ibv_send_wr) -> Vec<(ibv_send_wr, ibv_sge)> {
    let mut seen = Vec::new();
    let mut next = first;
    while !next.is_null() {
        // SAFETY: the list under test links slots that live.
        let (request, segment) = unsafe { (*next, *(*next).sg_list) };
        seen.push((request, segment));
        next = request.next;
    }
    seen
}

fn posted(list: &mut PostList, requests: &[WorkRequest]) -> Vec<(ibv_send_wr, ibv_sge)> {
    list.with(requests, walk)
}

fn ids(list: &mut PostList, range: std::ops::Range<u64>) -> Vec<u64> {
    let requests: Vec<_> = range.map(|id| request(id, Opcode::Write)).collect();
    posted(list, &requests).iter().map(|(request, _)| request.wr_id).collect()
}

#[test]
fn a_list_of_any_length_up_to_the_array_holds_its_requests_in_order_and_ends_behind_them() {
    let mut list = PostList::new(4);
    assert_eq!(ids(&mut list, 0..2), [0, 1]);
    assert_eq!(ids(&mut list, 10..14), [10, 11, 12, 13]);
    assert_eq!(ids(&mut list, 20..21), [20]);
    assert_eq!(ids(&mut list, 30..34), [30, 31, 32, 33]);
}

#[test]
fn each_request_keeps_its_own_segment_and_remote_place() {
    let mut list = PostList::new(3);
    let requests = [request(1, Opcode::Read), request(2, Opcode::Write)];
    let seen = posted(&mut list, &requests);
    for ((slot, segment), asked) in seen.iter().zip(requests) {
        assert_eq!((segment.addr, segment.length, segment.lkey), (asked.local.address, 64, 7));
        // SAFETY: reads and writes fill this variant.
        let remote = unsafe { slot.wr.rdma };
        assert_eq!((remote.remote_addr, remote.rkey), (asked.remote.address, 9));
        assert_eq!((slot.num_sge, slot.send_flags), (1, IBV_SEND_SIGNALED));
    }
    assert_eq!((seen[0].0.opcode, seen[1].0.opcode), (IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE));
}

#[test]
fn an_immediate_is_in_network_byte_order() {
    let opcode = Opcode::WriteWithImmediate { immediate: 0x0102_0304 };
    let seen = posted(&mut PostList::new(1), &[request(1, opcode)]);
    // SAFETY: a write with immediate fills this variant.
    let immediate = unsafe { seen[0].0.__bindgen_anon_1.imm_data };
    assert_eq!(immediate.to_ne_bytes(), [1, 2, 3, 4]);
    assert_eq!(seen[0].0.opcode, IBV_WR_RDMA_WRITE_WITH_IMM);
}

#[test]
fn a_send_says_whether_it_has_an_immediate_and_may_be_inline() {
    let plain = WorkRequest {
        payload: Payload::Inline,
        remote: RemoteSegment::NONE,
        ..request(1, Opcode::Send { immediate: None })
    };
    let told = request(2, Opcode::Send { immediate: Some(0x0102_0304) });
    let seen = posted(&mut PostList::new(2), &[plain, told]);
    let inline = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
    assert_eq!((seen[0].0.opcode, seen[0].0.send_flags), (IBV_WR_SEND, inline));
    assert_eq!((seen[1].0.opcode, seen[1].0.send_flags), (IBV_WR_SEND_WITH_IMM, IBV_SEND_SIGNALED));
    // SAFETY: a send with immediate fills this variant.
    let immediate = unsafe { seen[1].0.__bindgen_anon_1.imm_data };
    assert_eq!(immediate.to_ne_bytes(), [1, 2, 3, 4]);
}

#[test]
fn atomics_work_on_8_bytes_whatever_the_segment_says() {
    let swap = Opcode::CompareAndSwap { compare: 3, swap: 4 };
    let add = Opcode::FetchAndAdd { add: 5 };
    let seen = posted(&mut PostList::new(2), &[request(1, swap), request(2, add)]);
    let operands = seen.iter().map(|(slot, segment)| {
        assert_eq!(segment.length, 8);
        // SAFETY: atomics fill this variant.
        let remote = unsafe { slot.wr.atomic };
        (slot.opcode, remote.compare_add, remote.swap, remote.remote_addr, remote.rkey)
    });
    assert!(operands.eq([
        (IBV_WR_ATOMIC_CMP_AND_SWP, 3, 4, 0x2001, 9),
        (IBV_WR_ATOMIC_FETCH_AND_ADD, 5, 0, 0x2002, 9),
    ]));
}

#[test]
fn a_length_of_zero_is_no_segment() {
    let mut nothing = request(1, Opcode::Write);
    nothing.local.length = 0;
    let mut list = PostList::new(1);
    assert_eq!(posted(&mut list, &[nothing])[0].0.num_sge, 0);
    assert_eq!(posted(&mut list, &[request(2, Opcode::Write)])[0].0.num_sge, 1);
}

#[test]
fn inline_and_unsignaled_are_flags_of_writes_only_where_inline_has_a_meaning() {
    let mut write = request(1, Opcode::Write);
    (write.payload, write.signal) = (Payload::Inline, Signal::Unsignaled);
    let read = WorkRequest { opcode: Opcode::Read, ..write };
    let seen = posted(&mut PostList::new(2), &[write, read]);
    assert_eq!(seen[0].0.send_flags, IBV_SEND_INLINE);
    assert_eq!(seen[1].0.send_flags, 0);
}

#[test]
fn a_refused_request_is_found_by_its_place_and_no_pointer_is_the_first() {
    let mut list = PostList::new(4);
    let requests: Vec<_> = (0..4).map(|id| request(id, Opcode::Write)).collect();
    let third = list.with(&requests, |first| first.wrapping_add(2));
    assert_eq!(list.position(third, 4), 2);
    let second = list.with(&requests[..2], |first| first.wrapping_add(1));
    assert_eq!(list.position(second, 2), 1);
    assert_eq!(list.position(std::ptr::null(), 2), 0);
}
