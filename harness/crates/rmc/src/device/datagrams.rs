//! Datagrams of two senders to one queue pair, several packets each.

use std::{
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};

use onesided_transport::{
    CompletionKind, CompletionQueues, CompletionStatus, ConnectionAttributes, DATAGRAM_HEADER,
    Endpoint, EndpointAddress, LocalSegment, Opcode, Payload, ReceiveQueues, ReceiveRequest,
    RegisteredMemory, RemoteSegment, Signal, WorkCompletion, WorkRequest,
};

use super::*;

/// Bytes of a datagram: the most, which are two trains.
const BYTES: u32 = 4096;
/// Of each sender so many arrive before it ends.
const EACH: u64 = 500;
const PATIENCE: Duration = Duration::from_secs(60);

fn open(fabric: &tempfile::TempDir) -> RmcDevice {
    let fabric = fabric.path().to_owned();
    RmcDevice::open(&RmcOptions { fabric, ..RmcOptions::default() }).unwrap()
}

fn attributes(receives: u32) -> EndpointAttributes {
    EndpointAttributes {
        service: Service::UnreliableDatagram,
        queue_pairs: 1,
        send_queue_depth: 16,
        receive_queue_depth: receives,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::LOCAL,
    }
}

/// Sends datagrams whose every byte is `name`, until it is told to stop.
fn send(device: &RmcDevice, to: &EndpointAddress, name: u8, stop: &AtomicBool) {
    let memory = RegisteredMemory::new(device, BYTES as usize, Access::LOCAL).unwrap();
    // SAFETY: it has so many bytes, which nobody else uses yet.
    unsafe { (memory.remote().address as *mut u8).write_bytes(name, BYTES as usize) };
    let mut endpoint = device.create_endpoint(&attributes(0)).unwrap();
    let to = endpoint.destinations(to, &ConnectionAttributes::reliable(1)).unwrap();
    let request = WorkRequest {
        id: 0,
        opcode: Opcode::Datagram { destination: to[0], immediate: Some(name.into()) },
        local: LocalSegment {
            address: memory.remote().address,
            length: BYTES,
            key: memory.region().local_key(),
        },
        remote: RemoteSegment::NONE,
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    let mut completions = [WorkCompletion::EMPTY; 16];
    let mut under_way = 0;
    while under_way > 0 || !stop.load(Ordering::Relaxed) {
        if under_way < 8 && !stop.load(Ordering::Relaxed) {
            // SAFETY: the memory stays as it is until the endpoint is gone.
            unsafe { endpoint.post(0, &[request]) }.unwrap();
            under_way += 1;
        }
        let count = endpoint.poll(&mut completions).unwrap();
        for completion in &completions[..count] {
            assert_eq!(completion.status, CompletionStatus::Success);
            under_way -= 1;
        }
    }
}

/// Ends the senders, also of a test that fails.
struct StopsAtTheEnd<'a>(&'a AtomicBool);

impl Drop for StopsAtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_datagram_that_arrives_is_of_one_sender_whole() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let (client, server) = (open(&fabric), open(&fabric));
    let room = (DATAGRAM_HEADER + BYTES) as usize;
    let memory = RegisteredMemory::new(&server, 8 * room, Access::LOCAL).unwrap();
    let mut endpoint = server.create_endpoint(&attributes(8)).unwrap();
    let buffer = |place: u64| LocalSegment {
        address: memory.remote().address + place * room as u64,
        length: room as u32,
        key: memory.region().local_key(),
    };
    let receive = |id| ReceiveRequest { id, buffer: Some(buffer(id)) };
    for place in 0..8 {
        // SAFETY: the memory outlives the endpoint's use, and is looked at after completions only.
        unsafe { endpoint.post_receives(0, &[receive(place)]) }.unwrap();
    }
    let address = endpoint.address(None);
    let (mut arrived, stop, began) = ([0_u64; 3], AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        let senders = [1, 2].map(|name| {
            let (client, address, stop) = (&client, &address, &stop);
            scope.spawn(move || send(client, address, name, stop))
        });
        let _stops = StopsAtTheEnd(&stop);
        let mut completions = [WorkCompletion::EMPTY; 8];
        loop {
            let enough = arrived[1].min(arrived[2]) >= EACH || began.elapsed() > PATIENCE;
            stop.fetch_or(enough, Ordering::Relaxed);
            let over = senders.iter().all(|sender| sender.is_finished());
            let count = endpoint.poll(&mut completions).unwrap();
            for WorkCompletion { id, status, kind, .. } in &completions[..count] {
                assert_eq!(*status, CompletionStatus::Success);
                let CompletionKind::Receive { length, immediate: Some(name), .. } = *kind else {
                    panic!("{kind:?}")
                };
                assert_eq!(length, BYTES);
                let first = buffer(*id).address + u64::from(DATAGRAM_HEADER);
                // SAFETY: the message is complete, and its buffer is posted again below only.
                let bytes =
                    unsafe { std::slice::from_raw_parts(first as *const u8, BYTES as usize) };
                assert!(bytes.iter().all(|byte| u32::from(*byte) == name), "mixed: of {name}");
                arrived[name as usize] += 1;
                // SAFETY: as above.
                unsafe { endpoint.post_receives(0, &[receive(*id)]) }.unwrap();
            }
            if over && count == 0 {
                break;
            }
        }
    });
    assert!(arrived[1].min(arrived[2]) >= EACH, "{arrived:?}");
}
