//! The generator of one queue pair: a shape, an address pattern and a mix.

use onesided_vocabulary::Operation;

use crate::{mix::Mix, pattern::AddressPattern, shape::Shape, shape::Turn};

/// A moment on the caller's clock, in a unit that only the caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

/// What a queue pair is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Post this, and ask again: more may go behind the same doorbell.
    Post(Post),
    /// Nothing before this moment, which lies in the future. Completions may still be taken.
    WaitUntil(Instant),
    /// Nothing before an operation completes.
    WaitForCompletion,
    /// Everything that was to be asked for has been asked for and has completed.
    Finished,
}

/// An operation to be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Which operation.
    pub operation: PostedOperation,
    /// Where in the peer's region, in bytes from its start; of a send the peer says where.
    pub remote_offset: u64,
    /// When it should have been posted: its latency counts from here. Now for loops that follow
    /// their completions, the scheduled arrival for an open loop.
    pub intended: Instant,
}

/// The operations that can be asked for; operands belong to the poster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PostedOperation {
    /// An RDMA read.
    Read,
    /// An RDMA write.
    Write,
    /// An RDMA write that also consumes a receive request of the peer.
    WriteWithImmediate,
    /// A send into the buffer of a receive request of the peer.
    Send,
    /// An 8-byte compare and swap.
    CompareAndSwap,
    /// An 8-byte fetch and add.
    FetchAndAdd,
}

impl PostedOperation {
    /// The one that a run asks for; absent where it draws from several.
    pub const fn of(asked: Operation) -> Option<Self> {
        match asked {
            Operation::Read => Some(Self::Read),
            Operation::Write | Operation::WriteAnsweredBySend => Some(Self::Write),
            Operation::WriteWithImmediate => Some(Self::WriteWithImmediate),
            Operation::CompareAndSwap => Some(Self::CompareAndSwap),
            Operation::FetchAndAdd => Some(Self::FetchAndAdd),
            Operation::Send => Some(Self::Send),
            Operation::Mixed => None,
        }
    }

    /// Whether it is an atomic, with the alignment and size that atomics demand.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::CompareAndSwap | Self::FetchAndAdd)
    }
}

/// A source of operations for one queue pair.
pub trait Generator {
    /// Whether time alone can make the next post due. Where it cannot, the caller need not look at
    /// its clock while nothing completes.
    const TIMED: bool;

    /// What to do at `now`. [`Next::Post`] counts as posted.
    fn next(&mut self, now: Instant) -> Next;

    /// `operations` that were posted completed, as seen at `now`.
    ///
    /// # Panics
    /// When more complete than are outstanding.
    fn completed(&mut self, operations: u32, now: Instant);

    /// Operations posted and not completed.
    fn outstanding(&self) -> u32;

    /// How long, in the caller's unit, the oldest operation that is due has not been posted; 0 on
    /// schedule, absent where there is no schedule to be behind.
    fn backlog(&self, now: Instant) -> Option<u64>;
}

/// A [`Generator`] put together from when, where and what.
#[derive(Clone, Debug)]
pub struct QueuePairGenerator<S, P, M> {
    shape: S,
    pattern: P,
    mix: M,
    /// Operations still to be posted.
    remaining: u64,
}

impl<S: Shape, P: AddressPattern, M: Mix> QueuePairGenerator<S, P, M> {
    /// A generator of `limit` operations. Without a limit it stops after 2^64 - 1, which a queue
    /// pair does not reach in a human life.
    pub fn new(shape: S, pattern: P, mix: M, limit: Option<u64>) -> Self {
        Self { shape, pattern, mix, remaining: limit.unwrap_or(u64::MAX) }
    }
}

impl<S: Shape, P: AddressPattern, M: Mix> Generator for QueuePairGenerator<S, P, M> {
    const TIMED: bool = S::TIMED;

    #[inline]
    fn next(&mut self, now: Instant) -> Next {
        if self.remaining == 0 {
            return if self.shape.outstanding() == 0 {
                Next::Finished
            } else {
                Next::WaitForCompletion
            };
        }
        match self.shape.next(now, self.remaining) {
            Turn::Post { intended } => {
                self.remaining -= 1;
                Next::Post(Post {
                    operation: self.mix.next_operation(),
                    remote_offset: self.pattern.next_offset(),
                    intended,
                })
            }
            Turn::WaitUntil(moment) => Next::WaitUntil(moment),
            Turn::WaitForCompletion => Next::WaitForCompletion,
        }
    }

    #[inline]
    fn completed(&mut self, operations: u32, now: Instant) {
        self.shape.completed(operations, now);
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.shape.outstanding()
    }

    #[inline]
    fn backlog(&self, now: Instant) -> Option<u64> {
        self.shape.backlog(now).map(|behind| if self.remaining == 0 { 0 } else { behind })
    }
}
