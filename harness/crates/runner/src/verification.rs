//! Whether the operations really did what they were counted for.
//!
//! Before a run the region holds one pattern in every item and the client's buffers hold another.
//! Afterwards reads must have brought the first, writes must have left the second, and atomics
//! must have counted themselves. Items are all alike, so the check holds for every address
//! pattern; a torn or misplaced item matches neither.

use onesided_control::message::Verification;
use onesided_results::{
    RunConfiguration,
    record::VerificationRecord,
    vocabulary::{AddressPattern, LoopShape, Operation, WorkerOperation},
};

/// What an item of the region holds before a run, by position in the item.
fn initial(position: usize) -> u8 {
    (position as u8).wrapping_mul(7).wrapping_add(0x11)
}

/// What a client writes, by position in the item; differs from [`initial`] at every position.
fn written(position: usize) -> u8 {
    !initial(position)
}

/// What a run's memory is about, as far as content goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    operation: Operation,
    pattern: AddressPattern,
    ping_pong: bool,
    /// Whether the server's workers store into the region as well.
    worked_on: bool,
    /// Whether operations may be lost, and whether parts of one may.
    is_lossy: bool,
    is_in_parts: bool,
    access: usize,
    /// Bytes from one item of the region to the next.
    pub stride: usize,
    /// Where the first item begins.
    pub base: usize,
    queue_pairs: usize,
}

impl Content {
    /// Of a run over items of `stride` bytes that begin at `base`.
    pub(crate) fn of(configuration: &RunConfiguration, base: usize, stride: usize) -> Self {
        Self {
            operation: configuration.operation,
            pattern: configuration.address_pattern,
            ping_pong: configuration.loop_shape == LoopShape::PingPong,
            worked_on: !matches!(
                configuration.worker_operation,
                WorkerOperation::None | WorkerOperation::Read
            ),
            is_lossy: !configuration.service.is_reliable(),
            is_in_parts: !configuration.service.is_reliable()
                && configuration.access_bytes > configuration.mtu_bytes,
            access: configuration.access_bytes as usize,
            stride,
            base,
            queue_pairs: configuration.queue_pairs as usize,
        }
    }

    fn is_atomic(&self) -> bool {
        matches!(self.operation, Operation::CompareAndSwap | Operation::FetchAndAdd)
    }

    /// Fills the server's region.
    pub(crate) fn fill_region(&self, region: &mut [u8]) {
        region.fill(0);
        if self.is_atomic() || self.ping_pong {
            return;
        }
        for item in self.items(region.len()) {
            fill(&mut region[item..item + self.access], initial);
        }
    }

    /// Fills a client's buffer: what writes send, and what reads must replace.
    pub(crate) fn fill_buffer(&self, buffer: &mut [u8], slot_stride: usize) {
        if self.ping_pong {
            buffer.fill(0);
            return;
        }
        for slot in buffer.chunks_mut(slot_stride) {
            let used = self.access.min(slot.len());
            fill(&mut slot[..used], written);
        }
    }

    /// Checks the server's region after `operations` operations.
    pub(crate) fn check_region(&self, region: &[u8], operations: u64) -> Verification {
        if self.ping_pong {
            return Verification::Checked(VerificationRecord {
                what: "each answer was the one that was due, looked at when it arrived".to_owned(),
                checked: operations,
                mismatched: 0,
                first_mismatch: None,
            });
        }
        if self.worked_on {
            return not_applicable("the server's workers store into the region as well");
        }
        if self.is_in_parts {
            return not_applicable(
                "what is longer than the path MTU may arrive in parts over an unreliable connection",
            );
        }
        match self.operation {
            Operation::Read => self.check_items(region, false, 0),
            Operation::FetchAndAdd => self.check_sum(region, operations),
            Operation::CompareAndSwap if self.pattern == AddressPattern::OwnSlot => {
                self.check_sum(region, operations)
            }
            Operation::CompareAndSwap => {
                not_applicable("compare-and-swaps of several queue pairs on one word may fail")
            }
            _ => self.check_items(region, true, self.least_written(operations)),
        }
    }

    /// Checks empty messages, which leave nothing in the region: `received` has how many came to each queue pair.
    pub(crate) fn check_empty(&self, received: &[u64], operations: u64) -> Verification {
        let came: u64 = received.iter().sum();
        let mismatched =
            if self.is_lossy { came.saturating_sub(operations) } else { came.abs_diff(operations) };
        let what = if self.is_lossy {
            "no more empty messages came than were sent"
        } else {
            "as many empty messages came as were sent"
        };
        Verification::Checked(VerificationRecord {
            what: what.to_owned(),
            checked: operations,
            mismatched,
            first_mismatch: (mismatched > 0).then(|| format!("{came} came of {operations}")),
        })
    }

    /// Adds to what the region's items showed whether each queue pair's messages came, of which `received` has the
    /// counts: where they take requests of a queue that is shared, the items say nothing of that.
    pub(crate) fn check_receivers(
        &self,
        found: Verification,
        received: &[u64],
        operations: u64,
    ) -> Verification {
        let Verification::Checked(mut record) = found else { return found };
        let heard = received.iter().filter(|messages| **messages > 0).count() as u64;
        let due = if self.ping_pong { 0 } else { self.least_written(operations) };
        if heard < due {
            record.mismatched += due - heard;
            record.first_mismatch.get_or_insert_with(|| {
                format!("{heard} queue pairs received messages, {due} are due")
            });
        }
        Verification::Checked(record)
    }

    /// Checks slots of the client's buffer, by where they begin, after reads into all of them.
    pub(crate) fn check_buffer(
        &self,
        buffer: &[u8],
        slots: impl Iterator<Item = usize>,
    ) -> Verification {
        if self.operation != Operation::Read || self.ping_pong {
            return not_applicable("only reads fill the client's buffer");
        }
        if self.worked_on {
            return not_applicable("the server's workers store into the region as well");
        }
        let (mut checked, mut mismatched, mut first_mismatch) = (0, 0, None);
        for slot in slots {
            let bytes = &buffer[slot..slot + self.access];
            checked += 1;
            if !holds(bytes, initial) {
                mismatched += 1;
                first_mismatch.get_or_insert_with(|| {
                    format!("the slot at byte {slot} holds {}", show(bytes))
                });
            }
        }
        let what = "the client's slots hold what the region held".to_owned();
        Verification::Checked(VerificationRecord { what, checked, mismatched, first_mismatch })
    }

    /// How many items must have been written at the least.
    fn least_written(&self, operations: u64) -> u64 {
        let due = match (self.pattern, self.operation) {
            _ if self.is_lossy => 0,
            (_, Operation::Mixed) => 0,
            (AddressPattern::OwnSlot, _) => self.queue_pairs as u64,
            _ => 1,
        };
        due.min(operations)
    }

    fn items(&self, length: usize) -> impl Iterator<Item = usize> + use<> {
        let last = length.saturating_sub(self.access);
        (self.base..=last).step_by(self.stride.max(1))
    }

    fn words<'a>(&self, region: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
        let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        self.items(region.len()).map(move |item| word(&region[item..item + 8]))
    }

    fn check_sum(&self, region: &[u8], operations: u64) -> Verification {
        let sum = self.words(region).fold(0_u64, u64::wrapping_add);
        Verification::Checked(VerificationRecord {
            what: "the region's words count every atomic once".to_owned(),
            checked: operations,
            mismatched: sum.abs_diff(operations),
            first_mismatch: (sum != operations)
                .then(|| format!("the words add up to {sum} after {operations} atomics")),
        })
    }

    fn check_items(&self, region: &[u8], may_be_written: bool, due: u64) -> Verification {
        let (mut checked, mut changed, mut mismatched) = (0, 0, 0);
        let mut first_mismatch = None;
        for item in self.items(region.len()) {
            let bytes = &region[item..item + self.access];
            checked += 1;
            if holds(bytes, initial) {
                continue;
            }
            if may_be_written && holds(bytes, written) {
                changed += 1;
                continue;
            }
            mismatched += 1;
            first_mismatch.get_or_insert_with(|| {
                format!("the item at byte {item} of the region is torn or foreign: {}", show(bytes))
            });
        }
        if changed < due {
            mismatched += due - changed;
            first_mismatch
                .get_or_insert_with(|| format!("{changed} items were written, {due} are due"));
        }
        let what = "the region's items are whole and as the operations left them".to_owned();
        Verification::Checked(VerificationRecord { what, checked, mismatched, first_mismatch })
    }
}

fn fill(bytes: &mut [u8], pattern: fn(usize) -> u8) {
    for (position, byte) in bytes.iter_mut().enumerate() {
        *byte = pattern(position);
    }
}

fn holds(bytes: &[u8], pattern: fn(usize) -> u8) -> bool {
    bytes.iter().enumerate().all(|(position, byte)| *byte == pattern(position))
}

fn show(bytes: &[u8]) -> String {
    bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn not_applicable(why: &str) -> Verification {
    Verification::NotApplicable { why: why.to_owned() }
}

#[cfg(test)]
mod tests;
