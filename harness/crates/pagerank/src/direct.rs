//! A load for each link from another node, of memory that need not be asked for.

use onesided_transport::{RemoteMemory, Transport};

use crate::{error::PagerankError, node::Node};

/// Words of another node that are there to be loaded.
pub trait RemoteWords {
    /// The word of a number.
    ///
    /// # Errors
    /// Why it is not there any more.
    fn word(&self, index: usize) -> Result<u64, String>;
}

/// How a node has the words of a peer that its endpoint is connected to.
pub type OpenWords<'a, E, W> = &'a dyn Fn(&E, RemoteMemory) -> Result<W, String>;

/// What nodes have that ask.
pub enum NoWords {}

impl RemoteWords for NoWords {
    fn word(&self, _index: usize) -> Result<u64, String> {
        match *self {}
    }
}

/// Loads what each link from another node brings.
pub fn gather<T: Transport, W: RemoteWords>(
    node: &mut Node<T, W>,
    superstep: usize,
) -> Result<(), PagerankError> {
    let Node { reads, share, direct, sums, .. } = node;
    // By the vertex that they lead to.
    for links in share.remote.chunk_by(|one, other| one.to == other.to) {
        let mut sum = 0.0;
        for link in links {
            let of = link.node as usize;
            let length = share.partition.vertices(of).len();
            let word = Node::<T, W>::word_of(superstep, link.place as usize, length);
            let words = direct[of].as_ref().expect("links of other nodes are remote");
            let gone = |why| PagerankError::Load { node: of, why };
            sum += f64::from_bits(words.word(word).map_err(gone)?);
        }
        sums[links[0].to as usize] += sum;
    }
    reads.posted += share.remote.len() as u64;
    Ok(())
}
