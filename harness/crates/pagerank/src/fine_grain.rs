//! A read for each link from another node.

use onesided_transport::Transport;

use crate::{error::PagerankError, node::Node, reads::DEPTH};

/// Words where reads land: one a slot.
pub const LANDING_WORDS: usize = DEPTH;

/// Reads what each link from another node brings; `places` has the peers by node.
pub fn gather<T: Transport, W>(
    node: &mut Node<T, W>,
    superstep: usize,
    places: &[Option<usize>],
) -> Result<(), PagerankError> {
    let Node { reads, share, landing, sums, .. } = node;
    let mut to = [0_u32; DEPTH];
    for link in &share.remote {
        let slot = reads.slot(|slot| sums[to[slot] as usize] += landing.get(slot))?;
        to[slot] = link.to;
        let of = link.node as usize;
        let length = share.partition.vertices(of).len();
        let word = Node::<T, W>::word_of(superstep, link.place as usize, length);
        let peer = places[of].expect("links of other nodes are remote");
        // SAFETY: the words stay as long as the node; a slot's is loaded when it has ended.
        unsafe { reads.read(peer, slot, word, landing.segment(slot, 1)) }?;
    }
    reads.drain(|slot| sums[to[slot] as usize] += landing.get(slot))
}
