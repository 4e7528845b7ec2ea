//! How much memory a graph and PageRank over it take, so that it can be asked for before it is taken.
//!
//! | | bytes a vertex | bytes an edge |
//! |---|--:|--:|
//! | edges as they are drawn, and the order that vertices get | 4 | 8 |
//! | the graph made of them; while it is made | 12; 8 more | 4 |
//! | ranks of the reference | 8 | |
//! | what nodes have of the graph, where no link is at hand, twice: it moves to where they run | 24 | 24 |
//! | their sums and ranks, twice | 32 | |
//! | on the fabric: what vertices give in even and odd supersteps | 16 | |
//! | on the fabric: where bulk reads land, for each node | 8 | |

/// Bytes that are taken at most. What nodes have to reach each other is not among them: it does not
/// depend on the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Of the process's own memory, at any time.
    pub own_bytes: u64,
    /// Of memory that the nodes register.
    pub registered_bytes: u64,
}

impl Footprint {
    /// Of a graph of that size and so many nodes, or as many threads; the largest number that there is
    /// where it would be more.
    pub fn of(vertices: u64, edges: u64, nodes: u64) -> Self {
        let bytes = |a_vertex: u64, an_edge: u64| {
            vertices.saturating_mul(a_vertex).saturating_add(edges.saturating_mul(an_edge))
        };
        let (drawn, ran) = (bytes(24, 12), bytes(76, 28));
        Self {
            own_bytes: drawn.max(ran),
            registered_bytes: bytes(nodes.saturating_mul(8).saturating_add(16), 0),
        }
    }

    /// Both together.
    pub fn bytes(self) -> u64 {
        self.own_bytes.saturating_add(self.registered_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_with_all_three_and_never_wraps() {
        let of = |vertices, edges, nodes| Footprint::of(vertices, edges, nodes).bytes();
        assert_eq!(of(1 << 20, 1 << 24, 2), (76 + 16 + 16) * (1 << 20) + 28 * (1 << 24));
        assert!(of(10, 10, 3) > of(10, 10, 2) && of(10, 11, 2) > of(10, 10, 2));
        assert_eq!(of(1 << 28, u64::MAX, 64), u64::MAX);
        assert_eq!(of(u64::MAX, 0, u64::MAX), u64::MAX);
    }
}
