//! Words about memory latency.

use super::*;

words! {
    /// What a row of memory latency is part of.
    LatencyPart as "part of a latency table" {
        /// The matrix of nodes, with a working set far beyond the last-level cache.
        Matrix = "matrix",
        /// The sweep of working sets, which shows what each cache takes.
        Sweep = "sweep",
    }

    /// Where the lines of a working set are when they are loaded again.
    MemoryLevel as "level of memory" {
        /// The first-level cache.
        L1 = "l1",
        /// The second-level cache.
        L2 = "l2",
        /// The third-level cache.
        L3 = "l3",
        /// The fourth-level cache.
        L4 = "l4",
        /// Memory.
        Memory = "memory",
    }

    /// The size of pages that memory is asked for in.
    PageSize as "page size" {
        /// The machine's own page size, without transparent huge pages.
        Base = "base",
        /// 2 MiB pages from the kernel's pool.
        Huge2M = "huge-2m",
        /// 1 GiB pages from the kernel's pool.
        Huge1G = "huge-1g",
    }

    /// The pages that the loaded memory was made of.
    LatencyPages as "kind of pages" {
        /// The machine's own page size.
        Base = "base",
        /// 2 MiB pages that the kernel made by itself.
        TransparentHuge = "transparent-huge",
        /// 2 MiB pages from the kernel's pool.
        Huge2M = "huge-2m",
        /// 1 GiB pages from the kernel's pool.
        Huge1G = "huge-1g",
    }

    /// The order in which lines were loaded.
    LatencyOrder as "order of lines" {
        /// Random within a block of 64 base pages before the next block.
        Blocks = "blocks",
        /// Random over the whole working set.
        WholeRange = "whole-range",
    }

    /// Whether the memory was where it was asked to be.
    LatencyPlacement as "placement of memory" {
        /// Every page was found on the node.
        Proven = "proven",
        /// The kernel does not say of every page, and no page was found elsewhere.
        Unproven = "unproven",
        /// A page was found on another node: the latency is not that of this pair of nodes.
        Misplaced = "misplaced",
    }
}
