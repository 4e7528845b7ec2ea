//! A load for each link from another node, of memory that need not be asked for.

use std::error::Error;

use onesided_transport::{RemoteMemory, Transport};

use crate::{error::PagerankError, node::Node};

/// Why memory of another node cannot be loaded from.
pub type LoadError = Box<dyn Error + Send + Sync>;

/// How a node has the words of a peer that its endpoint is connected to: a function that loads the
/// word of a number.
pub type OpenWords<'a, E, W> = &'a dyn Fn(&E, RemoteMemory) -> Result<W, LoadError>;

/// That of nodes that read what they need.
pub type NoWords = fn(usize) -> Result<u64, LoadError>;

/// Loads what each link from another node brings.
pub fn gather<T: Transport, W: Fn(usize) -> Result<u64, LoadError>>(
    node: &mut Node<T, W>,
    superstep: usize,
) -> Result<(), PagerankError> {
    let firsts = node.first_words(superstep);
    let Node { reads, share, direct, sums, .. } = node;
    // By the vertex that they lead to.
    for links in share.remote.chunk_by(|one, other| one.to == other.to) {
        let mut sum = 0.0;
        for link in links {
            let of = link.node as usize;
            let word = firsts[of] + link.place as usize;
            let words = direct[of].as_ref().expect("links of other nodes are remote");
            let failed = |source| PagerankError::Load { node: of, source };
            sum += f64::from_bits(words(word).map_err(failed)?);
        }
        sums[links[0].to as usize] += sum;
    }
    reads.posted += share.remote.len() as u64;
    Ok(())
}
