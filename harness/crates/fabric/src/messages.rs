//! Messages between two ends, there and back and in one direction, as NetPIPE does (004 §7.3).
//!
//! Two threads have one end each, of two nodes; or one thread has both ends of one node and does
//! what either does in turns, for machines with less than four CPUs. What both ends do adds up
//! then, and nothing waits for a thread to be run. Beside them the same over TCP ([`Loopback`]).

mod alone;
mod content;
mod tcp;
mod two;

use std::time::Duration;

use onesided_measure::Clock;
use onesided_messaging::{Channel, Opening, Settings};
use onesided_placement::CpuId;
use onesided_transport::{ConnectionAttributes, Transport};

pub use self::tcp::Loopback;
use crate::{error::FabricError, spread::Spread, timing::Timing};

/// Messages of a sample of latencies. Ours: the clock's own time does not count among them.
pub(crate) const SAMPLE: u64 = 4;

/// Messages of either direction that are compared byte by byte, before anything is timed.
pub(crate) const COMPARED: u64 = 16;

/// The threads that have the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One has both.
    Alone(CpuId),
    /// Each has its own.
    Two([CpuId; 2]),
}

/// What a measurement found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Half the time of a message there and one back, in nanoseconds.
    pub latency_ns: Option<Spread>,
    /// Samples of that.
    pub samples: u64,
    /// Messages per second in one direction.
    pub rate: Option<Spread>,
    /// Messages that were received.
    pub messages: u64,
    /// Messages that were not what was sent.
    pub differing_messages: u64,
    /// The largest share of its time that a thread had no CPU, 0 to 1; absent where the kernel does not
    /// say.
    pub without_cpu: Option<f64>,
}

/// Two connected ends.
pub struct Ends<T: Transport>([Channel<T>; 2]);

/// What ends measured, before it is put together.
pub(crate) struct Measured {
    /// Of messages there and back, counted at the first end.
    pub ping_pong: Timing,
    /// Of messages in one direction, counted at the second.
    pub stream: Timing,
    /// Messages that differ.
    pub differing: u64,
}

impl<T: Transport> Ends<T> {
    /// Connects an end on either device, which may be one.
    ///
    /// # Errors
    /// When a device refuses.
    pub fn connect(
        devices: [&T; 2],
        settings: &Settings,
        attributes: &ConnectionAttributes,
    ) -> Result<Self, FabricError> {
        let [one, other] = devices;
        let (here, there) = (Opening::new(one, settings)?, Opening::new(other, settings)?);
        let gid = attributes.gid;
        let (told, back) = (here.invitation(gid), there.invitation(gid));
        let there = there.connect(other, &told, attributes)?;
        Ok(Self([here.connect(one, &back, attributes)?, there]))
    }

    /// Compares messages of a length, then measures the way there and back and one direction, each
    /// as long as that.
    ///
    /// # Errors
    /// When a thread cannot be pinned, or an end goes.
    ///
    /// # Panics
    /// When a message is shorter than 2 bytes: those end a measurement.
    pub fn measure(
        &mut self,
        clock: &Clock,
        length: usize,
        longest: Duration,
        threads: Threads,
    ) -> Result<Found, FabricError>
    where
        Channel<T>: Send,
    {
        assert!(length >= 2, "messages that short end a measurement");
        let measured = match threads {
            Threads::Alone(cpu) => alone::measured(&mut self.0, clock, length, longest, cpu),
            Threads::Two(cpus) => two::measured(&mut self.0, clock, length, longest, cpus),
        }?;
        Ok(measured.found())
    }
}

impl Measured {
    /// What there is of it to tell.
    fn found(self) -> Found {
        let Self { ping_pong, stream, differing } = self;
        let (both_ways, samples) = ping_pong.latency_ns();
        let half = |ns: f64| ns / 2.0;
        Found {
            latency_ns: both_ways.map(|ns| Spread {
                median: half(ns.median),
                low: half(ns.low),
                high: half(ns.high),
            }),
            samples,
            rate: Timing::rates(&[&stream]),
            messages: 2 * (ping_pong.operations() + COMPARED) + stream.operations(),
            differing_messages: differing,
            without_cpu: Some(ping_pong.without_cpu().max(stream.without_cpu())),
        }
    }
}
