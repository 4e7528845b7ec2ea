//! Tests of what needs no device: parts, turns and translation.

use onesided_transport::{LocalSegment, Opcode, Payload, RemoteSegment, Signal};

use super::*;
use crate::ffi::{
    IBV_WC_RDMA_READ, IBV_WC_RECV, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_REM_ACCESS_ERR,
    ibv_wc__bindgen_ty_1 as Immediate,
};

fn requests(count: u64) -> Vec<WorkRequest> {
    let request = |id| WorkRequest {
        id,
        opcode: Opcode::Write,
        local: LocalSegment { address: 0, length: 8, key: 0 },
        remote: RemoteSegment { address: 0, key: 0 },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    (0..count).map(request).collect()
}

/// The slots of a list, in order.
fn slots(first: *mut ibv_send_wr) -> Vec<*mut ibv_send_wr> {
    let next = |&slot: &*mut ibv_send_wr| {
        // SAFETY: the list under test links slots that live.
        Some(unsafe { (*slot).next }).filter(|next| !next.is_null())
    };
    std::iter::successors(Some(first), next).collect()
}

fn id(slot: *mut ibv_send_wr) -> u64 {
    // SAFETY: as above.
    unsafe { (*slot).wr_id }
}

#[test]
fn a_list_longer_than_the_array_is_posted_in_parts_in_order() {
    let mut parts = Vec::new();
    let refused = in_parts(&mut PostList::new(4), &requests(10), |first, _| {
        parts.push(slots(first).into_iter().map(id).collect::<Vec<_>>());
        0
    });
    assert!(refused.is_none());
    assert_eq!(parts, [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]);
}

#[test]
fn an_empty_list_rings_no_doorbell() {
    let refused = in_parts(&mut PostList::new(4), &[], |_, _| panic!("nothing to post"));
    assert!(refused.is_none());
}

#[test]
fn a_refusal_is_counted_from_the_start_of_all_parts_and_nothing_follows_it() {
    let mut calls = 0;
    let refused = in_parts(&mut PostList::new(4), &requests(12), |first, refused| {
        calls += 1;
        if calls == 2 {
            *refused = slots(first)[2];
            return libc::ENOMEM;
        }
        0
    })
    .expect("it was refused");
    assert_eq!((refused, calls), (Refused { request: 6, why: Refusal::Code(libc::ENOMEM) }, 2));
}

#[test]
fn a_full_queue_is_told_apart_from_a_request_that_is_not_acceptable() {
    let refused = |code| Refused { request: 5, why: Refusal::Code(code) };
    let full = post_error(3, refused(libc::ENOMEM));
    assert!(matches!(full, PostError::QueueFull { queue_pair: 3, request: 5 }), "{full}");
    let PostError::Invalid { queue_pair: 3, request: 5, source } =
        post_error(3, refused(libc::EINVAL))
    else {
        panic!("EINVAL is no full queue");
    };
    assert_eq!(source.raw_os_error(), Some(libc::EINVAL));
}

#[test]
fn a_datagram_to_what_another_endpoint_calls_a_destination_never_reaches_the_provider() {
    let target = Target { ah: ptr::null_mut(), remote_qpn: 5, remote_qkey: 6 };
    let (mut posts, mut others) = (PostList::new(4), PostList::new(4));
    let own = posts.add_destinations([target].into_iter())[0];
    let other = others.add_destinations([target].into_iter())[0];
    let mut list = requests(4);
    for (request, destination) in list.iter_mut().zip([own, own, other, own]) {
        request.opcode = Opcode::Datagram { destination, immediate: None };
    }
    let rules = Rules { service: Service::UnreliableDatagram, longest_datagram: 4096 };
    let mut seen = Vec::new();
    let refused = rules.checked(&mut posts, &list, |first, _| {
        seen.extend(slots(first).into_iter().map(id));
        0
    });
    assert_eq!(seen, [0, 1]);
    let refused = post_error(3, refused.unwrap());
    let unknown = matches!(refused, PostError::UnknownDestination { queue_pair: 3, request: 2 });
    assert!(unknown, "{refused}");
    // A connection has no destinations at all, whoever gave them out.
    let rules = Rules { service: Service::UnreliableConnection, ..rules };
    let refused = rules.checked(&mut posts, &list[2..3], |_, _| 0).unwrap();
    assert_eq!(refused, Refused { request: 0, why: Refusal::Code(libc::EOPNOTSUPP) });
}

#[test]
fn a_busy_completion_queue_does_not_starve_the_others() {
    let mut next = 0;
    let mut asked = Vec::new();
    for _ in 0..4 {
        let count = in_turn(&[10, 11, 12], &mut next, |queue| {
            asked.push(queue);
            c_int::from(queue != 11)
        });
        assert_eq!(count.unwrap(), 1);
    }
    assert_eq!(asked, [10, 11, 12, 10, 11, 12]);
}

#[test]
fn empty_completion_queues_are_each_asked_once() {
    let (mut next, mut asked) = (1, Vec::new());
    let count = in_turn(&[10, 11, 12], &mut next, |queue| {
        asked.push(queue);
        0
    });
    assert_eq!((count.unwrap(), asked), (0, vec![11, 12, 10]));
}

#[test]
fn a_broken_completion_queue_is_an_error_with_its_code() {
    let error = in_turn(&[10], &mut 0, |_| -2).unwrap_err();
    assert_eq!(error.code, -2);
}

#[test]
fn a_receive_has_its_immediate_in_host_byte_order() {
    let mut completion = ibv_wc {
        wr_id: 7,
        qp_num: 17,
        opcode: IBV_WC_RECV_RDMA_WITH_IMM,
        byte_len: 64,
        wc_flags: IBV_WC_WITH_IMM,
        __bindgen_anon_1: Immediate { imm_data: u32::from_ne_bytes([1, 2, 3, 4]) },
        ..ibv_wc::default()
    };
    let translated = translate(&completion, 0);
    let kind = CompletionKind::Receive { length: 64, immediate: Some(0x0102_0304), source: None };
    assert_eq!((translated.id, translated.queue_pair_number, translated.kind), (7, 17, kind));
    completion.wc_flags = 0;
    let kind = CompletionKind::Receive { length: 64, immediate: None, source: None };
    assert_eq!(translate(&completion, 0).kind, kind);
}

#[test]
fn only_a_datagram_has_a_sender_and_its_length_is_without_the_header() {
    let completion = ibv_wc { opcode: IBV_WC_RECV, byte_len: 104, src_qp: 23, ..ibv_wc::default() };
    let source = NonZeroU32::new(23);
    let kind = CompletionKind::Receive { length: 64, immediate: None, source };
    assert_eq!(translate(&completion, DATAGRAM_HEADER).kind, kind);
    let kind = CompletionKind::Receive { length: 104, immediate: None, source: None };
    assert_eq!(translate(&completion, 0).kind, kind);
}

#[test]
fn a_failed_request_keeps_its_id_and_says_which_rule_was_broken() {
    let completion = ibv_wc {
        wr_id: 9,
        status: IBV_WC_REM_ACCESS_ERR,
        opcode: IBV_WC_RDMA_READ,
        ..ibv_wc::default()
    };
    let translated = translate(&completion, 0);
    assert_eq!((translated.id, translated.kind), (9, CompletionKind::Request));
    assert_eq!(translated.status, CompletionStatus::RemoteAccessError);
}
