//! The words of this command's options, and of its rows.

use clap::ValueEnum;
use onesided_access::chase::{Order, Pages, plateaus::Level};
use onesided_results::vocabulary::{LatencyOrder, LatencyPages, MemoryLevel};

/// Which pairs of nodes to sweep working sets for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepChoice {
    /// Each CPU node with its own memory, or the nearest.
    Local,
    /// Every pair of the matrix.
    All,
    /// No pair.
    None,
}

/// Pages of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PagesChoice {
    /// The first of huge-2m, transparent-huge and base that can be had.
    Auto,
    /// The machine's own page size.
    Base,
    /// 2 MiB pages that the kernel makes by itself.
    TransparentHuge,
    /// 2 MiB pages from the kernel's pool.
    #[value(name = "huge-2m")]
    Huge2M,
    /// 1 GiB pages from the kernel's pool.
    #[value(name = "huge-1g")]
    Huge1G,
}

impl PagesChoice {
    /// For a chase; absent: its own choice.
    pub const fn pages(self) -> Option<Pages> {
        match self {
            Self::Auto => None,
            Self::Base => Some(Pages::Base),
            Self::TransparentHuge => Some(Pages::TransparentHuge),
            Self::Huge2M => Some(Pages::Huge2M),
            Self::Huge1G => Some(Pages::Huge1G),
        }
    }
}

/// Order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OrderChoice {
    /// Random within 256 KiB before the next 256 KiB.
    Blocks,
    /// Random over the whole working set.
    WholeRange,
}

impl OrderChoice {
    /// For a chase.
    pub const fn order(self) -> Order {
        match self {
            Self::Blocks => Order::Blocks,
            Self::WholeRange => Order::WholeRange,
        }
    }

    /// For a row.
    pub const fn written(self) -> LatencyOrder {
        match self {
            Self::Blocks => LatencyOrder::Blocks,
            Self::WholeRange => LatencyOrder::WholeRange,
        }
    }
}

/// Pages as a row has them.
pub const fn written_pages(pages: Pages) -> LatencyPages {
    match pages {
        Pages::Base => LatencyPages::Base,
        Pages::TransparentHuge => LatencyPages::TransparentHuge,
        Pages::Huge2M => LatencyPages::Huge2M,
        Pages::Huge1G => LatencyPages::Huge1G,
    }
}

/// A level as a row has it; a row knows no cache beyond the fourth.
pub const fn written_level(level: Level) -> Option<MemoryLevel> {
    match level {
        Level::Cache(1) => Some(MemoryLevel::L1),
        Level::Cache(2) => Some(MemoryLevel::L2),
        Level::Cache(3) => Some(MemoryLevel::L3),
        Level::Cache(4) => Some(MemoryLevel::L4),
        Level::Cache(_) => None,
        Level::Memory => Some(MemoryLevel::Memory),
    }
}
