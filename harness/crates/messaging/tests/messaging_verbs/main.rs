//! Channels and barriers on the verbs back end: the device talks to itself.
//!
//! As that back end's own suite: `ONESIDED_DEVICE` names the device; without one everything is
//! skipped, which is a failure where `ONESIDED_REQUIRE_DEVICE=1` or a named device promised one.

#[path = "../suite/mod.rs"]
mod suite;

use std::{env, process::ExitCode, sync::Arc, time::Duration};

use onesided_conformance::{Fixture, FixtureError, Patience};
use onesided_transport::{PortState, Transport};
use onesided_verbs::VerbsDevice;

struct VerbsFixture {
    device: Option<String>,
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
}

/// The fixture of a device that is there and up, or why there is none.
fn fixture(device: Option<String>) -> Result<VerbsFixture, String> {
    let opened = VerbsDevice::open(device.as_deref(), None).map_err(|error| error.to_string())?;
    let description = opened.description();
    if description.port_state != PortState::Active {
        return Err(format!("port {} of {} is not active", description.port, description.name));
    }
    println!("messaging over verbs on {}", description.name);
    Ok(VerbsFixture { device: Some(description.name.clone()) })
}

fn main() -> ExitCode {
    let Some(wanted) = suite::wanted::<VerbsFixture>() else { return ExitCode::SUCCESS };
    let device = env::var("ONESIDED_DEVICE").ok();
    let required = device.is_some() || env::var("ONESIDED_REQUIRE_DEVICE").as_deref() == Ok("1");
    match fixture(device) {
        Ok(fixture) => suite::run(&Arc::new(fixture), &wanted),
        Err(reason) => {
            println!("SKIPPED messaging over verbs: {reason}");
            suite::skip::<VerbsFixture>("no device");
            if required { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}
