//! The verbs back end on a real or emulated device.
//!
//! Passing shows that what this crate adds to libibverbs works on that device: opening, limits,
//! connecting, posting, polling, and that refusals say which rule was broken. What the operations
//! themselves promise is the conformance suite's.
//!
//! It has a `main` of its own, because the standard harness cannot say "skipped": without a
//! device that is active each test is printed as SKIPPED with the reason, and that is a failure
//! where `ONESIDED_REQUIRE_DEVICE` is 1. `ONESIDED_DEVICE` names the device. An argument that is
//! no option selects tests by a part of their name.

mod atomicity;
mod connecting;
mod loop_back;
mod moving;
mod opening;
mod other_process;

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use onesided_transport::{PortState, Transport};
use onesided_verbs::VerbsDevice;

/// A test; it panics when it fails.
type Test = (&'static str, fn(&VerbsDevice));

fn main() -> ExitCode {
    if let Some(part) = env::var_os(other_process::CHILD) {
        return other_process::child(&part);
    }
    let filter = env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let selected = |(name, _): &Test| filter.as_ref().is_none_or(|part| name.contains(part));
    let all =
        [opening::TESTS, connecting::TESTS, moving::TESTS, atomicity::TESTS, other_process::TESTS];
    let tests: Vec<Test> = all.concat().into_iter().filter(selected).collect();
    match open() {
        Ok(device) => run(&device, &tests),
        Err(error) => skip(&error, &tests),
    }
}

fn open() -> Result<VerbsDevice, String> {
    let device = VerbsDevice::open(env::var("ONESIDED_DEVICE").ok().as_deref(), None)
        .map_err(|error| error.to_string())?;
    match device.port_state() {
        Ok(PortState::Active) => Ok(device),
        other => Err(format!("the port of {}: {other:?}", device.description().name)),
    }
}

fn run(device: &VerbsDevice, tests: &[Test]) -> ExitCode {
    let mut failed = 0;
    for (name, test) in tests {
        // What a test panics with is printed by the panic itself.
        let verdict = match catch_unwind(AssertUnwindSafe(|| test(device))) {
            Ok(()) => "ok",
            Err(_) => {
                failed += 1;
                "FAIL"
            }
        };
        println!("{verdict} {name}");
    }
    println!("{} passed, {failed} failed, 0 skipped", tests.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn skip(error: &str, tests: &[Test]) -> ExitCode {
    for (name, _) in tests {
        println!("SKIPPED {name}: {error}");
    }
    println!("0 passed, 0 failed, {} skipped", tests.len());
    let required = env::var("ONESIDED_REQUIRE_DEVICE").is_ok_and(|value| value == "1");
    if required { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
