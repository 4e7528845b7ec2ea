//! The suite on the verbs back end: the device talks to itself, opened twice.
//!
//! `ONESIDED_DEVICE` names the device; without it the first one with an active port is taken.
//! With no device nothing can be tested: every property is skipped, with the reason, and that is
//! a failure only where `ONESIDED_REQUIRE_DEVICE=1` or a named device promised one. An argument
//! selects the properties whose name contains it.

use std::{env, io, process::ExitCode, sync::Arc, time::Duration};

use onesided_conformance::{
    Filter, Fixture, FixtureError, Patience, Quirk, property_names, run_suite, skip_suite,
};
use onesided_transport::{PortState, Transport};
use onesided_verbs::VerbsDevice;

struct VerbsFixture {
    device: Option<String>,
    driver: Option<String>,
}

impl VerbsFixture {
    fn open(&self) -> Result<VerbsDevice, FixtureError> {
        Ok(VerbsDevice::open(self.device.as_deref(), None)?)
    }
}

impl Fixture for VerbsFixture {
    type Transport = VerbsDevice;

    fn client(&self) -> Result<VerbsDevice, FixtureError> {
        self.open()
    }

    fn server(&self) -> Result<VerbsDevice, FixtureError> {
        self.open()
    }

    fn patience(&self) -> Patience {
        Patience::WallClock(Duration::from_secs(5))
    }

    fn settling(&self) -> Patience {
        Patience::WallClock(Duration::from_millis(5))
    }

    fn quirks(&self) -> Vec<Quirk> {
        match self.driver.as_deref() {
            Some("rdma_rxe") => soft_roce_quirks(),
            _ => Vec::new(),
        }
    }
}

/// What the Soft-RoCE driver of the kernel does against the contract.
fn soft_roce_quirks() -> Vec<Quirk> {
    vec![Quirk {
        name: "soft-roce-frees-the-send-queue-early",
        property: "a_full_send_queue_refuses_and_loses_nothing",
        reason: "an entry of the send queue is free as soon as its request is done, not when \
                 the completion is polled, so posts beyond the depth are accepted and overrun \
                 the completion queue, which drops completions (rxe_cq_post) and says so only \
                 as an asynchronous event"
            .to_owned(),
    }]
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
    Ok(VerbsFixture { device: Some(name.clone()), driver })
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
    let filter = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let filter = filter.map_or(Filter::All, Filter::Containing);
    let device = env::var("ONESIDED_DEVICE").ok();
    let required = device.is_some() || env::var("ONESIDED_REQUIRE_DEVICE").as_deref() == Ok("1");
    match fixture(device) {
        Ok(fixture) => match run_suite(&Arc::new(fixture), &filter).failed.is_empty() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        },
        Err(reason) => without_device(&reason, required),
    }
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
