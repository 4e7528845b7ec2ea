//! A directed graph by its incoming links.

use onesided_load::Random;

/// Vertices are numbered by 32 bits.
pub const VERTICES_AT_MOST: usize = 1 << 32;

/// Why there is no graph of these edges.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// An end of an edge is no vertex.
    #[error("edge {edge} is from {from} to {to}, and vertices are 0 to {}", vertices.saturating_sub(1))]
    NoSuchVertex {
        /// Its place among the edges.
        edge: usize,
        /// Where it starts.
        from: u32,
        /// Where it ends.
        to: u32,
        /// How many there are.
        vertices: usize,
    },
    /// More vertices than 32 bits number.
    #[error("{vertices} vertices are more than the {VERTICES_AT_MOST} that 32 bits number")]
    TooManyVertices {
        /// How many were asked for.
        vertices: usize,
    },
}

/// A directed graph; several edges may join the same two vertices, and a vertex itself.
///
/// ```text
///   starts   0     2  3       one more than vertices
///            |     |  |
///   sources  b  c  a          the vertices that link to 0, to 1, ...
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    starts: Vec<usize>,
    sources: Vec<u32>,
    out_degrees: Vec<u32>,
}

impl Graph {
    /// The graph of some edges, from and to; sources keep the order that their edges have.
    ///
    /// # Errors
    /// An edge whose end is no vertex, or too many vertices.
    pub fn of_edges(vertices: usize, edges: &[(u32, u32)]) -> Result<Self, GraphError> {
        check(vertices, edges)?;
        let mut starts = vec![0; vertices + 1];
        let mut out_degrees = vec![0; vertices];
        for &(from, to) in edges {
            starts[to as usize + 1] += 1;
            out_degrees[from as usize] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let (mut next, mut sources) = (starts.clone(), vec![0; edges.len()]);
        for &(from, to) in edges {
            sources[next[to as usize]] = from;
            next[to as usize] += 1;
        }
        Ok(Self { starts, sources, out_degrees })
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.out_degrees.len()
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.sources.len()
    }

    /// The vertices that link to one, in the order of their edges.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn sources(&self, vertex: usize) -> &[u32] {
        &self.sources[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// How many edges start at a vertex.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn out_degree(&self, vertex: usize) -> u32 {
        self.out_degrees[vertex]
    }

    /// The same graph, its vertices numbered at random: afterwards equal runs of numbers are a random
    /// partition into parts of equal size (004 §7.5).
    pub fn shuffled(&self, seed: u64) -> Self {
        let vertices = self.vertices();
        let mut edges = Vec::with_capacity(self.edges());
        for to in 0..vertices {
            edges.extend(self.sources(to).iter().map(|&from| (from, to as u32)));
        }
        Self::of_edges_shuffled(vertices, edges, seed).expect("edges of a graph name vertices")
    }

    /// What [`Self::shuffled`] makes of the graph of these edges, without that graph.
    ///
    /// # Errors
    /// As [`Self::of_edges`].
    pub(crate) fn of_edges_shuffled(
        vertices: usize,
        mut edges: Vec<(u32, u32)>,
        seed: u64,
    ) -> Result<Self, GraphError> {
        check(vertices, &edges)?;
        let names = permutation(vertices, seed);
        for (from, to) in &mut edges {
            (*from, *to) = (names[*from as usize], names[*to as usize]);
        }
        drop(names);
        Self::of_edges(vertices, &edges)
    }
}

/// Refuses edges that name no vertex.
fn check(vertices: usize, edges: &[(u32, u32)]) -> Result<(), GraphError> {
    if vertices > VERTICES_AT_MOST {
        return Err(GraphError::TooManyVertices { vertices });
    }
    let is_stranger = |(_, (from, to)): &(usize, &(u32, u32))| *from.max(to) as usize >= vertices;
    match edges.iter().enumerate().find(is_stranger) {
        Some((edge, &(from, to))) => Err(GraphError::NoSuchVertex { edge, from, to, vertices }),
        None => Ok(()),
    }
}

/// A random order of the numbers below `count` (Fisher and Yates; Durstenfeld 1964,
/// doi:10.1145/364520.364540).
fn permutation(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, SHUFFLING);
    let mut order: Vec<u32> = (0..count as u64).map(|vertex| vertex as u32).collect();
    for last in (1..count).rev() {
        let bound = std::num::NonZeroU64::new(last as u64 + 1).expect("one or more");
        order.swap(last, random.below(bound) as usize);
    }
    order
}

/// The stream of a seed that numbers vertices anew. Ours: any that no other use has.
const SHUFFLING: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sources_are_those_of_the_edges_in_their_order() {
        let graph = Graph::of_edges(4, &[(3, 0), (1, 0), (0, 2), (3, 0), (2, 2)]).unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (4, 5));
        assert_eq!(graph.sources(0), [3, 1, 3]);
        assert!(graph.sources(1).is_empty());
        assert_eq!(graph.sources(2), [0, 2]);
        assert_eq!([0, 1, 2, 3].map(|vertex| graph.out_degree(vertex)), [1, 1, 1, 2]);
    }

    #[test]
    fn an_edge_to_no_vertex_is_named() {
        let refused = Graph::of_edges(3, &[(0, 1), (2, 3)]).unwrap_err();
        let named = GraphError::NoSuchVertex { edge: 1, from: 2, to: 3, vertices: 3 };
        assert_eq!(refused, named);
        assert_eq!(refused.to_string(), "edge 1 is from 2 to 3, and vertices are 0 to 2");
    }

    #[test]
    fn a_graph_without_edges_or_without_vertices_is_one() {
        let graph = Graph::of_edges(2, &[]).unwrap();
        assert_eq!((graph.sources(1).len(), graph.out_degree(1)), (0, 0));
        assert_eq!(Graph::of_edges(0, &[]).unwrap().vertices(), 0);
    }

    proptest! {
        #[test]
        fn edges_that_are_shuffled_first_give_the_graph_that_is_shuffled_afterwards(
            edges in prop::collection::vec((0_u32..20, 0_u32..20), 0..100),
            seed in any::<u64>(),
        ) {
            let afterwards = Graph::of_edges(20, &edges).unwrap().shuffled(seed);
            prop_assert_eq!(Graph::of_edges_shuffled(20, edges, seed), Ok(afterwards));
        }

        #[test]
        fn a_shuffled_graph_has_the_degrees_of_the_graph(
            edges in prop::collection::vec((0_u32..20, 0_u32..20), 0..100),
            seed in any::<u64>(),
        ) {
            let graph = Graph::of_edges(20, &edges).unwrap();
            let shuffled = graph.shuffled(seed);
            let degrees = |graph: &Graph| {
                let of = |vertex| (graph.sources(vertex).len(), graph.out_degree(vertex));
                let mut all: Vec<_> = (0..20).map(of).collect();
                all.sort_unstable();
                all
            };
            prop_assert_eq!(degrees(&graph), degrees(&shuffled));
            prop_assert_eq!(graph.shuffled(seed), shuffled);
        }
    }
}
