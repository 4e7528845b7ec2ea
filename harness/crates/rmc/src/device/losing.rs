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

fn endpoint(device: &RmcDevice, service: Service) -> RmcEndpoint {
    let made = device.create_endpoint(&EndpointAttributes {
        service,
        queue_pairs: 1,
        send_queue_depth: MESSAGES,
        receive_queue_depth: MESSAGES,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    });
    made.unwrap()
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

/// Sends numbered messages all at once; the numbers of those that arrived, and what the sender counts as lost.
fn arrived(case: Case) -> (Vec<u32>, u64) {
    let Case { service, is_write, bytes } = case;
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let open = |drop_every| {
        let fabric = fabric.path().to_owned();
        RmcDevice::open(&RmcOptions { fabric, drop_every, ..RmcOptions::default() }).unwrap()
    };
    let (client, server) = (open(NonZeroU32::new(EVERY)), open(None));
    let room = (DATAGRAM_HEADER + bytes) as usize;
    let here = RegisteredMemory::new(&client, room, Access::LOCAL).unwrap();
    let there = RegisteredMemory::new(&server, room, Access::REMOTE).unwrap();
    let (mut sender, mut receiver) = (endpoint(&client, service), endpoint(&server, service));
    let destination = meet(&mut sender, &mut receiver, service);
    let segment = |memory: &RegisteredMemory<RmcRegion>, length| LocalSegment {
        address: memory.remote().address,
        length,
        key: memory.region().local_key(),
    };
    let RemoteMemory { address, key, .. } = there.remote();
    for number in 0..MESSAGES {
        let receive =
            ReceiveRequest { id: number.into(), buffer: Some(segment(&there, room as u32)) };
        // SAFETY: the memory outlives the endpoints, and nobody looks at it.
        unsafe { receiver.post_receives(0, &[receive]) }.unwrap();
    }
    let request = |number: u32| WorkRequest {
        id: number.into(),
        opcode: match destination {
            Some(destination) => Opcode::Datagram { destination, immediate: Some(number) },
            None if is_write => Opcode::WriteWithImmediate { immediate: number },
            None => Opcode::Send { immediate: Some(number) },
        },
        local: segment(&here, bytes),
        remote: if is_write { RemoteSegment { address, key } } else { RemoteSegment::NONE },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    let requests: Vec<_> = (0..MESSAGES).map(request).collect();
    // SAFETY: as above.
    unsafe { sender.post(0, &requests) }.unwrap();
    let due = MESSAGES as usize;
    let arrive = if service.is_reliable() { due } else { due - due / EVERY as usize };
    let [sent, received] = poll([&mut sender, &mut receiver], [due, arrive]);
    let ended: Vec<_> = sent.iter().map(|sent| (sent.id, sent.status)).collect();
    let success = |number: u32| (number.into(), CompletionStatus::Success);
    assert_eq!(ended, (0..MESSAGES).map(success).collect::<Vec<_>>(), "{case:?}");
    let number = |completion: &WorkCompletion| match completion.kind {
        CompletionKind::Receive { length, immediate: Some(number), .. } if length == bytes => {
            number
        }
        other => panic!("{case:?}: {other:?}"),
    };
    (received.iter().map(number).collect(), client.counters().unwrap()["requester_lost"])
}

#[test]
fn a_reliable_service_loses_nothing_however_much_is_to_be_lost() {
    let case = Case { service: Service::ReliableConnection, is_write: false, bytes: 8 };
    assert_eq!(arrived(case), ((0..MESSAGES).collect(), 0));
}

#[test]
fn each_fifth_message_of_an_unreliable_service_is_lost_whole_and_no_other() {
    let due: Vec<_> = (0..MESSAGES).filter(|number| number % EVERY != EVERY - 1).collect();
    let uc = Service::UnreliableConnection;
    let ud = Service::UnreliableDatagram;
    // Of no packet's payload, one, one header's, and more than a lane holds.
    for (service, is_write, bytes) in [
        (uc, false, 0),
        (uc, false, 8),
        (uc, true, 8),
        (uc, false, 1_000_000),
        (uc, true, 1_000_000),
        (ud, false, 0),
        (ud, false, 8),
        (ud, false, 4_096),
    ] {
        let case = Case { service, is_write, bytes };
        assert_eq!(arrived(case), (due.clone(), (MESSAGES / EVERY).into()), "{case:?}");
    }
}
