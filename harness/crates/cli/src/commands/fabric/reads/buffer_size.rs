//! How large the memories are that `onesided fabric reads` reads.

use anyhow::{Context as _, ensure};
use onesided_access::chase::caches;
use onesided_fabric::Buffers;
use onesided_placement::CpuId;

use crate::arguments::bytes;

/// Memories of both nodes together.
const MEMORIES: u64 = 6;

/// The most bytes of a memory. Ours: each is compared word by word, row by row.
const MOST_BUFFER_BYTES: u64 = 1 << 30;

/// How large memories are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSize {
    Bytes(u64),
    /// Beyond the last-level cache.
    Memory,
}

/// Reads what `--buffer-bytes` names.
pub fn buffer(text: &str) -> Result<BufferSize, String> {
    match text {
        "memory" => Ok(BufferSize::Memory),
        text => bytes(text)
            .map(BufferSize::Bytes)
            .map_err(|error| format!("{error}; `memory` is twice the last-level cache")),
    }
}

impl BufferSize {
    /// In bytes, where operations go round that this CPU asks for.
    pub fn bytes(self, cpu: CpuId) -> anyhow::Result<u64> {
        let bytes = match self {
            Self::Bytes(bytes) => bytes,
            Self::Memory => {
                let last = caches::of(cpu).pop().with_context(|| {
                    format!("--buffer-bytes memory: the kernel does not say which caches CPU {cpu} has; give bytes")
                })?;
                (2 * last.bytes).next_multiple_of(Buffers::UNIT as u64)
            }
        };
        let available = onesided_placement::available_bytes()?.unwrap_or(u64::MAX);
        self.check(bytes, available)?;
        Ok(bytes)
    }

    /// Refuses what cannot be, in the word that was typed.
    fn check(self, bytes: u64, available: u64) -> anyhow::Result<()> {
        let typed = match self {
            Self::Bytes(bytes) => bytes.to_string(),
            Self::Memory => format!("memory, which is {bytes} here,"),
        };
        let unit = Buffers::UNIT as u64;
        ensure!(
            (unit..=MOST_BUFFER_BYTES).contains(&bytes) && bytes.is_multiple_of(unit),
            "--buffer-bytes {typed} cannot be: it is a multiple of {unit}, {MOST_BUFFER_BYTES} at most"
        );
        ensure!(
            MEMORIES * bytes <= available,
            "--buffer-bytes {typed} needs {MEMORIES} such memories, and {available} bytes are available: choose \
             fewer"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_beyond_a_large_cache_is_refused_by_the_word_that_was_typed() {
        let refused = |size: BufferSize, bytes, available| {
            size.check(bytes, available).unwrap_err().to_string()
        };
        let error = refused(BufferSize::Memory, 2 << 30, u64::MAX);
        let told = "--buffer-bytes memory, which is 2147483648 here, cannot be: ";
        assert!(error.starts_with(told), "{error}");
        let error = refused(BufferSize::Memory, 1 << 20, 1 << 20);
        assert!(
            error.starts_with("--buffer-bytes memory, which is 1048576 here, needs 6"),
            "{error}"
        );
        let error = refused(BufferSize::Bytes(8192), 8192, 8192);
        assert!(error.starts_with("--buffer-bytes 8192 needs 6 such memories"), "{error}");
        assert!(BufferSize::Memory.check(1 << 20, u64::MAX).is_ok());
    }
}
