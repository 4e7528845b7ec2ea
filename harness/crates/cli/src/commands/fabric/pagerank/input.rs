//! The graph, and the ranks that it must have.

use std::path::Path;

use anyhow::{Context as _, bail};
use onesided_pagerank::{EdgesError, Footprint, Graph, Rmat, pagerank, read_edges};
use onesided_placement::available_bytes;
use onesided_results::{regular_file, vocabulary::GraphKind};
use onesided_rmc::room_bytes;

use super::{super::machine::Machine, Arguments};
use crate::printed::counted;

/// The largest scale that is drawn unasked. Ours: what links load, 16 bytes a vertex, is then beyond the
/// second-level cache of a core and not beyond what a person waits for.
pub const USUAL_SCALE: u32 = 20;

/// That where more nodes than CPUs were asked for. Ours: they take turns, with which the usual one takes
/// hours and this one seconds.
pub const SCALE_IN_TURNS: u32 = 12;

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
    pub fn of(arguments: &Arguments, machine: &Machine, nodes: u32) -> anyhow::Result<Self> {
        let room = Room::of(machine)?;
        let (kind, graph, drawn) = match &arguments.edges {
            Some(path) => (GraphKind::Edges, read(path, nodes, &room)?, None),
            None => {
                let edges_per_vertex = arguments.edges_per_vertex.get();
                let size = Size { edges_per_vertex, nodes, cpus: machine.cpus.len() };
                let scale = match arguments.scale {
                    Some(scale) => size.check(scale, &room)?,
                    None => size.usual(&room)?,
                };
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

/// Reads a graph that PageRank by `nodes` nodes has room for.
fn read(path: &Path, nodes: u32, room: &Room) -> anyhow::Result<Graph> {
    let unreadable = |source| EdgesError::Unreadable { path: path.to_owned(), source };
    let file = regular_file::open(path).map_err(unreadable)?;
    say!("reads the edges of {}", path.display());
    let graph = read_edges(path, file, room.memory_bytes)?.graph;
    let (vertices, edges) = (graph.vertices() as u64, graph.edges() as u64);
    if let Some(too_much) = room.too_small_for(Footprint::of(vertices, edges, nodes.into())) {
        bail!(
            "--edges {}: {vertices} vertices and {edges} edges by {nodes} nodes take up to {too_much}: choose \
             fewer --nodes, or a part of the graph",
            path.display()
        );
    }
    Ok(graph)
}

/// Where a graph and its ranks must fit.
struct Room<'a> {
    /// Memory that is available.
    memory_bytes: u64,
    /// The folder of the fabric, where nodes register memory.
    fabric: &'a Path,
    /// What its file system has left: of /dev/shm in a container that is often 64 MiB.
    fabric_bytes: u64,
}

impl<'a> Room<'a> {
    fn of(machine: &'a Machine) -> anyhow::Result<Self> {
        let fabric = machine.fabric();
        let fabric_bytes = room_bytes(fabric)
            .with_context(|| format!("what is free in the file system of {}", fabric.display()))?;
        let memory_bytes = available_bytes()?.unwrap_or(u64::MAX);
        Ok(Self { memory_bytes, fabric, fabric_bytes })
    }

    /// One part in `parts` of it.
    fn part(&self, parts: u64) -> Self {
        let [memory_bytes, fabric_bytes] =
            [self.memory_bytes, self.fabric_bytes].map(|bytes| bytes / parts);
        Self { memory_bytes, fabric_bytes, ..*self }
    }

    /// What of it is needed and missing, if any is.
    fn too_small_for(&self, needed: Footprint) -> Option<String> {
        if needed.registered_bytes > self.fabric_bytes {
            return Some(format!(
                "{} bytes in {} (--fabric), whose file system has {}",
                needed.registered_bytes,
                self.fabric.display(),
                self.fabric_bytes
            ));
        }
        let bytes = needed.bytes();
        let available = self.memory_bytes;
        (bytes > available)
            .then(|| format!("{bytes} bytes of memory, and {available} are available"))
    }
}

/// What the memory of a drawn graph depends on beside its scale, and its time.
#[derive(Clone, Copy)]
struct Size {
    edges_per_vertex: u32,
    nodes: u32,
    cpus: usize,
}

impl Size {
    fn footprint(self, scale: u32) -> Footprint {
        let vertices = 1_u64 << scale;
        let edges = vertices.saturating_mul(self.edges_per_vertex.into());
        Footprint::of(vertices, edges, self.nodes.into())
    }

    /// The largest scale up to `most` that fits.
    fn largest(self, most: u32, room: &Room) -> Option<u32> {
        (1..=most).rev().find(|&scale| room.too_small_for(self.footprint(scale)).is_none())
    }

    /// The scale where none was asked for; says which.
    fn usual(self, room: &Room) -> anyhow::Result<u32> {
        let Self { edges_per_vertex, nodes, cpus } = self;
        let (most, why) = match nodes as usize > cpus {
            true => {
                (SCALE_IN_TURNS, format!("as {nodes} nodes take turns on {}", counted(cpus, "CPU")))
            }
            false => (USUAL_SCALE, "as usual".to_owned()),
        };
        let room = room.part(USUAL_SHARE);
        let scale = self.largest(most, &room).with_context(|| {
            let too_much = room.too_small_for(self.footprint(1)).unwrap_or_default();
            format!(
                "--edges-per-vertex {edges_per_vertex}: even the smallest graph takes {too_much} (half of what \
                 is free): choose fewer, or fewer --nodes"
            )
        })?;
        let limited = || "the largest that fits into half of the memory and of --fabric".to_owned();
        say!(
            "scale {scale}, {}: {} vertices, {edges_per_vertex} edges each, up to {} bytes of memory; --scale \
             chooses another",
            if scale == most { why } else { limited() },
            1_u64 << scale,
            self.footprint(scale).bytes()
        );
        Ok(scale)
    }

    /// This scale, if it fits.
    fn check(self, scale: u32, room: &Room) -> anyhow::Result<u32> {
        let Self { edges_per_vertex, nodes, .. } = self;
        let Some(too_much) = room.too_small_for(self.footprint(scale)) else { return Ok(scale) };
        let fits = match self.largest(scale, room) {
            Some(fits) => format!("--scale {fits} fits"),
            None => "fewer --edges-per-vertex fit".to_owned(),
        };
        bail!(
            "--scale {scale}: 2^{scale} vertices with {edges_per_vertex} edges each, by {nodes} nodes, take up \
             to {too_much}: {fits}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { edges_per_vertex: 16, nodes: 16, cpus: 16 };

    fn bytes(scale: u32) -> u64 {
        SIZE.footprint(scale).bytes()
    }

    fn memory(bytes: u64) -> Room<'static> {
        Room { memory_bytes: bytes, fabric: Path::new("/fabric"), fabric_bytes: u64::MAX }
    }

    #[test]
    fn unasked_it_is_the_largest_scale_that_half_of_the_memory_allows() {
        let usual = |bytes| SIZE.usual(&memory(bytes));
        assert_eq!(usual(u64::MAX).unwrap(), USUAL_SCALE);
        assert_eq!(usual(2 * bytes(17)).unwrap(), 17);
        assert_eq!(usual(2 * bytes(17) - 1).unwrap(), 16);
        assert!(usual(100).unwrap_err().to_string().contains("--edges-per-vertex 16"));
    }

    #[test]
    fn what_is_asked_for_may_take_all_memory_and_no_more() {
        let check = |bytes| SIZE.check(24, &memory(bytes));
        assert_eq!(check(bytes(24)).unwrap(), 24);
        let refused = check(bytes(24) - 1).unwrap_err().to_string();
        assert!(
            refused.contains("--scale 24: ") && refused.ends_with(": --scale 23 fits"),
            "{refused}"
        );
    }

    #[test]
    fn what_nodes_register_must_fit_into_the_file_system_of_the_fabric() {
        let registered = |scale| SIZE.footprint(scale).registered_bytes;
        let room = |fabric_bytes| Room { fabric_bytes, ..memory(u64::MAX) };
        assert_eq!(SIZE.usual(&room(2 * registered(15))).unwrap(), 15);
        assert_eq!(SIZE.usual(&room(2 * registered(15) - 2)).unwrap(), 14);
        assert_eq!(SIZE.check(22, &room(registered(22))).unwrap(), 22);
        let (needed, had) = (registered(22), 64 << 20);
        let refused = SIZE.check(22, &room(had)).unwrap_err().to_string();
        let told = format!("{needed} bytes in /fabric (--fabric), whose file system has {had}: ");
        assert!(refused.contains(&told) && refused.ends_with("--scale 18 fits"), "{refused}");
    }

    #[test]
    fn more_nodes_than_cpus_have_a_small_graph_unless_another_is_asked_for() {
        let size = Size { cpus: 15, ..SIZE };
        assert_eq!(size.usual(&memory(u64::MAX)).unwrap(), SCALE_IN_TURNS);
        assert_eq!(size.check(20, &memory(u64::MAX)).unwrap(), 20);
        assert_eq!(size.usual(&memory(2 * bytes(11))).unwrap(), 11);
    }
}
