//! Memory of a node's process on the NUMA node that was asked for, and where memory was found to be.

use std::{
    io, mem,
    ptr::NonNull,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use onesided_placement::{
    BoundMemory, PageSize, PagesByNode, Residency, ResidencyError, bytes_of_page,
    residency::sum_by_node,
};
use onesided_transport::{RegisterError, ZeroedMemory};

use crate::node::Node;

/// Where the process's memory outside segments is, and where all that it gave back was.
#[derive(Default)]
pub struct Placed(Mutex<State>);

#[derive(Default)]
struct State {
    /// Start and length in bytes.
    outside: Vec<(u64, u64)>,
    had: Found,
}

/// What was found, or the first reason why nothing is known.
struct Found(Result<PagesByNode, ResidencyError>);

impl Default for Found {
    fn default() -> Self {
        Self(Ok(PagesByNode::new()))
    }
}

impl Placed {
    /// Looks where memory is that is about to be given back.
    pub fn note(&self, range: (u64, u64)) {
        let found = pages_of([range]);
        let mut state = self.state();
        let had = mem::take(&mut state.had).0;
        state.had = Found(had.and_then(|had| Ok(sum_by_node(had, found?))));
    }

    /// Memory that is there now, outside segments, and where was what has gone since the last question.
    pub fn take(&self) -> (Vec<(u64, u64)>, Result<PagesByNode, ResidencyError>) {
        let mut state = self.state();
        (state.outside.clone(), mem::take(&mut state.had).0)
    }

    fn begin(&self, range: (u64, u64)) {
        self.state().outside.push(range);
    }

    fn end(&self, range: (u64, u64)) {
        self.note(range);
        self.state().outside.retain(|own| *own != range);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many pages of these ranges are on each node, of those that this process has touched.
pub fn pages_of(
    ranges: impl IntoIterator<Item = (u64, u64)>,
) -> Result<PagesByNode, ResidencyError> {
    ranges.into_iter().try_fold(PagesByNode::new(), |pages, (start, length)| {
        let start = std::ptr::without_provenance(start as usize);
        let page_bytes = bytes_of_page(PageSize::Base);
        let found = Residency::of(start, length as usize, page_bytes, None)?;
        Ok(sum_by_node(pages, found.by_node))
    })
}

/// Memory of the process alone, on a NUMA node.
struct Bound {
    node: Arc<Node>,
    memory: BoundMemory,
}

impl Bound {
    fn range(&self) -> (u64, u64) {
        (self.memory.as_ptr() as u64, self.memory.len() as u64)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        self.node.local.placed.end(self.range());
    }
}

/// Zeroed memory that no peer can map: where the node's memory was asked from, or else on the heap.
pub fn allocate(node: &Arc<Node>, bytes: usize) -> Result<ZeroedMemory, RegisterError> {
    let Some(memory_node) = node.local.own.memory_node else {
        return ZeroedMemory::of_heap(bytes);
    };
    let memory = BoundMemory::allocate(bytes.max(1), PageSize::Base, Some(memory_node));
    let memory = memory.map_err(|error| RegisterError::Refused {
        length_bytes: bytes as u64,
        source: io::Error::other(error),
    })?;
    let start = NonNull::new(memory.as_ptr()).expect("memory that is mapped has an address");
    let bound = Bound { node: Arc::clone(node), memory };
    node.local.placed.begin(bound.range());
    // SAFETY: it has so many bytes, which are zero and nobody else's until it is dropped.
    Ok(unsafe { ZeroedMemory::of_device(start, bytes, Box::new(bound)) })
}
