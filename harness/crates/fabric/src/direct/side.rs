//! One of two nodes: its memory, and how it has the other's.

use std::{
    hint,
    sync::atomic::{AtomicU64, Ordering},
};

use onesided_measure::Clock;
use onesided_transport::{
    Access, CompletionQueues, EndpointAttributes, ReceiveQueues, RegisteredMemory, RemoteMemory,
    ResourceError, Service, Transport,
};

use super::{CopyWords, OpenWords, Order, samples::Samples};
use crate::{error::FabricError, memory::pattern};

/// Bytes of a word.
const WORD_BYTES: usize = size_of::<u64>();

/// A node that is not connected yet.
pub struct Unconnected<T: Transport> {
    // First, so that nothing is under way when memory goes.
    pub endpoint: T::Endpoint,
    /// What the peer may read, in a segment.
    pub written: RegisteredMemory<T::Region>,
    landing: RegisteredMemory<T::Region>,
}

impl<T: Transport> Unconnected<T> {
    /// With memories of so many bytes.
    pub fn new(device: &T, bytes: usize) -> Result<Self, FabricError> {
        let access = Access { remote_read: true, ..Access::LOCAL };
        let endpoint = device.create_endpoint(&EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: 1,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access,
        });
        let endpoint = endpoint.map_err(ResourceError::from)?;
        let memory =
            |access| RegisteredMemory::new(device, bytes, access).map_err(ResourceError::from);
        Ok(Self { endpoint, written: memory(access)?, landing: memory(Access::LOCAL)? })
    }

    /// Connected with a peer that has this memory.
    pub fn reading<W>(
        self,
        peer: RemoteMemory,
        open: OpenWords<'_, T::Endpoint, W>,
    ) -> Result<Side<T, W>, FabricError> {
        let words = open(&self.endpoint, peer).map_err(|source| FabricError::Load { source })?;
        let Self { endpoint, written, landing } = self;
        Ok(Side { words, _endpoint: endpoint, written, landing })
    }
}

/// A node.
pub struct Side<T: Transport, W> {
    /// The peer's memory.
    words: W,
    _endpoint: T::Endpoint,
    written: RegisteredMemory<T::Region>,
    landing: RegisteredMemory<T::Region>,
}

impl<T: Transport, W: CopyWords> Side<T, W> {
    /// Bytes of each memory.
    pub fn bytes(&self) -> usize {
        self.landing.length()
    }

    /// Writes all that the peer reads.
    pub fn write(&self, round: u64) {
        for (index, word) in (0..).zip(self.written.words()) {
            word.store(pattern(round, index), Ordering::Relaxed);
        }
    }

    /// Reads every place once, and compares what came with what the peer has written in this round.
    pub fn read(
        &self,
        clock: &Clock,
        order: Order,
        round: u64,
        samples: &mut Samples,
    ) -> Result<(), FabricError> {
        // No compiler knows that it is 0, so an address that it is part of is known only after what was read.
        let none = hint::black_box(0);
        match order {
            Order::OneByOne => {
                self.pass(clock, samples, |last| last.load(Ordering::Relaxed) & none)
            }
            Order::Overlapping => self.pass(clock, samples, |_| 0),
        }?;
        samples.operations += samples.places as u64;
        samples.differing_words += self.differing_words(samples, round);
        Ok(())
    }

    /// `after` is added to the place of a read, by the last word of the one before it.
    #[inline]
    fn pass(
        &self,
        clock: &Clock,
        samples: &mut Samples,
        after: impl Fn(&AtomicU64) -> u64,
    ) -> Result<(), FabricError> {
        let (words, landing) = (samples.bytes / WORD_BYTES, self.landing.words());
        let (mut place, mut behind, mut reads) = (0, 0, 0);
        let mut last = clock.now();
        for _ in 0..samples.places {
            let byte = place * samples.stride + behind as usize;
            let to = &landing[byte / WORD_BYTES..][..words];
            let copied = self.words.copy(byte as u64, to);
            copied.map_err(|source| FabricError::Load { source })?;
            behind = after(&to[words - 1]);
            place += samples.step;
            place -= if place >= samples.places { samples.places } else { 0 };
            reads += 1;
            if reads == samples.sample {
                let now = clock.now();
                samples.add(now.0.saturating_sub(last.0));
                (last, reads) = (now, 0);
            }
        }
        Ok(())
    }

    fn differing_words(&self, samples: &Samples, round: u64) -> u64 {
        let of_place = |place: usize| {
            let first = place * samples.stride / WORD_BYTES;
            let words = (first as u64..).zip(&self.landing.words()[first..]);
            let read = words.take(samples.bytes / WORD_BYTES);
            read.filter(|(index, word)| word.load(Ordering::Relaxed) != pattern(round, *index))
                .count()
        };
        (0..samples.places).map(of_place).sum::<usize>() as u64
    }
}
