//! The access library between nodes of one process.

mod context;
mod counting_allocator;

use std::{
    sync::{Barrier, atomic::Ordering, mpsc::channel},
    thread,
};

use onesided_rmc::{
    RmcDevice, RmcOptions,
    access::{AccessError, QueuePair, Segment},
};
use onesided_transport::Access;

use context::{BYTES, Context, Node, SLOTS};
use counting_allocator::allocations_of_this_thread;

const NO_WRITE: Access = Access { remote_write: false, ..Access::REMOTE };

#[test]
fn what_is_written_to_one_node_is_read_from_it_by_another() {
    let mut context = Context::new(&[Access::REMOTE; 3]);
    let [mut first, second, mut third] = context.take();
    first.buffer.iter().zip(1..).for_each(|(value, number)| value.set(number));
    // Neither aligned to lines nor of whole ones.
    let (offset, length) = (24, 3_000);
    first.qp.write(second.number, offset, first.buffer.at(0), length).unwrap();
    third.qp.read(second.number, offset, third.buffer.at(0), length).unwrap();
    let read = third.buffer.iter().take(length / 8);
    assert!(read.zip(1..).all(|(value, number)| value.get() == number));
    assert_eq!(second.segment.read::<[u64; 2]>(24), [1, 2]);
    assert_eq!(second.segment.read::<u64>(16), 0);
}

#[test]
fn each_callback_finds_what_its_slot_asked_for() {
    let mut context = Context::new(&[Access::REMOTE; 3]);
    let [mut own, near, far] = context.take();
    for word in 0..BYTES / 8 {
        near.segment.write(8 * word, word as u64);
        far.segment.write(8 * word, 1_000_000 + word as u64);
    }
    let mut asked = [0; SLOTS];
    let (mut told, mut sum) = (0, 0);
    for number in 0..10_000 {
        let word = number % (BYTES / 8);
        let (node, expected) = match number % 3 {
            0 => (far.number, 1_000_000 + word as u64),
            _ => (near.number, word as u64),
        };
        let slot = own.qp.wait_for_slot(|slot| {
            assert_eq!(own.buffer[slot].get(), asked[slot]);
            told += 1;
        });
        let slot = slot.unwrap();
        asked[slot] = expected;
        sum += 1;
        own.qp.read_async(slot, node, 8 * word as u64, own.buffer.at(slot), 8).unwrap();
    }
    own.qp
        .drain_cq(|slot| {
            assert_eq!(own.buffer[slot].get(), asked[slot]);
            told += 1;
        })
        .unwrap();
    assert_eq!(told, sum);
}

#[test]
fn waiting_for_one_operation_keeps_the_callbacks_of_others() {
    let mut context = Context::new(&[Access::REMOTE; 2]);
    let [mut own, other] = context.take();
    for word in 0..SLOTS {
        let slot = own.qp.wait_for_slot(|_| ()).unwrap();
        let place = own.buffer.at(word);
        own.qp.fetch_and_add_async(slot, other.number, 8 * word as u64, 3, place).unwrap();
    }
    assert_eq!(own.qp.fetch_and_add(other.number, 0, 4).unwrap(), 3);
    assert_eq!(own.qp.compare_and_swap(other.number, 0, 7, 9).unwrap(), 7);
    assert_eq!(own.qp.compare_and_swap(other.number, 0, 7, 1).unwrap(), 9);
    let mut told = Vec::new();
    own.qp.poll_cq(|slot| told.push(slot)).unwrap();
    told.sort_unstable();
    assert_eq!(told, Vec::from_iter(0..SLOTS));
    assert_eq!(other.segment.read::<u64>(0), 9);
}

#[test]
fn atomics_of_two_nodes_and_of_the_owner_lose_nothing() {
    let adds = 5_000;
    // A queue pair stays on its thread: each thread opens its own node.
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let barrier = Barrier::new(2);
    let (to, from) = (channel(), channel());
    let ways = [(to.0, from.1), (from.0, to.1)];
    thread::scope(|scope| {
        for (index, (tell, hear)) in ways.into_iter().enumerate() {
            let (barrier, fabric) = (&barrier, fabric.path().to_owned());
            scope.spawn(move || {
                let options =
                    RmcOptions { fabric, node: Some(index as u16), ..RmcOptions::default() };
                let device = RmcDevice::open(&options).unwrap();
                let segment = Segment::new(&device, 128, Access::REMOTE).unwrap();
                let other = 1 - index as u16;
                let mut qp = QueuePair::new(&device, &[other], 1).unwrap();
                tell.send(qp.introduce(&segment)).unwrap();
                qp.connect(&[hear.recv().unwrap()]).unwrap();
                barrier.wait();
                for _ in 0..adds {
                    match index {
                        0 => {
                            segment.word(64).fetch_add(1, Ordering::Relaxed);
                        }
                        _ => {
                            qp.fetch_and_add(0, 64, 1).unwrap();
                        }
                    }
                }
                barrier.wait();
                if index == 0 {
                    assert_eq!(segment.read::<u64>(64), 2 * adds);
                }
            });
        }
    });
}

#[test]
fn what_cannot_be_is_said_before_anything_is_sent() {
    let mut context = Context::new(&[Access::REMOTE; 2]);
    let [mut own, other] = context.take();
    let node = other.number;
    let refused = own.qp.read(node, BYTES as u64 - 7, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(refused, AccessError::OutOfSegment { segment_bytes: 4096, .. }), "{refused}");
    let refused = own.qp.read(node, u64::MAX, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(refused, AccessError::OutOfSegment { .. }), "{refused}");
    let refused = own.qp.write(node, 0, own.buffer.at(BYTES / 8 - 1), 9).unwrap_err();
    assert!(matches!(refused, AccessError::OutOfBuffer { length: 9, room: 8 }), "{refused}");
    let refused = own.qp.fetch_and_add(node, 4, 1).unwrap_err();
    assert!(matches!(refused, AccessError::Misaligned { offset: 4, .. }), "{refused}");
    let refused = own.qp.read(own.number, 0, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(refused, AccessError::NotConnected { .. }), "{refused}");
    let refused = own.qp.read_async(3, node, 0, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(refused, AccessError::SlotNotHeld { slot: 3 }), "{refused}");
    let held: Vec<_> = (0..SLOTS).map(|_| own.qp.wait_for_slot(|_| ()).unwrap()).collect();
    let refused = own.qp.wait_for_slot(|_| ()).unwrap_err();
    assert!(matches!(refused, AccessError::AllSlotsHeld { slots: SLOTS }), "{refused}");
    // None of it was the end of the connection.
    own.qp.read_async(held[0], node, 0, own.buffer.at(0), 8).unwrap();
    own.qp.drain_cq(|_| ()).unwrap();
    own.qp.wait_for_slot(|_| ()).unwrap();
}

#[test]
fn a_right_that_is_not_given_is_refused_by_the_node_and_other_nodes_go_on() {
    let mut context = Context::new(&[Access::REMOTE, NO_WRITE, Access::REMOTE]);
    let [mut own, guarded, open] = context.take();
    own.qp.read(guarded.number, 0, own.buffer.at(0), 8).unwrap();
    let slot = own.qp.wait_for_slot(|_| ()).unwrap();
    own.qp.write_async(slot, guarded.number, 0, own.buffer.at(0), 8).unwrap();
    let refused = own.qp.drain_cq(|_| panic!("it was not done")).unwrap_err();
    let (node, at) = (guarded.number, Some(slot));
    let right = matches!(&refused, AccessError::Refused { node: n, slot: s, .. }
        if (*n, *s) == (node, at));
    assert!(right, "{refused:?}");
    let behind = own.qp.read(guarded.number, 0, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(behind, AccessError::Failed { .. }), "{behind:?}");
    own.qp.write(open.number, 0, own.buffer.at(0), 8).unwrap();
}

#[test]
fn all_that_is_under_way_to_a_node_that_is_gone_ends_and_others_go_on() {
    let mut context = Context::new(&[Access::REMOTE; 3]);
    let [mut own, gone, stays] = context.take();
    let (lost, kept) = (gone.number, stays.number);
    drop(gone);
    for index in 0..SLOTS {
        let node = if index.is_multiple_of(2) { lost } else { kept };
        let slot = own.qp.wait_for_slot(|_| ()).unwrap();
        own.qp.read_async(slot, node, 0, own.buffer.at(slot), 8).unwrap();
    }
    let mut told = 0;
    let refused = own.qp.drain_cq(|_| told += 1).unwrap_err();
    assert!(matches!(refused, AccessError::PeerGone { node, .. } if node == lost), "{refused:?}");
    assert_eq!(told, SLOTS / 2);
    let refused = own.qp.read(lost, 0, own.buffer.at(0), 8).unwrap_err();
    assert!(matches!(refused, AccessError::PeerGone { .. }), "{refused:?}");
    own.qp.read(kept, 0, own.buffer.at(0), 8).unwrap();
}

#[test]
fn a_buffer_that_is_dropped_stays_until_its_operation_is_done() {
    let mut context = Context::new(&[Access::REMOTE; 2]);
    let [mut own, other] = context.take();
    let Node { buffer, qp, .. } = &mut own;
    let slot = qp.wait_for_slot(|_| ()).unwrap();
    qp.read_async(slot, other.number, 0, buffer.at(0), BYTES).unwrap();
    drop(own.buffer);
    own.qp.drain_cq(|_| ()).unwrap();
}

#[test]
fn operations_do_not_allocate() {
    let mut context = Context::new(&[Access::REMOTE; 2]);
    let [mut own, other] = context.take();
    let mut round = || {
        for number in 0..2_000_u64 {
            let slot = own.qp.wait_for_slot(|_| ()).unwrap();
            let (place, offset) = (own.buffer.at(slot), number % 256 * 8);
            match number % 3 {
                0 => own.qp.read_async(slot, other.number, offset, place, 200).unwrap(),
                1 => own.qp.write_async(slot, other.number, offset, place, 200).unwrap(),
                _ => own.qp.fetch_and_add_async(slot, other.number, offset, 1, place).unwrap(),
            }
        }
        own.qp.read(other.number, 0, own.buffer.at(0), 64).unwrap();
        own.qp.drain_cq(|_| ()).unwrap();
    };
    round();
    let before = allocations_of_this_thread();
    round();
    assert_eq!(allocations_of_this_thread(), before);
}
