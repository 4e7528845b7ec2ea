//! Properties of channels and barriers on any back end.
//!
//! Passing lets us claim that on this back end, as it was opened, messages of all lengths came in
//! order, whole and once, both ways at a time and whether pushed or pulled; that full rings were
//! refused and lost nothing; that a peer that went away ended every wait; and that a barrier held.
//! It says nothing about time.

mod barriers;
mod ends;
mod losses;
mod messages;

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use onesided_conformance::{Fixture, FixtureError};

/// By when a property must have ended.
const LIMIT: Duration = Duration::from_secs(60);

/// Longest wait for a peer that receives.
const LONG: Duration = Duration::from_secs(30);

/// How a property ended: a panic or an error says what was seen instead.
pub type Verdict = Result<(), FixtureError>;

/// A property by its name.
type Property<F> = (&'static str, fn(&F) -> Verdict);

fn all<F: Fixture>() -> Vec<Property<F>> {
    [messages::all::<F>(), losses::all::<F>(), barriers::all::<F>()].concat()
}

/// Which properties are wanted, as the arguments of the program say; none where it shall list them.
pub fn wanted<F: Fixture>() -> Option<String> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        all::<F>().iter().for_each(|(name, _)| println!("{name}: test"));
        return None;
    }
    Some(arguments.into_iter().find(|argument| !argument.starts_with('-')).unwrap_or_default())
}

/// Runs the properties whose name contains `wanted`, each on a thread of its own, in the manner
/// of the conformance suite.
pub fn run<F: Fixture>(fixture: &Arc<F>, wanted: &str) -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for (name, property) in all::<F>().into_iter().filter(|(name, _)| name.contains(wanted)) {
        match bounded(fixture, name, property) {
            Ok(()) => {
                println!("ok {name}");
                passed += 1;
            }
            Err(why) => {
                println!("FAIL {name}: {why}");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed, 0 skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reports all properties as skipped.
#[allow(dead_code, reason = "a back end that is always there skips nothing")]
pub fn skip<F: Fixture>(why: &str) {
    all::<F>().iter().for_each(|(name, _)| println!("SKIPPED {name}: {why}"));
    println!("0 passed, 0 failed, {} skipped", all::<F>().len());
}

fn bounded<F: Fixture>(
    fixture: &Arc<F>,
    name: &'static str,
    property: fn(&F) -> Verdict,
) -> Result<(), String> {
    let (sender, receiver) = mpsc::channel();
    let fixture = Arc::clone(fixture);
    let run = move || {
        let told = |error: FixtureError| match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let verdict = catch_unwind(AssertUnwindSafe(|| property(&*fixture).map_err(told)));
        // The receiver is gone only when this came too late to matter.
        let _ = sender.send(verdict.unwrap_or_else(|_| Err("it panicked, see above".to_owned())));
    };
    thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|error| error.to_string())?;
    receiver.recv_timeout(LIMIT).unwrap_or_else(|_| Err(format!("did not end within {LIMIT:?}")))
}
