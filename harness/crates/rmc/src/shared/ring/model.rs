//! The ring in every order that the language allows, by loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p onesided-rmc --lib --release loom_`
//!
//! Two lanes of two slots, and more packets than slots, so that each slot is used again. What the
//! model refuses, tried one at a time:
//!
//! | weakened | seen as |
//! |---|---|
//! | `publish` stores the first word relaxed | a line read while it is written |
//! | `peek` and `look_ahead` load the first word relaxed | the same |
//! | `publish` stores the first word before the others | a header of two packets |
//! | one credit more than slots | a line written while it is read |
//!
//! With only one of `peek` and `look_ahead` relaxed the other still orders the payload where both
//! have looked; a lane is therefore also read without looking ahead.

use std::{ptr::NonNull, sync::Arc};

use loom::thread;

use super::*;

impl Lane<2> {
    fn empty() -> Self {
        Self {
            headers: std::array::from_fn(|_| Header(std::array::from_fn(|_| AtomicU64::new(0)))),
            lines: std::array::from_fn(|_| SharedLine::empty()),
        }
    }
}

/// How a receiver finds packets.
#[derive(Clone, Copy)]
enum Look {
    /// One by one.
    Peek,
    /// As many as there are, first.
    Ahead,
}

/// Takes a packet if there is one; its number.
fn take(receiver: &mut Receiver<2>, look: Look) -> Option<u64> {
    if matches!(look, Look::Ahead) && receiver.look_ahead(|_| true) == 0 {
        return None;
    }
    let [first, second] = receiver.peek()?;
    // SAFETY: the packet was published with a line; in the model this is the access.
    let line = unsafe { receiver.line().cast::<u64>().read() };
    let number = first >> LAP_BITS;
    assert_eq!((second, line), (number + 10, number + 20), "of one packet");
    receiver.advance(first);
    Some(number)
}

/// A train of both slots, then another: a packet whose second slot's header is never written.
fn trains() {
    const TRAINS: u64 = 2;
    loom::model(|| {
        let lanes = Arc::new((Lane::<2>::empty(), Lane::<2>::empty()));
        let theirs = Arc::clone(&lanes);
        let responder = thread::spawn(move || {
            let (requests, replies) = (NonNull::from(&theirs.0), NonNull::from(&theirs.1));
            // SAFETY: `theirs` lives to the end of the thread, and has one end of each here.
            let (mut requests, mut replies) =
                unsafe { (Receiver::new(requests), Sender::new(replies)) };
            for _ in 0..TRAINS {
                while take(&mut requests, Look::Ahead).is_none() {
                    thread::yield_now();
                }
                give(&mut replies, 2 << (LINES_SHIFT - LAP_BITS));
            }
        });
        let (requests, replies) = (NonNull::from(&lanes.0), NonNull::from(&lanes.1));
        // SAFETY: `lanes` lives to the end of the model, and has one end of each here.
        let (mut requests, mut replies) =
            unsafe { (Sender::new(requests), Receiver::new(replies)) };
        for _ in 0..TRAINS {
            give(&mut requests, 2 << (LINES_SHIFT - LAP_BITS));
            while take(&mut replies, Look::Peek).is_none() {
                thread::yield_now();
            }
        }
        responder.join().expect("it only answers");
    });
}

fn give(sender: &mut Sender<2>, number: u64) {
    // SAFETY: the caller has a credit.
    unsafe {
        sender.line().cast::<u64>().write(number + 20);
        sender.publish([number << LAP_BITS, number + 10]);
    }
}

/// A requester that keeps as many under way as there are slots, and a responder.
fn requests_and_replies(look: Look) {
    const PACKETS: u64 = 3;
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let lanes = Arc::new((Lane::<2>::empty(), Lane::<2>::empty()));
        let theirs = Arc::clone(&lanes);
        let responder = thread::spawn(move || {
            let (requests, replies) = (NonNull::from(&theirs.0), NonNull::from(&theirs.1));
            // SAFETY: `theirs` lives to the end of the thread, and has one end of each here.
            let (mut requests, mut replies) =
                unsafe { (Receiver::new(requests), Sender::new(replies)) };
            for expected in 0..PACKETS {
                let number = loop {
                    if let Some(number) = take(&mut requests, look) {
                        break number;
                    }
                    thread::yield_now();
                };
                assert_eq!(number, expected);
                give(&mut replies, number);
            }
        });
        let (requests, replies) = (NonNull::from(&lanes.0), NonNull::from(&lanes.1));
        // SAFETY: `lanes` lives to the end of the model, and has one end of each here.
        let (mut requests, mut replies) =
            unsafe { (Sender::new(requests), Receiver::new(replies)) };
        let (mut sent, mut answered) = (0, 0);
        while answered < PACKETS {
            while sent < PACKETS && sent < answered + SLOTS as u64 {
                give(&mut requests, sent);
                sent += 1;
            }
            match take(&mut replies, look) {
                Some(number) => {
                    assert_eq!(number, answered);
                    answered += 1;
                }
                None => thread::yield_now(),
            }
        }
        responder.join().expect("it only answers");
    });
}

#[test]
fn loom_packets_and_their_lines_belong_to_one_side_at_a_time() {
    requests_and_replies(Look::Peek);
}

#[test]
fn loom_looking_ahead_takes_nothing_before_it_is_there() {
    requests_and_replies(Look::Ahead);
}

#[test]
fn loom_a_train_is_there_as_a_whole() {
    trains();
}
