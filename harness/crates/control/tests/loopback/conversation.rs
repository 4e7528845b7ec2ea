//! Two sides that behave.

use std::{
    thread,
    time::{Duration, Instant},
};

use onesided_control::{
    ChannelError, EncodeError, FrameError, Heartbeat, MAX_FRAME_BYTES, Settings,
};
use serde::{Deserialize, Serialize};

use crate::{A_WHILE, SURELY, milliseconds, pair, patient, wait_for_death, with_patience};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Count(u64),
    Rate { throughput_ops: f64 },
    Text(String),
}

#[test]
fn messages_arrive_in_order_in_both_directions() {
    let (server, client) = pair(patient(), &patient());
    for count in 0..100 {
        client.send(&Word::Count(count)).unwrap();
        server.send(&Word::Rate { throughput_ops: count as f64 + 0.5 }).unwrap();
    }
    for count in 0..100 {
        assert_eq!(server.receive::<Word>(SURELY).unwrap(), Word::Count(count));
        let rate = client.receive::<Word>(SURELY).unwrap();
        assert_eq!(rate, Word::Rate { throughput_ops: count as f64 + 0.5 });
    }
}

#[test]
fn a_message_of_the_greatest_length_passes_and_one_more_byte_is_refused_without_harm() {
    let (server, client) = pair(patient(), &patient());
    let longest = "x".repeat(MAX_FRAME_BYTES - 2);
    let sender = client.sender();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(&longest).unwrap());
        assert_eq!(server.receive::<String>(SURELY).unwrap(), longest);
    });
    let error = client.send(&"x".repeat(MAX_FRAME_BYTES - 1)).unwrap_err();
    assert!(
        matches!(error, ChannelError::Unsendable { source: EncodeError::TooLong { length, limit } }
            if length == MAX_FRAME_BYTES + 1 && limit == MAX_FRAME_BYTES),
        "{error}"
    );
    client.send(&Word::Count(1)).unwrap();
    assert_eq!(server.receive::<Word>(SURELY).unwrap(), Word::Count(1));
}

#[test]
fn a_number_that_is_not_finite_is_refused_by_the_sender_and_named() {
    let (server, client) = pair(patient(), &patient());
    let error = client.send(&Word::Rate { throughput_ops: f64::NAN }).unwrap_err();
    assert!(
        error.to_string().contains("NaN") && error.to_string().contains("throughput_ops"),
        "{error}"
    );
    client.send(&Word::Count(1)).unwrap();
    assert_eq!(server.receive::<Word>(SURELY).unwrap(), Word::Count(1));
}

#[test]
fn a_message_that_does_not_come_is_timed_out_and_the_channel_stays_usable() {
    let (server, client) = pair(patient(), &patient());
    let start = Instant::now();
    let error = client.receive::<Word>(A_WHILE).unwrap_err();
    assert!(start.elapsed() >= A_WHILE);
    assert!(
        matches!(error, ChannelError::TimedOut { after: A_WHILE, waiting_for }
            if waiting_for.ends_with("Word")),
        "{error}"
    );
    server.send(&Word::Count(2)).unwrap();
    assert_eq!(client.receive::<Word>(SURELY).unwrap(), Word::Count(2));
}

#[test]
fn a_message_of_another_type_is_malformed_and_the_channel_stays_usable() {
    let (server, client) = pair(patient(), &patient());
    server.send(&42).unwrap();
    server.send(&Word::Count(3)).unwrap();
    let error = client.receive::<Word>(SURELY).unwrap_err();
    assert!(
        matches!(&error, ChannelError::Malformed { source: FrameError::UnexpectedShape { expected, .. } }
            if expected.ends_with("Word")),
        "{error}"
    );
    assert_eq!(client.receive::<Word>(SURELY).unwrap(), Word::Count(3));
}

#[test]
fn an_idle_peer_stays_alive_far_beyond_the_patience() {
    let settings = with_patience(milliseconds(1000));
    let (server, client) = pair(settings.clone(), &settings);
    thread::sleep(milliseconds(2500));
    assert!(client.peer().is_alive(), "{:?}", client.peer().death());
    assert!(server.peer().is_alive(), "{:?}", server.peer().death());
}

#[test]
fn each_side_judges_the_other_by_its_own_heartbeat() {
    let seldom = Settings {
        heartbeat: Heartbeat::new(Duration::from_secs(3600), Duration::from_secs(7200)).unwrap(),
        ..patient()
    };
    let (server, client) = pair(seldom, &with_patience(milliseconds(1000)));
    thread::sleep(milliseconds(2500));
    assert!(client.peer().is_alive(), "{:?}", client.peer().death());
    server.send(&Word::Count(4)).unwrap();
    assert_eq!(client.receive::<Word>(SURELY).unwrap(), Word::Count(4));
}

#[test]
fn dropping_a_channel_delivers_what_was_sent_and_then_its_end() {
    // Pings of the peer are on their way all the time: closing with one unread would reset the
    // connection.
    let busy =
        Settings { heartbeat: Heartbeat::new(milliseconds(10), SURELY).unwrap(), ..patient() };
    for _ in 0..20 {
        let (server, client) = pair(busy.clone(), &busy);
        thread::sleep(milliseconds(12));
        server.send(&Word::Text("x".repeat(300_000))).unwrap();
        let last = thread::spawn(move || drop(server));
        let message = client.receive::<Word>(SURELY).unwrap();
        assert!(matches!(message, Word::Text(text) if text.len() == 300_000));
        let end = client.receive::<Word>(SURELY).unwrap_err();
        assert!(matches!(end, ChannelError::Closed), "{end}");
        last.join().unwrap();
    }
}

#[test]
fn a_closed_peer_is_dead_for_everyone_who_asks_and_stays_so() {
    let (server, client) = pair(patient(), &patient());
    let (peer, sender) = (client.peer(), client.sender());
    drop(server);
    wait_for_death(&peer);
    assert!(matches!(peer.death(), Some(ChannelError::Closed)));
    assert!(matches!(client.receive::<Word>(SURELY), Err(ChannelError::Closed)));
    assert!(matches!(client.receive::<Word>(SURELY), Err(ChannelError::Closed)));
    assert!(matches!(client.send(&1), Err(ChannelError::Closed)));
    assert!(matches!(sender.send(&1), Err(ChannelError::Closed)));
}

#[test]
fn senders_of_other_threads_never_mix_their_frames() {
    let (server, client) = pair(patient(), &patient());
    thread::scope(|scope| {
        for letter in ["a", "b", "c"] {
            let sender = client.sender();
            scope.spawn(move || {
                (0..50).for_each(|_| sender.send(&Word::Text(letter.repeat(5000))).unwrap());
            });
        }
        for _ in 0..150 {
            let Word::Text(text) = server.receive::<Word>(SURELY).unwrap() else {
                panic!("expected text")
            };
            assert!(text.len() == 5000 && text.bytes().all(|byte| byte == text.as_bytes()[0]));
        }
    });
    let sender = client.sender();
    drop(client);
    assert!(matches!(sender.send(&1), Err(ChannelError::Closed)));
}
