//! A node of a distributed run: its vertices, and how it reaches the others.

use std::ops::Range;

use onesided_messaging::Barrier;
use onesided_transport::Transport;

use crate::{
    Graph, Partition, distributed::Supply, error::PagerankError, first_rank, pulled_rank,
    reads::Reads, words::Words,
};

/// A link into one of the node's own vertices from a vertex of another node.
#[derive(Clone, Copy)]
pub struct RemoteLink {
    /// Place of the vertex among the node's own.
    pub to: u32,
    /// The other node.
    pub node: u32,
    /// Place of the source among that node's.
    pub place: u32,
}

/// The part of the graph that a node has.
#[derive(Clone)]
pub struct Share {
    /// How the vertices are divided.
    pub partition: Partition,
    /// Vertices of the whole graph.
    pub vertices: usize,
    /// The node's own of them.
    pub own: Range<usize>,
    out_degrees: Vec<u32>,
    starts: Vec<usize>,
    /// Places among the own vertices, or with all at hand vertices of the whole graph.
    sources_at_hand: Vec<u32>,
    /// By the vertex that they lead to; none with all at hand.
    pub remote: Vec<RemoteLink>,
}

impl Share {
    /// What node `node` has of a graph; `supply` says whether it will have what all vertices give
    /// at hand, or what its own do.
    pub fn new(graph: &Graph, partition: Partition, node: usize, supply: Supply) -> Self {
        let own = partition.vertices(node);
        // All in one piece each: a vector that grows takes up to three times as much meanwhile.
        let links = own.clone().flat_map(|vertex| graph.sources(vertex));
        let is_at_hand =
            |source: &&u32| supply == Supply::Bulk || own.contains(&(**source as usize));
        let (all, at_hand) = (links.clone().count(), links.filter(is_at_hand).count());
        let mut starts = Vec::with_capacity(own.len() + 1);
        let mut sources_at_hand = Vec::with_capacity(at_hand);
        let mut remote = Vec::with_capacity(all - at_hand);
        starts.push(0);
        for (to, vertex) in own.clone().enumerate() {
            for &source in graph.sources(vertex) {
                let (of, place) = partition.place(source as usize);
                match supply {
                    Supply::Bulk => sources_at_hand.push(source),
                    Supply::FineGrain { .. } | Supply::Direct if of == node => {
                        sources_at_hand.push(place as u32)
                    }
                    Supply::FineGrain { .. } | Supply::Direct => {
                        let (to, node, place) = (to as u32, of as u32, place as u32);
                        remote.push(RemoteLink { to, node, place });
                    }
                }
            }
            starts.push(sources_at_hand.len());
        }
        let out_degrees = own.clone().map(|vertex| graph.out_degree(vertex)).collect();
        let vertices = graph.vertices();
        Self { partition, vertices, own, out_degrees, starts, sources_at_hand, remote }
    }

    /// How many vertices it has.
    pub fn len(&self) -> usize {
        self.out_degrees.len()
    }

    /// What a vertex gives that has this rank.
    #[inline]
    pub fn given(&self, place: usize, rank: f64) -> f64 {
        rank / f64::from(self.out_degrees[place].max(1))
    }

    /// The links into a vertex from those at hand.
    #[inline]
    pub fn sources_at_hand(&self, place: usize) -> &[u32] {
        &self.sources_at_hand[self.starts[place]..self.starts[place + 1]]
    }
}

/// A node, ready to run.
pub struct Node<T: Transport, W> {
    // First, so that nothing is under way when memory goes.
    pub reads: Reads<T::Endpoint>,
    pub barrier: Barrier<T>,
    pub share: Share,
    /// What each own vertex gives, in even supersteps and behind that in odd ones.
    pub given: Words<T::Region>,
    /// What other nodes give, by node, where it is loaded.
    pub direct: Vec<Option<W>>,
    /// Where reads put what they read: a word for each slot, or for each vertex.
    pub landing: Words<T::Region>,
    /// What came from other nodes for each own vertex, in this superstep.
    pub sums: Vec<f64>,
    /// What each own vertex has.
    pub ranks: Vec<f64>,
}

impl<T: Transport, W> Node<T, W> {
    /// Moves what is the node's alone to where its thread runs: so far it is where nodes were made.
    pub fn settle_here(&mut self) {
        self.share = self.share.clone();
        (self.sums, self.ranks) = (self.sums.clone(), self.ranks.clone());
    }

    /// What own vertices give in the first superstep.
    pub fn start(&mut self) {
        for place in 0..self.share.len() {
            let rank = first_rank(self.share.vertices);
            self.ranks[place] = rank;
            self.given.put(place, self.share.given(place, rank));
        }
    }

    /// The word of `given` for the vertex at a place, of a node that has `length` of them.
    #[inline]
    pub fn word_of(superstep: usize, place: usize, length: usize) -> usize {
        superstep % 2 * length + place
    }

    /// Of each node the word of `given` for its first vertex.
    pub fn first_words(&self, superstep: usize) -> Vec<usize> {
        let partition = self.share.partition;
        let first = |of| Self::word_of(superstep, 0, partition.vertices(of).len());
        (0..partition.parts()).map(first).collect()
    }

    /// The ranks after a superstep in which what all vertices give has landed.
    pub fn finish_with_all(&mut self, superstep: usize) {
        for place in 0..self.share.len() {
            let sources = self.share.sources_at_hand(place).iter();
            let of = |from: &u32| self.landing.get(*from as usize);
            self.give(superstep, place, pulled_rank(self.share.vertices, sources.map(of)));
        }
    }

    /// The ranks after a superstep, from own vertices and `sums`, which is empty afterwards.
    pub fn finish(&mut self, superstep: usize) {
        let length = self.share.len();
        for place in 0..length {
            let own = self.share.sources_at_hand(place).iter();
            let of = |from: &u32| self.given.get(Self::word_of(superstep, *from as usize, length));
            let remote = std::mem::take(&mut self.sums[place]);
            let all = own.map(of).chain(std::iter::once(remote));
            self.give(superstep, place, pulled_rank(self.share.vertices, all));
        }
    }

    #[inline]
    fn give(&mut self, superstep: usize, place: usize, rank: f64) {
        self.ranks[place] = rank;
        let next = Self::word_of(superstep + 1, place, self.share.len());
        self.given.put(next, self.share.given(place, rank));
    }

    /// Waits for the others.
    pub fn meet(&mut self) -> Result<(), PagerankError> {
        Ok(self.barrier.wait()?)
    }
}
