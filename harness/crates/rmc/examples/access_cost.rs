//! Prints what an operation of the access library costs beside the same on the endpoint that it is
//! made of, in turns on the same two CPUs, as CSV:
//! `cargo run --release -p onesided-rmc --example access_cost [ROUNDS]`.

use std::{error::Error, time::Instant};

use onesided_placement::{CpuSet, cpus_of_current_thread, pin_current_thread};
use onesided_rmc::{
    RmcDevice, RmcEndpoint, RmcOptions,
    access::{Buffer, QueuePair, Segment},
};
use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Endpoint, EndpointAttributes, LocalSegment,
    Opcode, Payload, ReceiveQueues, RemoteSegment, Service, Signal, Transport, WorkCompletion,
    WorkRequest,
};

/// Operations of a sample, samples of a round, and operations under way.
const SAMPLE: u64 = 256;
const SAMPLES: usize = 400;
const SLOTS: usize = 64;

/// Bytes of the segment that is read.
const BYTES: u64 = 1 << 16;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(11), |text| text.parse())?;
    let allowed: Vec<_> = cpus_of_current_thread()?.iter().collect();
    let [here, there, ..] = allowed[..] else { return Err("two CPUs are needed".into()) };
    let fabric = tempfile::tempdir_in("/dev/shm")?;
    let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
    let near = RmcDevice::open(&options)?;
    let responder_cpus = Some(CpuSet::of(there));
    let far = RmcDevice::open(&RmcOptions { responder_cpus, ..options })?;
    pin_current_thread(&CpuSet::of(here))?;
    let segment = Segment::new(&far, BYTES as usize, Access::REMOTE)?;
    let buffer = Buffer::<[u64; 8]>::new(&near, SLOTS)?;

    let mut qp = QueuePair::new(&near, &[1], SLOTS)?;
    let mut served = QueuePair::new(&far, &[0], 1)?;
    let told = [qp.introduce(&segment), served.introduce(&segment)];
    qp.connect(&told)?;
    served.connect(&told)?;
    let (mut endpoint, _peer) = plain(&near, &far)?;
    // SAFETY: it is static, and used by operations of this thread only.
    let local = unsafe { near.register(scratch(), 64 * SLOTS, Access::LOCAL) }?;
    let (key, address) = (onesided_transport::Region::local_key(&local), scratch() as u64);

    let mut rows: [Vec<f64>; 4] = Default::default();
    for _ in 0..rounds {
        let mut next = 0;
        rows[0].push(median(|| {
            for _ in 0..SAMPLE {
                let slot = qp.wait_for_slot(|_| ()).expect("nothing fails");
                next = (next + 64) % BYTES;
                qp.read_async(slot, 1, next, buffer.at(slot), 64).expect("nothing fails");
            }
        }));
        qp.drain_cq(|_| ())?;
        let remote = segment.remote();
        let request = |number: u64| WorkRequest {
            id: number,
            opcode: Opcode::Read,
            local: LocalSegment { address: address + number % 64 * 64, length: 64, key },
            remote: RemoteSegment {
                address: remote.address + number * 64 % BYTES,
                key: remote.key,
            },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        let (mut posted, mut done) = (0, 0);
        let mut read = |window: u64, count: u64| {
            let mut some = [WorkCompletion::EMPTY; 32];
            for _ in 0..count {
                while posted - done >= window {
                    done += endpoint.poll(&mut some).expect("the queue is whole") as u64;
                }
                // SAFETY: both memories stay, and nobody else uses them.
                unsafe { endpoint.post(0, &[request(posted)]) }.expect("there is room");
                posted += 1;
            }
            while window == 1 && posted > done {
                done += endpoint.poll(&mut some).expect("the queue is whole") as u64;
            }
        };
        rows[1].push(median(|| read(SLOTS as u64, SAMPLE)));
        rows[3].push(median(|| read(1, SAMPLE)));
        rows[2].push(median(|| {
            for _ in 0..SAMPLE {
                next = (next + 64) % BYTES;
                qp.read(1, next, buffer.at(0), 64).expect("nothing fails");
            }
        }));
    }
    println!("what,unit,median,lowest,highest,rounds");
    let names = [
        "read_async 64 B, 64 slots",
        "endpoint, 64 under way",
        "read 64 B, waited for",
        "endpoint, one at a time",
    ];
    for (name, row) in names.into_iter().zip(&mut rows) {
        row.sort_by(f64::total_cmp);
        let (lowest, middle, highest) = (row[0], row[rounds / 2], row[rounds - 1]);
        println!("\"{name}\",ns,{middle:.1},{lowest:.1},{highest:.1},{rounds}");
    }
    Ok(())
}

/// Time of one operation of the median sample, in nanoseconds.
fn median(mut sample: impl FnMut()) -> f64 {
    let mut times: Vec<_> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            sample();
            start.elapsed().as_nanos() as f64 / SAMPLE as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[SAMPLES / 2]
}

#[repr(align(64))]
struct Lines(std::cell::UnsafeCell<[u8; 64 * SLOTS]>);

// SAFETY: one thread uses it.
unsafe impl Sync for Lines {}

static SCRATCH: Lines = Lines(std::cell::UnsafeCell::new([0; 64 * SLOTS]));

/// Where the plain endpoint reads into.
fn scratch() -> *mut u8 {
    SCRATCH.0.get().cast()
}

/// A connected queue pair without the library, and its other end.
fn plain(near: &RmcDevice, far: &RmcDevice) -> Result<(RmcEndpoint, RmcEndpoint), Box<dyn Error>> {
    let attributes = EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: 1,
        send_queue_depth: SLOTS as u32,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    };
    let connection = ConnectionAttributes::reliable(128);
    let (mut client, mut server) =
        (near.create_endpoint(&attributes)?, far.create_endpoint(&attributes)?);
    server.connect(&client.address(None), &connection)?;
    client.connect(&server.address(None), &connection)?;
    Ok((client, server))
}
