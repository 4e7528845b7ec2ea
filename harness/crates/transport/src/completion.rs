//! What a completion queue reports.

use std::{fmt, num::NonZeroU32};

use serde::{Deserialize, Serialize};

/// One entry taken from a completion queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkCompletion {
    /// The id of the request that completed.
    pub id: u64,
    /// The number of the queue pair that it was posted to, as in
    /// [`crate::Endpoint::queue_pair_numbers`].
    pub queue_pair_number: u32,
    /// Success, or which rule was broken.
    pub status: CompletionStatus,
    /// Which side of the queue pair it belongs to. Meaningless unless the status is success.
    pub kind: CompletionKind,
}

impl WorkCompletion {
    /// A value to fill arrays with before they are polled into.
    pub const EMPTY: Self = Self {
        id: 0,
        queue_pair_number: 0,
        status: CompletionStatus::Success,
        kind: CompletionKind::Request,
    };
}

/// Which side of a queue pair a completion belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A request of the send queue.
    Request,
    /// A receive request, consumed by a peer's send or write with immediate.
    Receive {
        /// Bytes that the peer sent, or wrote; of a datagram without the header
        /// ([`crate::DATAGRAM_HEADER`]) before them.
        length: u32,
        /// The peer's 32 bits, in host byte order; absent where it sent none.
        immediate: Option<u32>,
        /// Of a datagram, the number of the queue pair that sent it (`src_qp` of `struct ibv_wc`), which is one
        /// of its device's: other devices may have the same. Absent over a connection, which has one peer.
        /// Number 0 is that of the subnet manager's queue pair (QP0), so this takes no more room than a number.
        source: Option<NonZeroU32>,
    },
}

/// How a request ended (`enum ibv_wc_status`; IB spec vol. 1, 10.10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompletionStatus {
    /// It did what was asked. Over an unreliable service: the local memory is free again, and what was sent
    /// may have arrived or not.
    Success,
    /// The local segment is longer than the message may be.
    LocalLengthError,
    /// The request broke a rule of the local queue pair, for instance a local key that is not
    /// of its protection domain.
    LocalQueuePairOperationError,
    /// The local segment is not covered by a region with the right to be written.
    LocalProtectionError,
    /// The queue pair was in error already: the request was never executed.
    Flushed,
    /// A memory window could not be bound.
    MemoryWindowBindError,
    /// The response was unexpected.
    BadResponse,
    /// The peer's message did not fit the local resource.
    LocalAccessError,
    /// The peer found the request invalid.
    RemoteInvalidRequest,
    /// The peer refused access: wrong key, out of bounds, or a right that was not given.
    RemoteAccessError,
    /// The peer could not finish the operation.
    RemoteOperationError,
    /// No answer within timeout × retry count.
    RetryExceeded,
    /// The peer had no receive request posted for too long.
    ReceiverNotReadyRetryExceeded,
    /// A status that verbs does not have, or has for other services; 65535 stands for that and all higher
    /// codes, as verbs has two dozen and a completion should be small.
    Other(u16),
}

impl CompletionStatus {
    /// Translates `enum ibv_wc_status`. Unknown codes become [`CompletionStatus::Other`].
    pub const fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Success,
            1 => Self::LocalLengthError,
            2 => Self::LocalQueuePairOperationError,
            4 => Self::LocalProtectionError,
            5 => Self::Flushed,
            6 => Self::MemoryWindowBindError,
            7 => Self::BadResponse,
            8 => Self::LocalAccessError,
            9 => Self::RemoteInvalidRequest,
            10 => Self::RemoteAccessError,
            11 => Self::RemoteOperationError,
            12 => Self::RetryExceeded,
            13 => Self::ReceiverNotReadyRetryExceeded,
            other if other < u16::MAX as u32 => Self::Other(other as u16),
            _ => Self::Other(u16::MAX),
        }
    }

    /// The rule that was broken, in a sentence for people.
    pub const fn explain(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::LocalLengthError => "the local segment is longer than a message may be",
            Self::LocalQueuePairOperationError => {
                "the request broke a rule of the local queue pair (is the local key right?)"
            }
            Self::LocalProtectionError => {
                "the local segment is outside its memory region or may not be written"
            }
            Self::Flushed => "the queue pair was in error before: the request was not executed",
            Self::MemoryWindowBindError => "a memory window could not be bound",
            Self::BadResponse => "the peer's response was unexpected",
            Self::LocalAccessError => "the peer's message did not fit the local resource",
            Self::RemoteInvalidRequest => "the peer found the request invalid",
            Self::RemoteAccessError => {
                "the peer refused access: wrong key, out of bounds, or a right not given"
            }
            Self::RemoteOperationError => "the peer could not finish the operation",
            Self::RetryExceeded => {
                "no answer within timeout x retry count: the peer, its queue pair or the link is gone"
            }
            Self::ReceiverNotReadyRetryExceeded => "the peer had no receive request posted",
            Self::Other(_) => "a status that a reliable connection should not have",
        }
    }
}

impl fmt::Display for CompletionStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(code) => write!(formatter, "{} ({code})", self.explain()),
            _ => formatter.write_str(self.explain()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every poll writes some: two of them are a cache line.
    #[test]
    fn a_completion_takes_half_a_cache_line() {
        assert_eq!(size_of::<WorkCompletion>(), 32);
    }

    #[test]
    fn an_unknown_status_code_below_65535_is_kept_and_no_code_is_a_panic() {
        assert_eq!(CompletionStatus::from_code(4_000), CompletionStatus::Other(4_000));
        assert!(CompletionStatus::from_code(4_000).to_string().contains("4000"));
        assert_eq!(CompletionStatus::from_code(u32::MAX), CompletionStatus::Other(u16::MAX));
    }

    #[test]
    fn the_codes_that_faults_on_a_reliable_connection_give_are_told_apart() {
        assert_eq!(CompletionStatus::from_code(5), CompletionStatus::Flushed);
        assert_eq!(CompletionStatus::from_code(10), CompletionStatus::RemoteAccessError);
        assert_eq!(CompletionStatus::from_code(12), CompletionStatus::RetryExceeded);
    }
}
