//! A peer that speaks the wire format by hand, so that it can speak it wrongly.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use hmac::{Hmac, Mac};
use onesided_control::{Channel, ChannelError, PROTOCOL_VERSION, Settings};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{SURELY, known_token, listen};

pub const HANDSHAKE: u8 = 1;
pub const MESSAGE: u8 = 2;
pub const PING: u8 = 3;
pub const ANSWER: u8 = 4;

pub const OUR_NONCE: [u8; 32] = [7; 32];

pub fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes()[..], &[kind], body].concat()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

pub fn proof(
    secret: &str,
    label: &str,
    server_nonce: &[u8],
    client_nonce: &[u8],
    version: u32,
) -> String {
    let version = version.to_be_bytes();
    hex(&hmac(secret.as_bytes(), &[label.as_bytes(), server_nonce, client_nonce, &version]))
}

/// Seals of one direction.
pub struct Sealing {
    key: Vec<u8>,
    number: u64,
}

impl Sealing {
    fn of(side: &str, secret: &str, server_nonce: &[u8], client_nonce: &[u8]) -> Self {
        let version = PROTOCOL_VERSION.0.to_be_bytes();
        let parts = [b"frames of ", side.as_bytes(), server_nonce, client_nonce, &version];
        Self { key: hmac(secret.as_bytes(), &parts), number: 0 }
    }

    /// The next frame with its seal.
    pub fn sealed(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        frame.extend(hmac(&self.key, &[&self.number.to_be_bytes(), &frame]));
        self.number += 1;
        frame
    }
}

/// A plain socket with frames.
pub struct RawPeer {
    pub stream: TcpStream,
    /// Of what it sends and what it is sent, once the handshake is over.
    pub seals: Option<(Sealing, Sealing)>,
}

impl RawPeer {
    pub fn connect(address: SocketAddr) -> Self {
        Self::on(TcpStream::connect(address).unwrap())
    }

    pub fn accept(listener: &TcpListener) -> Self {
        Self::on(listener.accept().unwrap().0)
    }

    fn on(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(SURELY)).unwrap();
        stream.set_write_timeout(Some(SURELY)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, seals: None }
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn send(&mut self, kind: u8, body: &Value) {
        self.send_text(kind, body.to_string().as_bytes());
    }

    /// Sends a frame with any bytes as its body, sealed once the handshake is over.
    pub fn send_text(&mut self, kind: u8, body: &[u8]) {
        let frame = frame(kind, body);
        let bytes = match &mut self.seals {
            Some((sending, _)) => sending.sealed(frame),
            None => frame,
        };
        self.send_bytes(&bytes);
    }

    pub fn receive(&mut self) -> (u8, Value) {
        let mut header = [0; 5];
        self.stream.read_exact(&mut header).unwrap();
        let mut body = vec![0; u32::from_be_bytes(header[..4].try_into().unwrap()) as usize];
        self.stream.read_exact(&mut body).unwrap();
        if let Some((_, receiving)) = &mut self.seals {
            let expected = receiving.sealed(frame(header[4], &body));
            let mut seal = [0; 32];
            self.stream.read_exact(&mut seal).unwrap();
            assert!(expected.ends_with(&seal), "the seal of the frame is another");
        }
        (header[4], serde_json::from_slice(&body).unwrap())
    }

    /// The next frame that is no ping.
    pub fn receive_beyond_pings(&mut self) -> (u8, Value) {
        loop {
            let (kind, body) = self.receive();
            if kind != PING {
                return (kind, body);
            }
        }
    }

    /// Waits until the other side ends the connection, in whatever way.
    pub fn wait_for_end(&mut self) {
        let mut buffer = [0; 4096];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => {
                    assert_ne!(error.kind(), ErrorKind::WouldBlock, "the connection was not ended");
                    return;
                }
            }
        }
    }

    /// Reads the greeting and answers it, claiming `version`; gives the greeting and the server's
    /// verdict.
    pub fn introduce(&mut self, secret: &str, version: u32) -> (Value, Value) {
        let (kind, greeting) = self.receive();
        assert_eq!(kind, HANDSHAKE);
        let server_nonce = unhex(greeting["nonce"].as_str().unwrap());
        let hello = json!({
            "version": version,
            "harness": "raw",
            "nonce": hex(&OUR_NONCE),
            "proof": proof(secret, "client", &server_nonce, &OUR_NONCE, version),
        });
        self.send(HANDSHAKE, &hello);
        let (kind, verdict) = self.receive();
        assert_eq!(kind, HANDSHAKE);
        if verdict["accepted"].is_object() {
            let seal = |side| Sealing::of(side, secret, &server_nonce, &OUR_NONCE);
            self.seals = Some((seal("client"), seal("server")));
        }
        (greeting, verdict)
    }
}

/// A server's channel whose client is a raw peer that has proved itself.
pub fn channel_with_raw_client(settings: Settings) -> (Channel, RawPeer) {
    let (token, secret) = known_token();
    let listener = listen(&token, settings);
    let mut raw = RawPeer::connect(listener.local_address());
    let channel = thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap());
        let (_, verdict) = raw.introduce(&secret, PROTOCOL_VERSION.0);
        assert!(verdict["accepted"]["proof"].is_string(), "{verdict}");
        serving.join().unwrap()
    });
    (channel, raw)
}

/// What the channel says to an authenticated peer that does so.
pub fn reaction_to(act: impl FnOnce(&mut RawPeer)) -> ChannelError {
    let (channel, mut raw) = channel_with_raw_client(crate::patient());
    act(&mut raw);
    channel.receive::<Value>(SURELY).unwrap_err()
}
