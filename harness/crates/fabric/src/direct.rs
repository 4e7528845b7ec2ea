//! Reads of another node's memory without asking that node: what shared memory can do at best.
//!
//! ```text
//!   node 0: thread --loads--> segment of node 1 <--stores-- thread :node 1    one side
//!           thread --stores-> segment of node 0 <--loads--- thread            the other, if it reads, too
//! ```
//!
//! In rounds: a node's thread writes all of the memory that the other reads, both meet, and the other reads all
//! places of it once. So each line comes from the other core, or from memory where there is more than caches
//! hold, and never from the reader's own cache. Only reading is timed.
//!
//! Places are two cache lines apart at the least, and are not read in the order of their addresses: processors
//! fetch neighbours, and what they foresee.

mod meeting;
mod samples;
mod side;

use std::{
    sync::atomic::AtomicU64,
    thread,
    time::{Duration, Instant},
};

use onesided_measure::Clock;
use onesided_placement::{CpuId, CpuSet, SpinningWatch, pin_current_thread};
use onesided_transport::{ConnectionAttributes, Endpoint, RemoteMemory, Transport};

use self::{
    meeting::{Meeting, Phase},
    samples::Samples,
    side::{Side, Unconnected},
};
use crate::{
    error::{FabricError, LoadError},
    reads::Found,
    spread::Spread,
};

/// The share of the time that is gone before a measurement counts.
const WARM_UP: u32 = 10;

/// Copies as many words as there is room for, from a byte of the peer's memory on.
pub trait CopyWords: Send {
    /// Does it.
    ///
    /// # Errors
    /// When they cannot be loaded.
    fn copy(&self, byte: u64, to: &[AtomicU64]) -> Result<(), LoadError>;
}

impl<F: Fn(u64, &[AtomicU64]) -> Result<(), LoadError> + Send> CopyWords for F {
    #[inline]
    fn copy(&self, byte: u64, to: &[AtomicU64]) -> Result<(), LoadError> {
        self(byte, to)
    }
}

/// How a node has the memory of the peer that its endpoint is connected to.
pub type OpenWords<'a, E, W> = &'a dyn Fn(&E, RemoteMemory) -> Result<W, LoadError>;

/// How reads follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each is of a place that depends on what the one before it brought.
    OneByOne,
    /// As many at a time as a core has under way.
    Overlapping,
}

/// Which nodes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Only the first.
    First,
    /// Both at the same time.
    Both,
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Bytes of one read: 64 to [`crate::Buffers::UNIT`], a power of two.
    pub bytes: u32,
    /// How they follow each other.
    pub order: Order,
    /// How long, with the time for writing; there is one round at the least.
    pub longest: Duration,
}

/// Two nodes that can read each other's segments.
pub struct DirectPair<T: Transport, W>([Side<T, W>; 2]);

impl<T: Transport, W: CopyWords> DirectPair<T, W>
where
    T::Region: Send,
{
    /// Connects a node on either device, each with a segment of so many bytes, a multiple of
    /// [`crate::Buffers::UNIT`].
    ///
    /// # Errors
    /// When a device refuses, or memory of the peer cannot be loaded from.
    pub fn connect(
        devices: [&T; 2],
        bytes: usize,
        attributes: &ConnectionAttributes,
        open: OpenWords<'_, T::Endpoint, W>,
    ) -> Result<Self, FabricError> {
        let mut one = Unconnected::new(devices[0], bytes)?;
        let mut other = Unconnected::new(devices[1], bytes)?;
        let gid = attributes.gid;
        let (here, there) = (one.endpoint.address(gid), other.endpoint.address(gid));
        other.endpoint.connect(&here, attributes)?;
        one.endpoint.connect(&there, attributes)?;
        let [of_one, of_other] = [one.written.remote(), other.written.remote()];
        Ok(Self([one.reading(of_other, open)?, other.reading(of_one, open)?]))
    }

    /// Measures, after a tenth of the time that does not count; the thread of each node on its CPU.
    ///
    /// # Errors
    /// When a thread cannot be pinned, or memory cannot be loaded from any more.
    ///
    /// # Panics
    /// When a read has bytes that [`Plan`] rules out.
    pub fn measure(
        &mut self,
        clock: &Clock,
        plan: &Plan,
        readers: Readers,
        cpus: [CpuId; 2],
    ) -> Result<Found, FabricError> {
        let meeting = Meeting::new();
        let one = |number: usize, side: &mut Side<T, W>| {
            let is_first = number == 0;
            let work = Work {
                clock,
                plan,
                meeting: &meeting,
                cpu: cpus[number],
                reads: is_first || readers == Readers::Both,
                writes: !is_first || readers == Readers::Both,
                leads: is_first,
            };
            work.on(side)
        };
        let one = &one;
        let ended = thread::scope(|scope| {
            let start = |(number, side)| scope.spawn(move || one(number, side));
            let all: Vec<_> = self.0.iter_mut().enumerate().map(start).collect();
            all.into_iter()
                .map(|thread| thread.join().expect("a thread of a node returns"))
                .collect::<Result<Vec<_>, FabricError>>()
        })?;
        let without_cpu = ended.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let all: Vec<_> = ended.into_iter().filter_map(|(samples, _)| samples).collect();
        let (latency_ns, samples) = all[0].latency_ns(clock);
        Ok(Found {
            latency_ns,
            samples,
            rate: all.iter().map(|samples| samples.rates(clock)).reduce(sum).flatten(),
            operations: all.iter().map(|samples| samples.operations).sum(),
            differing_words: all.iter().map(|samples| samples.differing_words).sum(),
            without_cpu,
        })
    }
}

fn sum(one: Option<Spread>, other: Option<Spread>) -> Option<Spread> {
    one.zip(other).map(|(one, other)| Spread {
        median: one.median + other.median,
        low: one.low + other.low,
        high: one.high + other.high,
    })
}

/// What the thread of a node does.
struct Work<'a> {
    clock: &'a Clock,
    plan: &'a Plan,
    meeting: &'a Meeting,
    cpu: CpuId,
    /// Whether it reads what the other writes.
    reads: bool,
    /// Whether it writes what the other reads.
    writes: bool,
    /// Whether it says when time is over.
    leads: bool,
}

impl Work<'_> {
    /// What was read, and the share of the time that its thread had no CPU.
    fn on<T: Transport, W: CopyWords>(
        &self,
        side: &mut Side<T, W>,
    ) -> Result<(Option<Samples>, f64), FabricError> {
        // Who may not run there, or can read no more, still meets the other, who ends with it.
        let mut ended = pin_current_thread(&CpuSet::of(self.cpu)).map_err(FabricError::from);
        let mut samples = self.reads.then(|| Samples::new(self.plan, side.bytes()));
        let (begun, watch) = (Instant::now(), SpinningWatch::begin());
        for round in 1.. {
            if self.writes && ended.is_ok() {
                side.write(round);
            }
            self.meeting.meet();
            let phase = self.meeting.phase();
            if let Some(samples) = &mut samples
                && ended.is_ok()
            {
                ended = side.read(self.clock, self.plan.order, round, samples);
                if phase == Phase::WarmUp {
                    samples.forget_times();
                }
            }
            if ended.is_err() {
                self.meeting.enter(Phase::Over);
            } else if self.leads {
                self.lead(phase, begun.elapsed());
            }
            self.meeting.meet();
            if self.meeting.phase() == Phase::Over {
                break;
            }
        }
        ended.map(|()| (samples, watch.without_cpu()))
    }

    fn lead(&self, phase: Phase, elapsed: Duration) {
        let warm_up = self.plan.longest / WARM_UP;
        match phase {
            Phase::WarmUp if elapsed >= warm_up => self.meeting.enter(Phase::Counts),
            Phase::Counts if elapsed >= warm_up + self.plan.longest => {
                self.meeting.enter(Phase::Over);
            }
            _ => {}
        }
    }
}
