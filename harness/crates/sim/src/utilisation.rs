//! How busy stations are: the utilisation law.
//!
//! Utilisation is throughput by service time, whatever the order of service and the distribution
//! of times (Denning and Buzen, 1978, doi:10.1145/356733.356735), so nothing is counted while a
//! scenario is simulated. Stations of several servers are taken to be used evenly.

use onesided_load::{MixPlan, ShapePlan};

use crate::{
    host::{ATOMIC_BYTES, Conditions, Costs, atomic_ns},
    parameters::{ByVerb, Parameters},
    scenario::Scenario,
    stations::{LinesPlan, Segments, Verb, lines_of},
};

/// How busy a station is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationUse {
    /// Its name, in words.
    pub station: &'static str,
    /// Share of time in which it serves, of all its servers.
    pub utilisation: f64,
}

/// The stations on the way of `scenario`'s operations, in the order of the way, at so many of them
/// a second.
///
/// Throughput that the scenario cannot have makes a utilisation above 1.
pub fn utilisations(
    parameters: &Parameters,
    scenario: &Scenario,
    operations_per_second: f64,
) -> Vec<StationUse> {
    let law = Law::new(parameters, scenario);
    let per_ns = operations_per_second * 1e-9;
    law.busy_ns()
        .into_iter()
        .map(|(station, busy_ns)| StationUse { station, utilisation: per_ns * busy_ns })
        .collect()
}

/// What an average operation takes of each station.
struct Law<'a> {
    parameters: &'a Parameters,
    scenario: &'a Scenario,
    shares: ByVerb<f64>,
    costs: ByVerb<Costs>,
}

impl<'a> Law<'a> {
    fn new(parameters: &'a Parameters, scenario: &'a Scenario) -> Self {
        let conditions = Conditions::of(scenario);
        let costs = |verb, bytes| Costs::new(parameters, &conditions, verb, bytes);
        let bytes = scenario.load.access_bytes;
        Self {
            parameters,
            scenario,
            shares: shares(scenario.load.mix),
            costs: ByVerb {
                read: costs(Verb::Read, bytes),
                write: costs(Verb::Write, bytes),
                atomic: costs(Verb::Atomic, ATOMIC_BYTES),
            },
        }
    }

    /// The average of an operation.
    fn mean(&self, of: impl Fn(Verb) -> f64) -> f64 {
        let part = |verb| self.shares.of(verb) * of(verb);
        part(Verb::Read) + part(Verb::Write) + part(Verb::Atomic)
    }

    fn flow(&self, of: impl Fn(&Costs) -> Segments) -> f64 {
        self.mean(|verb| of(&self.costs.of(verb)).all.ns())
    }

    /// Nanoseconds of each station, by its servers.
    fn busy_ns(&self) -> Vec<(&'static str, f64)> {
        let hosts = self.scenario.client_hosts as f64;
        let span = |of: fn(&Costs) -> f64| self.mean(|verb| of(&self.costs.of(verb)));
        let is_read = |verb| if verb == Verb::Write { 0.0 } else { 1.0 };
        let on_pcie =
            |verb| if verb == Verb::Atomic { 0.0 } else { self.costs.of(verb).pcie.all.ns() };
        let mut stations = vec![
            ("client threads", self.thread_ns() / self.threads()),
            ("stores of requests", span(|costs| costs.wqe.ns()) / hosts),
            ("requester's card", span(|costs| costs.request.ns()) / hosts),
            ("requester's link", self.flow(|costs| costs.request_segments) / hosts),
            ("responder's link, in", self.flow(|costs| costs.inbound)),
            ("responder's card", span(|costs| costs.respond.ns() + costs.atomic_hold.ns())),
            ("responder's PCI Express", self.mean(on_pcie)),
            ("responder's link, out", self.flow(|costs| costs.reply_segments)),
            (
                "requester's PCI Express",
                self.mean(|verb| is_read(verb) * self.costs.of(verb).scatter.all.ns()) / hosts,
            ),
        ];
        stations.extend(self.memory_ns());
        stations
    }

    /// Those behind the responder's PCI Express.
    fn memory_ns(&self) -> [(&'static str, f64); 3] {
        let Self { parameters, scenario, shares, .. } = self;
        let plan = LinesPlan::new(parameters, scenario.region, scenario.workers);
        let region_bytes = scenario.load.region_bytes;
        let bytes =
            |verb| if verb == Verb::Atomic { ATOMIC_BYTES } else { scenario.load.access_bytes };
        // An atomic that keeps its slot until its result is in memory writes it there, too.
        let (kept, written) = match parameters.atomic_write_back {
            0.0 => (0.0, 0.0),
            part => (
                plan.mean_ns(Verb::Atomic) + part * plan.mean_ns(Verb::Write),
                shares.atomic * plan.busy_ns(Verb::Write, ATOMIC_BYTES),
            ),
        };
        let lines = self.mean(|verb| plan.busy_ns(verb, bytes(verb))) + written;
        let slot = atomic_ns(parameters, region_bytes) + kept;
        let write = plan.mean_ns(Verb::Write) + self.costs.write.memory.ns();
        [
            ("lock slots", shares.atomic * slot / self.slots()),
            ("cache lines", lines / lines_of(region_bytes) as f64),
            ("posted writes", shares.write * write / parameters.posted_writes),
        ]
    }

    /// Threads that can run at once.
    fn threads(&self) -> f64 {
        let Self { parameters, scenario, .. } = self;
        let of_cpus = parameters.client_cpus.floor().max(1.0) * scenario.client_hosts as f64;
        let shared = parameters.quantum_ns > 0.0;
        if shared { of_cpus.min(scenario.threads as f64) } else { scenario.threads as f64 }
    }

    /// What a thread does for an operation.
    fn thread_ns(&self) -> f64 {
        let Parameters { post_ns, post_next_ns, poll_ns, client_remote_post_ns, .. } =
            *self.parameters;
        let list = match self.scenario.load.shape {
            ShapePlan::ClosedLoop { post_list, .. } | ShapePlan::Batch { post_list, .. } => {
                f64::from(post_list.max(1))
            }
            ShapePlan::OpenLoop { .. } => 1.0,
        };
        let far = match self.scenario.client {
            crate::Locality::RdmaLocal => 0.0,
            crate::Locality::RdmaRemote => client_remote_post_ns,
        };
        let first = self.mean(|verb| post_ns.of(verb)) + far;
        poll_ns + (first + (list - 1.0) * post_next_ns) / list
    }

    /// Slots that the addresses of the load can lock.
    fn slots(&self) -> f64 {
        let slots = (self.parameters.atomic_slots as u64).max(1);
        let Ok(objects) = self.scenario.load.slots() else { return slots as f64 };
        let reachable = slots / gcd(objects.stride_bytes() % slots, slots);
        objects.count().get().min(reachable) as f64
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { gcd(b % a, a) }
}

fn shares(mix: MixPlan) -> ByVerb<f64> {
    let none = ByVerb::all(0.0);
    match mix {
        MixPlan::Single(operation) => match Verb::from(operation) {
            Verb::Read => ByVerb { read: 1.0, ..none },
            Verb::Write => ByVerb { write: 1.0, ..none },
            Verb::Atomic => ByVerb { atomic: 1.0, ..none },
        },
        MixPlan::ReadWrite { write_fraction: write } => ByVerb { read: 1.0 - write, write, ..none },
        MixPlan::ReadAtomic { atomic_fraction: atomic } => {
            ByVerb { read: 1.0 - atomic, atomic, ..none }
        }
    }
}
