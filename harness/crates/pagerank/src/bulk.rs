//! All that the other nodes give, read in large pieces: then a superstep is one of shared memory.

use onesided_transport::Transport;

use crate::{error::PagerankError, node::Node};

/// Words of a read. Ours: 8 KB, from which on a read's own cost does not matter (004 Fig 7).
const PIECE: usize = 1024;

/// Reads what all vertices of other nodes give, beside what the own ones do; `places` has the peers
/// by node.
pub fn gather<T: Transport, W>(
    node: &mut Node<T, W>,
    superstep: usize,
    places: &[Option<usize>],
) -> Result<(), PagerankError> {
    let Node { reads, share, given, landing, .. } = node;
    for (of, peer) in places.iter().enumerate() {
        let (Some(peer), theirs) = (*peer, share.partition.vertices(of)) else { continue };
        for first in (0..theirs.len()).step_by(PIECE) {
            let count = PIECE.min(theirs.len() - first);
            let slot = reads.slot(|_| ())?;
            let word = Node::<T, W>::word_of(superstep, first, theirs.len());
            let local = landing.segment(theirs.start + first, count);
            // SAFETY: the words stay as long as the node, and are loaded when all have ended.
            unsafe { reads.read(peer, slot, word, local) }?;
        }
    }
    // Meanwhile, the own ones.
    let own = share.own.clone();
    for (place, vertex) in own.enumerate() {
        landing.put(vertex, given.get(Node::<T, W>::word_of(superstep, place, share.len())));
    }
    reads.drain(|_| ())
}
