//! The same by operations of the fabric.

use std::{
    error::Error,
    hint,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

use onesided_measure::Clock;
use onesided_placement::{CpuSet, pin_current_thread};
use onesided_rmc::{DirectMemory, RmcDevice, RmcEndpoint, RmcOptions, RmcRegion};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    Opcode, Payload, ReceiveQueues, RegisteredMemory, RemoteSegment, Service, Signal, Transport,
    WorkCompletion, WorkRequest,
};

use crate::samples::Samples;

/// What is measured.
struct Work {
    opcode: Opcode,
    length: u32,
    /// Operations under way.
    window: u64,
    /// Operations of a sample.
    sample: u64,
    /// Samples.
    samples: u64,
}

/// Reads of a cache line, one at a time.
const ALONE: Work = Work { opcode: Opcode::Read, length: 64, window: 1, sample: 16, samples: 500 };

/// Reads of 8 KiB; a sample is half of the memory.
const LARGE: Work =
    Work { opcode: Opcode::Read, length: 8 << 10, window: 16, sample: 16, samples: 100 };

/// Until the responder has its CPU again.
const WARM_UP: Work = Work { samples: 12, ..ALONE };

/// Bytes of either side's memory.
pub const MEMORY: usize = 1 << 18;

/// A connected queue pair between two nodes of this process.
pub struct Operations {
    client: RmcEndpoint,
    _server: RmcEndpoint,
    local: RegisteredMemory<RmcRegion>,
    remote: RegisteredMemory<RmcRegion>,
    direct: DirectMemory,
    cpus: CpuSet,
    clock: Clock,
    _fabric: tempfile::TempDir,
}

impl Operations {
    /// Opens both nodes; the one that answers runs on `cpus`.
    pub fn open(cpus: CpuSet, clock: Clock) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir_in("/dev/shm")?;
        let fabric = folder.path().to_owned();
        let options = RmcOptions { fabric, ..RmcOptions::default() };
        let here = RmcDevice::open(&options)?;
        let there = RmcDevice::open(&RmcOptions { responder_cpus: Some(cpus.clone()), ..options })?;
        let attributes = EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: 128,
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
        let local = RegisteredMemory::new(&here, MEMORY, Access::LOCAL)?;
        let remote = RegisteredMemory::new(&there, MEMORY, Access::REMOTE)?;
        let direct = client.direct(remote.remote())?;
        Ok(Self { client, _server: server, local, remote, direct, cpus, clock, _fabric: folder })
    }

    /// A request at a place of either memory.
    fn request(&self, opcode: Opcode, place: u64, length: u32) -> WorkRequest {
        WorkRequest {
            id: 0,
            opcode,
            local: self.local.segment(place as usize, length),
            remote: RemoteSegment {
                address: self.remote.remote().address + place,
                key: self.remote.remote().key,
            },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }

    /// Time of an operation: of each sample of some in a row, so that one that was preempted can be
    /// told.
    fn measure(&mut self, work: &Work) -> f64 {
        let mut samples = Samples::new(self.clock, work.sample);
        self.run(work, 0, work.samples, &mut samples);
        samples.median_ns()
    }

    /// So many samples of operations, the first one at a place of the memories, the others behind it. Every
    /// completion is checked. Not inlined: what one call has warmed up, the next one runs.
    #[inline(never)]
    fn run(&mut self, work: &Work, first: u64, count: u64, samples: &mut Samples) {
        let Work { opcode, length, window, sample, .. } = *work;
        let stride = u64::from(length).next_multiple_of(64);
        let last = sample * count;
        let (mut posted, mut completed, mut left, mut place) = (0, 0, sample, first);
        let mut completions = [WorkCompletion::EMPTY; 32];
        while completed < last {
            while posted < completed + window && posted < last {
                let request = WorkRequest { id: posted, ..self.request(opcode, place, length) };
                // SAFETY: both memories live as long as the program.
                unsafe { self.client.post(0, &[request]) }.expect("there is room");
                posted += 1;
                place += stride;
                if place >= MEMORY as u64 {
                    place = 0;
                }
            }
            let polled = self.client.poll(&mut completions).expect("the queue is whole");
            for completion in &completions[..polled] {
                let found = (completion.id, completion.status);
                assert_eq!(found, (completed, CompletionStatus::Success));
                completed += 1;
                left -= 1;
                if left == 0 {
                    left = sample;
                    samples.end();
                }
            }
        }
    }

    pub fn read_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::Read, ..ALONE })
    }

    pub fn write_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::Write, ..ALONE })
    }

    pub fn add_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::FetchAndAdd { add: 1 }, length: 8, ..ALONE })
    }

    pub fn pipelined_ns(&mut self) -> f64 {
        self.measure(&Work { window: 64, sample: 256, ..ALONE })
    }

    /// Times of 8 KiB that the other core has just written: of a read, of one without packets, and of a copy by
    /// `memcpy` between the same places, which both are held against. Each goes through both halves of the memory and
    /// the first one again without a stop, and the second half counts: no code is run for the first time then, and as
    /// many requests are posted as are completed.
    pub fn large_ns(&mut self) -> Large {
        let Work { length, sample, samples: count, .. } = LARGE;
        let half = sample * u64::from(length);
        let writer = Writer::start(self.remote.at(0, MEMORY), self.cpus.clone());
        let [mut reads, mut direct, mut copies] =
            [(); 3].map(|()| Samples::new(self.clock, sample));
        for round in 0..count {
            let places = [round % 2 * half, (round + 1) % 2 * half, round % 2 * half];
            self.write(&writer);
            self.run(&LARGE, places[0], 3, &mut reads);
            reads.keep_second_of_three();
            self.write(&writer);
            for place in places {
                self.read_directly(place);
                direct.end();
            }
            direct.keep_second_of_three();
            self.write(&writer);
            for place in places {
                self.copy(place);
                copies.end();
            }
            copies.keep_second_of_three();
        }
        let [read, direct, copied] = [reads, direct, copies].map(Samples::median_ns);
        Large { read, direct, copied }
    }

    /// What was read last is what was written last; then it is written anew.
    fn write(&mut self, writer: &Writer) {
        let [ours, theirs] = [&self.local, &self.remote].map(|memory| {
            [MEMORY / 2 - 8, MEMORY - 8]
                .map(|byte| memory.words()[byte / 8].load(Ordering::Relaxed))
        });
        assert_eq!(ours, theirs, "what was written is read");
        writer.write();
        self.measure(&WARM_UP);
    }

    /// A sample of reads without packets.
    #[inline(never)]
    fn read_directly(&mut self, first: u64) {
        let Work { length, sample, .. } = LARGE;
        for place in (first..).step_by(length as usize).take(sample as usize) {
            let word = place as usize / 8;
            let to = &self.local.words()[word..word + length as usize / 8];
            self.direct.words(place, to).expect("it is registered");
        }
    }

    /// A sample of copies.
    #[inline(never)]
    fn copy(&mut self, first: u64) {
        let Work { length, sample, .. } = LARGE;
        for place in (first..).step_by(length as usize).take(sample as usize) {
            let [from, to] = [&self.remote, &self.local]
                .map(|memory| memory.at(place as usize, length as usize));
            // SAFETY: as many bytes of different memories, which nobody accesses meanwhile.
            unsafe { from.copy_to_nonoverlapping(hint::black_box(to), length as usize) };
        }
    }
}

/// What [`Operations::large_ns`] measures: of one operation, in nanoseconds.
pub struct Large {
    /// Of a read of a queue pair.
    pub read: f64,
    /// Of one without packets.
    pub direct: f64,
    /// Of a copy.
    pub copied: f64,
}

/// A thread on the other core that writes memory whenever it is told to, and otherwise sleeps: one
/// that spun would keep the CPU from the responder.
struct Writer {
    rounds: Arc<Rounds>,
    thread: Option<JoinHandle<()>>,
}

/// Rounds that were asked for and done; the last one ends the thread.
#[derive(Default)]
struct Rounds {
    asked: AtomicU64,
    done: AtomicU64,
}

const LAST: u64 = u64::MAX;

impl Writer {
    fn start(memory: NonNull<u8>, cpus: CpuSet) -> Self {
        let memory = memory.as_ptr() as usize;
        let rounds = Arc::new(Rounds::default());
        let told = Arc::clone(&rounds);
        let thread = thread::spawn(move || {
            pin_current_thread(&cpus).expect("the responder runs there, too");
            let mut done = 0;
            loop {
                match told.asked.load(Ordering::Acquire) {
                    LAST => return,
                    asked if asked == done => thread::park(),
                    asked => {
                        done = asked;
                        for word in 0..MEMORY / 8 {
                            // SAFETY: the memory outlives this thread, and is accessed by atomics
                            // only.
                            let word =
                                unsafe { AtomicU64::from_ptr((memory as *mut u64).add(word)) };
                            word.store(done, Ordering::Relaxed);
                        }
                        told.done.store(done, Ordering::Release);
                    }
                }
            }
        });
        Self { rounds, thread: Some(thread) }
    }

    fn ask(&self, round: u64) {
        self.rounds.asked.store(round, Ordering::Release);
        self.thread.as_ref().expect("it is there until the end").thread().unpark();
    }

    fn write(&self) {
        let round = self.rounds.done.load(Ordering::Relaxed) + 1;
        self.ask(round);
        while self.rounds.done.load(Ordering::Acquire) != round {
            let is_over = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
            assert!(!is_over, "the thread writes until it is told to end");
            hint::spin_loop();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.ask(LAST);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it only writes");
        }
    }
}
