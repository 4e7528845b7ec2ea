//! Server and client over loopback TCP, and peers that misbehave in every way we know of.
//!
//! The misbehaving peers speak the wire format from its description in the crate's documentation,
//! written a second time in `raw_peer`, so that these tests hold the description and the
//! implementation together.

mod authentication;
mod conversation;
mod listening;
mod misbehaviour;
mod processes;
mod raw_peer;

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use onesided_control::{
    Channel, Heartbeat, Listener, PeerState, Settings, Token, WhenRefused, connect,
};

/// Time after which a wait that should have ended is a failure; generous, because test machines stall: a message
/// that takes half a second took more than 20 on one.
const SURELY: Duration = Duration::from_secs(120);

/// Time in which something that must not happen would have.
const A_WHILE: Duration = Duration::from_millis(300);

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Long limits: what a test does not aim at must not happen on a slow machine.
fn patient() -> Settings {
    Settings {
        harness: "test".to_owned(),
        handshake_within: SURELY,
        frame_within: SURELY,
        heartbeat: Heartbeat::new(milliseconds(50), SURELY).unwrap(),
        ..Settings::default()
    }
}

fn with_patience(patience: Duration) -> Settings {
    Settings { heartbeat: Heartbeat::new(milliseconds(50), patience).unwrap(), ..patient() }
}

/// A token, and its secret as its owner reads it.
fn known_token() -> (Token, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let token = Token::generate().unwrap();
    token.write_new(&path).unwrap();
    (token, std::fs::read_to_string(path).unwrap().trim_end().to_owned())
}

fn listen(token: &Token, settings: Settings) -> Listener {
    Listener::bind("127.0.0.1:0", token.clone(), settings).unwrap()
}

fn reach(address: SocketAddr, token: &Token, settings: &Settings) -> Channel {
    connect(&address.to_string(), token, SURELY, WhenRefused::Fail, settings).unwrap()
}

/// Both ends of an authenticated connection: server's, client's.
fn pair(server: Settings, client: &Settings) -> (Channel, Channel) {
    let token = Token::generate().unwrap();
    let listener = listen(&token, server);
    let address = listener.local_address();
    thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap());
        let client = reach(address, &token, client);
        (serving.join().unwrap(), client)
    })
}

/// Waits until the peer is recorded as dead; gives the time that took.
fn wait_for_death(peer: &PeerState) -> Duration {
    let start = Instant::now();
    while peer.is_alive() {
        assert!(start.elapsed() < SURELY, "the peer's end was not noticed");
        thread::sleep(milliseconds(2));
    }
    start.elapsed()
}
