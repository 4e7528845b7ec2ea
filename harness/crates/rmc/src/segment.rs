//! One segment of a node, mapped: zeroed memory that peers can map, too.

use std::{fs::File, io, sync::Arc};

use onesided_placement::{MemoryError, NodeId, bind_file, check_supply};
use onesided_transport::{RegisterError, ZeroedMemory};

use crate::{
    node::Node,
    segments::PAGE,
    shared::mapping::{FileMapping, reserve},
};

/// A segment in use.
struct Segment {
    node: Arc<Node>,
    offset: u64,
    /// Absent where the kernel refused.
    mapping: Option<FileMapping>,
}

impl Segment {
    fn take(node: &Arc<Node>, length: u64) -> io::Result<Self> {
        let local = &node.local;
        let full = || io::Error::new(io::ErrorKind::StorageFull, "a node has no more segments");
        let offset = local.segments.take(length).ok_or_else(full)?;
        // From here on the drop gives it back.
        let mut segment = Self { node: Arc::clone(node), offset, mapping: None };
        let file = local.own.memory.file();
        if let Some(node) = local.own.memory_node {
            bind(file, offset, length, node).map_err(io::Error::other)?;
        }
        // The file grows by it.
        reserve(file, offset, length)?;
        let mapping = FileMapping::new(file, offset, length as usize)?;
        local.segments.locate(offset, mapping.start().as_ptr() as u64);
        segment.mapping = Some(mapping);
        Ok(segment)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if let Some(mapping) = self.mapping.take() {
            if self.node.local.own.memory_node.is_some() {
                let range = (mapping.start().as_ptr() as u64, mapping.length() as u64);
                self.node.local.placed.note(range);
            }
            // The memory stays the file's until the node leaves, for the next segment: a peer may
            // be copying from here still, in vain, and must find something.
            // SAFETY: mapped, and nobody's any more.
            unsafe { mapping.start().as_ptr().write_bytes(0, mapping.length()) };
        }
        self.node.local.segments.give_back(self.offset);
    }
}

/// Has a part of the file come from a NUMA node. What the file has already is of an earlier segment, and
/// comes from there.
fn bind(file: &File, offset: u64, length: u64, node: NodeId) -> Result<(), MemoryError> {
    let has = file.metadata().map_or(0, |metadata| metadata.len());
    check_supply((offset + length).saturating_sub(has.max(offset)), node)?;
    bind_file(file, offset, length as usize, node)
}

/// Zeroed memory in a segment of the node.
pub fn allocate(node: &Arc<Node>, bytes: usize) -> Result<ZeroedMemory, RegisterError> {
    let length_bytes = bytes as u64;
    let refused = |source| RegisterError::Refused { length_bytes, source };
    let length = (bytes.max(1) as u64).checked_next_multiple_of(PAGE);
    let length = length.filter(|length| *length <= isize::MAX as u64);
    let length = length.ok_or_else(|| refused(io::ErrorKind::OutOfMemory.into()))?;
    let segment = Segment::take(node, length).map_err(refused)?;
    let mapping = segment.mapping.as_ref().expect("it is mapped when it is made");
    let start = mapping.start();
    // SAFETY: mapped for this one user, reserved and zero, until the segment is dropped.
    Ok(unsafe { ZeroedMemory::of_device(start, bytes, Box::new(segment)) })
}
