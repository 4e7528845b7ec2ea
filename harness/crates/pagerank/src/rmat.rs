//! R-MAT graphs: each edge falls into one quarter of the adjacency matrix, into one quarter of that,
//! and so on (Chakrabarti, Zhan, Faloutsos 2004, doi:10.1137/1.9781611972740.43).

use onesided_load::Random;

use crate::graph::Graph;

/// How a graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rmat {
    /// The graph has 2 to this many vertices.
    pub scale: u32,
    /// As many edges a vertex.
    pub edges_per_vertex: u32,
    /// The same seed gives the same graph.
    pub seed: u64,
    /// Chances of the upper left, upper right and lower left quarter; the rest is the lower right's.
    pub quarters: [f64; 3],
}

/// Why a graph cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RmatError {
    /// Too large for vertices of 32 bits and for memory.
    #[error("a scale of {scale}: 2^{scale} vertices; 1 to {} can be drawn", Rmat::LARGEST_SCALE)]
    Scale {
        /// What was asked for.
        scale: u32,
    },
    /// Chances that are none.
    #[error("quarters of {quarters:?}: chances are 0 or more and sum to 1 at most")]
    Quarters {
        /// What was asked for.
        quarters: [f64; 3],
    },
}

/// The stream of a seed that draws edges. Ours: any that no other use has.
const DRAWING: u64 = 1;

impl Rmat {
    /// The chances of the Graph500 benchmark (specification 2.0, section 3.3), which give degrees like
    /// those of social networks.
    pub const GRAPH500: [f64; 3] = [0.57, 0.19, 0.19];

    /// Ours: 16 edges a vertex then take 58 GB while they are drawn.
    pub const LARGEST_SCALE: u32 = 28;

    /// Draws the graph and numbers its vertices at random, as the specification of Graph500 does:
    /// else a vertex' number tells its degree.
    ///
    /// # Errors
    /// A scale or chances out of range.
    pub fn draw(&self) -> Result<Graph, RmatError> {
        let &Self { scale, edges_per_vertex, seed, quarters } = self;
        if !(1..=Self::LARGEST_SCALE).contains(&scale) {
            return Err(RmatError::Scale { scale });
        }
        let sum: f64 = quarters.iter().sum();
        // Written so that what is no number is refused.
        let are_chances = quarters.iter().all(|chance| *chance >= 0.0) && sum <= 1.0;
        if !are_chances {
            return Err(RmatError::Quarters { quarters });
        }
        let vertices = 1_usize << scale;
        let mut random = Random::new(seed, DRAWING);
        let edges: Vec<_> = (0..vertices * edges_per_vertex as usize)
            .map(|_| edge(scale, quarters, &mut random))
            .collect();
        let graph = Graph::of_edges_shuffled(vertices, edges, seed);
        Ok(graph.expect("bits of the scale name vertices"))
    }
}

fn edge(scale: u32, [left, right, below, ..]: [f64; 3], random: &mut Random) -> (u32, u32) {
    let (mut from, mut to) = (0, 0);
    for _ in 0..scale {
        let drawn = random.below_one();
        let (down, across) = match drawn {
            _ if drawn < left => (0, 0),
            _ if drawn < left + right => (0, 1),
            _ if drawn < left + right + below => (1, 0),
            _ => (1, 1),
        };
        (from, to) = (from << 1 | down, to << 1 | across);
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rmat(scale: u32, quarters: [f64; 3]) -> Rmat {
        Rmat { scale, edges_per_vertex: 16, seed: 1, quarters }
    }

    #[test]
    fn a_seed_gives_its_graph_and_no_other_seed_does() {
        let one = rmat(8, Rmat::GRAPH500);
        assert_eq!(one.draw(), one.draw());
        assert_ne!(one.draw(), Rmat { seed: 2, ..one }.draw());
        let graph = one.draw().unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (256, 4096));
    }

    #[test]
    fn equal_quarters_give_even_degrees_and_those_of_graph500_a_few_large_ones() {
        let largest = |quarters| {
            let graph = rmat(12, quarters).draw().unwrap();
            (0..graph.vertices()).map(|vertex| graph.sources(vertex).len()).max().unwrap()
        };
        // Poisson of mean 16: above 50 once in 10^11 vertices.
        assert!(largest([0.25; 3]) <= 50);
        // The expected in-degree of the first vertex: 2^16 edges, 0.76 to the 12th of them.
        let expected = 65_536.0 * 0.76_f64.powi(12);
        let found = largest(Rmat::GRAPH500) as f64;
        assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found}, expected {expected}");
    }

    #[test]
    fn one_quarter_alone_gives_one_vertex_all_edges() {
        let graph = rmat(5, [1.0, 0.0, 0.0]).draw().unwrap();
        let mut degrees: Vec<_> = (0..32).map(|vertex| graph.sources(vertex).len()).collect();
        degrees.sort_unstable();
        assert_eq!((degrees[30], degrees[31]), (0, 512));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_its_value() {
        for scale in [0, 29] {
            assert_eq!(rmat(scale, Rmat::GRAPH500).draw(), Err(RmatError::Scale { scale }));
        }
        for quarters in [[0.5, 0.5, 0.1], [-0.1, 0.5, 0.5]] {
            assert_eq!(rmat(4, quarters).draw(), Err(RmatError::Quarters { quarters }));
        }
        assert!(rmat(4, [f64::NAN, 0.0, 0.0]).draw().is_err());
    }
}
