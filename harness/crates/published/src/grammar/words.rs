//! The words that paths are made of, by what they mean.

use onesided_results::vocabulary::{LoadNode, Operation, WorkerOperation};

/// Words and what each means.
pub(super) type Words<T> = [(&'static str, T)];

/// Folders of the client's operation.
pub(super) const OPERATIONS: &Words<Operation> = &[
    ("cread", Operation::Read),
    ("cwrite", Operation::Write),
    ("crw", Operation::Mixed),
    ("ccas", Operation::CompareAndSwap),
];

/// Those of most trees.
pub(super) const READ_OR_WRITE: &Words<Operation> =
    &[("cread", Operation::Read), ("cwrite", Operation::Write)];

/// Those of the tree of flushed caches.
pub(super) const READ_WRITE_OR_SWAP: &Words<Operation> = &[
    ("cread", Operation::Read),
    ("cwrite", Operation::Write),
    ("ccas", Operation::CompareAndSwap),
];

/// Folders of the workers' operation.
pub(super) const WORKERS: &Words<WorkerOperation> = &[
    ("sread", WorkerOperation::Read),
    ("swrite", WorkerOperation::Write),
    ("srw", WorkerOperation::Mixed),
    ("scas", WorkerOperation::CompareAndSwap),
];

/// Those of the worker trees.
pub(super) const READING_WRITING_OR_BOTH: &Words<WorkerOperation> = &[
    ("sread", WorkerOperation::Read),
    ("swrite", WorkerOperation::Write),
    ("srw", WorkerOperation::Mixed),
];

/// Those of the tree of flushed caches.
pub(super) const READING_WRITING_OR_SWAPPING: &Words<WorkerOperation> = &[
    ("sread", WorkerOperation::Read),
    ("swrite", WorkerOperation::Write),
    ("scas", WorkerOperation::CompareAndSwap),
];

/// Workers of trees without any.
pub(super) const READING: &Words<WorkerOperation> = &[("sread", WorkerOperation::Read)];

/// Workers of the tree of write shares.
pub(super) const BOTH: &Words<WorkerOperation> = &[("srw", WorkerOperation::Mixed)];

/// Nodes of the server's memory and workers.
pub(super) const NODES: &Words<u32> = &[("numa_zero", 0), ("numa_one", 1)];

/// Queue pairs.
pub(super) const CLIENTS: &Words<u32> = &[
    ("clients_one", 1),
    ("clients_two", 2),
    ("clients_three", 3),
    ("clients_four", 4),
    ("clients_eight", 8),
    ("clients_sixteen", 16),
    ("clients_twentyfour", 24),
    ("clients_thirtytwo", 32),
    ("clients_fortyeight", 48),
    ("clients_sixtyfour", 64),
    ("clients_onetwentyeight", 128),
];

/// Queue pairs of the worker and load trees.
pub(super) const EIGHT_OR_THIRTYTWO: &Words<u32> =
    &[("clients_eight", 8), ("clients_thirtytwo", 32)];

/// Queue pairs of the tree without write allocation.
pub(super) const ONE_FOUR_OR_EIGHT: &Words<u32> =
    &[("clients_one", 1), ("clients_four", 4), ("clients_eight", 8)];

/// Queue pairs of the ConnectX-4 tree.
pub(super) const OPEN_LOOPS: &Words<u32> = &[
    ("openloop_one", 1),
    ("openloop_two", 2),
    ("openloop_three", 3),
    ("openloop_four", 4),
    ("openloop_eight", 8),
    ("openloop_sixteen", 16),
    ("openloop_thirtytwo", 32),
    ("openloop_sixtyfour", 64),
];

/// Sizes of an access.
pub(super) const EIGHT_OR_SIXTYFOUR: &Words<u32> = &[("eight_byte", 8), ("sixtyfour_byte", 64)];

/// Sizes of an access in the tree of flushed caches.
pub(super) const FLUSHED_SIZES: &Words<u32> = &[
    ("fourbyte", 4),
    ("eightbyte", 8),
    ("thirtytwobyte", 32),
    ("sixtyfourbyte", 64),
    ("twofiftysixbyte", 256),
];

/// Path MTUs of the first program.
pub(super) const V1_MTUS: &Words<u32> =
    &[("twofiftysix_mtu", 256), ("fivetwelve_mtu", 512), ("onek_mtu", 1024), ("fourk_mtu", 4096)];

/// Path MTUs of the second program.
pub(super) const V2_MTUS: &Words<u32> =
    &[("fivetwelve", 512), ("tentwentyfour", 1024), ("fourtynintysix", 4096)];

/// Shares of writes of mixed workers.
pub(super) const WRITE_SHARES: &Words<f64> =
    &[("zerop", 0.0), ("tenp", 0.1), ("fiftyp", 0.5), ("nintyp", 0.9)];

/// Elements of the load's array, in powers of ten; without load, none.
pub(super) const DECIMAL_LOADS: &Words<Option<u64>> = &[
    ("no_load", None),
    ("onehundo", Some(100)),
    ("onek", Some(1_000)),
    ("tenk", Some(10_000)),
    ("hundok", Some(100_000)),
    ("onemil", Some(1_000_000)),
    ("tenmil", Some(10_000_000)),
    ("hundomil", Some(100_000_000)),
    ("billion", Some(1_000_000_000)),
    ("onebil", Some(1_000_000_000)),
];

/// The same in powers of two.
pub(super) const BINARY_LOADS: &Words<Option<u64>> = &[
    ("no_load", None),
    ("onek", Some(1 << 10)),
    ("twok", Some(1 << 11)),
    ("fourk", Some(1 << 12)),
    ("eightk", Some(1 << 13)),
    ("sixteenk", Some(1 << 14)),
    ("thirtytwok", Some(1 << 15)),
    ("sixtyfourk", Some(1 << 16)),
    ("onetwentyeightk", Some(1 << 17)),
    ("twofiftysixk", Some(1 << 18)),
    ("fivetwelvek", Some(1 << 19)),
    ("onemil", Some(1 << 20)),
];

/// Where the load of the first program runs, on ConnectX-3: node 0 is the card's.
pub(super) const V1_LOAD_NODES: &Words<LoadNode> = &[
    ("no_numa", LoadNode::Agnostic),
    ("numa_zero", LoadNode::RdmaLocal),
    ("numa_one", LoadNode::RdmaRemote),
];

/// The same of the second program; its folders without one are of a load on every node.
pub(super) const V2_LOAD_NODES: &Words<LoadNode> =
    &[("numazero", LoadNode::RdmaLocal), ("numaone", LoadNode::RdmaRemote)];

/// Tables of RDMA-Memcached, by where the load beside it runs.
pub(super) const KEY_VALUE_LOADS: &Words<Option<LoadNode>> = &[
    ("no_load.result", None),
    ("no_numa.result", Some(LoadNode::Agnostic)),
    ("numa_zero.result", Some(LoadNode::RdmaLocal)),
    ("numa_one.result", Some(LoadNode::RdmaRemote)),
];

/// Numbers of workers.
pub(super) const WORKER_COUNTS: &[u32] = &[0, 1, 2, 4, 8, 16, 24, 32, 48];

/// Sizes of an access, of files that are named by it.
pub(super) const ACCESS_SIZES: &[u32] = &[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
