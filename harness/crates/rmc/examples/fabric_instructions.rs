//! Operations for who counts instructions (`ci/bench-rmc --instructions`): both ends on one thread, so that each
//! instruction of an operation is counted, and none that waits for another core.
//! `cargo run --release -p onesided-rmc --example fabric_instructions OPERATION WINDOW COUNT`.

use std::{env, error::Error, hint, process};

use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, Serving};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    LocalSegment, Opcode, Payload, ReceiveQueues, RegisteredMemory, RemoteSegment, Service, Signal,
    Transport, WorkCompletion, WorkRequest,
};

/// Bytes of either side's memory.
const MEMORY: u64 = 1 << 16;

/// Requests that the send queue holds.
const DEPTH: u64 = 128;

/// Completions taken at a time.
const BATCH: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [operation, window, count] = &arguments[..] else {
        return Err(
            "three arguments: OPERATION (read, write, add, read-8192), WINDOW, COUNT".into()
        );
    };
    let (opcode, length) = match operation.as_str() {
        "read" => (Opcode::Read, 64),
        "write" => (Opcode::Write, 64),
        "add" => (Opcode::FetchAndAdd { add: 1 }, 8),
        "read-8192" => (Opcode::Read, 8192),
        other => return Err(format!("no operation '{other}'").into()),
    };
    let (window, count): (u64, u64) = (window.parse()?, count.parse()?);
    if !(1..=DEPTH).contains(&window) {
        return Err(format!("WINDOW {window}: 1 to {DEPTH}").into());
    }

    let fabric = tempfile::tempdir_in("/dev/shm")?;
    let serving = Serving::Polls;
    let options = RmcOptions { fabric: fabric.path().to_owned(), serving, ..RmcOptions::default() };
    let (here, there) = (RmcDevice::open(&options)?, RmcDevice::open(&options)?);
    let attributes = EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: 1,
        send_queue_depth: DEPTH as u32,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    };
    let (mut client, mut server) =
        (here.create_endpoint(&attributes)?, there.create_endpoint(&attributes)?);
    let connection = ConnectionAttributes::reliable(128);
    server.connect(&client.address(None), &connection)?;
    client.connect(&server.address(None), &connection)?;
    let local = RegisteredMemory::new(&here, MEMORY as usize, Access::LOCAL)?;
    let remote = RegisteredMemory::new(&there, MEMORY as usize, Access::REMOTE)?;
    let request = WorkRequest {
        id: 0,
        opcode,
        local: local.segment(0, length),
        remote: RemoteSegment { address: remote.remote().address, key: remote.remote().key },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    // What is done once is over.
    counted(&mut client, &mut server, &request, window, 1_000);
    hint::black_box(count_here(&mut client, &mut server, &request, window, count));
    // Without unmapping what is mapped: valgrind 3.19 ends by an assertion of its own there.
    drop(fabric);
    process::exit(0)
}

/// The instructions of this function, and of what it calls, are those that are counted.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn count_here(
    client: &mut RmcEndpoint,
    server: &mut RmcEndpoint,
    request: &WorkRequest,
    window: u64,
    count: u64,
) -> u64 {
    counted(client, server, request, window, count)
}

/// So many operations, up to so many under way; how many polls they took.
#[inline(always)]
fn counted(
    client: &mut RmcEndpoint,
    server: &mut RmcEndpoint,
    request: &WorkRequest,
    window: u64,
    count: u64,
) -> u64 {
    let mut completions = [WorkCompletion::EMPTY; BATCH];
    let (mut posted, mut completed, mut polls) = (0, 0, 0);
    while completed < count {
        while posted < count && posted < completed + window {
            let place = posted * u64::from(request.local.length) % MEMORY;
            let LocalSegment { address, length, key } = request.local;
            let local = LocalSegment { address: address + place, length, key };
            let remote =
                RemoteSegment { address: request.remote.address + place, ..request.remote };
            let next = WorkRequest { id: posted, local, remote, ..*request };
            // SAFETY: both memories live as long as the program.
            unsafe { client.post(0, &[next]) }.expect("there is room");
            posted += 1;
        }
        server.poll(&mut completions).expect("the queue is whole");
        let polled = client.poll(&mut completions).expect("the queue is whole");
        polls += 1;
        for completion in &completions[..polled] {
            let found = (completion.id, completion.status);
            assert_eq!(found, (completed, CompletionStatus::Success));
            completed += 1;
        }
    }
    polls
}
