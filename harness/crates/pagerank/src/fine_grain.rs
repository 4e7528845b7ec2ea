//! A read for each link from another node.

use onesided_transport::Transport;

use crate::{error::PagerankError, node::Node, reads::MOST_READS};

/// Reads what each link from another node brings; `places` has the peers by node.
pub fn gather<T: Transport, W>(
    node: &mut Node<T, W>,
    superstep: usize,
    places: &[Option<usize>],
) -> Result<(), PagerankError> {
    let firsts = node.first_words(superstep);
    let Node { reads, share, landing, sums, .. } = node;
    let mut to = [0_u32; MOST_READS];
    for link in &share.remote {
        let slot = reads.slot(|slot| sums[to[slot] as usize] += landing.get(slot))?;
        to[slot] = link.to;
        let of = link.node as usize;
        let word = firsts[of] + link.place as usize;
        let peer = places[of].expect("links of other nodes are remote");
        // SAFETY: the words stay as long as the node; a slot's is loaded when it has ended.
        unsafe { reads.read(peer, slot, word, landing.segment(slot, 1)) }?;
    }
    reads.drain(|slot| sums[to[slot] as usize] += landing.get(slot))
}
