//! PageRank as it is defined: the reference that every variant is checked against.
//!
//! Rank leaks from vertices without outgoing links, as in 004's program and in the GAP benchmark
//! suite (arXiv:1508.03619): their rank goes nowhere, and all ranks sum to 1 only where each vertex
//! has a link.

use crate::graph::Graph;

/// The share of a rank that follows links (Page, Brin 1998, doi:10.1016/S0169-7552(98)00110-X).
pub const DAMPING: f64 = 0.85;

/// What every vertex has before the first superstep.
pub fn first_rank(vertices: usize) -> f64 {
    1.0 / vertices as f64
}

/// The rank of a vertex from what the sources of its links give: each its rank over its out-degree.
#[inline]
pub fn pulled_rank(vertices: usize, given: impl Iterator<Item = f64>) -> f64 {
    (1.0 - DAMPING) / vertices as f64 + DAMPING * given.sum::<f64>()
}

/// The ranks after some supersteps, by one thread, each vertex from those of the superstep before.
pub fn pagerank(graph: &Graph, supersteps: usize) -> Vec<f64> {
    let vertices = graph.vertices();
    let mut ranks = vec![first_rank(vertices); vertices];
    let mut given = vec![0.0; vertices];
    for _ in 0..supersteps {
        for (vertex, given) in given.iter_mut().enumerate() {
            // Nobody asks what a vertex without links gives.
            *given = ranks[vertex] / f64::from(graph.out_degree(vertex).max(1));
        }
        for (vertex, rank) in ranks.iter_mut().enumerate() {
            let sources = graph.sources(vertex).iter();
            *rank = pulled_rank(vertices, sources.map(|source| given[*source as usize]));
        }
    }
    ranks
}

/// Half the sum of all differences, 0 to 1 for ranks that sum to 1: the share of rank that is
/// elsewhere.
///
/// # Panics
/// When they are not of the same vertices.
pub fn total_variation(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len(), "ranks of the same vertices");
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rmat::Rmat;

    #[test]
    fn on_a_cycle_all_ranks_stay_what_they_are() {
        let edges: Vec<_> = (0..10).map(|vertex| (vertex, (vertex + 1) % 10)).collect();
        let ranks = pagerank(&Graph::of_edges(10, &edges).unwrap(), 30);
        assert!(ranks.iter().all(|rank| (rank - 0.1).abs() < 1e-15), "{ranks:?}");
    }

    #[test]
    fn a_star_has_the_ranks_that_follow_by_hand() {
        // 1, 2 and 3 link to 0, and 0 to each: hub h and leaf l at the fixed point have
        // h = 0.0375 + 0.85 * 3 l and l = 0.0375 + 0.85 h / 3.
        let edges = [(1, 0), (2, 0), (3, 0), (0, 1), (0, 2), (0, 3)];
        let ranks = pagerank(&Graph::of_edges(4, &edges).unwrap(), 300);
        let hub = (0.0375 + 0.85 * 3.0 * 0.0375) / (1.0 - 0.85 * 0.85);
        let leaf = 0.0375 + 0.85 * hub / 3.0;
        assert!((ranks[0] - hub).abs() < 1e-12, "{ranks:?}, hub {hub}");
        assert!(
            ranks[1..].iter().all(|rank| (rank - leaf).abs() < 1e-12),
            "{ranks:?}, leaf {leaf}"
        );
    }

    #[test]
    fn one_superstep_is_the_definition_and_what_has_no_link_leaks() {
        // 0 links to 1 twice and to 2; 1 and 2 have no links.
        let graph = Graph::of_edges(3, &[(0, 1), (0, 1), (0, 2)]).unwrap();
        let expected = [0.05, 0.05 + 0.85 * 2.0 / 9.0, 0.05 + 0.85 / 9.0];
        assert!(total_variation(&pagerank(&graph, 1), &expected) < 1e-15);
    }

    #[test]
    fn ranks_of_a_shuffled_graph_are_those_of_the_graph_in_another_order() {
        let quarters = Rmat::GRAPH500;
        let graph = Rmat { scale: 8, edges_per_vertex: 8, seed: 3, quarters }.draw().unwrap();
        let sorted = |graph: &Graph| {
            let mut ranks = pagerank(graph, 30);
            ranks.sort_by(f64::total_cmp);
            ranks
        };
        assert!(total_variation(&sorted(&graph), &sorted(&graph.shuffled(9))) < 1e-12);
    }
}
