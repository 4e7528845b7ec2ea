//! Remote reads and fetch-and-adds, by one of two nodes or by both at the same time.
//!
//! ```text
//!   node 0: requester --requests--> responder :node 1      one side
//!           responder <--requests-- requester              the other, if it is to ask, too
//! ```
//!
//! Where a device is served by the threads that poll it, requester and responder of a node are one thread.

mod drive;
mod meeting;
mod side;

use std::{sync::OnceLock, thread, time::Duration};

use onesided_measure::{Clock, Ticks};
use onesided_placement::{CpuId, CpuSet, PagesByNode, SpinningWatch, pin_current_thread};
use onesided_transport::{ConnectionAttributes, Endpoint, Transport};

use self::{
    meeting::Meeting,
    side::{DEPTH, Side},
};
use crate::{Buffers, error::FabricError, spread::Spread, timing::Timing};

/// What is asked for again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Reads of so many bytes, a multiple of 64.
    Read {
        /// Bytes of one.
        bytes: u32,
    },
    /// Fetch-and-adds of 8 bytes.
    FetchAndAdd,
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What is asked for.
    pub asked: Asked,
    /// Operations under way at most.
    pub window: u64,
    /// How long.
    pub longest: Duration,
}

/// What a measurement found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Time of one operation at the first node in nanoseconds, where one was under way at a time;
    /// of several the time between completions.
    pub latency_ns: Option<Spread>,
    /// Samples of that.
    pub samples: u64,
    /// Operations in a second of all nodes that asked.
    pub rate: Option<Spread>,
    /// Operations of all of them.
    pub operations: u64,
    /// Words that are not what they must be.
    pub differing_words: u64,
    /// The largest share of its time that a thread of a node had no CPU, 0 to 1.
    pub without_cpu: f64,
}

/// Two nodes that can ask each other.
pub struct Pair<T: Transport>([Side<T>; 2]);

/// Which nodes ask, and the CPUs of their threads. A thread polls from its start until all have ended
/// what they ask for, so of a device that is served by polls it answers all that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requesters {
    /// Only the first node asks, and the second's device answers without a thread of ours.
    One(CpuId),
    /// Only the first node asks, and the thread of the second polls.
    OneOfTwo([CpuId; 2]),
    /// Both do at the same time.
    Both([CpuId; 2]),
}

impl Requesters {
    /// The CPU of each node's thread, and how many of these ask.
    fn threads(self) -> (Vec<CpuId>, usize) {
        match self {
            Self::One(cpu) => (vec![cpu], 1),
            Self::OneOfTwo(cpus) => (cpus.to_vec(), 1),
            Self::Both(cpus) => (cpus.to_vec(), 2),
        }
    }
}

impl<T: Transport> Pair<T>
where
    T::Region: Send,
{
    /// Connects a node on either device, with memories as said of each.
    ///
    /// # Errors
    /// When a device refuses, or there is no such memory.
    ///
    /// # Panics
    /// When a memory has not the bytes of the other, or these are no multiple of [`Buffers::UNIT`].
    pub fn connect(
        devices: [&T; 2],
        buffers: [Buffers; 2],
        attributes: &ConnectionAttributes,
    ) -> Result<Self, FabricError> {
        let bytes = buffers.map(|buffers| buffers.bytes);
        assert!(bytes[0] == bytes[1] && bytes[0].is_multiple_of(Buffers::UNIT), "{bytes:?} bytes");
        let mut one = Side::new(devices[0], 0, buffers[0])?;
        let mut other = Side::new(devices[1], 1, buffers[1])?;
        let gid = attributes.gid;
        let (here, there) = (one.endpoint.address(gid), other.endpoint.address(gid));
        other.endpoint.connect(&here, attributes)?;
        one.endpoint.connect(&there, attributes)?;
        one.knows(&mut other);
        Ok(Self([one, other]))
    }

    /// On which NUMA nodes the pages of either node's memories are: how many on each.
    ///
    /// # Errors
    /// The kernel fails in a way that is neither a refusal nor an answer.
    pub fn pages_by_node(&self) -> Result<[PagesByNode; 2], FabricError> {
        let [one, other] = &self.0;
        Ok([one.pages_by_node()?, other.pages_by_node()?])
    }

    /// Measures, after a tenth of the time that does not count.
    ///
    /// # Errors
    /// When a thread cannot be pinned, or an operation fails.
    ///
    /// # Panics
    /// When more is to be under way than [`most_under_way`].
    pub fn measure(
        &mut self,
        clock: &Clock,
        plan: &Plan,
        requesters: Requesters,
    ) -> Result<Found, FabricError> {
        assert!((1..=most_under_way()).contains(&plan.window), "the queue has no such depth");
        let (cpus, asking) = requesters.threads();
        self.0.iter().for_each(|side| side.prepare(plan.asked));
        let (warmed_up, ended) = (Meeting::of(cpus.len()), Meeting::of(cpus.len()));
        let start = OnceLock::new();
        let one = |number: usize, side: &mut Side<T>, cpu: CpuId| {
            let asks = number < asking;
            // A thread that may not run there still comes, so that the other does not wait.
            let pinned = pin_current_thread(&CpuSet::of(cpu)).map_err(FabricError::from);
            let before =
                pinned.and_then(|()| if asks { side.warmed_up(clock, plan) } else { Ok(0) });
            let before = warmed_up.come(side, before);
            let watch = SpinningWatch::begin();
            let start: Ticks = *start.get_or_init(|| clock.now());
            let timed = before.and_then(|before| {
                asks.then(|| side.measured(clock, plan, start, before)).transpose()
            });
            Ok((ended.come(side, timed)?, watch.without_cpu()))
        };
        let one = &one;
        let threads = thread::scope(|scope| {
            let start = |((number, side), cpu)| scope.spawn(move || one(number, side, cpu));
            let all: Vec<_> = self.0.iter_mut().enumerate().zip(cpus).map(start).collect();
            all.into_iter()
                .map(|thread| thread.join().expect("a thread of a node returns"))
                .collect::<Result<Vec<_>, FabricError>>()
        })?;
        let without_cpu = threads.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        let timings: Vec<_> = threads.into_iter().filter_map(|(timed, _)| timed).collect();
        Ok(self.found(plan.asked, &timings, without_cpu))
    }

    /// `timings` are of those that asked, with what they asked for before.
    fn found(&self, asked: Asked, timings: &[(Timing, u64)], without_cpu: f64) -> Found {
        let (latency_ns, samples) = timings[0].0.latency_ns();
        let all: Vec<_> = timings.iter().map(|(timing, _)| timing).collect();
        let total = |index: usize| {
            timings.get(index).map_or(0, |(timing, before)| timing.operations() + before)
        };
        let [one, other] = &self.0;
        let differing = one.differing_words(asked, other, total(0))
            + other.differing_words(asked, one, total(1));
        Found {
            latency_ns,
            samples,
            rate: Timing::rates(&all),
            operations: all.iter().map(|timing| timing.operations()).sum(),
            differing_words: differing,
            without_cpu,
        }
    }
}

/// The most operations that can be under way of a node.
pub const fn most_under_way() -> u64 {
    DEPTH as u64
}
