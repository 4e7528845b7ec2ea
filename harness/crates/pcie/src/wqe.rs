//! The size of a work queue element (WQE).

use crate::{Payload, Transport, Verb};

/// A cache line: what stores to the card are combined to, and what WQEs are aligned to
/// (003 §2.1, §2.2.2).
pub const CACHE_LINE_BYTES: u64 = 64;

/// A Doorbell, `d` (003 appendix A).
pub const DOORBELL_BYTES: u64 = 8;

/// The longest WQE of a send queue: its length is a number of 6 bits of 16-byte units (rdma-core,
/// `mlx5_wqe_ctrl_seg.qpn_ds`). Ours: the paper's WQEs are shorter.
pub const LONGEST_WQE_BYTES: u64 = 63 * 16;

/// What tells the length of an inlined payload, part of Table 1's headers. A header-only SEND has
/// none, which is how 68 bytes fit in a cache line (003 §4.2.1, Fig. 5; rdma-core,
/// `mlx5_wqe_inline_seg`).
const INLINE_LENGTH_BYTES: u64 = 4;

/// A pointer to a payload: the whole WQE of a RECV (003 Table 1; rdma-core, `mlx5_wqe_data_seg`).
const POINTER_BYTES: u64 = 16;

/// Operands of an atomic (rdma-core, `mlx5_wqe_atomic_seg`; ours, because Table 1 has no atomics).
const OPERANDS_BYTES: u64 = 16;

/// A work queue element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wqe {
    bytes: u64,
}

impl Wqe {
    /// That of a verb with `payload_bytes`.
    ///
    /// An inlined payload stands behind Table 1's header. In the place of the length and the
    /// payload there is a pointer where it is not inlined, and nothing where there is none.
    pub(crate) const fn of(
        verb: Verb,
        transport: Transport,
        payload: Payload,
        payload_bytes: u64,
    ) -> Self {
        if matches!(verb, Verb::Recv) {
            return Self { bytes: POINTER_BYTES };
        }
        let header = header_bytes(transport);
        let bare = header - INLINE_LENGTH_BYTES;
        let bytes = match payload {
            _ if verb.is_atomic() => bare + OPERANDS_BYTES + POINTER_BYTES,
            _ if payload_bytes == 0 => bare,
            Payload::Inline => header + payload_bytes,
            Payload::Pointer => bare + POINTER_BYTES,
        };
        Self { bytes }
    }

    /// What 003 Table 1 says of a verb's WQE: the header before an inlined payload; of a RECV all of it.
    pub const fn table_1_bytes(verb: Verb, transport: Transport) -> u64 {
        match verb {
            Verb::Recv => POINTER_BYTES,
            _ => header_bytes(transport),
        }
    }

    /// A WQE of that size, whatever is in it.
    pub const fn of_bytes(bytes: u64) -> Self {
        Self { bytes }
    }

    /// Its bytes.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Cache lines that it takes, and stores to the card that transfer it.
    pub const fn lines(self) -> u64 {
        self.bytes.div_ceil(CACHE_LINE_BYTES)
    }

    /// Bytes of the cache lines that it takes: 003's `D'`.
    pub const fn padded_bytes(self) -> u64 {
        self.lines() * CACHE_LINE_BYTES
    }
}

/// The header in front of an inlined payload (003 Table 1).
pub(crate) const fn header_bytes(transport: Transport) -> u64 {
    match transport {
        Transport::Rc | Transport::Uc => 36,
        Transport::Ud => 68,
    }
}
