//! What is sent is received.

use std::thread;

use onesided_conformance::Fixture;
use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, ReceiveError, SendError, Settings};
use onesided_transport::Transport;

use super::{
    LONG, Property, Verdict,
    ends::{ChannelOf, channel, message, unequal},
};

pub fn all<F: Fixture>() -> Vec<Property<F>> {
    vec![
        ("messages_of_any_length_come_in_order_both_ways", both_ways),
        ("a_short_ring_and_outbox_come_round_often", short),
        ("one_way_goes_on_without_messages_the_other_way", one_way),
        ("a_full_ring_refuses_and_loses_nothing", full),
        ("one_thread_that_only_tries_moves_everything", only_tries),
        ("two_full_rings_do_not_wait_for_each_other", both_full),
        ("a_message_that_cannot_be_sent_is_refused_with_what_to_do", too_long),
        ("a_message_that_does_not_fit_stays_the_next_one", too_small),
        ("what_was_sent_before_the_end_is_received", last_words),
    ]
}

const LENGTHS: [usize; 16] =
    [0, 1, 7, 41, 42, 43, 64, 98, 99, 500, 1023, 1024, 1025, 4096, 8191, 60_000];

const THRESHOLDS: [u32; 3] = [ALWAYS_PULL, 1024, ALWAYS_PUSH];

fn with(threshold_bytes: u32) -> Settings {
    Settings { threshold_bytes, ..Settings::default() }
}

/// Sends and expects the same messages at a time, a few ahead of what has come.
fn exchange<T: Transport>(mut end: onesided_messaging::Channel<T>, lengths: &[usize]) {
    const AHEAD: usize = 3;
    for (number, &length) in lengths.iter().enumerate() {
        end.send(&message(number as u64, length)).expect("the peer lives");
        if let Some(late) = number.checked_sub(AHEAD) {
            expect(&mut end, late as u64, lengths[late]);
        }
    }
    for (late, &length) in lengths.iter().enumerate().skip(lengths.len().saturating_sub(AHEAD)) {
        expect(&mut end, late as u64, length);
    }
    end.drain(LONG).expect("the peer lives");
}

fn expect<T: Transport>(end: &mut onesided_messaging::Channel<T>, number: u64, length: usize) {
    let check = |bytes: &[u8]| {
        assert_eq!(bytes.len(), length, "the length of message {number}");
        assert!(bytes == message(number, length), "the bytes of message {number}");
    };
    end.receive_with(check).expect("the peer lives");
}

fn both<F: Fixture>((here, there): (ChannelOf<F>, ChannelOf<F>), lengths: &[usize]) {
    thread::scope(|scope| {
        scope.spawn(|| exchange(here, lengths));
        exchange(there, lengths);
    });
}

fn both_ways<F: Fixture>(fixture: &F) -> Verdict {
    for threshold in THRESHOLDS {
        both::<F>(channel(fixture, with(threshold))?, &LENGTHS.repeat(4));
    }
    Ok(())
}

fn short<F: Fixture>(fixture: &F) -> Verdict {
    let lengths: Vec<_> = (0..900).map(|number| number * 37 % 300).collect();
    for threshold_bytes in THRESHOLDS {
        let settings = Settings { ring_lines: 25, outbox_bytes: 25 * 64, threshold_bytes };
        both::<F>(channel(fixture, settings)?, &lengths);
    }
    // Ends of different choices.
    let near = Settings { ring_lines: 25, outbox_bytes: 1 << 14, threshold_bytes: ALWAYS_PUSH };
    let far = Settings { ring_lines: 300, outbox_bytes: 25 * 64, threshold_bytes: 100 };
    both::<F>(unequal(fixture, near, far)?, &lengths);
    Ok(())
}

fn one_way<F: Fixture>(fixture: &F) -> Verdict {
    for threshold_bytes in THRESHOLDS {
        let settings = Settings { ring_lines: 64, outbox_bytes: 1 << 13, threshold_bytes };
        let (mut here, mut there) = channel(fixture, settings)?;
        thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..1_000 {
                    here.send(&message(number, 150)).expect("the peer lives");
                }
                here.drain(LONG).expect("the peer lives");
            });
            (0..1_000).for_each(|number| expect(&mut there, number, 150));
            // It says what it received, for which the other waits.
            drop(there);
        });
    }
    Ok(())
}

/// Sends until there is no room; how many.
fn fill<T: Transport>(end: &mut onesided_messaging::Channel<T>, length: usize) -> u64 {
    let mut sent = 0;
    loop {
        match end.try_send(&message(sent, length)) {
            Ok(()) => sent += 1,
            // What is only under way is waited for.
            Err(SendError::Full) if settled(end, sent, length) => return sent,
            Err(SendError::Full) => sent += 1,
            Err(other) => panic!("{other}"),
        }
    }
}

/// Whether there is no room for a while, either; otherwise one more was sent.
fn settled<T: Transport>(
    end: &mut onesided_messaging::Channel<T>,
    sent: u64,
    length: usize,
) -> bool {
    for _ in 0..200 {
        thread::sleep(std::time::Duration::from_micros(100));
        match end.try_send(&message(sent, length)) {
            Ok(()) => return false,
            Err(SendError::Full) => {}
            Err(other) => panic!("{other}"),
        }
    }
    true
}

/// Both ends in one thread, of which neither ever waits: credits are told all the same.
fn only_tries<F: Fixture>(fixture: &F) -> Verdict {
    const MESSAGES: u64 = 3_000;
    for threshold_bytes in [ALWAYS_PULL, 64, ALWAYS_PUSH] {
        let settings = Settings { ring_lines: 25, outbox_bytes: 25 * 64, threshold_bytes };
        let (mut here, mut there) = channel(fixture, settings)?;
        let length = |number: u64| number as usize * 37 % 150;
        let (mut sent, mut received) = (0, 0);
        while received < MESSAGES {
            while sent < MESSAGES && here.try_send(&message(sent, length(sent))).is_ok() {
                sent += 1;
            }
            let check = |bytes: &[u8]| assert!(bytes == message(received, length(received)));
            received += u64::from(there.try_receive_with(check)?.is_some());
            here.progress()?;
        }
    }
    Ok(())
}

fn full<F: Fixture>(fixture: &F) -> Verdict {
    for threshold_bytes in THRESHOLDS {
        let settings = Settings { ring_lines: 16, outbox_bytes: 1 << 12, threshold_bytes };
        let (mut here, mut there) = channel(fixture, settings)?;
        for _ in 0..3 {
            let sent = fill(&mut here, 90);
            assert!((8..=33).contains(&sent), "{sent} messages of two lines each");
            (0..sent).for_each(|number| expect(&mut there, number, 90));
            // The receiver says so at the latest when it waits for more.
            thread::scope(|scope| {
                scope.spawn(|| here.drain(LONG).expect("the peer lives"));
                for _ in 0..200 {
                    assert_eq!(there.next_length().expect("the peer lives"), None);
                    thread::sleep(std::time::Duration::from_micros(100));
                }
                there.send(b"all").expect("the peer lives");
            });
            here.receive_with(|bytes| assert_eq!(bytes, b"all"))?;
        }
    }
    Ok(())
}

fn both_full<F: Fixture>(fixture: &F) -> Verdict {
    for threshold_bytes in THRESHOLDS {
        let settings = Settings { ring_lines: 16, outbox_bytes: 1 << 12, threshold_bytes };
        let (mut here, mut there) = channel(fixture, settings)?;
        let (sent, back) = (fill(&mut here, 90), fill(&mut there, 90));
        thread::scope(|scope| {
            scope.spawn(move || {
                (0..back).for_each(|number| expect(&mut here, number, 90));
                here.send(b"one more").expect("the peer lives");
                here.drain(LONG).expect("the peer lives");
            });
            (0..sent).for_each(|number| expect(&mut there, number, 90));
            there.receive_with(|bytes| assert_eq!(bytes, b"one more")).expect("the peer lives");
            drop(there);
        });
    }
    Ok(())
}

fn too_long<F: Fixture>(fixture: &F) -> Verdict {
    let settings = |threshold_bytes| Settings { ring_lines: 4, outbox_bytes: 640, threshold_bytes };
    let (mut here, mut there) = channel(fixture, settings(ALWAYS_PUSH))?;
    let refused = here.send(&[0; 211]).unwrap_err();
    assert!(matches!(refused, SendError::TooLongToPush { length: 211, most: 210, lines: 5 }));
    assert!(refused.to_string().contains("ring of 5 lines"), "{refused}");
    // The channel is as good as before.
    here.send(&message(9, 210))?;
    expect(&mut there, 9, 210);
    let (mut here, mut there) = channel(fixture, settings(500))?;
    let refused = here.send(&[0; 641]).unwrap_err();
    assert!(matches!(refused, SendError::TooLongToPull { length: 641, most: 640 }), "{refused}");
    // Below the threshold, and too long for the ring: it is pulled.
    here.send(&message(9, 400))?;
    expect(&mut there, 9, 400);
    here.send(&message(10, 640))?;
    expect(&mut there, 10, 640);
    Ok(())
}

fn too_small<F: Fixture>(fixture: &F) -> Verdict {
    for threshold in THRESHOLDS {
        let (mut here, mut there) = channel(fixture, with(threshold))?;
        here.send(&message(1, 100))?;
        let mut buffer = [0; 100];
        let refused = there.receive(&mut buffer[..99]).unwrap_err();
        assert!(matches!(refused, ReceiveError::TooSmall { length: 100, room: 99 }), "{refused}");
        assert_eq!(there.receive(&mut buffer)?, 100);
        assert_eq!(buffer[..], message(1, 100));
    }
    Ok(())
}

fn last_words<F: Fixture>(fixture: &F) -> Verdict {
    let (mut here, mut there) = channel(fixture, with(ALWAYS_PUSH))?;
    for number in 0..20 {
        here.send(&message(number, 3_000))?;
    }
    drop(here);
    (0..20).for_each(|number| expect(&mut there, number, 3_000));
    Ok(())
}
