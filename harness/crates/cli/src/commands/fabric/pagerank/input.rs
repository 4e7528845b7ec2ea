//! The graph, and the ranks that it must have.

use anyhow::{Context as _, bail, ensure};
use onesided_pagerank::{EdgesError, Footprint, Graph, Rmat, pagerank, read_edges};
use onesided_placement::available_bytes;
use onesided_results::{regular_file, vocabulary::GraphKind};

use super::Arguments;

/// The largest scale that is drawn unasked. Ours: what links load, 16 bytes a vertex, is then beyond the
/// second-level cache of a core and not beyond what a person waits for.
pub const USUAL_SCALE: u32 = 20;

/// A graph that nobody asked for takes at most this part of the available memory: one half.
const USUAL_SHARE: u64 = 2;

/// A graph.
pub struct Input {
    /// Where it is from.
    pub kind: GraphKind,
    /// It.
    pub graph: Graph,
    /// Of a drawn one the scale and the seed.
    pub drawn: Option<(u32, u64)>,
    /// Its ranks by the reference.
    pub reference: Vec<f64>,
}

impl Input {
    /// The graph that was asked for, if it and PageRank by `nodes` nodes fit into the available
    /// memory.
    pub fn of(arguments: &Arguments, nodes: u32) -> anyhow::Result<Self> {
        let available = available_bytes()?.unwrap_or(u64::MAX);
        let (kind, graph, drawn) = match &arguments.edges {
            Some(path) => {
                let unreadable = |source| EdgesError::Unreadable { path: path.clone(), source };
                let file = regular_file::open(path).map_err(unreadable)?;
                say!("reads the edges of {}", path.display());
                let graph = read_edges(path, file)?.graph;
                let needed =
                    Footprint::of(graph.vertices() as u64, graph.edges() as u64, nodes.into());
                ensure!(
                    needed.bytes() <= available,
                    "--edges {}: {} vertices and {} edges by {nodes} nodes take up to {} bytes, and \
                     {available} are available: choose fewer --nodes, or a part of the graph",
                    path.display(),
                    graph.vertices(),
                    graph.edges(),
                    needed.bytes()
                );
                (GraphKind::Edges, graph, None)
            }
            None => {
                let edges_per_vertex = arguments.edges_per_vertex.get();
                let size = Size { edges_per_vertex, nodes };
                let scale = size.scale(arguments.scale, available)?;
                let seed = arguments.seed;
                let drawn = Rmat { scale, edges_per_vertex, seed, quarters: Rmat::GRAPH500 };
                say!("draws a graph of 2^{scale} vertices");
                (GraphKind::Rmat, drawn.draw()?, Some((scale, seed)))
            }
        };
        say!("ranks it by the reference, to compare with");
        let reference = pagerank(&graph, arguments.supersteps.get() as usize);
        Ok(Self { kind, graph, drawn, reference })
    }
}

/// What the memory of a drawn graph depends on beside its scale.
#[derive(Clone, Copy)]
struct Size {
    edges_per_vertex: u32,
    nodes: u32,
}

impl Size {
    fn bytes(self, scale: u32) -> u64 {
        let vertices = 1_u64 << scale;
        let edges = vertices.saturating_mul(self.edges_per_vertex.into());
        Footprint::of(vertices, edges, self.nodes.into()).bytes()
    }

    /// The largest one up to `most` that takes at most so many bytes.
    fn largest(self, most: u32, bytes: u64) -> Option<u32> {
        (1..=most).rev().find(|&scale| self.bytes(scale) <= bytes)
    }

    /// The scale that was asked for, or the usual one; of the latter it says which.
    fn scale(self, asked: Option<u32>, available: u64) -> anyhow::Result<u32> {
        let Self { edges_per_vertex, nodes } = self;
        let Some(scale) = asked else {
            let scale = self.largest(USUAL_SCALE, available / USUAL_SHARE).with_context(|| {
                format!(
                    "--edges-per-vertex {edges_per_vertex}: even the smallest graph takes more than half of the \
                     {available} available bytes of memory: choose fewer, or fewer --nodes"
                )
            })?;
            say!(
                "scale {scale}, {}: {} vertices, {edges_per_vertex} edges each, up to {} bytes of memory; \
                 --scale chooses another",
                if scale == USUAL_SCALE {
                    "as usual"
                } else {
                    "the largest that half of the available memory allows"
                },
                1_u64 << scale,
                self.bytes(scale)
            );
            return Ok(scale);
        };
        if self.bytes(scale) > available {
            let fits = match self.largest(scale, available) {
                Some(fits) => format!("--scale {fits} fits"),
                None => "fewer --edges-per-vertex fit".to_owned(),
            };
            bail!(
                "--scale {scale}: 2^{scale} vertices with {edges_per_vertex} edges each, by {nodes} nodes, take \
                 up to {} bytes of memory, and {available} are available: {fits}",
                self.bytes(scale)
            );
        }
        Ok(scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { edges_per_vertex: 16, nodes: 16 };

    #[test]
    fn unasked_it_is_the_largest_scale_that_half_of_the_memory_allows() {
        assert_eq!(SIZE.scale(None, u64::MAX).unwrap(), USUAL_SCALE);
        assert_eq!(SIZE.scale(None, 2 * SIZE.bytes(17)).unwrap(), 17);
        assert_eq!(SIZE.scale(None, 2 * SIZE.bytes(17) - 1).unwrap(), 16);
        assert!(SIZE.scale(None, 100).unwrap_err().to_string().contains("--edges-per-vertex 16"));
    }

    #[test]
    fn what_is_asked_for_may_take_all_memory_and_no_more() {
        assert_eq!(SIZE.scale(Some(24), SIZE.bytes(24)).unwrap(), 24);
        let refused = SIZE.scale(Some(24), SIZE.bytes(24) - 1).unwrap_err().to_string();
        assert!(
            refused.contains("--scale 24: ") && refused.ends_with(": --scale 23 fits"),
            "{refused}"
        );
    }
}
