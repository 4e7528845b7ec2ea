//! The suite on the verbs back end: the device talks to itself, opened twice, or to that of another
//! host.
//!
//! `ONESIDED_DEVICE` names the device; without it the first one with an active port is taken.
//! With no device nothing can be tested: every property is skipped, with the reason, and that is
//! a failure only where `ONESIDED_REQUIRE_DEVICE=1` or a named device promised one. An argument
//! selects the properties whose name contains it.
//!
//! ```text
//! conformance --listen 10.0.0.2:18600      # on one host, until it is ended; asks nobody who they are
//! conformance --peer 10.0.0.2:18600        # on the other one: the suite, its server's end there
//! ```

use std::{
    env, fs,
    io::{self, BufReader},
    net::{TcpListener, TcpStream},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use onesided_conformance::{
    Filter, Fixture, FixtureError, Patience, Quirk, Reach,
    far::{self, Either, Other},
    property_names, run_suite, skip_suite,
};
use onesided_transport::{PortState, Transport};
use onesided_verbs::VerbsDevice;

struct VerbsFixture {
    device: Option<String>,
    driver: Option<String>,
    /// The host of the server's end, where it is not this one.
    other: Option<Arc<Other>>,
}

impl VerbsFixture {
    fn open(&self) -> Result<VerbsDevice, FixtureError> {
        Ok(VerbsDevice::open(self.device.as_deref(), None)?)
    }
}

impl Fixture for VerbsFixture {
    type Transport = Either<VerbsDevice>;

    fn client(&self) -> Result<Self::Transport, FixtureError> {
        Ok(Either::Here(self.open()?))
    }

    fn server(&self) -> Result<Self::Transport, FixtureError> {
        Ok(match &self.other {
            Some(other) => Either::There(other.open()?),
            None => Either::Here(self.open()?),
        })
    }

    fn reach(&self) -> Option<Arc<dyn Reach>> {
        self.other.clone().map(|other| other as Arc<dyn Reach>)
    }

    fn patience(&self) -> Patience {
        Patience::WallClock(Duration::from_secs(5))
    }

    fn settling(&self) -> Patience {
        Patience::WallClock(Duration::from_millis(5))
    }

    /// Between emulated hosts each question about memory takes milliseconds.
    fn time_limit(&self) -> Duration {
        Duration::from_secs(if self.other.is_some() { 120 } else { 30 })
    }

    /// A network may lose what nobody acknowledges. Soft-RoCE's packets are those of UDP.
    fn may_lose_messages(&self) -> bool {
        true
    }

    fn quirks(&self) -> Vec<Quirk> {
        match self.driver.as_deref() {
            Some("rdma_rxe") => soft_roce_quirks(kernel()),
            _ => Vec::new(),
        }
    }
}

/// The kernel's version: the first two numbers of its release, which `uname -r` prints.
fn kernel() -> Option<(u32, u32)> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release.split(['.', '-']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// What the Soft-RoCE driver of a kernel does against the contract.
fn soft_roce_quirks(kernel: Option<(u32, u32)>) -> Vec<Quirk> {
    // Both seen on 6.1.
    let full = [
        "a_full_send_queue_refuses_and_loses_nothing",
        "a_full_send_queue_refuses_and_loses_nothing_over_an_unreliable_connection",
    ];
    let mut quirks: Vec<_> = full
        .map(|property| Quirk {
            name: "soft-roce-frees-the-send-queue-early",
            property,
            reason: "an entry of the send queue is free as soon as its request is done, not when \
                 the completion is polled, so posts beyond the depth are accepted and overrun \
                 the completion queue, which drops completions (rxe_cq_post) and says so only \
                 as an asynchronous event"
                .to_owned(),
        })
        .to_vec();
    // Seen on 6.12, and not on 6.1; over reliable connections. The request fails where it is made into packets
    // (rxe_requester), which asks for no service.
    if kernel > Some((6, 1)) {
        quirks.extend(
            [
                "a_wrong_local_key_is_a_local_error_and_changes_nothing",
                "a_wrong_local_key_is_a_local_error_and_changes_nothing_over_an_unreliable_connection",
                "a_local_segment_beyond_its_region_is_a_local_error_and_changes_nothing",
                "a_local_segment_beyond_its_region_is_a_local_error_and_changes_nothing_\
                 over_an_unreliable_connection",
            ]
            .map(|property| Quirk {
                name: "soft-roce-flushes-what-fails-locally",
                property,
                reason: "a request that names memory it must not read ends as flushed, like those \
                         behind it, and not with its own error"
                    .to_owned(),
            }),
        );
    }
    quirks
}

/// The fixture of a device that is there and up, or why there is none.
fn fixture(device: Option<String>) -> Result<VerbsFixture, String> {
    let opened = VerbsDevice::open(device.as_deref(), None).map_err(|error| chain(&error))?;
    let description = opened.description();
    let name = &description.name;
    if description.port_state != PortState::Active {
        return Err(format!("port {} of {name} is not active", description.port));
    }
    let driver = description.driver.clone();
    println!("conformance of verbs on {name}, driver {}", driver.as_deref().unwrap_or("unknown"));
    Ok(VerbsFixture { device: Some(name.clone()), driver, other: None })
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for name in property_names::<VerbsFixture>() {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let asked = match Asked::of(arguments) {
        Ok(asked) => asked,
        Err(why) => {
            eprintln!("conformance of verbs: {why}");
            return ExitCode::from(2);
        }
    };
    let filter = asked.part.map_or(Filter::All, Filter::Containing);
    let device = env::var("ONESIDED_DEVICE").ok();
    let required = device.is_some()
        || asked.role != Role::Alone
        || env::var("ONESIDED_REQUIRE_DEVICE").as_deref() == Ok("1");
    match (fixture(device), &asked.role) {
        (Err(reason), _) => without_device(&reason, required),
        (Ok(fixture), Role::Listen(address)) => listen_at(address, &fixture),
        (Ok(fixture), Role::Alone) => run(fixture, &filter),
        (Ok(fixture), Role::Peer(address)) => match asked_at(address) {
            Ok(other) => run(VerbsFixture { other: Some(Arc::new(other)), ..fixture }, &filter),
            Err(error) => {
                eprintln!("conformance of verbs: nobody serves at {address}: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

/// Which ends this process is.
#[derive(PartialEq)]
enum Role {
    Alone,
    Listen(String),
    Peer(String),
}

/// What the arguments ask for.
struct Asked {
    role: Role,
    /// Of the properties' names.
    part: Option<String>,
}

impl Asked {
    fn of(arguments: Vec<String>) -> Result<Self, String> {
        let mut asked = Self { role: Role::Alone, part: None };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let role = match argument.as_str() {
                "--listen" => Role::Listen,
                "--peer" => Role::Peer,
                // What cargo hands on to every test.
                "--quiet" | "--show-output" | "--nocapture" => continue,
                _ if argument.starts_with("--test-threads=") => continue,
                _ if argument.starts_with('-') => {
                    return Err(format!("no option {argument}: --listen or --peer ADDRESS:PORT"));
                }
                _ if asked.part.is_some() => {
                    return Err(format!("one part of a name, not also {argument:?}"));
                }
                _ => {
                    asked.part = Some(argument);
                    continue;
                }
            };
            let address = arguments.next().ok_or(format!("{argument} takes ADDRESS:PORT"))?;
            if asked.role != Role::Alone {
                return Err("--listen and --peer are for two processes, one each".to_owned());
            }
            asked.role = role(address);
        }
        Ok(asked)
    }
}

/// By when the other process must have said something: above the limit of a property.
const SILENCE: Duration = Duration::from_secs(180);

fn run(fixture: VerbsFixture, filter: &Filter) -> ExitCode {
    let report = run_suite(&Arc::new(fixture), filter);
    if report.passed.is_empty() && report.skipped.is_empty() && report.failed.is_empty() {
        eprintln!("conformance of verbs: no property has that in its name (--list has them)");
        return ExitCode::from(2);
    }
    match report.failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn asked_at(address: &str) -> io::Result<Other> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    println!("the server's end is at {address}");
    Ok(Other::new(stream.try_clone()?, BufReader::new(stream)))
}

/// Is the server's end of one suite after the other.
fn listen_at(address: &str, fixture: &VerbsFixture) -> ExitCode {
    let served = || -> io::Result<()> {
        let listener = TcpListener::bind(address)?;
        println!("the server's end listens at {}", listener.local_addr()?);
        loop {
            let (stream, asker) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(SILENCE))?;
            let ended = far::serve(BufReader::new(stream.try_clone()?), stream, || fixture.open());
            match ended {
                Ok(()) => println!("{asker} has asked all"),
                Err(error) => println!("{asker}: {error}"),
            }
        }
    };
    let error = served().expect_err("it goes on until it is ended");
    eprintln!("conformance of verbs: cannot listen at {address}: {error}");
    ExitCode::FAILURE
}

fn without_device(reason: &str, required: bool) -> ExitCode {
    println!("SKIPPED conformance of verbs: {reason}");
    skip_suite::<VerbsFixture>("no device", &mut io::stdout()).expect("stdout takes the lines");
    if required {
        eprintln!("conformance of verbs: a device is required here, and there is none");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
