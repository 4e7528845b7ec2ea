//! Which node has which vertices.

use std::ops::Range;

/// Vertices in runs of equal length, the first ones a vertex longer where it does not come out even.
///
/// A random partition, as 004 §7.5 has, where vertices are numbered at random
/// ([`crate::Graph::shuffled`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    vertices: usize,
    parts: usize,
}

impl Partition {
    /// So many vertices in so many parts.
    ///
    /// # Panics
    /// When there are no parts.
    pub fn new(vertices: usize, parts: usize) -> Self {
        assert!(parts > 0, "vertices are divided among one part or more");
        Self { vertices, parts }
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The vertices of a part; none where there are more parts than vertices.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn vertices(&self, part: usize) -> Range<usize> {
        assert!(part < self.parts, "part {part} of {}", self.parts);
        self.start(part)..self.start(part + 1)
    }

    /// The part that has a vertex, and the vertex' place in it.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline]
    pub fn place(&self, vertex: usize) -> (usize, usize) {
        assert!(vertex < self.vertices, "vertex {vertex} of {}", self.vertices);
        let (short, longer) = (self.vertices / self.parts, self.vertices % self.parts);
        // Those before the first of the shorter parts.
        let before = longer * (short + 1);
        match vertex.checked_sub(before) {
            None => (vertex / (short + 1), vertex % (short + 1)),
            Some(rest) => (longer + rest / short, rest % short),
        }
    }

    fn start(&self, part: usize) -> usize {
        part * (self.vertices / self.parts) + part.min(self.vertices % self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_differ_by_a_vertex_at_most() {
        let partition = Partition::new(10, 4);
        let lengths = [0, 1, 2, 3].map(|part| partition.vertices(part).len());
        assert_eq!(lengths, [3, 3, 2, 2]);
        assert_eq!(Partition::new(1, 3).vertices(2), 1..1);
    }

    proptest! {
        #[test]
        fn each_vertex_is_at_its_place_in_its_part(vertices in 1_usize..300, parts in 1_usize..40) {
            let partition = Partition::new(vertices, parts);
            let mut next = 0;
            for part in 0..parts {
                for (place, vertex) in partition.vertices(part).enumerate() {
                    prop_assert_eq!(vertex, next);
                    prop_assert_eq!(partition.place(vertex), (part, place));
                    next += 1;
                }
            }
            prop_assert_eq!(next, vertices);
        }
    }
}
