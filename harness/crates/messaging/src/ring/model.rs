//! The ring in every order that the language allows, by loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p onesided-messaging --lib --release loom_`
//!
//! The device is a thread that stores words relaxed, and so in any order; it writes as many lines
//! as it has credits, which the receiver tells in a word of its own. What the model refuses, tried
//! one at a time:
//!
//! | weakened | seen as |
//! |---|---|
//! | `Line::has_arrived` looks at the first or at the last word only | words of another lap |
//! | the receiver tells a line before it has read it | the same |
//! | one credit more than lines | a message that is lost |
//!
//! | `Line::has_arrived` loads relaxed | a descriptor without what it describes (second model) |
//!
//! The words of a message need no order: each says of itself what it is.

use std::sync::Arc;

use loom::thread;

use super::*;
use crate::{
    atomic::{AtomicU64, Ordering},
    credits::Credits,
};

const LINES: u64 = 2;

struct Shared {
    ring: Vec<Line>,
    told: AtomicU64,
    outbox: AtomicU64,
}

fn shared() -> Arc<Shared> {
    let line = || Line(std::array::from_fn(|_| AtomicU64::new(0)));
    Arc::new(Shared {
        ring: (0..LINES).map(|_| line()).collect(),
        told: AtomicU64::new(0),
        outbox: AtomicU64::new(0),
    })
}

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Writes a message of one line as a device does: in no order of words.
fn write(shared: &Shared, position: u64, header: Header, order: Ordering) {
    let tag = Tag::of(position, LINES);
    let line = &shared.ring[(position % LINES) as usize];
    // The header not first and not last, so that neither end of a line is the last to come.
    for word in [4, 0, 7] {
        let bits = if word == 0 { header.bits() } else { position };
        line.0[word].store(tag.word(bits), order);
    }
    for word in [1, 2, 3, 5, 6] {
        line.0[word].store(tag.word(position), order);
    }
}

#[test]
fn loom_a_message_is_seen_whole_or_not_at_all_and_no_line_is_reused_too_early() {
    const MESSAGES: u64 = 3;
    check(|| {
        let shared = shared();
        let device = Arc::clone(&shared);
        let sender = thread::spawn(move || {
            let mut told = Credits::default();
            for position in 0..MESSAGES {
                while position - told.consumed >= LINES {
                    told.update(device.told.load(Ordering::Acquire));
                    thread::yield_now();
                }
                let header = Header { way: Way::Pull, length: position as u32 };
                write(&device, position, header, Ordering::Relaxed);
            }
        });
        let mut scan = Scan::default();
        for expected in 0..MESSAGES {
            let found = loop {
                if let Some(found) = scan.next(&shared.ring).expect("it is well formed") {
                    break found;
                }
                thread::yield_now();
            };
            assert_eq!((found.position, found.header.length), (expected, expected as u32));
            let mut words = words(&shared.ring, expected, 1);
            for _ in 1..8 {
                assert_eq!(words(), expected, "a word of another message");
            }
            let told = Credits { consumed: expected + 1, released: 0 };
            shared.told.store(told.bits(), Ordering::Release);
        }
        sender.join().expect("it only writes");
    });
}

#[test]
fn loom_who_finds_a_descriptor_finds_what_it_describes() {
    check(|| {
        let shared = shared();
        let device = Arc::clone(&shared);
        let sender = thread::spawn(move || {
            device.outbox.store(5, Ordering::Relaxed);
            // What the device stores is released as a whole (`onesided_rmc`), as by a fence.
            loom::sync::atomic::fence(Ordering::Release);
            write(&device, 0, Header { way: Way::Pull, length: 8 }, Ordering::Relaxed);
        });
        let mut scan = Scan::default();
        while scan.next(&shared.ring).expect("it is well formed").is_none() {
            thread::yield_now();
        }
        assert_eq!(shared.outbox.load(Ordering::Relaxed), 5);
        sender.join().expect("it only writes");
    });
}
