//! Targets of the control channel: what a stranger sends, and what somebody with the token does.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{Arc, LazyLock},
    thread,
    time::Duration,
};

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_control::{
    Channel, Listener, Settings, Token, WhenRefused, connect,
    message::{ClientMessage, ServerMessage},
};
use onesided_placement::{DeviceLocality, NodeId};
use onesided_runner::{Amount, Budget, Harness, Pool, SessionEnd, Site, serve_session};
use onesided_transport::Transport as _;
use serde_json::Value;

/// What the sessions of this target may take: little, so that what is refused is refused often.
const MOST: Amount = Amount { memory_bytes: 8 << 20, threads: 8 };

/// Nothing here waits for a network.
const WITHIN: Duration = Duration::from_secs(5);

/// Answers come in less, or not at all.
const ANSWER_WITHIN: Duration = Duration::from_millis(50);

/// A run that is finished says so in less.
const END_WITHIN: Duration = Duration::from_millis(200);

/// How long a run waits for the second client.
const JOINED_WITHIN: Duration = Duration::from_millis(50);

/// Messages that a client of `session` sends at the most.
const MOST_MESSAGES: usize = 64;

pub fn client_message(bytes: &[u8]) -> bool {
    match serde_json::from_slice(bytes) {
        Ok(ClientMessage::Prepare(preparation)) => preparation.configuration.check().is_ok(),
        other => other.is_ok(),
    }
}

pub fn server_message(bytes: &[u8]) -> bool {
    serde_json::from_slice::<ServerMessage>(bytes).is_ok()
}

struct Port {
    listener: Listener,
    address: SocketAddr,
    token: Token,
    settings: Settings,
}

static PORT: LazyLock<Port> = LazyLock::new(|| {
    let token = Token::generate().expect("the kernel gives random bytes");
    let settings = Settings { handshake_within: WITHIN, ..Settings::default() };
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone());
    let listener = listener.expect("a port of the loopback");
    Port { address: listener.local_address(), listener, token, settings }
});

/// Sends `bytes`, all of them, and no more. Nothing is ever taken.
pub fn stranger(bytes: &[u8]) -> bool {
    let mut stream = TcpStream::connect(PORT.address).expect("a port that listens");
    let pending = PORT.listener.accept().expect("a stranger who has connected");
    thread::scope(|scope| {
        let judged = scope.spawn(|| pending.authenticate());
        // It may have heard enough before all is sent.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
        assert!(judged.join().expect("no panic").is_err(), "a stranger was taken for a client");
    });
    false
}

static DEVICE: LazyLock<ReferenceTransport> =
    LazyLock::new(|| ReferenceTransport::open(&Arc::new(Fabric::right())));

static SITE: LazyLock<Site<'static, ReferenceTransport>> = LazyLock::new(|| {
    let locality = DeviceLocality::given(&DEVICE.description().name, NodeId(0));
    let harness = Harness { version: "0.0.0".to_owned(), revision: None, library: None };
    let mut site = Site::around(&*DEVICE, locality, harness).expect("the machine is made out");
    site.budget = Budget::new(MOST);
    site
});

/// What a line of the second client begins with.
const SECOND: &[u8] = b"2 ";

/// Sends each line that is JSON as a message of a client, and takes what comes back; lines that begin
/// with `2 ` are of a second client, which says the first of them, that it joins, before all else. Whether
/// a run came to its end.
pub fn session(bytes: &[u8]) -> bool {
    let of = |second: bool| {
        let lines = bytes.split(|&byte| byte == b'\n');
        let lines = lines.filter(move |line| line.starts_with(SECOND) == second);
        let lines = lines.map(|line| line.strip_prefix(SECOND).unwrap_or(line));
        let messages = lines.filter_map(|line| serde_json::from_slice(line).ok()).map(of_device);
        messages.take(MOST_MESSAGES).collect::<Vec<Value>>()
    };
    let (first, second) = (of(false), of(true));
    if first.is_empty() {
        return false;
    }
    let pool = Pool::new(if second.is_empty() { Duration::ZERO } else { JOINED_WITHIN });
    let finished = thread::scope(|scope| {
        let serve = || {
            let address = PORT.address.to_string();
            let client = scope.spawn(move || {
                connect(&address, &PORT.token, WITHIN, WhenRefused::Fail, &PORT.settings)
            });
            let pending = PORT.listener.accept().expect("a client that connects");
            let channel = pending.authenticate().expect("it has the token");
            let served = scope.spawn(|| serve_session(&SITE, &pool, channel, &|_| ()));
            (client.join().expect("no panic").expect("it has the token"), served)
        };
        let further = (!second.is_empty()).then(|| {
            let (channel, served) = serve();
            let said = scope.spawn(move || say(&channel, &second));
            (said, served)
        });
        let (channel, served) = serve();
        say(&channel, &first);
        drop(channel);
        let ended = served.join().expect("no panic in a session");
        if let Some((said, served)) = further {
            said.join().expect("no panic");
            let _ = served.join().expect("no panic in a session");
        }
        matches!(ended, Ok(SessionEnd::Left(summary)) if summary.finished > 0)
    });
    drop(pool);
    finished
}

/// The same message; what is asked for is asked for with the device of [`SITE`], as any other is refused
/// at once.
fn of_device(mut message: Value) -> Value {
    let description = || serde_json::to_value(DEVICE.description()).expect("a description is JSON");
    for what in ["prepare", "join"] {
        if let Some(device) = message.pointer_mut(&format!("/{what}/device")) {
            *device = description();
        }
    }
    message
}

/// What a server does not expect it answers and ends; some it does not answer.
fn say(channel: &Channel, messages: &[Value]) {
    for message in messages {
        if channel.send(message).is_err() {
            return;
        }
        let _ = channel.receive::<Value>(ANSWER_WITHIN);
    }
    // The end of a run takes longer than a step.
    let _ = channel.receive::<Value>(END_WITHIN);
}
