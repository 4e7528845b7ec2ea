//! Who is let in, and what the others are told.

use std::{io::Read, net::TcpListener, thread, time::Instant};

use onesided_control::{
    ConnectError, FrameError, HandshakeError, PROTOCOL_VERSION, ProtocolVersion, Settings, Token,
    WhenRefused, connect,
};
use serde_json::json;

use crate::{
    SURELY, known_token, listen, milliseconds, patient,
    raw_peer::{HANDSHAKE, OUR_NONCE, RawPeer, frame, hex, proof, unhex},
};

/// What the server makes of a client that `act` plays.
fn refused_by_server(settings: Settings, act: impl FnOnce(&mut RawPeer)) -> HandshakeError {
    let listener = listen(&Token::generate().unwrap(), settings);
    let mut raw = RawPeer::connect(listener.local_address());
    thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap_err());
        act(&mut raw);
        serving.join().unwrap()
    })
}

/// What a client that holds `token` makes of a server that `act` plays.
fn refused_by_client(
    token: &Token,
    settings: &Settings,
    act: impl FnOnce(&mut RawPeer) + Send,
) -> HandshakeError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut raw = RawPeer::accept(&listener);
            act(&mut raw);
            raw.wait_for_end();
        });
        match connect(&address, token, SURELY, WhenRefused::Fail, settings) {
            Err(ConnectError::Handshake { source, .. }) => source,
            other => panic!("expected a failed handshake, got {other:?}"),
        }
    })
}

fn impatient() -> Settings {
    Settings { handshake_within: milliseconds(150), ..patient() }
}

#[test]
fn the_same_token_on_both_sides_opens_a_channel_that_knows_its_peer() {
    let (at_server, at_client) = crate::pair(patient(), &patient());
    assert!(at_client.peer_address().ip().is_loopback());
    assert!(at_client.peer().is_alive() && at_server.peer().is_alive());
}

#[test]
fn a_wrong_token_is_an_error_on_both_sides() {
    let listener = listen(&Token::generate().unwrap(), patient());
    let address = listener.local_address().to_string();
    let other = Token::generate().unwrap();
    thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap_err());
        let error = connect(&address, &other, SURELY, WhenRefused::Fail, &patient()).unwrap_err();
        assert!(
            matches!(error, ConnectError::Handshake { source: HandshakeError::TokenMismatch, .. }),
            "{error}"
        );
        let error = serving.join().unwrap();
        assert!(matches!(error, HandshakeError::TokenMismatch), "{error}");
    });
}

#[test]
fn a_client_of_another_version_is_told_both_versions_and_so_is_the_server() {
    let theirs = PROTOCOL_VERSION.0 + 1;
    let error = refused_by_server(patient(), |raw| {
        let (greeting, verdict) = raw.introduce("whatever it is, it is looked at later", theirs);
        assert_eq!(greeting["protocol"], "onesided-control");
        assert_eq!(greeting["harness"], patient().harness);
        let versions = json!({"server": PROTOCOL_VERSION.0, "client": theirs});
        assert_eq!(verdict, json!({"refused": {"reason": {"version-mismatch": versions}}}));
    });
    assert!(
        matches!(&error, HandshakeError::VersionMismatch { server: PROTOCOL_VERSION, client, client_harness, .. }
            if *client == ProtocolVersion(theirs) && client_harness == "raw"),
        "{error}"
    );
}

#[test]
fn a_server_of_another_version_learns_ours_and_is_reported_with_both() {
    let theirs = PROTOCOL_VERSION.0 + 7;
    let error = refused_by_client(&Token::generate().unwrap(), &patient(), |raw| {
        let greeting = json!({
            "protocol": "onesided-control", "version": theirs, "harness": "9.9",
            "nonce": hex(&OUR_NONCE), "new": 1,
        });
        raw.send(HANDSHAKE, &greeting);
        let (_, hello) = raw.receive();
        assert_eq!(hello["version"], PROTOCOL_VERSION.0);
        assert_eq!(hello["harness"], patient().harness);
        let versions = json!({"server": theirs, "client": PROTOCOL_VERSION.0});
        raw.send(HANDSHAKE, &json!({"refused": {"reason": {"version-mismatch": versions}}}));
    });
    assert!(
        matches!(&error, HandshakeError::VersionMismatch { server, client: PROTOCOL_VERSION, server_harness, .. }
            if *server == ProtocolVersion(theirs) && server_harness == "9.9"),
        "{error}"
    );
}

/// Plays a server of our version that accepts with the proof that `make` gives of both nonces.
fn accepting_with(
    token: &Token,
    make: impl FnOnce(&[u8], &serde_json::Value) -> String + Send,
) -> HandshakeError {
    refused_by_client(token, &patient(), |raw| {
        let greeting = json!({
            "protocol": "onesided-control", "version": PROTOCOL_VERSION.0, "harness": "raw", "nonce": hex(&OUR_NONCE),
        });
        raw.send(HANDSHAKE, &greeting);
        let (_, hello) = raw.receive();
        let client_nonce = unhex(hello["nonce"].as_str().unwrap());
        raw.send(HANDSHAKE, &json!({"accepted": {"proof": make(&client_nonce, &hello)}}));
    })
}

#[test]
fn a_server_without_the_token_cannot_make_the_client_believe_it() {
    let token = Token::generate().unwrap();
    let guessed = accepting_with(&token, |client_nonce, _| {
        proof("not the client's token", "server", &OUR_NONCE, client_nonce, 1)
    });
    assert!(matches!(guessed, HandshakeError::ServerUnproven), "{guessed}");
    let reflected = accepting_with(&token, |_, hello| hello["proof"].as_str().unwrap().to_owned());
    assert!(matches!(reflected, HandshakeError::ServerUnproven), "{reflected}");
}

#[test]
fn a_proof_heard_on_one_connection_opens_no_other() {
    let (token, secret) = known_token();
    let listener = listen(&token, patient());
    let overheard = json!({
        "version": PROTOCOL_VERSION.0, "harness": "raw", "nonce": hex(&OUR_NONCE),
        "proof": proof(&secret, "client", &[1; 32], &OUR_NONCE, 1),
    });
    let mut raw = RawPeer::connect(listener.local_address());
    let error = thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap_err());
        raw.receive();
        raw.send(HANDSHAKE, &overheard);
        assert_eq!(raw.receive().1, json!({"refused": {"reason": "token-mismatch"}}));
        serving.join().unwrap()
    });
    assert!(matches!(error, HandshakeError::TokenMismatch), "{error}");
}

#[test]
fn a_silent_client_and_a_silent_server_are_timed_out() {
    let start = Instant::now();
    let error = refused_by_server(impatient(), |raw| raw.wait_for_end());
    assert!(
        matches!(error, HandshakeError::TimedOut { waiting_for: "client's hello", .. }),
        "{error}"
    );
    let error = refused_by_client(&Token::generate().unwrap(), &impatient(), |_| {});
    assert!(
        matches!(error, HandshakeError::TimedOut { waiting_for: "server's greeting", .. }),
        "{error}"
    );
    assert!(start.elapsed() >= milliseconds(300) && start.elapsed() < SURELY);
}

#[test]
fn a_client_that_sends_its_hello_byte_by_byte_does_not_hold_the_server_beyond_the_deadline() {
    let start = Instant::now();
    let error = refused_by_server(impatient(), |raw| {
        use std::io::Write;
        let hello = frame(HANDSHAKE, &[b' '; 2000]);
        for byte in hello {
            if raw.stream.write_all(&[byte]).is_err() || start.elapsed() > SURELY {
                return;
            }
            thread::sleep(milliseconds(20));
        }
    });
    assert!(matches!(error, HandshakeError::TimedOut { .. }), "{error}");
}

#[test]
fn frames_beyond_4_kib_are_refused_before_authentication() {
    let error = refused_by_server(patient(), |raw| {
        raw.receive();
        raw.send_bytes(&[0, 0, 0x10, 0x01, HANDSHAKE]);
        raw.wait_for_end();
    });
    assert!(
        matches!(
            error,
            HandshakeError::Malformed {
                source: FrameError::TooLong { length: 4097, limit: 4096 },
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn each_other_way_to_fail_the_handshake_is_its_own_error() {
    let sent = |bytes: &'static [u8]| {
        refused_by_server(patient(), move |raw| {
            raw.receive();
            raw.send_bytes(bytes);
            // Fails if the server has refused and gone already.
            let _ = raw.stream.shutdown(std::net::Shutdown::Write);
            raw.wait_for_end();
        })
    };
    let source = |error| match error {
        HandshakeError::Malformed { source, .. } => source,
        other => panic!("expected malformed, got {other}"),
    };
    assert!(matches!(sent(b""), HandshakeError::Closed { .. }));
    assert!(matches!(source(sent(b"GET / HTTP/1.1\r\n\r\n")), FrameError::TooLong { .. }));
    assert!(matches!(
        source(sent(b"\0\0\0\x09\x01{}")),
        FrameError::Truncated { received: 2, expected: 9, .. }
    ));
    assert!(matches!(source(sent(b"\0\0\0\x00\x01")), FrameError::Empty));
    assert!(matches!(source(sent(b"\0\0\0\x02\x01{]")), FrameError::NotJson { .. }));
    assert!(matches!(source(sent(b"\0\0\0\x02\x01\xff\xff")), FrameError::NotText { .. }));
    assert!(matches!(source(sent(b"\0\0\0\x02\x01{}")), FrameError::UnexpectedShape { .. }));
    assert_eq!(
        source(sent(b"\0\0\0\x02\x02{}")),
        FrameError::UnexpectedKind { found: "message".to_owned(), expected: "handshake" }
    );
}

#[test]
fn a_server_of_another_protocol_is_named() {
    let token = Token::generate().unwrap();
    let error = refused_by_client(&token, &patient(), |raw| {
        let greeting = json!({"protocol": "two\nsided", "version": PROTOCOL_VERSION.0, "harness": "", "nonce": hex(&OUR_NONCE)});
        raw.send(HANDSHAKE, &greeting);
    });
    assert!(
        matches!(&error, HandshakeError::OtherProtocol { announced, .. } if announced == "two\nsided")
    );
    assert!(!error.to_string().contains('\n'), "{error}");
    let error =
        refused_by_client(&token, &patient(), |raw| raw.send_bytes(b"SSH-2.0-OpenSSH_9.2\r\n"));
    assert!(
        matches!(error, HandshakeError::Malformed { source: FrameError::TooLong { .. }, .. }),
        "{error}"
    );
}

#[test]
fn a_harness_name_too_long_to_be_sent_is_an_error_of_ours() {
    let settings = Settings { harness: "x".repeat(5000), ..patient() };
    let error = refused_by_server(settings, |raw| {
        assert_eq!(raw.stream.read(&mut [0; 1]).unwrap(), 0);
    });
    assert!(matches!(error, HandshakeError::Unsendable { .. }), "{error}");
}
