//! Whoever reaches the port, with a token and without: what of it costs others anything.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use onesided_control::{
    Channel, Settings, Token, WhenRefused, connect,
    message::{ClientMessage, Completed, Connection, PinnedClient, Preparation, ServerMessage},
};
use onesided_results::{RunConfiguration, vocabulary::AddressPattern};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::Transport as _;

use crate::program::{Place, Server, ended, ending, is_whole, was_served};

const SHORT: &str = "--duration 50ms --warm-up 0ms";

/// A client of the protocol that says what it likes.
struct Attacker {
    channel: Channel,
    _device: RmcDevice,
    described: onesided_transport::DeviceDescription,
}

impl Attacker {
    fn of(place: &Place, server: &Server) -> Self {
        let options = RmcOptions { fabric: place.path().join("fabric"), ..RmcOptions::default() };
        let device = RmcDevice::open(&options).expect("a node");
        let token = Token::from_file(&place.path().join("token")).expect("the server's token");
        let within = Duration::from_secs(5);
        let settings = Settings::default();
        let channel = connect(server.address(), &token, within, WhenRefused::Retry, &settings);
        let described = device.description().clone();
        Self { channel: channel.expect("the server listens"), _device: device, described }
    }

    fn says(&self, message: &ClientMessage) -> ServerMessage {
        self.channel.send(message).expect("it is sent");
        self.channel.receive(Duration::from_secs(20)).expect("an answer")
    }

    fn prepares(&self, configuration: RunConfiguration) -> ServerMessage {
        self.says(&ClientMessage::Prepare(Box::new(Preparation {
            configuration,
            host: "elsewhere".to_owned(),
            device: self.described.clone(),
            pinned: PinnedClient::default(),
            measurement: None,
        })))
    }

    #[track_caller]
    fn is_refused(&self, message: &ClientMessage, fragment: &str) {
        match self.says(message) {
            ServerMessage::Failed { message, .. } => {
                assert!(message.contains(fragment), "{message}");
            }
            other => panic!("it was accepted: {other:?}"),
        }
    }
}

const NOTHING: ClientMessage = ClientMessage::Finish(Completed {
    operations: 0,
    since_connected_ns: 0,
    since_start_ns: 0,
    late_ns: 0,
});

/// An honest client is served, and soon.
#[track_caller]
fn serves(place: &Place, server: &Server, run_id: &str) {
    let run = ended(&mut place.client_named(run_id, server, SHORT));
    assert!(was_served(&run), "{run:#?}");
}

#[test]
fn messages_that_are_not_due_are_named_and_end_that_run_only() {
    let place = Place::new();
    let server = place.serve("");
    let attacker = Attacker::of(&place, &server);
    attacker.is_refused(&NOTHING, "\"finish\" came where a session waits for \"prepare\"");
    let run = || RunConfiguration { duration_ms: 50, ..RunConfiguration::default() };
    let prepared = attacker.prepares(run());
    assert!(matches!(prepared, ServerMessage::Prepared(_)), "{prepared:?}");
    attacker.is_refused(&NOTHING, "\"finish\" came where a run waits for \"connect\"");
    let none = ClientMessage::Connect(Connection { endpoints: Vec::new(), arrivals: None });
    attacker.is_refused(&none, "\"connect\" came where a session waits for \"prepare\"");
    let prepared = attacker.prepares(run());
    assert!(matches!(prepared, ServerMessage::Prepared(_)), "{prepared:?}");
    attacker.is_refused(&none, "the client names 0 endpoints, the run has 1");
    serves(&place, &server, "honest");
}

/// It waits for more than a minute.
#[test]
fn a_client_that_lives_and_says_nothing_has_its_run_given_up_and_others_are_served() {
    if std::env::var("ONESIDED_DEPTH").as_deref() != Ok("deep") {
        let name =
            "a_client_that_lives_and_says_nothing_has_its_run_given_up_and_others_are_served";
        return println!("SKIPPED (deep) {name}");
    }
    let place = Place::new();
    let server = place.serve("");
    let silent = Attacker::of(&place, &server);
    let prepared = silent.prepares(RunConfiguration::default());
    assert!(matches!(prepared, ServerMessage::Prepared(_)), "{prepared:?}");
    match silent.channel.receive(Duration::from_secs(90)).expect("it is told") {
        ServerMessage::Failed { message, .. } => {
            assert!(message.contains("has not said \"connect\" for 60 s"), "{message}");
        }
        other => panic!("another answer: {other:?}"),
    }
    serves(&place, &server, "honest");
    // Its session goes on: it may ask for another run.
    let prepared = silent.prepares(RunConfiguration::default());
    assert!(matches!(prepared, ServerMessage::Prepared(_)), "{prepared:?}");
}

#[test]
fn absurd_numbers_are_refused_before_anything_is_allocated() {
    let place = Place::new();
    let server = place.serve("");
    let attacker = Attacker::of(&place, &server);
    let usual = RunConfiguration::default;
    for (field, absurd) in [
        ("workers", RunConfiguration { workers: u32::MAX, ..usual() }),
        ("queue_pairs", RunConfiguration { queue_pairs: u32::MAX, ..usual() }),
        ("load_thread_count", RunConfiguration { load_thread_count: Some(u32::MAX), ..usual() }),
        ("duration_ms", RunConfiguration { duration_ms: 1 << 54, window_ms: 1 << 54, ..usual() }),
        ("send_queue_depth", RunConfiguration { send_queue_depth: u32::MAX, ..usual() }),
    ] {
        match attacker.prepares(absurd) {
            ServerMessage::Failed { message, .. } => {
                assert!(message.contains(&format!("{field} is ")), "{message}");
            }
            other => panic!("{field}: it was accepted: {other:?}"),
        }
    }
    serves(&place, &server, "honest");
}

#[test]
fn one_client_more_than_are_served_at_once_is_told_so() {
    let place = Place::new();
    let server = place.serve("--most-clients 1");
    let present = Attacker::of(&place, &server);
    let told = ended(&mut place.client_named("late", &server, SHORT));
    assert_ne!(told.status, Some(0));
    assert!(told.stderr.contains("--most-clients"), "{}", told.stderr);
    drop(present);
    // The one that was present is gone soon after its channel is.
    let until = Instant::now() + Duration::from_secs(20);
    while ended(&mut place.client_named("again", &server, SHORT)).status != Some(0) {
        assert!(Instant::now() < until, "its place was not given back");
    }
}

#[test]
fn of_two_clients_with_one_run_id_one_does_it_and_the_other_is_told_who() {
    let place = Place::new();
    let server = place.serve("");
    let long = "--duration 3s --warm-up 0ms --beside";
    let mut first = place.client_named("same", &server, long);
    let first = first.spawn().expect("the program starts");
    let lock = place.path().join("raw/here/ad-hoc/same.lock");
    let until = Instant::now() + Duration::from_secs(20);
    while !lock.exists() {
        assert!(Instant::now() < until, "the first client does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let process = first.id();
    let second = ended(&mut place.client_named("same", &server, "--duration 50ms --beside"));
    assert_eq!(second.status, Some(1), "{second:#?}");
    let told = format!("is being done by process {process}");
    assert!(second.stderr.contains(&told), "{}", second.stderr);
    let first = ending(first);
    assert!(was_served(&first), "{first:#?}");
    let run = place.path().join("raw/here/ad-hoc/same");
    is_whole(&run);
    assert!(!lock.exists(), "the lock goes with its owner");
}

#[test]
fn what_all_runs_may_take_together_is_the_servers_to_say() {
    let place = Place::new();
    let server = place.serve("--most-memory 4MiB --most-threads 2");
    let refused = |run_id: &str, asked: &str, told: &str| {
        let run = ended(&mut place.client_named(run_id, &server, &format!("{SHORT} {asked}")));
        assert_eq!(run.status, Some(2), "{run:#?}");
        assert!(run.stderr.contains(told), "{}", run.stderr);
    };
    refused(
        "region",
        "--address-pattern uniform --working-set 8MiB",
        "4.0 MiB together (--most-memory), 0.0 MiB of them",
    );
    refused("load", "--load-bytes 8MiB", "(--most-memory)");
    let workers = "--workers 3 --worker-operation read";
    refused("workers", workers, "takes 3 threads of the server, which gives its runs 2");
    // Two at once take together what each could have alone.
    let present = Attacker::of(&place, &server);
    let half = RunConfiguration {
        address_pattern: AddressPattern::Uniform,
        working_set_bytes: Some(3 << 20),
        duration_ms: 50,
        ..RunConfiguration::default()
    };
    let prepared = present.prepares(half);
    assert!(matches!(prepared, ServerMessage::Prepared(_)), "{prepared:?}");
    refused("second", "--address-pattern uniform --working-set 3MiB", "3.0 MiB of them taken now");
    // What is given up is given back.
    let none = ClientMessage::Connect(Connection { endpoints: Vec::new(), arrivals: None });
    present.is_refused(&none, "the client names 0 endpoints, the run has 1");
    serves(&place, &server, "honest");
    let run = ended(&mut place.client_named(
        "fits",
        &server,
        &format!("{SHORT} --address-pattern uniform --working-set 3MiB"),
    ));
    assert!(was_served(&run), "{run:#?}");
}

/// Passes the bytes on from `source` to `target`; of these, the one at `changed` as another.
fn pass_on(mut source: TcpStream, mut target: TcpStream, changed: Option<usize>) {
    let (mut passed, mut buffer) = (0, [0; 4096]);
    while let Ok(count @ 1..) = source.read(&mut buffer) {
        if let Some(at) = changed.and_then(|at| at.checked_sub(passed)).filter(|at| *at < count) {
            buffer[at] ^= 1;
        }
        passed += count;
        if target.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = target.shutdown(std::net::Shutdown::Write);
}

/// Somebody on the path, who changes one byte of what the client says.
fn meddler(server: &Server, changed: Option<usize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one").to_string();
    let server = server.address().to_owned();
    thread::spawn(move || {
        let (client, _) = listener.accept().expect("the client connects");
        let server = TcpStream::connect(server).expect("it listens");
        let twin = |stream: &TcpStream| stream.try_clone().expect("a descriptor");
        let (to_client, from_server) = (twin(&client), twin(&server));
        thread::spawn(move || pass_on(from_server, to_client, None));
        pass_on(client, server, changed);
    });
    address
}

#[test]
fn who_changes_what_is_said_on_the_path_ends_that_run_and_is_told() {
    let place = Place::new();
    let mut server = place.serve("");
    // Behind the handshake, of some 250 bytes: in the request for a run.
    let address = meddler(&server, Some(600));
    let run = ended(&mut place.client_at(&address, "changed", SHORT));
    // To the client the server is gone.
    assert_eq!(run.status, Some(2), "{run:#?}");
    server.says("its seal is wrong");
    assert!(run.stdout.contains("\nchanged,failed,"), "{}", run.stdout);
    // The same path without a change works: it was the change.
    let address = meddler(&server, None);
    let run = ended(&mut place.client_at(&address, "passed", SHORT));
    assert!(was_served(&run), "{run:#?}");
    serves(&place, &server, "honest");
}

#[test]
fn a_member_that_cuts_a_nodes_file_off_ends_its_peers_with_a_reason_and_no_finished_run() {
    let place = Place::new();
    let mut server = place.serve("");
    serves(&place, &server, "before");
    let client =
        place.client_named("cut", &server, "--duration 20s --warm-up 0ms --beside").spawn();
    let client = client.expect("the program starts");
    let context = place.path().join("fabric/context-0");
    let nodes = || std::fs::read_dir(&context).expect("the fabric").count();
    let until = Instant::now() + Duration::from_secs(20);
    while nodes() < 2 {
        assert!(Instant::now() < until, "the client has no node");
        thread::sleep(Duration::from_millis(5));
    }
    // While it measures, or before: its peer's file, and then its own.
    thread::sleep(Duration::from_millis(300));
    for node in std::fs::read_dir(&context).expect("the fabric") {
        let path = node.expect("a node").path();
        let file = std::fs::OpenOptions::new().write(true).open(path).expect("a member may");
        file.set_len(0).expect("a member may");
    }
    let client = ending(client);
    assert_eq!(client.status, Some(1), "{client:#?}");
    assert!(client.stderr.contains("somebody made its file shorter"), "{}", client.stderr);
    assert!(!place.path().join("raw/here/ad-hoc/cut").exists());
    is_whole(&place.path().join("raw/here/ad-hoc/before"));
    // Its own memory is gone, too.
    server.says("somebody made its file shorter");
    server.kill();
}

/// Sets how much address space a process may have; `None`: as much as it likes.
fn limit_address_space(process: u32, bytes: Option<u64>) {
    let limit = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
    let mut command = std::process::Command::new("prlimit");
    let set =
        command.args([format!("--pid={process}"), format!("--as={limit}:unlimited")]).status();
    assert!(set.expect("prlimit of util-linux").success());
}

/// A thread needs a stack, for which there is no room. (A limit of processes does not bind root.)
#[test]
fn a_server_that_can_make_no_thread_drops_that_connection_and_lives_on() {
    let place = Place::new();
    let server = place.serve("");
    serves(&place, &server, "before");
    let process = server.process();
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).expect("it runs");
    let pages: u64 = statm.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    limit_address_space(process, Some(pages * 4096 + (512 << 10)));
    // Stacks of threads that have ended are used again: some connections still get one.
    let mut served = Vec::new();
    let is_dropped = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        // Its first word, or the end without one.
        !matches!(stream.read(&mut [0; 1]), Ok(1))
    };
    while served.len() < 60 {
        let mut stream = TcpStream::connect(server.address()).expect("it listens");
        if is_dropped(&mut stream) {
            break;
        }
        served.push(stream);
    }
    assert!(served.len() < 60, "each connection had a thread");
    limit_address_space(process, None);
    serves(&place, &server, "after");
}
