//! A node that was asked to lose messages of unreliable services.

use std::time::{Duration, Instant};

use onesided_transport::{
    CompletionKind, CompletionQueues, CompletionStatus, ConnectionAttributes, DATAGRAM_HEADER,
    Destination, Endpoint, LocalSegment, Opcode, Payload, ReceiveQueues, ReceiveRequest,
    RegisteredMemory, RemoteSegment, Signal, WorkCompletion, WorkRequest,
};

use super::*;

const MESSAGES: u32 = 20;
/// Each of this number is lost.
const EVERY: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than a message needs that is there, and short enough to be waited for.
const MOMENT: Duration = Duration::from_millis(20);

/// What is sent over which service, so long.
#[derive(Clone, Copy, Debug)]
struct Case {
    service: Service,
    is_write: bool,
    bytes: u32,
}

/// A device that loses, one that does not, and queue pairs of the first that send to the second's.
struct Pair {
    sender: RmcEndpoint,
    receiver: RmcEndpoint,
    /// Of datagrams: where they go.
    destination: Option<Destination>,
    here: RegisteredMemory<RmcRegion>,
    there: RegisteredMemory<RmcRegion>,
    client: RmcDevice,
    server: RmcDevice,
    _fabric: tempfile::TempDir,
}

impl Pair {
    /// With memory for messages of so many bytes.
    fn new(service: Service, queue_pairs: usize, bytes: u32) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let open = |drop_every| {
            let fabric = folder.path().to_owned();
            RmcDevice::open(&RmcOptions { fabric, drop_every, ..RmcOptions::default() }).unwrap()
        };
        let (client, server) = (open(NonZeroU32::new(EVERY)), open(None));
        let room = (DATAGRAM_HEADER + bytes) as usize;
        let here = RegisteredMemory::new(&client, room, Access::LOCAL).unwrap();
        let there = RegisteredMemory::new(&server, room, Access::REMOTE).unwrap();
        let made = |device: &RmcDevice| endpoint(device, service, queue_pairs);
        let (mut sender, mut receiver) = (made(&client), made(&server));
        let destination = meet(&mut sender, &mut receiver, service);
        Self { sender, receiver, destination, here, there, client, server, _fabric: folder }
    }

    /// Posts so many receive requests to a queue pair of the receiver.
    fn receive(&mut self, queue_pair: usize, count: u32) {
        let buffer = Some(segment(&self.there, self.there.remote().length_bytes as u32));
        for number in 0..count {
            let receive = ReceiveRequest { id: number.into(), buffer };
            // SAFETY: the memory outlives the endpoints, and nobody looks at it.
            unsafe { self.receiver.post_receives(queue_pair, &[receive]) }.unwrap();
        }
    }

    /// A message of so many bytes, by its number: a write with immediate, or what the service sends.
    fn message(&self, number: u32, is_write: bool, bytes: u32) -> WorkRequest {
        let RemoteMemory { address, key, .. } = self.there.remote();
        WorkRequest {
            id: number.into(),
            opcode: match self.destination {
                Some(destination) => Opcode::Datagram { destination, immediate: Some(number) },
                None if is_write => Opcode::WriteWithImmediate { immediate: number },
                None => Opcode::Send { immediate: Some(number) },
            },
            local: segment(&self.here, bytes),
            remote: if is_write { RemoteSegment { address, key } } else { RemoteSegment::NONE },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }

    fn send(&mut self, queue_pair: usize, messages: &[WorkRequest]) {
        // SAFETY: the memory outlives the endpoints, and nobody looks at it.
        unsafe { self.sender.post(queue_pair, messages) }.unwrap();
    }

    /// Messages that the sender lost on purpose, and packets that the receiver dropped.
    fn counted(&self) -> (u64, u64) {
        let (client, server) = (self.client.counters().unwrap(), self.server.counters().unwrap());
        (client["requester_lost"], server["responder_dropped"])
    }
}

fn endpoint(device: &RmcDevice, service: Service, queue_pairs: usize) -> RmcEndpoint {
    let made = device.create_endpoint(&EndpointAttributes {
        service,
        queue_pairs,
        send_queue_depth: MESSAGES,
        receive_queue_depth: MESSAGES,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    });
    made.unwrap()
}

fn segment(memory: &RegisteredMemory<RmcRegion>, length: u32) -> LocalSegment {
    LocalSegment { address: memory.remote().address, length, key: memory.region().local_key() }
}

/// Polls both ends until each has so many completions, then for a moment more.
fn poll(mut ends: [&mut RmcEndpoint; 2], due: [usize; 2]) -> [Vec<WorkCompletion>; 2] {
    let (mut found, began) = ([Vec::new(), Vec::new()], Instant::now());
    let mut since = None;
    while since.is_none_or(|since: Instant| since.elapsed() < MOMENT) {
        for (end, found) in ends.iter_mut().zip(&mut found) {
            let mut completions = [WorkCompletion::EMPTY; 8];
            let count = end.poll(&mut completions).unwrap();
            found.extend_from_slice(&completions[..count]);
        }
        if since.is_none() && found[0].len() >= due[0] && found[1].len() >= due[1] {
            since = Some(Instant::now());
        }
        assert!(began.elapsed() < PATIENCE, "{found:?}");
    }
    found
}

/// Lets the sender reach the receiver: by a connection, or by what it is told.
fn meet(
    sender: &mut RmcEndpoint,
    receiver: &mut RmcEndpoint,
    service: Service,
) -> Option<Destination> {
    let attributes = ConnectionAttributes::reliable(1);
    if service == Service::UnreliableDatagram {
        return Some(sender.destinations(&receiver.address(None), &attributes).unwrap()[0]);
    }
    sender.connect(&receiver.address(None), &attributes).unwrap();
    receiver.connect(&sender.address(None), &attributes).unwrap();
    None
}

/// Sends numbered messages all at once; the numbers of those that arrived, and what both devices count
/// ([`Pair::counted`]).
fn arrived(case: Case) -> (Vec<u32>, (u64, u64)) {
    let Case { service, is_write, bytes } = case;
    let mut pair = Pair::new(service, 1, bytes);
    pair.receive(0, MESSAGES);
    let message = |number| pair.message(number, is_write, bytes);
    let messages: Vec<_> = (0..MESSAGES).map(message).collect();
    pair.send(0, &messages);
    let due = MESSAGES as usize;
    let arrive = if service.is_reliable() { due } else { due - due / EVERY as usize };
    let [sent, received] = poll([&mut pair.sender, &mut pair.receiver], [due, arrive]);
    let success = |number: u32| (number.into(), CompletionStatus::Success);
    assert_eq!(ends(&sent), (0..MESSAGES).map(success).collect::<Vec<_>>(), "{case:?}");
    let number = |completion: &WorkCompletion| match completion.kind {
        CompletionKind::Receive { length, immediate: Some(number), .. } if length == bytes => {
            number
        }
        other => panic!("{case:?}: {other:?}"),
    };
    (received.iter().map(number).collect(), pair.counted())
}

/// How requests ended, by their ids.
fn ends(completions: &[WorkCompletion]) -> Vec<(u64, CompletionStatus)> {
    completions.iter().map(|completion| (completion.id, completion.status)).collect()
}

#[test]
fn a_reliable_service_loses_nothing_however_much_is_to_be_lost() {
    let case = Case { service: Service::ReliableConnection, is_write: false, bytes: 8 };
    assert_eq!(arrived(case), ((0..MESSAGES).collect(), (0, 0)));
}

#[test]
fn each_fifth_message_of_an_unreliable_service_is_lost_whole_and_no_other() {
    let due: Vec<_> = (0..MESSAGES).filter(|number| number % EVERY != EVERY - 1).collect();
    let uc = Service::UnreliableConnection;
    let ud = Service::UnreliableDatagram;
    // Of no packet's payload, one, one header's, and more than a lane holds.
    for (service, is_write, bytes) in [
        (uc, false, 0),
        (uc, true, 0),
        (uc, false, 8),
        (uc, true, 8),
        (uc, false, 1_000_000),
        (uc, true, 1_000_000),
        (ud, false, 0),
        (ud, false, 8),
        (ud, false, 4_096),
    ] {
        let case = Case { service, is_write, bytes };
        let (numbers, (lost, dropped)) = arrived(case);
        assert_eq!((numbers, lost), (due.clone(), u64::from(MESSAGES / EVERY)), "{case:?}");
        // The receiver counts packets: a longer message has several.
        let is_one_packet = bytes <= 8;
        assert!(dropped == lost || !is_one_packet && dropped > lost, "{case:?}: {dropped}");
    }
}

#[test]
fn each_queue_pair_loses_one_of_five_messages_of_its_own() {
    let (uc, queue_pairs) = (Service::UnreliableConnection, EVERY as usize);
    let mut pair = Pair::new(uc, queue_pairs, 8);
    (0..queue_pairs).for_each(|queue_pair| pair.receive(queue_pair, MESSAGES));
    // In turn: were they counted together, the last queue pair would lose all, the others none.
    for number in 0..MESSAGES {
        let message = [pair.message(number, false, 8)];
        (0..queue_pairs).for_each(|queue_pair| pair.send(queue_pair, &message));
    }
    let (sent, each) = (MESSAGES as usize * queue_pairs, (MESSAGES - MESSAGES / EVERY) as usize);
    let due = [sent, each * queue_pairs];
    let [_, received] = poll([&mut pair.sender, &mut pair.receiver], due);
    for &number in pair.receiver.queue_pair_numbers() {
        let of = |completion: &&WorkCompletion| completion.queue_pair_number == number;
        assert_eq!(received.iter().filter(of).count(), each, "{received:?}");
    }
}

#[test]
fn what_a_queue_pair_in_error_flushes_takes_no_turn() {
    let mut pair = Pair::new(Service::UnreliableConnection, 1, 8);
    let mut messages: Vec<_> = (0..MESSAGES).map(|number| pair.message(number, false, 8)).collect();
    messages[0].local.key = !messages[0].local.key;
    let flushed = |number: u32| (number.into(), CompletionStatus::Flushed);
    // What fails here and what is posted with it, then to a queue pair that has failed.
    pair.send(0, &messages);
    let [sent, _] = poll([&mut pair.sender, &mut pair.receiver], [messages.len(), 0]);
    let mut due = vec![(0, CompletionStatus::LocalProtectionError)];
    due.extend((1..MESSAGES).map(flushed));
    assert_eq!((ends(&sent), pair.counted()), (due, (0, 0)));
    pair.send(0, &messages[1..]);
    let [sent, _] = poll([&mut pair.sender, &mut pair.receiver], [messages.len() - 1, 0]);
    let due: Vec<_> = (1..MESSAGES).map(flushed).collect();
    assert_eq!((ends(&sent), pair.counted()), (due, (0, 0)));
}

/// A receive request that names no memory of its device ends the queue pair when a message comes.
#[test]
fn what_is_posted_to_a_queue_pair_that_a_receive_ended_takes_no_turn() {
    let mut pair = Pair::new(Service::UnreliableConnection, 1, 8);
    let LocalSegment { key, address, .. } = segment(&pair.here, 8);
    let buffer = Some(LocalSegment { key: !key, address, length: 8 });
    // SAFETY: the memory outlives the endpoints; nothing is stored by a key that no region has.
    unsafe { pair.sender.post_receives(0, &[ReceiveRequest { id: 0, buffer }]) }.unwrap();
    let mut message = pair.message(0, false, 8);
    message.local = segment(&pair.there, 8);
    // SAFETY: the memory outlives the endpoints, and nobody looks at it.
    unsafe { pair.receiver.post(0, &[message]) }.unwrap();
    let [ended, _] = poll([&mut pair.sender, &mut pair.receiver], [1, 1]);
    assert_eq!(ends(&ended), [(0, CompletionStatus::LocalProtectionError)]);
    let messages: Vec<_> = (0..MESSAGES).map(|number| pair.message(number, false, 8)).collect();
    pair.send(0, &messages);
    let [sent, _] = poll([&mut pair.sender, &mut pair.receiver], [messages.len(), 0]);
    let flushed = |number: u32| (number.into(), CompletionStatus::Flushed);
    assert_eq!(ends(&sent), (0..MESSAGES).map(flushed).collect::<Vec<_>>());
    assert_eq!(pair.counted().0, 0);
}
