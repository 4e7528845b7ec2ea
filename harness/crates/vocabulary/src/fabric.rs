//! Words about experiments on a fabric.

use super::*;

words! {
    /// Who asks for the other's memory.
    FabricSides as "sides" {
        /// One of two nodes.
        Single = "single",
        /// Both nodes at the same time.
        Double = "double",
    }

    /// How what is read gets to who reads.
    ReadWay as "way of reads" {
        /// Its owner's node is asked, by packets.
        Packets = "packets",
        /// It is loaded from the other node's memory, which is not asked: what shared memory can do at best.
        EmulatedDirect = "emulated-direct",
    }

    /// How messages get to the receiver.
    MessageWay as "way of messages" {
        /// The sender writes them into the receiver's ring.
        Push = "push",
        /// The receiver reads them, told where they are.
        Pull = "pull",
        /// Those below a threshold are pushed, others pulled.
        Combined = "combined",
    }

    /// How a node has the ranks of vertices that are not its own.
    PagerankVariant as "variant of PageRank" {
        /// Threads of one memory load them.
        SharedMemory = "shared-memory",
        /// All of them are read in large pieces before a superstep.
        Bulk = "bulk",
        /// One is read for each link that needs it.
        FineGrain = "fine-grain",
        /// One is loaded for each link that needs it, of the other node's memory, which is not asked:
        /// what shared memory can do at best.
        EmulatedDirect = "emulated-direct",
    }

    /// Where a graph is from.
    GraphKind as "kind of graph" {
        /// Drawn by R-MAT from a seed.
        Rmat = "rmat",
        /// Read from a list of edges.
        Edges = "edges",
    }
}
