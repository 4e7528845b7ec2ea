//! A server and a client in this process, connected by a control channel.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_control::{Channel, ChannelError, Heartbeat, Listener, Settings, Token, WhenRefused};
use onesided_measure::QueuePairCounts;
use onesided_placement::{DeviceLocality, NodeId};
use onesided_results::{
    RunConfiguration,
    record::SideRecord,
    vocabulary::{Moment, Source},
};
use onesided_runner::{
    Harness, Pool, RunResult, SessionEnd, SessionSummary, Site, run, serve_session,
};
use onesided_transport::Transport;

/// Time after which a wait that should have ended is a failure; generous, because test machines
/// stall.
pub const SURELY: Duration = Duration::from_secs(20);

/// Held by the sound run that is under way.
static TURN: Mutex<()> = Mutex::new(());

/// A client's view of a session.
pub struct Session<'a, T> {
    pub site: &'a Site<'a, T>,
    pub channel: Channel,
}

impl<T: Transport + Sync> Session<'_, T> {
    /// Does one run that is expected to be sound, long enough for this machine.
    ///
    /// On a machine that has other things to do a thread may not be run for longer than a short run
    /// takes. Then the run is done again, longer; what never works stays visible.
    pub fn run_soundly(&self, configuration: &RunConfiguration) -> RunResult {
        self.run_until(configuration, 4, |result| {
            let idle = |counts: &QueuePairCounts| counts.operations_in_windows() == 0;
            let counts = result.counts.as_ref();
            let idle =
                counts.is_some_and(|counts| counts.queue_pairs().any(|(_, counts)| idle(counts)));
            // Workers and load, or one side, had no CPU: no test here expects these doubts.
            let asleep = ["load-idle", "standstill"];
            let asleep =
                result.record.doubts.iter().any(|doubt| asleep.contains(&doubt.doubt.as_str()));
            // Where memory is not asked for on a node, no doubt tells that nobody looked.
            let missed = |side: &SideRecord| {
                !side.placement.is_empty()
                    && side.placement.iter().all(|proof| proof.when != Moment::During)
            };
            let sides = [&result.record.client, &result.record.server];
            let missed = result.counts.is_some() && sides.into_iter().flatten().any(missed);
            !idle && !asleep && !missed
        })
    }

    /// Does one run, and up to four more until the machine was not too busy for it. Each is
    /// `times` as long as the one before: more than 1 where a short run may be too short, 1 where
    /// one long pause spoils a run and a longer one would only meet more of them.
    pub fn run_until(
        &self,
        configuration: &RunConfiguration,
        times: u64,
        was_awake: impl Fn(&RunResult) -> bool,
    ) -> RunResult {
        // Threads that spin side by side in several tests would only keep each other waiting.
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut configuration = configuration.clone();
        for _ in 0..4 {
            let result = self.run(&configuration);
            if was_awake(&result) {
                return result;
            }
            configuration.window_ms *= times;
            configuration.duration_ms *= times;
        }
        self.run(&configuration)
    }

    /// Does one run, however it ends.
    pub fn run(&self, configuration: &RunConfiguration) -> RunResult {
        let started_at = "2000-01-01T00:00:00.000Z".to_owned();
        run(self.site, &self.channel, configuration, Source::Emulated, started_at)
    }
}

/// Opens both ends of a fabric.
pub fn devices(fabric: Fabric) -> (ReferenceTransport, ReferenceTransport) {
    let fabric = Arc::new(fabric);
    (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric))
}

/// What is around a device of the reference; memory is asked for on node 0 if on any.
pub fn site<T: Transport>(transport: &T) -> Site<'_, T> {
    let locality = DeviceLocality::given("reference0", NodeId(0));
    let harness = Harness { version: "0".to_owned(), revision: None, library: None };
    Site::around(transport, locality, harness).unwrap()
}

/// A peer is only given up where it really is gone.
pub fn patient() -> Settings {
    Settings {
        harness: "test".to_owned(),
        handshake_within: SURELY,
        frame_within: SURELY,
        heartbeat: Heartbeat::new(Duration::from_millis(50), SURELY).unwrap(),
        ..Settings::default()
    }
}

/// Plays `client` against a server; also says how the server's session ended.
pub fn session<C, S, R>(
    (client, server): (&C, &S),
    settings: &Settings,
    route: impl FnOnce(SocketAddr) -> SocketAddr,
    body: impl FnOnce(Session<'_, C>) -> R,
) -> (R, Result<SessionSummary, ChannelError>)
where
    C: Transport + Sync,
    S: Transport + Sync,
{
    let token = Token::generate().unwrap();
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone()).unwrap();
    let address = route(listener.local_address()).to_string();
    let client = site(client);
    thread::scope(|scope| {
        let serving = scope.spawn(|| {
            let server = site(server);
            let channel = listener.accept().unwrap().authenticate().unwrap();
            let alone = Pool::new(Duration::ZERO);
            let ended =
                serve_session(&server, &alone, channel, &|line| println!("server: {line}"))?;
            let SessionEnd::Left(summary) = ended else { panic!("it asked for runs: {ended:?}") };
            Ok(summary)
        });
        let refused = WhenRefused::Fail;
        let channel =
            onesided_control::connect(&address, &token, SURELY, refused, settings).unwrap();
        let result = body(Session { site: &client, channel });
        (result, serving.join().unwrap())
    })
}

/// A short run, memory wherever it falls.
pub fn short() -> RunConfiguration {
    RunConfiguration {
        warm_up_ms: 20,
        duration_ms: 120,
        window_ms: 20,
        server_region: "any".to_owned(),
        ..RunConfiguration::default()
    }
}
