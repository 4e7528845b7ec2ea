//! Several client hosts against one server: all of them here, each with a device and a channel of its
//! own.

use std::{
    net::SocketAddr,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_control::{Channel, ChannelError, Listener, Settings, Token, WhenRefused, connect};
use onesided_measure::QueuePairCounts;
use onesided_results::{
    RunConfiguration,
    record::{FurtherClientRecord, SideRecord},
    vocabulary::{Arrivals, LoopShape, Operation},
};
use onesided_runner::{JoinSummary, Pool, RunResult, serve_session, take_part};

use crate::{
    evidence::{both_moments_were_proven, sound},
    proxy::Proxy,
    session::{SURELY, Session, patient, short, site},
};

/// How a further host ended.
pub type Left = Result<JoinSummary, ChannelError>;

/// A server with its pool, and where it listens.
pub struct Server {
    fabric: Arc<Fabric>,
    address: SocketAddr,
    token: Token,
    settings: Settings,
}

impl Server {
    fn channel(&self, address: SocketAddr) -> Channel {
        let refused = WhenRefused::Fail;
        connect(&address.to_string(), &self.token, SURELY, refused, &self.settings).unwrap()
    }

    /// Plays a client that asks for runs.
    pub fn lead<R>(&self, body: impl FnOnce(Session<'_, ReferenceTransport>) -> R) -> R {
        self.lead_over(self.address, body)
    }

    /// The same, over another way to the server.
    pub fn lead_behind<R>(
        &self,
        proxy: &Proxy,
        body: impl FnOnce(Session<'_, ReferenceTransport>) -> R,
    ) -> R {
        self.lead_over(proxy.before(self.address), body)
    }

    fn lead_over<R>(
        &self,
        address: SocketAddr,
        body: impl FnOnce(Session<'_, ReferenceTransport>) -> R,
    ) -> R {
        let device = ReferenceTransport::open(&self.fabric);
        let site = site(&device);
        body(Session { site: &site, channel: self.channel(address) })
    }

    /// Plays a further client host until it is let go.
    fn join(&self, address: SocketAddr) -> Left {
        let device = ReferenceTransport::open(&self.fabric);
        let site = site(&device);
        let channel = self.channel(address);
        take_part(&site, &channel, &|line| println!("further: {line}"))
    }
}

/// Plays `body` against a server of `leads` clients that `further` hosts have joined, each behind a
/// network that can be cut; also says how these hosts ended. A run waits `within` for hosts.
pub fn with_hosts<R>(
    further: usize,
    leads: usize,
    within: Duration,
    body: impl FnOnce(&Server, &[Proxy]) -> R,
) -> (R, Vec<Left>) {
    let (fabric, token, settings) = (Arc::new(Fabric::right()), Token::generate(), patient());
    let token = token.unwrap();
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone()).unwrap();
    let address = listener.local_address();
    let server = Server { fabric, address, token, settings };
    let proxies: Vec<_> = (0..further).map(|_| Proxy::default()).collect();
    let pool = Arc::new(Pool::new(within));
    let served = Arc::clone(&pool);
    thread::scope(|scope| {
        let (server, listener) = (&server, &listener);
        let serving = scope.spawn(move || serve(server, listener, further + leads, &served));
        let join = |proxy: &Proxy| {
            let address = proxy.before(address);
            scope.spawn(move || server.join(address))
        };
        let joined: Vec<_> = proxies.iter().map(join).collect();
        // Where they do not come, `body` is told by the run that asks for them.
        let began = Instant::now();
        while pool.present() < further && began.elapsed() < SURELY {
            thread::sleep(Duration::from_millis(1));
        }
        drop(pool);
        let result = body(server, &proxies);
        serving.join().unwrap();
        (result, joined.into_iter().map(|host| host.join().unwrap()).collect())
    })
}

/// Serves as many clients as it is told of, and then closes the channels of those that joined.
fn serve(server: &Server, listener: &Listener, clients: usize, pool: &Pool) {
    let device = ReferenceTransport::open(&server.fabric);
    let site = site(&device);
    thread::scope(|scope| {
        for _ in 0..clients {
            let channel = listener.accept().unwrap().authenticate().unwrap();
            let site = &site;
            // A client that is cut off in a run is an error here, and the test's own business.
            scope.spawn(move || {
                serve_session(site, pool, channel, &|line| println!("server: {line}"))
            });
        }
    });
}

/// A run of three hosts with five threads and seven queue pairs.
pub fn of_three() -> RunConfiguration {
    RunConfiguration { client_hosts: 3, threads: 5, queue_pairs: 7, ..short() }
}

/// Does one run, and again in longer windows as long as the machine was too busy for it.
fn run_well(session: &Session<'_, ReferenceTransport>, run: &RunConfiguration) -> RunResult {
    session.run_until(run, 4, |result| {
        let counts = result.counts.as_ref();
        let idle = |counts: &QueuePairCounts| counts.operations_in_windows() == 0;
        result.record.outcome.is_valid()
            && !counts.is_some_and(|counts| counts.queue_pairs().any(|(_, counts)| idle(counts)))
    })
}

fn together(run: &RunConfiguration) -> RunResult {
    let further = run.client_hosts as usize - 1;
    let body = |server: &Server, _: &[Proxy]| server.lead(|session| run_well(&session, run));
    let (result, left) = with_hosts(further, 1, SURELY, body);
    for host in left {
        let summary = host.expect("the server closed the channel in order");
        assert!(summary.finished >= 1, "{summary:?}");
    }
    result
}

fn threads_of(side: &SideRecord) -> Vec<u32> {
    side.threads.iter().map(|thread| thread.thread).collect()
}

#[test]
fn three_hosts_share_threads_and_queue_pairs_and_their_numbers_are_of_the_whole_run() {
    let result = together(&of_three());
    sound(&result);
    let record = &result.record;
    assert_eq!(threads_of(record.client.as_ref().unwrap()), [0]);
    let [second, third] = &record.further_clients[..] else { panic!("two further hosts") };
    let part = |part: &FurtherClientRecord| {
        (part.first_thread, part.threads, part.first_queue_pair, part.queue_pairs)
    };
    assert_eq!((part(second), part(third)), ((1, 2, 1, 3), (3, 2, 4, 3)));
    assert_eq!((threads_of(&second.side), threads_of(&third.side)), (vec![1, 2], vec![3, 4]));
    for host in &record.further_clients {
        both_moments_were_proven(&host.side);
        assert!(host.side.device.is_some() && host.side.gid.is_some());
    }
    // The lead's buffer, the two others', and the region.
    assert_eq!(record.verification.len(), 4, "{:?}", record.verification);
}

#[test]
fn hosts_start_at_one_instant_and_their_clocks_are_on_record() {
    let result = together(&RunConfiguration { warm_up_ms: 100, ..of_three() });
    let counts = sound(&result);
    let clocks = &result.record.client_clocks;
    assert_eq!(clocks.len(), 3);
    for clock in clocks {
        // All read the same clock, so whatever they differ by is the exchange's own error.
        assert!(clock.offset_ns.unsigned_abs() <= clock.uncertainty_ns + 1_000, "{clock:?}");
        assert!(clock.uncertainty_ns < 50_000_000 && clock.round_trips >= 8, "{clock:?}");
        assert!(clock.drift_ppm.abs() <= clock.drift_uncertainty_ppm + 100.0, "{clock:?}");
        assert_eq!(clock.host, result.record.client.as_ref().unwrap().host.hostname);
    }
    for (queue_pair, counted) in counts.queue_pairs() {
        assert_eq!(counted.before_start, 0, "queue pair {queue_pair} was recorded before t0");
    }
}

#[test]
fn a_run_of_one_host_has_no_other_hosts_and_no_offsets() {
    let record = together(&RunConfiguration { client_hosts: 1, ..of_three() }).record;
    assert!(record.further_clients.is_empty() && record.client_clocks.is_empty());
    assert_eq!(threads_of(record.client.as_ref().unwrap()), [0, 1, 2, 3, 4]);
}

#[test]
fn what_all_hosts_did_to_the_region_is_compared_with_what_it_holds() {
    let run = RunConfiguration { operation: Operation::FetchAndAdd, ..of_three() };
    let result = together(&run);
    sound(&result);
    let region = &result.record.verification[0];
    let totals = result.record.totals.as_ref().unwrap();
    // Every operation of every host, those of the warm-up included.
    assert!(region.checked >= totals.operations && region.mismatched == 0, "{region:?}");
}

#[test]
fn every_loop_and_two_sided_end_works_with_several_hosts() {
    for run in [
        RunConfiguration { loop_shape: LoopShape::Saturating, window: 8, ..of_three() },
        // So slowly that what fell due while the host was busy, and is asked for at once then, is
        // fewer than the receive requests that the server has posted.
        RunConfiguration {
            operation: Operation::WriteWithImmediate,
            loop_shape: LoopShape::Open,
            arrivals: Some(Arrivals::Fixed),
            rate_ops_per_second: Some(100.0),
            window: 16,
            client_hosts: 2,
            threads: 2,
            queue_pairs: 2,
            ..short()
        },
        RunConfiguration { operations_per_queue_pair: Some(50), warm_up_ms: 0, ..of_three() },
    ] {
        sound(&together(&run));
    }
}
