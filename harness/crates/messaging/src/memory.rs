//! Registered memory of a channel or a barrier, by lines.

use onesided_transport::{
    Access, LocalSegment, Region, RegisteredMemory, RemoteMemory, RemoteSegment, ResourceError,
    Transport,
};

use crate::line::{LINE_BYTES, Line};

/// Zeroed lines, registered. Who has it says how they are accessed.
pub struct Memory<R>(RegisteredMemory<R>);

impl<R: Region> Memory<R> {
    /// So many lines, that peers may access as said.
    pub fn new<T: Transport<Region = R>>(
        transport: &T,
        lines: usize,
        access: Access,
    ) -> Result<Self, ResourceError> {
        assert!(lines > 0, "memory has lines");
        Ok(Self(RegisteredMemory::new(transport, lines * LINE_BYTES, access)?))
    }

    /// Where a line is.
    #[inline]
    pub fn at(&self, line: u64) -> *mut u8 {
        self.0.at(line as usize * LINE_BYTES, 0).as_ptr()
    }

    /// A part of it for an operation.
    #[inline]
    pub fn segment(&self, line: u64, length: u32) -> LocalSegment {
        self.0.segment(line as usize * LINE_BYTES, length)
    }

    /// What a peer must know.
    pub fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }
}

impl<R> Memory<R> {
    /// The lines, for polling.
    #[inline]
    pub fn lines(&self) -> &[Line] {
        let (start, count) = (self.0.at(0, self.0.length()), self.0.length() / LINE_BYTES);
        // SAFETY: aligned and zeroed, which a line may be; used by those only who leave all writing
        // to peers, or use atomics.
        unsafe { std::slice::from_raw_parts(start.as_ptr().cast(), count) }
    }
}

/// A line of a peer's memory.
#[inline]
pub fn remote_line(memory: RemoteMemory, line: u64) -> RemoteSegment {
    RemoteSegment { address: memory.address + line * LINE_BYTES as u64, key: memory.key }
}
