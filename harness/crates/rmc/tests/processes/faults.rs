//! What the suite cannot do to its other process: kill it, stop it, let it be another user.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use onesided_conformance::far::{FarDevice, FarEndpoint, FarRegion};
use onesided_rmc::{OpenError, RmcDevice, RmcEndpoint, RmcOptions, RmcRegion, Serving};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    LocalSegment, Opcode, PathMtu, Payload, ReceiveQueues, Region, RemoteSegment, Service, Signal,
    Transport, WorkCompletion, WorkRequest,
};

use crate::{OTHER, STRANGER, other::Process};

/// Name, and what it does on a folder of its own; a refusal says what was seen instead.
type Fault = (&'static str, fn(&Path) -> Verdict);

/// How a fault ended.
pub enum Verdict {
    Held,
    Skipped(&'static str),
}

pub const FAULTS: &[Fault] = &[
    ("every_request_to_a_killed_process_ends_and_its_node_is_swept", killed),
    ("a_stopped_process_ends_its_requests_in_bounded_time", stopped),
    ("a_requester_that_was_stopped_with_its_peer_has_not_waited_for_it", both_stopped),
    ("a_killed_requester_leaves_its_channel_to_others", |fabric| {
        requester_killed(fabric, Serving::Thread, false)
    }),
    ("a_killed_requester_leaves_the_channel_of_a_node_that_nobody_polls", |fabric| {
        requester_killed(fabric, Serving::Polls, false)
    }),
    ("a_killed_requester_leaves_the_channel_of_a_node_that_is_polled", |fabric| {
        requester_killed(fabric, Serving::Polls, true)
    }),
    ("of_many_that_want_one_node_exactly_one_gets_it", race),
    ("a_stranger_is_refused_by_the_permissions_of_the_context", stranger),
];

const DEPTH: u32 = 64;

fn attributes() -> EndpointAttributes {
    EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: 2,
        send_queue_depth: DEPTH,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    }
}

fn connection() -> ConnectionAttributes {
    ConnectionAttributes {
        gid: None,
        path_mtu: PathMtu::Bytes4096,
        max_rd_atomic: 16,
        timeout_exponent: 10,
        retry_count: 1,
        rnr_retry: 1,
        hop_limit: 64,
    }
}

fn open(fabric: &Path) -> RmcDevice {
    let fabric = fabric.to_owned();
    RmcDevice::open(&RmcOptions { fabric, ..RmcOptions::default() }).expect("a node is free")
}

/// An endpoint here that is connected to one of another process, and memory of both.
struct Joined {
    client: RmcEndpoint,
    _server: FarEndpoint,
    _device: FarDevice,
    local: RmcRegion,
    remote: RemoteSegment,
    _theirs: FarRegion,
}

fn join(here: &RmcDevice, process: &Process) -> Joined {
    let there = process.other.open().expect("a node is free there");
    let mut client = here.create_endpoint(&attributes()).expect("within the limits");
    let mut server = there.create_endpoint(&attributes()).expect("within the limits");
    server.connect(&client.address(None), &connection()).expect("the fabric is one");
    client.connect(&server.address(None), &connection()).expect("the fabric is one");
    let page = || Box::leak(Box::new(Page([0; 4096]))).0.as_mut_ptr();
    // SAFETY: the pages stay, and are used by operations only.
    let (local, theirs) = unsafe {
        (
            here.register(page(), 4096, Access::REMOTE).expect("there is a place"),
            there.register(page(), 4096, Access::REMOTE).expect("there is a place"),
        )
    };
    let place = theirs.remote();
    let remote = RemoteSegment { address: place.address, key: place.key };
    Joined { client, _server: server, _device: there, local, remote, _theirs: theirs }
}

#[repr(align(4096))]
struct Page([u8; 4096]);

impl Joined {
    fn request(&self, id: u64) -> WorkRequest {
        let local = self.local.remote();
        WorkRequest {
            id,
            opcode: if id.is_multiple_of(2) { Opcode::Read } else { Opcode::Write },
            local: LocalSegment { address: local.address, length: 4096, key: local.key },
            remote: self.remote,
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }

    fn fill(&mut self, queue_pair: usize) {
        let requests: Vec<_> = (0..u64::from(DEPTH)).map(|id| self.request(id)).collect();
        // SAFETY: the pages stay.
        unsafe { self.client.post(queue_pair, &requests) }.expect("there is room");
    }

    /// Polls until so many completions came, which must be within `limit`.
    fn take(&mut self, count: usize, limit: Duration) -> Vec<WorkCompletion> {
        let start = Instant::now();
        let (mut all, mut some) = (Vec::new(), [WorkCompletion::EMPTY; 32]);
        while all.len() < count {
            let polled = self.client.poll(&mut some).expect("the queue is whole");
            all.extend_from_slice(&some[..polled]);
            let seen = all.len();
            assert!(start.elapsed() < limit, "{seen} of {count} completions in {limit:?}");
        }
        all
    }

    /// Polls for so long; what came.
    fn take_for(&mut self, time: Duration) -> Vec<WorkCompletion> {
        let (mut all, mut some) = (Vec::new(), [WorkCompletion::EMPTY; 32]);
        let start = Instant::now();
        while start.elapsed() < time {
            let polled = self.client.poll(&mut some).expect("the queue is whole");
            all.extend_from_slice(&some[..polled]);
        }
        all
    }

    /// Everything that is posted ends, in order, by the loss or behind it.
    fn expect_loss(&mut self, limit: Duration) {
        let all = self.take(2 * DEPTH as usize, limit);
        for &number in self.client.queue_pair_numbers() {
            let own = all.iter().filter(|completion| completion.queue_pair_number == number);
            let ended: Vec<_> = own.map(|completion| (completion.id, completion.status)).collect();
            let lost = ended.iter().position(|(_, status)| *status != CompletionStatus::Success);
            let lost = lost.expect("one of them met the loss");
            assert_eq!(ended[lost].1, CompletionStatus::RetryExceeded);
            let behind = &ended[lost + 1..];
            assert!(behind.iter().all(|(_, status)| *status == CompletionStatus::Flushed));
            assert!(ended.iter().map(|(id, _)| *id).eq(0..u64::from(DEPTH)));
        }
    }
}

fn killed(fabric: &Path) -> Verdict {
    let here = open(fabric);
    let (doomed, survivor) = (Process::start(OTHER, fabric), Process::start(OTHER, fabric));
    let mut lost = join(&here, &doomed);
    let mut kept = join(&here, &survivor);
    // One is under way when it happens, and its queue pairs are full.
    lost.fill(0);
    lost.fill(1);
    doomed.kill();
    lost.expect_loss(Duration::from_secs(5));
    kept.fill(0);
    let all = kept.take(DEPTH as usize, Duration::from_secs(20));
    assert!(all.iter().all(|completion| completion.status == CompletionStatus::Success));
    let swept = open(fabric).swept().to_vec();
    assert_eq!(swept.len(), 1, "{swept:?}");
    assert_eq!(swept[0].process, doomed.id());
    Verdict::Held
}

fn stopped(fabric: &Path) -> Verdict {
    let here = open(fabric);
    let other = Process::start(OTHER, fabric);
    let mut lost = join(&here, &other);
    other.stop();
    lost.fill(0);
    lost.fill(1);
    lost.expect_loss(Duration::from_secs(40));
    other.signal(libc::SIGCONT);
    Verdict::Held
}

/// A requester that is stopped does not poll: this one stays away for as long as a loss takes.
fn both_stopped(fabric: &Path) -> Verdict {
    let here = open(fabric);
    let other = Process::start(OTHER, fabric);
    let mut joined = join(&here, &other);
    other.stop();
    joined.fill(0);
    let mut all = joined.take_for(Duration::from_millis(100));
    std::thread::sleep(Duration::from_secs(11));
    all.extend(joined.take_for(Duration::from_millis(100)));
    // Before anything is asserted: what is dropped asks the other process.
    other.signal(libc::SIGCONT);
    assert!(all.is_empty(), "{all:?}");
    let all = joined.take(DEPTH as usize, Duration::from_secs(20));
    assert!(all.iter().all(|completion| completion.status == CompletionStatus::Success));
    Verdict::Held
}

/// The other process is the requester: it connects to here, and dies.
fn requester_killed(fabric: &Path, serving: Serving, is_polled: bool) -> Verdict {
    let options = RmcOptions { fabric: fabric.to_owned(), serving, ..RmcOptions::default() };
    let here = RmcDevice::open(&options).expect("a node is free");
    let other = Process::start(OTHER, fabric);
    let mut joined = join(&here, &other);
    let abandoned = || here.counters().expect("it counts")["responder_abandoned_channels"];
    assert_eq!(abandoned(), 0);
    other.kill();
    let start = Instant::now();
    while abandoned() == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "its channel is still taken");
        if is_polled {
            joined.client.poll(&mut [WorkCompletion::EMPTY; 4]).expect("the queue is whole");
        } else {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    drop(joined);
    Verdict::Held
}

fn race(fabric: &Path) -> Verdict {
    drop(open(fabric));
    for _ in 0..20 {
        let barrier = std::sync::Barrier::new(4);
        let tries: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let fabric = fabric.to_owned();
                        let node = Some(5);
                        RmcDevice::open(&RmcOptions { fabric, node, ..RmcOptions::default() })
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().expect("an opening returns")).collect()
        });
        let won = tries.iter().filter(|tried| tried.is_ok()).count();
        assert_eq!(won, 1, "one of four gets the node");
        for refused in tries.iter().filter_map(|tried| tried.as_ref().err()) {
            let process = std::process::id();
            let whose = |found: u32| found == process;
            let right =
                matches!(refused, OpenError::NodeInUse { node: 5, process, .. } if whose(*process));
            assert!(right, "{refused:?}");
        }
    }
    Verdict::Held
}

fn stranger(fabric: &Path) -> Verdict {
    // SAFETY: it has no conditions.
    if unsafe { libc::geteuid() } != 0 {
        return Verdict::Skipped("it takes root to become somebody else");
    }
    let _here = open(fabric);
    let status = Command::new(env::current_exe().expect("this program has a file"))
        .env(STRANGER, fabric)
        .stdin(Stdio::null())
        .status()
        .expect("this program can be started");
    assert!(status.success(), "{status}");
    Verdict::Held
}

/// What the stranger's process does.
pub fn be_a_stranger(fabric: &Path) {
    // SAFETY: plain numbers; 65534 is `nobody`.
    let code = unsafe { libc::setresuid(65534, 65534, 65534) };
    assert_eq!(code, 0, "privileges could not be given up");
    let options = RmcOptions { fabric: fabric.to_owned(), ..RmcOptions::default() };
    let Err(refused) = RmcDevice::open(&options) else { panic!("the context is another's") };
    assert!(matches!(refused, OpenError::PermissionDenied { .. }), "{refused:?}");
    assert!(refused.to_string().contains("chmod"), "{refused}");
}
