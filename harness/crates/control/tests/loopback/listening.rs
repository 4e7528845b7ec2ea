//! The port, and clients that keep others from nothing.

use std::{
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use onesided_control::{
    BindError, ConnectError, HandshakeError, Listener, Settings, Token, WhenRefused, connect,
};

use crate::{SURELY, listen, milliseconds, patient, raw_peer::RawPeer, reach};

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = Listener::bind(&address, Token::generate().unwrap(), patient()).unwrap_err();
    assert!(
        matches!(&error, BindError::AddressInUse { address: named } if *named == address),
        "{error}"
    );
    assert!(error.to_string().contains(&address), "{error}");
}

#[test]
fn addresses_that_cannot_be_listened_on_are_distinct_errors() {
    let bind =
        |address| Listener::bind(address, Token::generate().unwrap(), patient()).unwrap_err();
    // TEST-NET-1 (RFC 5737): no machine has it.
    assert!(matches!(bind("192.0.2.1:0"), BindError::NotOurs { .. }));
    assert!(matches!(bind("127.0.0.1"), BindError::Unresolvable { .. }));
}

#[test]
fn a_port_is_free_again_as_soon_as_its_server_has_ended() {
    let token = Token::generate().unwrap();
    let listener = listen(&token, patient());
    let address = listener.local_address();
    thread::scope(|scope| {
        let serving = scope.spawn(|| drop(listener.accept().unwrap().authenticate().unwrap()));
        drop(reach(address, &token, &patient()));
        serving.join().unwrap();
    });
    drop(listener);
    Listener::bind(&address.to_string(), token, patient()).unwrap();
}

#[test]
fn silent_clients_keep_nobody_waiting_and_are_timed_out() {
    let token = Token::generate().unwrap();
    let within = Duration::from_secs(4);
    let listener = listen(&token, Settings { handshake_within: within, ..patient() });
    let address = listener.local_address();
    let silent: Vec<RawPeer> = (0..3).map(|_| RawPeer::connect(address)).collect();
    let start = Instant::now();
    thread::scope(|scope| {
        let accepting = scope.spawn(|| {
            let pending: Vec<_> = (0..4).map(|_| listener.accept().unwrap()).collect();
            pending
                .into_iter()
                .map(|one| scope.spawn(move || one.authenticate()))
                .collect::<Vec<_>>()
        });
        let client = reach(address, &token, &patient());
        assert!(start.elapsed() < within, "served only after {:?}", start.elapsed());
        client.send(&1).unwrap();
        let outcomes: Vec<_> =
            accepting.join().unwrap().into_iter().map(|one| one.join().unwrap()).collect();
        let timed_out = |outcome: &&Result<_, _>| matches!(outcome, Err(HandshakeError::TimedOut { after, .. }) if *after == within);
        assert_eq!(outcomes.iter().filter(timed_out).count(), 3);
        let served = outcomes.into_iter().find_map(Result::ok).unwrap();
        assert_eq!(served.receive::<u32>(SURELY).unwrap(), 1);
    });
    drop(silent);
}

/// An address at which nobody listens at the moment.
fn vacant() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn with_nobody_listening_the_client_fails_at_once_or_tries_until_the_time_is_over() {
    let token = Token::generate().unwrap();
    let error = connect(&vacant(), &token, SURELY, WhenRefused::Fail, &patient()).unwrap_err();
    assert!(matches!(error, ConnectError::Refused { attempts: 1, .. }), "{error}");
    let start = Instant::now();
    let error =
        connect(&vacant(), &token, milliseconds(350), WhenRefused::Retry, &patient()).unwrap_err();
    assert!(matches!(error, ConnectError::Refused { attempts: 2.., .. }), "{error}");
    assert!(start.elapsed() >= milliseconds(350) && start.elapsed() < SURELY);
}

#[test]
fn a_server_that_starts_late_is_reached_by_trying_again() {
    let token = Token::generate().unwrap();
    let address = vacant();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(milliseconds(250));
            let listener = Listener::bind(&address, token.clone(), patient()).unwrap();
            let channel = listener.accept().unwrap().authenticate().unwrap();
            channel.send(&"welcome").unwrap();
        });
        let channel = connect(&address, &token, SURELY, WhenRefused::Retry, &patient()).unwrap();
        assert_eq!(channel.receive::<String>(SURELY).unwrap(), "welcome");
    });
}

#[test]
fn an_address_without_a_port_is_not_understood() {
    let token = Token::generate().unwrap();
    let error = connect("127.0.0.1", &token, SURELY, WhenRefused::Fail, &patient()).unwrap_err();
    assert!(matches!(error, ConnectError::Unresolvable { .. }), "{error}");
}
