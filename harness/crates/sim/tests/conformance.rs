//! The suite on the simulated back end: two hosts of one fabric, whose virtual time polls move on.
//!
//! An argument selects the properties whose name contains it.

use std::{env, process::ExitCode, sync::Arc};

use onesided_conformance::{Filter, Fixture, FixtureError, Patience, property_names, run_suite};
use onesided_sim::{
    ByReach, ByVerb, Parameters,
    transport::{HostConditions, SimDevice, SimFabric},
};

struct SimFixture {
    client: SimDevice,
    server: SimDevice,
}

impl SimFixture {
    fn of(parameters: &Parameters) -> Self {
        let fabric = Arc::new(SimFabric::new(parameters, 1));
        let host = || SimDevice::new(&fabric, HostConditions::default());
        Self { client: host(), server: host() }
    }
}

impl Fixture for SimFixture {
    type Transport = SimDevice;

    fn client(&self) -> Result<SimDevice, FixtureError> {
        Ok(self.client.clone())
    }

    fn server(&self) -> Result<SimDevice, FixtureError> {
        Ok(self.server.clone())
    }

    /// A poll executes one event at the most, and a request has four.
    fn patience(&self) -> Patience {
        Patience::Steps(100_000)
    }

    fn settling(&self) -> Patience {
        Patience::Steps(200)
    }
}

/// Every station takes its time, so that operations of different kinds and lengths could overtake
/// each other.
fn parameters() -> Parameters {
    Parameters {
        post_ns: ByVerb::all(100.0),
        post_next_ns: 30.0,
        poll_ns: 50.0,
        doorbell_ns: 200.0,
        completion_ns: 300.0,
        request_ns: ByVerb { read: 60.0, write: 40.0, atomic: 80.0 },
        gather_ns_per_byte: 0.1,
        request_cache_entries: 64.0,
        request_miss_ns: 100.0,
        link_ns_per_byte: 0.147,
        packet_ns: 9.5,
        one_way_ns: 200.0,
        respond_ns: ByVerb::all(40.0),
        context_entries: 64.0,
        context_miss_ns: 100.0,
        pcie_ns_per_byte: 0.127,
        memory_ns: ByVerb { read: 500.0, write: 200.0, atomic: 600.0 },
        line_ns: ByVerb::all(ByReach { local: 20.0, remote: 20.0 }),
        posted_writes: 16.0,
        atomic_slots: 4096.0,
        atomic_ns: 300.0,
        ..Parameters::ideal()
    }
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for name in property_names::<SimFixture>() {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let filter = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let filter = filter.map_or(Filter::All, Filter::Containing);
    let machines = [("that cost nothing", Parameters::ideal()), ("of a machine", parameters())];
    let mut ended = ExitCode::SUCCESS;
    for (which, parameters) in machines {
        println!("conformance of sim, two hosts of one fabric, parameters {which}");
        let report = run_suite(&Arc::new(SimFixture::of(&parameters)), &filter);
        // It lacks nothing that a property needs.
        if !report.failed.is_empty() || !report.skipped.is_empty() {
            ended = ExitCode::FAILURE;
        }
    }
    ended
}
