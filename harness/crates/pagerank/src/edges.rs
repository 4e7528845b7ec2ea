//! Graphs of files: one edge a line, as the collections of SNAP and KONECT have them.

use std::{
    collections::BTreeMap,
    io::{self, BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
};

use crate::graph::Graph;

/// Longest line, in bytes. Ours: two numbers take 41, and what collections put behind them is short.
const LONGEST_LINE_BYTES: u64 = 4096;

/// How many edges are read until it is looked again whether there is memory for more. Ours: 16 MiB of
/// them, which no machine lacks.
const LOOK_AGAIN_EDGES: usize = 1 << 20;

/// Bytes that an edge of a file takes at least until there is a graph: its two names, the numbers that
/// its ends get, and its place in the graph ([`crate::Footprint`]).
const EDGE_BYTES: u64 = 16 + 8 + 4;

/// Why a file has no graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EdgesError {
    /// It cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line is no edge.
    #[error(
        "{path}, line {line}: {text:?} is no edge: two whole numbers are, FROM and TO; lines that \
         begin with # or % are passed over"
    )]
    NoEdge {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What it says, its first 80 characters.
        text: String,
    },
    /// A line has no end.
    #[error(
        "{path}, line {line} has more than {LONGEST_LINE_BYTES} bytes: is it a file of edges, one a line?"
    )]
    LongLine {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// There is none.
    #[error("{path} has no edge")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// There is no memory for so many edges.
    #[error(
        "{path} has {edges} edges or more, which take {needed_bytes} bytes of memory, and {available_bytes} are \
         available: choose a part of the graph"
    )]
    TooManyEdges {
        /// The file.
        path: PathBuf,
        /// Those that were read.
        edges: u64,
        /// What these take at least.
        needed_bytes: u64,
        /// What may be taken.
        available_bytes: u64,
    },
    /// More than 32 bits number.
    #[error("{path} names more than 2^32 vertices")]
    TooManyVertices {
        /// The file.
        path: PathBuf,
    },
}

/// A graph, and what its file calls the vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGraph {
    /// Its vertices in the order of their names.
    pub graph: Graph,
    /// The name of each vertex, ascending.
    pub names: Vec<u64>,
}

/// Reads the file of edges at `path`, which is opened: `FROM TO` a line, whole numbers of 64 bits in any order and with gaps,
/// separated by blanks, tabs or commas; what follows on a line, such as a weight, is passed over. It goes on
/// as long as the edges take no more than `available_bytes` of memory.
///
/// # Errors
/// A file that cannot be read or has no edge, or more than there is memory for; a line that is no edge.
pub fn read_edges(
    path: &Path,
    file: impl Read,
    available_bytes: u64,
) -> Result<NamedGraph, EdgesError> {
    let mut file = BufReader::new(file);
    let mut edges = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let mut bounded = file.by_ref().take(LONGEST_LINE_BYTES);
        let read = bounded.read_until(b'\n', &mut bytes);
        let read =
            read.map_err(|source| EdgesError::Unreadable { path: path.to_owned(), source })?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST_LINE_BYTES && bytes.last() != Some(&b'\n') {
            return Err(EdgesError::LongLine { path: path.to_owned(), line });
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let text_so_far = || text.chars().take(80).collect();
        edges.push(edge(text).ok_or_else(|| EdgesError::NoEdge {
            path: path.to_owned(),
            line,
            text: text_so_far(),
        })?);
        if edges.len().is_multiple_of(LOOK_AGAIN_EDGES) {
            check(edges.len() as u64, path, available_bytes)?;
        }
    }
    named(&edges, path)
}

fn check(edges: u64, path: &Path, available_bytes: u64) -> Result<(), EdgesError> {
    let needed_bytes = edges.saturating_mul(EDGE_BYTES);
    if needed_bytes <= available_bytes {
        return Ok(());
    }
    let path = path.to_owned();
    Err(EdgesError::TooManyEdges { path, edges, needed_bytes, available_bytes })
}

fn edge(text: &str) -> Option<(u64, u64)> {
    let separates = |character: char| character.is_whitespace() || character == ',';
    let mut words = text.split(separates).filter(|word| !word.is_empty());
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

fn named(edges: &[(u64, u64)], path: &Path) -> Result<NamedGraph, EdgesError> {
    let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
    for &(from, to) in edges {
        numbers.insert(from, 0);
        numbers.insert(to, 0);
    }
    let too_many = || EdgesError::TooManyVertices { path: path.to_owned() };
    for (number, place) in numbers.values_mut().enumerate() {
        *place = u32::try_from(number).map_err(|_| too_many())?;
    }
    if edges.is_empty() {
        return Err(EdgesError::Empty { path: path.to_owned() });
    }
    let edges: Vec<_> = edges.iter().map(|(from, to)| (numbers[from], numbers[to])).collect();
    let graph = Graph::of_edges(numbers.len(), &edges).expect("every end has a number");
    Ok(NamedGraph { graph, names: numbers.into_keys().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<NamedGraph, EdgesError> {
        read_edges(Path::new("graph.txt"), text.as_bytes(), u64::MAX)
    }

    #[test]
    fn edges_are_read_whatever_separates_them_and_names_may_have_gaps() {
        let read = of("# from to\n% also\n\n7 3\n  3\t100\r\n100,7,0.5\n").unwrap();
        assert_eq!(read.names, [3, 7, 100]);
        assert_eq!(read.graph, Graph::of_edges(3, &[(1, 0), (0, 2), (2, 1)]).unwrap());
    }

    #[test]
    fn a_line_that_is_no_edge_is_named() {
        for (text, line) in [("1 2\n3\n", 2), ("1 -2\n", 1), ("a b\n", 1), ("1 1.5", 1)] {
            let refused = of(text).unwrap_err();
            let right =
                matches!(&refused, EdgesError::NoEdge { line: found, .. } if *found == line);
            assert!(right, "{text:?}: {refused}");
        }
        let refused = of("1 2\n3 x\n").unwrap_err().to_string();
        assert!(refused.contains("graph.txt, line 2: \"3 x\" is no edge"), "{refused}");
    }

    /// A file that never ends, as one is that memory cannot hold.
    #[test]
    fn reading_ends_where_memory_does() {
        struct Edges;
        impl Read for Edges {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                let whole = bytes.len() / 4 * 4;
                bytes[..whole].chunks_mut(4).for_each(|line| line.copy_from_slice(b"1 2\n"));
                Ok(whole)
            }
        }
        let most = 2 * LOOK_AGAIN_EDGES as u64 * EDGE_BYTES - 1;
        let refused = read_edges(Path::new("graph.txt"), Edges, most).unwrap_err();
        assert!(
            matches!(refused, EdgesError::TooManyEdges { edges, available_bytes, .. }
                if edges == 2 * LOOK_AGAIN_EDGES as u64 && available_bytes == most),
            "{refused}"
        );
    }

    #[test]
    fn a_file_without_edges_or_with_a_line_without_end_is_told() {
        assert!(matches!(of("# nothing\n"), Err(EdgesError::Empty { .. })));
        let long = of(&format!("1 2\n3 4{}", " ".repeat(1 << 20)));
        assert!(matches!(long, Err(EdgesError::LongLine { line: 2, .. })));
        assert!(of(&format!("1 2{}\n", " ".repeat(4092))).is_ok());
        assert!(matches!(of("1 2\n\u{fffd}"), Err(EdgesError::NoEdge { line: 2, .. })));
    }
}
