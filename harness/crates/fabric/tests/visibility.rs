//! When a CPU sees what is written: over a back end that is late or out of order when it is told to, and
//! over the emulated fabric.

use std::{
    collections::{BTreeMap, VecDeque},
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use onesided_conformance::reference::{Fabric, ReferenceRegion, ReferenceTransport};
use onesided_fabric::visibility::{Completions, Connection, Ends, Order, Waits, Watched};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::{
    Access, CompletionKind, CompletionStatus, ConnectError, ConnectionAttributes,
    CreateEndpointError, Destination, DeviceDescription, Endpoint, EndpointAddress,
    EndpointAttributes, GidEntry, NotAvailable, Opcode, PollError, PortState, PostError,
    ReceiveRequest, RegisterError, Signal, Transport, WorkCompletion, WorkRequest,
};

/// Long for a thread that looks all the time, even on a busy machine.
const PAUSE: Duration = Duration::from_millis(50);
const ROUNDS: u64 = 5;

/// The order in which memory gets words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forwards,
    Backwards,
}

/// A device that reports WRITEs at once, and puts their words into memory later, the first of them a pause
/// before the others, and these a pause before a next WRITE. READs are reported when all before them is done.
struct Late(ReferenceTransport, Direction);

struct LateEndpoint {
    lists: Option<Sender<Vec<WorkRequest>>>,
    completed: Arc<Mutex<VecDeque<WorkCompletion>>>,
    mover: Option<JoinHandle<()>>,
    is_backwards: bool,
}

impl Drop for LateEndpoint {
    fn drop(&mut self) {
        self.lists = None;
        self.mover.take().unwrap().join().unwrap();
    }
}

fn completion(request: &WorkRequest) -> WorkCompletion {
    let (status, kind) = (CompletionStatus::Success, CompletionKind::Request);
    WorkCompletion { id: request.id, queue_pair_number: 1, status, kind }
}

/// Copies words one by one.
fn move_words(request: &WorkRequest, direction: Direction) {
    let words = u64::from(request.local.length) / 8;
    let word = |address: u64, index: u64| {
        // SAFETY: both are aligned and within memory that outlives the endpoint; all use atomics on it.
        unsafe {
            AtomicU64::from_ptr(ptr::with_exposed_provenance_mut((address + 8 * index) as usize))
        }
    };
    for nth in 0..words {
        let index = if direction == Direction::Backwards { words - 1 - nth } else { nth };
        let value = word(request.local.address, index).load(Ordering::Acquire);
        word(request.remote.address, index).store(value, Ordering::Release);
        if nth == 0 || nth + 1 == words {
            thread::sleep(PAUSE);
        }
    }
}

impl Endpoint for LateEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        &[1]
    }

    fn address(&self, _: Option<GidEntry>) -> EndpointAddress {
        EndpointAddress { local_identifier: 0, gid: None, queue_pairs: Vec::new(), datagram_key: 0 }
    }

    fn connect(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        Ok(())
    }

    fn destinations(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        unreachable!("there are no datagrams")
    }

    unsafe fn post(&mut self, _: usize, requests: &[WorkRequest]) -> Result<(), PostError> {
        let is_told = |request: &&WorkRequest| {
            request.opcode == Opcode::Write && request.signal == Signal::Signaled
        };
        self.completed.lock().unwrap().extend(requests.iter().filter(is_told).map(completion));
        let mut list = requests.to_vec();
        if self.is_backwards {
            list.reverse();
        }
        self.lists.as_ref().unwrap().send(list).unwrap();
        Ok(())
    }

    unsafe fn post_receives(&mut self, _: usize, _: &[ReceiveRequest]) -> Result<(), PostError> {
        unreachable!("nothing is received")
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        match self.completed.lock().unwrap().pop_front() {
            Some(completion) => {
                completions[0] = completion;
                Ok(1)
            }
            None => Ok(0),
        }
    }
}

impl Transport for Late {
    type Region = ReferenceRegion;
    type Endpoint = LateEndpoint;

    fn description(&self) -> &DeviceDescription {
        self.0.description()
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<ReferenceRegion, RegisterError> {
        address.expose_provenance();
        // SAFETY: the caller's promise.
        unsafe { self.0.register(address, length, access) }
    }

    fn create_endpoint(&self, _: &EndpointAttributes) -> Result<LateEndpoint, CreateEndpointError> {
        let (lists, to_move) = channel::<Vec<WorkRequest>>();
        let completed = Arc::new(Mutex::new(VecDeque::new()));
        let (direction, moved) = (self.1, Arc::clone(&completed));
        let mover = thread::spawn(move || {
            for request in to_move.into_iter().flatten() {
                match request.opcode {
                    Opcode::Write => move_words(&request, direction),
                    _ => moved.lock().unwrap().push_back(completion(&request)),
                }
            }
        });
        let is_backwards = direction == Direction::Backwards;
        Ok(LateEndpoint { lists: Some(lists), completed, mover: Some(mover), is_backwards })
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        self.0.places_rings()
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        self.0.counters()
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        self.0.port_state()
    }
}

fn connection() -> Connection {
    Connection { attributes: ConnectionAttributes::reliable(1), responder_gid: None }
}

fn late(direction: Direction) -> Ends<Late> {
    let device = Late(ReferenceTransport::open(&Arc::new(Fabric::right())), direction);
    Ends::connect([&device, &device], &connection()).unwrap()
}

/// Goes on for so many rounds.
fn rounds(mut left: u64) -> impl FnMut() -> bool {
    move || {
        let goes_on = left > 0;
        left = left.saturating_sub(1);
        goes_on
    }
}

#[test]
fn bytes_that_come_after_the_completion_of_their_write_are_counted_and_a_read_waits_for_them() {
    let mut ends = late(Direction::Forwards);
    let found = ends.completions(64, Waits::ForTheWrite, rounds(ROUNDS)).unwrap();
    assert!(found.rounds == ROUNDS && found.unseen > 0, "{found:?}");
    assert!(found.longest > Duration::ZERO, "{found:?}");
    let found = ends.completions(64, Waits::ForAReadBehindIt, rounds(ROUNDS)).unwrap();
    assert_eq!(found, Completions { rounds: ROUNDS, ..Completions::default() });
}

#[test]
fn the_order_in_which_words_came_is_told_and_never_the_other_one() {
    for watched in [Watched::OneWrite, Watched::TwoWrites] {
        let of = |direction| late(direction).order(256, watched, rounds(ROUNDS)).unwrap();
        let found = of(Direction::Forwards);
        assert_eq!((found.rounds, found.later_alone), (ROUNDS, 0), "{watched:?}");
        assert!(found.earlier_alone > 0, "{watched:?}: {found:?}");
        let found = of(Direction::Backwards);
        assert_eq!((found.rounds, found.earlier_alone), (ROUNDS, 0), "{watched:?}");
        assert!(found.later_alone > 0, "{watched:?}: {found:?}");
    }
}

#[test]
fn the_emulated_fabric_answers_when_the_bytes_are_there() {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let options = RmcOptions { fabric: folder.path().join("fabric"), ..RmcOptions::default() };
    let [one, other] = [0, 1].map(|_| RmcDevice::open(&options).expect("a node is free"));
    let mut ends = Ends::connect([&one, &other], &connection()).unwrap();
    let all_seen = Completions { rounds: 500, ..Completions::default() };
    for bytes in [16, 64, 4096] {
        for waits in [Waits::ForTheWrite, Waits::ForAReadBehindIt] {
            assert_eq!(
                ends.completions(bytes, waits, rounds(500)).unwrap(),
                all_seen,
                "{bytes}: {waits:?}"
            );
        }
        for watched in [Watched::OneWrite, Watched::TwoWrites] {
            let Order { rounds, earlier_alone, later_alone } =
                ends.order(bytes, watched, rounds(500)).unwrap();
            assert_eq!(rounds, 500, "{bytes}: {watched:?}");
            assert!(earlier_alone + later_alone <= rounds, "{bytes}: {watched:?}");
        }
    }
}
