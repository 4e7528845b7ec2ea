//! The suite on the rmc back end across two processes: the client's end is here, the server's in
//! this program started once more.
//!
//! Then what only two processes can do to each other. An argument selects the properties and the
//! faults whose name contains it.

mod faults;
mod other;

use std::{
    env,
    io::{stdin, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use onesided_conformance::{
    Capability, Filter, Fixture, FixtureError, Patience, Reach,
    far::{self, Either, Other},
    property_names, run_suite,
};
use onesided_rmc::{RmcDevice, RmcOptions};

use crate::{
    faults::{FAULTS, Verdict},
    other::Process,
};

/// Set in the other process, to the fabric's folder.
const OTHER: &str = "ONESIDED_TEST_OTHER_PROCESS";

/// Set in a process that is to be another user, to the fabric's folder.
const STRANGER: &str = "ONESIDED_TEST_STRANGER";

struct TwoProcesses {
    fabric: PathBuf,
    other: Arc<Other>,
}

fn open(fabric: &Path) -> Result<RmcDevice, FixtureError> {
    Ok(RmcDevice::open(&RmcOptions { fabric: fabric.to_owned(), ..RmcOptions::default() })?)
}

impl Fixture for TwoProcesses {
    type Transport = Either<RmcDevice>;

    fn client(&self) -> Result<Self::Transport, FixtureError> {
        Ok(Either::Here(open(&self.fabric)?))
    }

    fn server(&self) -> Result<Self::Transport, FixtureError> {
        Ok(Either::There(self.other.open()?))
    }

    fn reach(&self) -> Option<Arc<dyn Reach>> {
        Some(self.other.clone())
    }

    fn lacks(&self, capability: Capability) -> Option<String> {
        let one = "an endpoint sends datagrams to the queue pairs of one node";
        (capability == Capability::DatagramsToSeveralDevices).then(|| one.to_owned())
    }

    fn patience(&self) -> Patience {
        Patience::WallClock(Duration::from_secs(5))
    }

    fn settling(&self) -> Patience {
        Patience::WallClock(Duration::from_millis(5))
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let Some(fabric) = env::var_os(OTHER) {
        let ended = far::serve(stdin().lock(), stdout(), || open(Path::new(&fabric)));
        ended.expect("the first process listens");
        return ExitCode::SUCCESS;
    }
    if let Some(fabric) = env::var_os(STRANGER) {
        faults::be_a_stranger(Path::new(&fabric));
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        for name in property_names::<TwoProcesses>() {
            println!("{name}: test");
        }
        FAULTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filter = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let wanted = filter.clone().unwrap_or_default();
    let filter = filter.map_or(Filter::All, Filter::Containing);
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let fabric = folder.path().join("fabric");
    let process = Process::start(OTHER, &fabric);
    let other = Arc::clone(&process.other);
    println!("conformance of rmc, a node in each of two processes");
    let failed = run_suite(&Arc::new(TwoProcesses { fabric, other }), &filter).failed.len();
    match failed + faults(&wanted, folder.path()) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs the faults in the suite's manner, each on a fabric of its own; how many failed.
fn faults(wanted: &str, folder: &Path) -> usize {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (name, fault) in FAULTS.iter().filter(|(name, _)| name.contains(wanted)) {
        let fabric = folder.join(name);
        match std::panic::catch_unwind(|| fault(&fabric)) {
            Ok(Verdict::Held) => {
                println!("ok {name}");
                passed += 1;
            }
            Ok(Verdict::Skipped(why)) => {
                println!("SKIPPED {name}: {why}");
                skipped += 1;
            }
            Err(_) => {
                println!("FAIL {name}: see above");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    failed
}
