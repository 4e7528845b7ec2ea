//! The graph, and the ranks that it must have.

use onesided_pagerank::{EdgesError, Graph, Rmat, pagerank, read_edges};
use onesided_results::{regular_file, vocabulary::GraphKind};

use super::Arguments;

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
    /// The graph that was asked for.
    pub fn of(arguments: &Arguments) -> anyhow::Result<Self> {
        let (kind, graph, drawn) = match &arguments.edges {
            Some(path) => {
                let unreadable = |source| EdgesError::Unreadable { path: path.clone(), source };
                let file = regular_file::open(path).map_err(unreadable)?;
                (GraphKind::Edges, read_edges(path, file)?.graph, None)
            }
            None => {
                let Arguments { scale, seed, .. } = *arguments;
                let edges_per_vertex = arguments.edges_per_vertex.get();
                let drawn = Rmat { scale, edges_per_vertex, seed, quarters: Rmat::GRAPH500 };
                (GraphKind::Rmat, drawn.draw()?, Some((scale, seed)))
            }
        };
        let reference = pagerank(&graph, arguments.supersteps.get() as usize);
        Ok(Self { kind, graph, drawn, reference })
    }
}
