use std::{alloc::Layout, ptr::NonNull};

use super::*;

/// A lane on the heap, as the kernel gives it: zeroed.
fn empty() -> NonNull<Lane<2>> {
    // SAFETY: the size is above zero.
    let memory = unsafe { std::alloc::alloc_zeroed(Layout::new::<Lane<2>>()) };
    NonNull::new(memory.cast()).expect("a test asks little")
}

fn free(lane: NonNull<Lane<2>>) {
    // SAFETY: allocated by `empty`; the ends are gone or not used any more.
    unsafe { std::alloc::dealloc(lane.as_ptr().cast(), Layout::new::<Lane<2>>()) }
}

#[test]
fn packets_come_in_order_with_their_lines_over_many_laps() {
    let lane = empty();
    // SAFETY: the lane is freed at the end; one end each.
    let (mut sender, mut receiver) = unsafe { (Sender::new(lane), Receiver::new(lane)) };
    let (mut sent, mut seen) = (0_u64, 0_u64);
    // More than 2^16 laps would be needed for a lap to return; here stale headers are of the last.
    while seen < 40 * SLOTS as u64 {
        while sent < seen + SLOTS as u64 {
            // SAFETY: fewer than SLOTS packets are under way.
            unsafe {
                sender.line().cast::<u64>().write(!sent);
                sender.publish([sent << LAP_BITS, sent * 3]);
            }
            sent += 1;
        }
        for _ in 0..1 + seen % SLOTS as u64 {
            let Some([first, second]) = receiver.peek() else { break };
            // SAFETY: the packet was published with a line.
            let line = unsafe { receiver.line().cast::<u64>().read() };
            assert_eq!((first >> LAP_BITS, second, line), (seen, seen * 3, !seen));
            receiver.advance(first);
            seen += 1;
        }
    }
    free(lane);
}

#[test]
fn trains_take_their_slots_and_end_with_the_ring() {
    let lane = empty();
    // SAFETY: the lane is freed at the end; one end each.
    let (mut sender, mut receiver) = unsafe { (Sender::new(lane), Receiver::new(lane)) };
    let mut at = 0;
    for number in 0..2_000_u64 {
        let lines = (number * 7 % 40).min(SLOTS as u64 - at) as usize;
        assert_eq!((sender.room(), receiver.room()), (SLOTS - at as usize, SLOTS - at as usize));
        // SAFETY: no packet is under way.
        let slots = unsafe {
            for byte in 0..lines * LINE_BYTES {
                sender.line().add(byte).write(number as u8);
            }
            sender.publish([number << 40 | (lines as u64) << LINES_SHIFT, number])
        };
        assert_eq!(slots, lines.max(1));
        assert_eq!(receiver.look_ahead(|_| true), 1);
        let [first, second] = receiver.peek().unwrap();
        assert_eq!((first >> 40, second), (number, number));
        for byte in 0..lines * LINE_BYTES {
            // SAFETY: the packet was published with its lines.
            assert_eq!(unsafe { receiver.line().add(byte).read() }, number as u8);
        }
        receiver.advance(first);
        at = (at + slots as u64) % SLOTS as u64;
    }
    free(lane);
}

#[test]
fn no_header_that_trains_pass_over_is_taken_for_one_when_laps_return() {
    const TRAIN: u64 = 32;
    let lane = empty();
    // SAFETY: the lane is freed at the end; one end each.
    let (mut sender, mut receiver) = unsafe { (Sender::<2>::new(lane), Receiver::new(lane)) };
    let mut packet = |lines: u64| {
        assert_eq!(receiver.peek(), None, "before it is sent");
        // SAFETY: no packet is under way.
        unsafe { sender.publish([lines << LINES_SHIFT, 0]) };
        receiver.advance(receiver.peek().unwrap()[0]);
    };
    // A lap of packets of a line, as many laps of trains as its number takes to return, and
    // again.
    (0..SLOTS).for_each(|_| packet(1));
    for _ in 0..(1 << LAP_BITS) - 1 {
        (0..SLOTS as u64 / TRAIN).for_each(|_| packet(TRAIN));
    }
    (0..SLOTS).for_each(|_| packet(1));
    free(lane);
}

#[test]
fn garbage_does_not_lead_out_of_the_ring() {
    let lane = empty();
    // SAFETY: the lane is freed at the end; one end each.
    let (mut sender, mut receiver) = unsafe { (Sender::<2>::new(lane), Receiver::new(lane)) };
    for _ in 0..3 * SLOTS {
        // SAFETY: no packet is under way.
        unsafe { sender.publish([0xff << LINES_SHIFT, 0]) };
        assert!((1..=2).contains(&receiver.look_ahead(|_| true)));
        receiver.advance(receiver.peek().unwrap()[0]);
    }
    free(lane);
}

#[test]
fn an_empty_lane_and_one_that_was_cleared_have_no_packet() {
    let lane = empty();
    // SAFETY: as above; the second pair is made when the first is not used any more.
    let (mut sender, receiver) = unsafe { (Sender::new(lane), Receiver::<2>::new(lane)) };
    assert_eq!(receiver.peek(), None);
    // SAFETY: the ring is empty.
    unsafe { sender.publish([0, 7]) };
    assert!(receiver.peek().is_some());
    // SAFETY: it lives.
    unsafe { lane.as_ref() }.clear();
    // SAFETY: as above.
    assert_eq!(unsafe { Receiver::<2>::new(lane) }.peek(), None);
    free(lane);
}

#[test]
fn two_threads_lose_and_reorder_nothing() {
    let lane = empty();
    let back = empty();
    let packets = if cfg!(miri) { 1_000 } else { 300_000 };
    // SAFETY: the lanes are freed after the scope; one end each.
    let (mut sender, mut receiver) = unsafe { (Sender::<2>::new(lane), Receiver::<2>::new(lane)) };
    // SAFETY: as above.
    let (mut replies, mut replied) = unsafe { (Sender::<2>::new(back), Receiver::<2>::new(back)) };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for expected in 0..packets {
                let [first, second] = loop {
                    if let Some(words) = receiver.peek() {
                        break words;
                    }
                    std::thread::yield_now();
                };
                // SAFETY: the packet was published with a line.
                let line = unsafe { receiver.line().cast::<u64>().read() };
                assert_eq!((first >> 40, second, line), (expected, !expected, expected ^ 5));
                receiver.advance(first);
                // SAFETY: the requester keeps at most SLOTS under way.
                unsafe { replies.publish([0, expected]) };
            }
        });
        let mut outstanding = 0;
        for number in 0..packets {
            while outstanding == SLOTS || replied.peek().is_some() {
                match replied.peek() {
                    Some([first, _]) => {
                        replied.advance(first);
                        outstanding -= 1;
                    }
                    None => std::thread::yield_now(),
                }
            }
            // SAFETY: fewer than SLOTS are without a reply.
            unsafe {
                sender.line().cast::<u64>().write(number ^ 5);
                sender.publish([number << 40, !number]);
            }
            outstanding += 1;
        }
    });
    free(lane);
    free(back);
}
