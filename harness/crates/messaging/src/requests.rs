//! Operations that a channel or a barrier has under way on one queue pair.

use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, Endpoint, EndpointAttributes, LocalSegment, Opcode,
    Payload, ReceiveQueues, RemoteSegment, ResourceError, Service, Signal, Transport,
    WorkCompletion, WorkRequest,
};

use crate::error::ChannelError;

/// Requests that may be under way. Ours: more than what helps; a message takes one or two.
const DEPTH: u32 = 128;

/// Completions that are taken at a time.
const BATCH: usize = 16;

/// Bits of an id that count.
const COUNT_BITS: u32 = 62;

/// What a request is for; its id says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Lines for the peer's ring, up to this position.
    Packets(u64),
    /// A word of its own for the peer.
    Word,
    /// The payload of a message, read.
    Pull,
}

impl Purpose {
    fn id(self) -> u64 {
        match self {
            Self::Packets(end) => end,
            Self::Word => 1 << COUNT_BITS,
            Self::Pull => 2 << COUNT_BITS,
        }
    }

    fn of(id: u64) -> Self {
        match id >> COUNT_BITS {
            0 => Self::Packets(id),
            1 => Self::Word,
            _ => Self::Pull,
        }
    }
}

/// An endpoint of one queue pair, and what is under way on it. All requests are signaled.
pub struct Requests<E> {
    /// To be connected.
    pub endpoint: E,
    depth: u32,
    under_way: u32,
    completions: [WorkCompletion; BATCH],
    failed: Option<Failure>,
}

/// Why nothing more can be done.
#[derive(Clone, Copy)]
enum Failure {
    Status(CompletionStatus),
    Malformed,
    Poll { code: i32 },
}

impl<E: Endpoint> Requests<E> {
    /// With an endpoint of a device.
    pub fn new<T: Transport<Endpoint = E>>(transport: &T) -> Result<Self, ResourceError> {
        let depth = DEPTH.min(transport.description().limits.queue_depth);
        let attributes = EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: depth,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access { remote_atomic: false, ..Access::REMOTE },
        };
        let endpoint = transport.create_endpoint(&attributes)?;
        let completions = [WorkCompletion::EMPTY; BATCH];
        Ok(Self { endpoint, depth, under_way: 0, completions, failed: None })
    }

    /// Requests that may still be posted.
    #[inline]
    pub fn room(&self) -> u32 {
        self.depth - self.under_way
    }

    /// Whether nothing is under way.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    /// Posts requests for which there is room.
    ///
    /// # Safety
    /// As [`Endpoint::post`].
    #[inline]
    pub unsafe fn post(&mut self, requests: &[WorkRequest]) -> Result<(), ChannelError> {
        self.check()?;
        // SAFETY: the caller's.
        unsafe { self.endpoint.post(0, requests) }?;
        self.under_way += requests.len() as u32;
        Ok(())
    }

    /// Takes what has ended, and calls `done` for what it was for. A failure is for good.
    #[inline]
    pub fn poll(&mut self, done: impl FnMut(Purpose)) -> Result<(), ChannelError> {
        if self.under_way > 0 { self.tend(done) } else { self.check() }
    }

    /// The same where nothing is under way, too: an emulated node may serve others meanwhile.
    pub fn tend(&mut self, mut done: impl FnMut(Purpose)) -> Result<(), ChannelError> {
        let polled = match self.endpoint.poll(&mut self.completions) {
            Ok(polled) => polled,
            Err(error) => {
                self.failed.get_or_insert(Failure::Poll { code: error.code });
                0
            }
        };
        self.under_way -= polled as u32;
        for completion in &self.completions[..polled] {
            match completion.status {
                CompletionStatus::Success => done(Purpose::of(completion.id)),
                failed => {
                    self.failed.get_or_insert(Failure::Status(failed));
                }
            }
        }
        self.check()
    }

    /// Notes that the peer does not keep to the form.
    #[cold]
    pub fn refuse(&mut self) -> ChannelError {
        self.failed.get_or_insert(Failure::Malformed);
        ChannelError::Malformed
    }

    /// Whether it has not failed.
    #[inline]
    pub fn check(&self) -> Result<(), ChannelError> {
        match self.failed {
            None => Ok(()),
            Some(Failure::Status(status)) => Err(ChannelError::of(status)),
            Some(Failure::Malformed) => Err(ChannelError::Malformed),
            Some(Failure::Poll { code }) => Err(onesided_transport::PollError { code }.into()),
        }
    }
}

/// A request of memory of this crate.
#[inline]
pub fn request(
    purpose: Purpose,
    opcode: Opcode,
    local: LocalSegment,
    remote: RemoteSegment,
) -> WorkRequest {
    let (signal, payload) = (Signal::Signaled, Payload::Gathered);
    WorkRequest { id: purpose.id(), opcode, local, remote, signal, payload }
}
