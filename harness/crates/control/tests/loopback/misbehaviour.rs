//! Peers that proved themselves and then break, stall or stop.

use std::{net::Shutdown, thread, time::Instant};

use onesided_control::{
    CLOSE_LINGER, ChannelError, FrameError, MAX_FRAME_BYTES, MAX_WAITING_BYTES, Settings,
};
use serde_json::{Value, json};

use crate::{
    SURELY, milliseconds, patient,
    raw_peer::{
        ANSWER, HANDSHAKE, MESSAGE, PING, RawPeer, channel_with_raw_client, frame, reaction_to,
    },
    wait_for_death, with_patience,
};

#[test]
fn a_ping_is_answered_with_its_number_while_the_owner_is_busy() {
    let (channel, mut raw) = channel_with_raw_client(patient());
    raw.send(PING, &json!({"sequence": 41}));
    assert_eq!(raw.receive_beyond_pings(), (ANSWER, json!({"sequence": 41})));
    assert!(channel.peer().is_alive());
}

#[test]
fn pings_are_numbered_and_their_answers_keep_the_peer_alive() {
    let (channel, mut raw) = channel_with_raw_client(with_patience(milliseconds(1000)));
    for sequence in 1..=40 {
        assert_eq!(raw.receive(), (PING, json!({"sequence": sequence})));
        raw.send(ANSWER, &json!({"sequence": sequence}));
    }
    assert!(channel.peer().is_alive(), "{:?}", channel.peer().death());
}

#[test]
fn a_peer_that_stops_answering_is_noticed_in_bounded_time() {
    let patience = milliseconds(300);
    let (channel, raw) = channel_with_raw_client(with_patience(patience));
    let waited = wait_for_death(&channel.peer());
    assert!(waited >= patience / 2, "{waited:?}");
    let Some(ChannelError::Silent { silence, patience: allowed }) = channel.peer().death() else {
        panic!("expected silence, got {:?}", channel.peer().death())
    };
    assert!(silence >= patience && allowed == patience, "{silence:?}");
    assert!(matches!(channel.receive::<Value>(SURELY), Err(ChannelError::Silent { .. })));
    drop(raw);
}

#[test]
fn a_peer_that_began_a_frame_and_stopped_is_timed_out() {
    let settings = Settings { frame_within: milliseconds(200), ..patient() };
    let (channel, mut raw) = channel_with_raw_client(settings);
    raw.send_bytes(&frame(MESSAGE, &[b' '; 100])[..50]);
    wait_for_death(&channel.peer());
    assert!(
        matches!(channel.peer().death(), Some(ChannelError::TimedOut { .. })),
        "{:?}",
        channel.peer().death()
    );
}

#[test]
fn a_peer_that_sends_a_frame_byte_by_byte_is_timed_out_although_it_gives_signs_of_life() {
    use std::io::Write;
    let settings = Settings { frame_within: milliseconds(300), ..patient() };
    let (channel, mut raw) = channel_with_raw_client(settings);
    let start = Instant::now();
    for byte in frame(MESSAGE, &[b' '; 5000]) {
        if raw.stream.write_all(&[byte]).is_err() || !channel.peer().is_alive() {
            break;
        }
        assert!(start.elapsed() < SURELY);
        // Oftener than the kernel's timers tick, so that the reader never meets a pause.
        thread::sleep(milliseconds(1));
    }
    let error = channel.receive::<Value>(SURELY).unwrap_err();
    assert!(
        matches!(error, ChannelError::TimedOut { after, .. } if after == milliseconds(300)),
        "{error}"
    );
}

#[test]
fn a_peer_that_does_not_read_makes_sending_time_out() {
    let settings = Settings { frame_within: milliseconds(300), ..patient() };
    let (channel, raw) = channel_with_raw_client(settings);
    let message = "x".repeat(MAX_FRAME_BYTES - 2);
    let start = Instant::now();
    let error = loop {
        assert!(start.elapsed() < SURELY);
        if let Err(error) = channel.send(&message) {
            break error;
        }
    };
    assert!(matches!(error, ChannelError::TimedOut { .. }), "{error}");
    assert!(matches!(channel.send(&1), Err(ChannelError::TimedOut { .. })));
    assert!(matches!(channel.receive::<Value>(SURELY), Err(ChannelError::TimedOut { .. })));
    drop(raw);
}

#[test]
fn a_closed_socket_between_frames_is_closed_and_inside_a_frame_truncated() {
    let (channel, raw) = channel_with_raw_client(patient());
    drop(raw);
    let error = channel.receive::<Value>(SURELY).unwrap_err();
    // The kernel resets instead if a ping had arrived unread.
    assert!(matches!(error, ChannelError::Closed | ChannelError::Reset), "{error}");

    let (channel, mut raw) = channel_with_raw_client(patient());
    raw.send_bytes(&frame(MESSAGE, b"{\"a\":1}")[..8]);
    raw.stream.shutdown(Shutdown::Write).unwrap();
    let error = channel.receive::<Value>(SURELY).unwrap_err();
    let expected = FrameError::Truncated { part: "body", received: 3, expected: 7 };
    assert!(matches!(&error, ChannelError::Malformed { source } if *source == expected), "{error}");

    let (channel, mut raw) = channel_with_raw_client(patient());
    raw.send_bytes(&frame(MESSAGE, b"{\"a\":1}"));
    raw.stream.shutdown(Shutdown::Write).unwrap();
    let error = channel.receive::<Value>(SURELY).unwrap_err();
    let expected = FrameError::Truncated { part: "seal", received: 0, expected: 32 };
    assert!(matches!(&error, ChannelError::Malformed { source } if *source == expected), "{error}");
}

/// What somebody on the path can do with frames whose token they do not have.
#[test]
fn a_frame_that_is_not_what_the_peer_sent_next_ends_the_connection() {
    let altered = |act: fn(&mut RawPeer)| {
        let error = reaction_to(act);
        let is_told = matches!(error, ChannelError::Malformed { source: FrameError::Altered });
        assert!(is_told, "{error}");
    };
    fn sealed(raw: &mut RawPeer, body: &[u8]) -> Vec<u8> {
        raw.seals.as_mut().unwrap().0.sealed(frame(MESSAGE, body))
    }
    // Changed in its body, in its kind, in its seal.
    altered(|raw| {
        let mut bytes = sealed(raw, b"{\"threads\":1}");
        bytes[16] = b'9';
        raw.send_bytes(&bytes);
    });
    altered(|raw| {
        let mut bytes = sealed(raw, b"{\"sequence\":1}");
        bytes[4] = ANSWER;
        raw.send_bytes(&bytes);
    });
    altered(|raw| {
        let mut bytes = sealed(raw, b"1");
        *bytes.last_mut().unwrap() ^= 1;
        raw.send_bytes(&bytes);
    });
    // Left out, and the next one sent.
    altered(|raw| {
        sealed(raw, b"1");
        let second = sealed(raw, b"2");
        raw.send_bytes(&second);
    });
    // What the other side said, sent back to it.
    altered(|raw| {
        let (ours, theirs) = raw.seals.take().unwrap();
        raw.seals = Some((theirs, ours));
        raw.send(MESSAGE, &json!(1));
    });
    // Without the key.
    altered(|raw| raw.send_bytes(&[frame(MESSAGE, b"1"), vec![0; 32]].concat()));
}

#[test]
fn a_frame_that_is_sent_twice_is_taken_once_and_ends_the_connection() {
    let (channel, mut raw) = channel_with_raw_client(patient());
    let bytes = raw.seals.as_mut().unwrap().0.sealed(frame(MESSAGE, b"1"));
    raw.send_bytes(&bytes);
    raw.send_bytes(&bytes);
    assert_eq!(channel.receive::<u64>(SURELY).unwrap(), 1);
    let error = channel.receive::<Value>(SURELY).unwrap_err();
    assert!(matches!(error, ChannelError::Malformed { source: FrameError::Altered }), "{error}");
}

#[test]
fn a_peer_that_closes_with_bytes_unread_is_a_reset() {
    let (channel, raw) = channel_with_raw_client(patient());
    channel.send(&"unread").unwrap();
    thread::sleep(milliseconds(50));
    drop(raw);
    wait_for_death(&channel.peer());
    assert!(
        matches!(channel.peer().death(), Some(ChannelError::Reset)),
        "{:?}",
        channel.peer().death()
    );
}

#[test]
fn frames_that_mean_nothing_are_distinct_errors() {
    let bytes = |bytes: &[u8]| reaction_to(|raw| raw.send_bytes(bytes));
    let of = |error| match error {
        ChannelError::Malformed { source } => source,
        other => panic!("expected malformed, got {other}"),
    };
    let source = |kind, body: &[u8]| of(reaction_to(|raw| raw.send_text(kind, body)));
    let announced = u32::try_from(MAX_FRAME_BYTES + 1).unwrap().to_be_bytes();
    let error = bytes(&[&announced[..], &[MESSAGE]].concat());
    assert!(
        matches!(error, ChannelError::TooLong { length, limit: MAX_FRAME_BYTES }
            if length == MAX_FRAME_BYTES + 1),
        "{error}"
    );
    assert!(matches!(bytes(b"complete garbage"), ChannelError::TooLong { .. }));
    assert_eq!(of(bytes(&[0, 0, 0, 0, MESSAGE])), FrameError::Empty);
    assert_eq!(source(99, b"{}"), FrameError::UnknownKind { found: 99 });
    assert_eq!(source(MESSAGE, b"\xc3("), FrameError::NotText { offset: 0 });
    assert!(matches!(source(MESSAGE, b"{'a'}"), FrameError::NotJson { .. }));
    assert_eq!(
        source(MESSAGE, b"{\"rate\": NaN}"),
        FrameError::NotFinite { literal: "NaN", offset: 9 }
    );
    assert!(matches!(source(PING, b"{}"), FrameError::UnexpectedShape { .. }));
    assert!(matches!(source(ANSWER, b"[\"x\"]"), FrameError::UnexpectedShape { .. }));
    assert!(matches!(source(HANDSHAKE, b"{}"), FrameError::UnexpectedKind { .. }));
}

#[test]
fn garbage_is_noticed_while_the_owner_is_busy_and_good_messages_before_it_are_kept() {
    let (channel, mut raw) = channel_with_raw_client(patient());
    raw.send(MESSAGE, &json!("good"));
    raw.send_text(MESSAGE, b"{bad");
    wait_for_death(&channel.peer());
    assert_eq!(channel.receive::<String>(SURELY).unwrap(), "good");
    let error = channel.receive::<String>(SURELY).unwrap_err();
    assert!(
        matches!(error, ChannelError::Malformed { source: FrameError::NotJson { .. } }),
        "{error}"
    );
}

#[test]
fn a_flood_of_messages_that_nobody_takes_ends_the_connection_at_the_limit() {
    use std::io::Write;
    let (channel, mut raw) = channel_with_raw_client(patient());
    let body = format!("\"{}\"", "x".repeat(MAX_FRAME_BYTES - 2));
    let flood = frame(MESSAGE, body.as_bytes());
    let mut flooding = raw.stream.try_clone().unwrap();
    let (mut sealing, _) = raw.seals.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| while flooding.write_all(&sealing.sealed(flood.clone())).is_ok() {});
        wait_for_death(&channel.peer());
        // The other side may have closed it, and the flood is over.
        let _ = raw.stream.shutdown(Shutdown::Both);
    });
    let death = channel.peer().death();
    assert!(
        matches!(death, Some(ChannelError::Overrun { waiting_bytes, limit: MAX_WAITING_BYTES })
            if waiting_bytes > MAX_WAITING_BYTES),
        "{death:?}"
    );
}

#[test]
fn closing_waits_for_a_stopped_peer_no_longer_than_the_linger() {
    let (channel, raw) = channel_with_raw_client(patient());
    let start = Instant::now();
    drop(channel);
    assert!(start.elapsed() >= CLOSE_LINGER, "{:?}", start.elapsed());
    assert!(start.elapsed() < CLOSE_LINGER + SURELY / 2, "{:?}", start.elapsed());
    drop(raw);
}

#[test]
fn closing_is_known_to_everyone_while_it_still_waits_for_the_peer() {
    let (channel, raw) = channel_with_raw_client(patient());
    let (peer, sender) = (channel.peer(), channel.sender());
    let closing = thread::spawn(move || drop(channel));
    let waited = wait_for_death(&peer);
    assert!(waited < CLOSE_LINGER * 3 / 4, "known only after {waited:?}");
    assert!(matches!(sender.send(&1), Err(ChannelError::Closed)));
    closing.join().unwrap();
    drop(raw);
}
