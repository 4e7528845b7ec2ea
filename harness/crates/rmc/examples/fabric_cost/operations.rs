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
use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, RmcRegion};
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
        Ok(Self { client, _server: server, local, remote, cpus, clock, _fabric: folder })
    }

    fn request(&self, opcode: Opcode, number: u64, length: u32) -> WorkRequest {
        let place = number * u64::from(length).next_multiple_of(64) % (MEMORY as u64);
        WorkRequest {
            id: number,
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
    /// told. Every completion is checked. Before each sample `writer` writes what is read.
    #[inline(never)]
    fn measure(&mut self, work: &Work, writer: Option<&Writer>) -> f64 {
        let Work { opcode, length, window, sample, samples: count } = *work;
        let (mut posted, mut completed) = (0, 0);
        let mut completions = [WorkCompletion::EMPTY; 32];
        let mut samples = Samples::new(self.clock, sample);
        while completed < sample * count {
            if let Some(writer) = writer
                && completed.is_multiple_of(sample)
                && posted == completed
            {
                writer.write();
                self.measure(&WARM_UP, None);
                samples.restart();
            }
            // A sample of what is written ends before the next one is written.
            let last = match writer {
                Some(_) => (completed / sample + 1) * sample,
                None => sample * count,
            };
            while posted < completed + window && posted < last {
                let request = WorkRequest { id: posted, ..self.request(opcode, posted, length) };
                // SAFETY: both memories live as long as the program.
                unsafe { self.client.post(0, &[request]) }.expect("there is room");
                posted += 1;
            }
            let polled = self.client.poll(&mut completions).expect("the queue is whole");
            for completion in &completions[..polled] {
                let found = (completion.id, completion.status);
                assert_eq!(found, (completed, CompletionStatus::Success));
                completed += 1;
                if completed.is_multiple_of(sample) {
                    samples.end();
                }
            }
        }
        samples.median_ns()
    }

    pub fn read_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::Read, ..ALONE }, None)
    }

    pub fn write_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::Write, ..ALONE }, None)
    }

    pub fn add_ns(&mut self) -> f64 {
        self.measure(&Work { opcode: Opcode::FetchAndAdd { add: 1 }, length: 8, ..ALONE }, None)
    }

    pub fn pipelined_ns(&mut self) -> f64 {
        self.measure(&Work { window: 64, sample: 256, ..ALONE }, None)
    }

    /// Of memory that the other core has just written.
    pub fn large_ns(&mut self) -> f64 {
        let writer = Writer::start(self.remote.at(0, MEMORY), self.cpus.clone());
        self.local.words().iter().for_each(|word| word.store(0, Ordering::Relaxed));
        let median = self.measure(&LARGE, Some(&writer));
        // Samples take the halves of the memory in turns.
        let [one, other] = [MEMORY / 8 / 2 - 1, MEMORY / 8 - 1]
            .map(|word| self.local.words()[word].load(Ordering::Relaxed));
        assert_eq!(one.max(other), LARGE.samples, "what was written is read");
        median
    }

    /// The same memory, written by the same thread in the same state of this core, copied by `memcpy`: what a long
    /// read is held against.
    pub fn copied_ns(&mut self) -> f64 {
        let Work { length, sample, samples: count, .. } = LARGE;
        let writer = Writer::start(self.remote.at(0, MEMORY), self.cpus.clone());
        let mut samples = Samples::new(self.clock, sample);
        for round in 0..count {
            writer.write();
            self.measure(&WARM_UP, None);
            samples.restart();
            for number in round * sample..(round + 1) * sample {
                let place = (number * u64::from(length) % MEMORY as u64) as usize;
                let [from, to] =
                    [&self.remote, &self.local].map(|memory| memory.at(place, length as usize));
                // SAFETY: as many bytes of different memories, which nobody accesses meanwhile.
                unsafe { from.copy_to_nonoverlapping(hint::black_box(to), length as usize) };
            }
            samples.end();
        }
        samples.median_ns()
    }
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
