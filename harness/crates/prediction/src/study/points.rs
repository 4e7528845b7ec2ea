//! The points of each study.

use onesided_results::vocabulary::{MessageWay, Operation};

use onesided_sim::Locality;

use super::{Responders, ShapePoint};

const READ: Operation = Operation::Read;
const WRITE: Operation = Operation::Write;
const ADD: Operation = Operation::FetchAndAdd;

/// Threads of the sweep over the window (USENIX ATC 2016, section 5.3.2).
const THREADS: u32 = 14;
/// Reads and atomics of a queue pair under way (rdma_bench, `libhrd/hrd_conn.c`).
const UNDER_WAY: u32 = 16;
/// The longest payload in a request (rdma_bench, `libhrd/hrd.h`: `HRD_MAX_INLINE`).
const INLINE_BYTES: u32 = 60;
/// Client threads, and queue pairs of each (rdma_bench, `atomics-sequencer/main.h`).
const CLIENTS: u32 = 32;
const QUEUE_PAIRS: u32 = 2;
/// Ours: so many that no client's card is waited for.
const HOSTS: u32 = 16;
/// Items of the key-value store (section 4.3.2), each a cache line (rdma_bench, as above).
const ITEMS: u64 = 16 << 20;
const ITEM_BYTES: u32 = 64;
/// A cache line: what the fabric of Scale-Out NUMA carries in a packet (ASPLOS 2014, section 6).
const FABRIC_MTU_BYTES: u32 = 64;
/// The least path MTU of a connection; on this fabric packets cost nothing.
const MESSAGE_MTU_BYTES: u32 = 256;
/// Reads under way (ASPLOS 2014, table 1: entries of the memory access queue).
const FABRIC_UNDER_WAY: u32 = 32;

/// Threads of a client host, and the most queue pairs and hosts of the sweeps over them: ours, the
/// threads as many as the study's queue pairs.
const HOST_THREADS: u32 = 8;
const MOST_QUEUE_PAIRS: u32 = 10_000;
const MOST_HOSTS: u32 = 1_000;
/// The study's path MTU and reads under way (SRDS 2020, its program), and its 64 bytes.
const STUDY_MTU_BYTES: u32 = 256;
const STUDY_UNDER_WAY: u32 = 1;
const STUDY_BYTES: u32 = 64;

/// Many client hosts that always have requests posted at one server.
fn inbound(operation: Operation, access_bytes: u32) -> ShapePoint {
    ShapePoint {
        operation,
        access_bytes,
        queue_pairs: CLIENTS * QUEUE_PAIRS,
        threads: CLIENTS,
        client_hosts: HOSTS,
        window: 32,
        post_list: 1,
        max_rd_atomic: UNDER_WAY,
        mtu_bytes: 4096,
        inline_bytes: INLINE_BYTES,
        counters: None,
        put_fraction: None,
        message: None,
        responders: Responders::One,
        region: Locality::RdmaLocal,
    }
}

/// One host that asks many.
fn requester(operation: Operation, access_bytes: u32, window: u32) -> ShapePoint {
    ShapePoint {
        queue_pairs: THREADS,
        threads: THREADS,
        client_hosts: 1,
        window,
        responders: Responders::Enough,
        ..inbound(operation, access_bytes)
    }
}

pub(super) fn size() -> Vec<ShapePoint> {
    let sizes = || (3..=12).map(|power| 1 << power);
    let of = |operation| sizes().map(move |bytes| inbound(operation, bytes));
    of(READ).chain(of(WRITE)).collect()
}

pub(super) fn outbound() -> Vec<ShapePoint> {
    // 28 bytes are what fits a cache line behind a WRITE's header.
    let sizes = [8, 16, 28, 29, 32, 64, 92, 93, 128, 256];
    let of = |operation| sizes.into_iter().map(move |bytes| requester(operation, bytes, UNDER_WAY));
    of(READ).chain(of(WRITE)).collect()
}

/// Each thread keeps as many in flight as may be. The paper's program waits for all of them before
/// it posts again (rdma_bench, `rw-allsig`), which costs small windows some throughput.
pub(super) fn window() -> Vec<ShapePoint> {
    let windows = || (0..=9).map(|power| 1 << power);
    let of = |operation| windows().map(move |window| requester(operation, 8, window));
    of(READ).chain(of(WRITE)).collect()
}

pub(super) fn atomics() -> Vec<ShapePoint> {
    let counters = (0..=18).map(|power| 1_u64 << power);
    counters.map(|counters| ShapePoint { counters: Some(counters), ..inbound(ADD, 8) }).collect()
}

pub(super) fn key_value() -> Vec<ShapePoint> {
    let puts = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
    let of = |put_fraction| ShapePoint {
        counters: Some(ITEMS),
        put_fraction: Some(put_fraction),
        ..inbound(Operation::Mixed, ITEM_BYTES)
    };
    puts.into_iter().map(of).collect()
}

pub(super) fn fabric() -> Vec<ShapePoint> {
    let one = |operation, access_bytes, window| ShapePoint {
        queue_pairs: 1,
        threads: 1,
        client_hosts: 1,
        window,
        max_rd_atomic: FABRIC_UNDER_WAY,
        mtu_bytes: FABRIC_MTU_BYTES,
        inline_bytes: 0,
        ..inbound(operation, access_bytes)
    };
    let sizes = || (6..=13).map(|power| 1 << power);
    let alone = sizes().map(|bytes| one(READ, bytes, 1));
    let many = sizes().map(|bytes| one(READ, bytes, 64));
    alone.chain(many).chain([one(ADD, 8, 1), one(ADD, 8, 64)]).collect()
}

/// Messages between two nodes, one at a time (ASPLOS 2014, section 7.3: NetPIPE, half duplex).
fn messages(way: MessageWay) -> Vec<ShapePoint> {
    let of = |power| ShapePoint {
        queue_pairs: 1,
        threads: 1,
        client_hosts: 1,
        window: 1,
        max_rd_atomic: FABRIC_UNDER_WAY,
        mtu_bytes: MESSAGE_MTU_BYTES,
        inline_bytes: 0,
        message: Some(way),
        ..inbound(Operation::Send, 1_u32 << power)
    };
    (3..=13).map(of).collect()
}

pub(super) fn messages_pushed() -> Vec<ShapePoint> {
    messages(MessageWay::Push)
}

pub(super) fn messages_pulled() -> Vec<ShapePoint> {
    messages(MessageWay::Pull)
}

/// Powers of two up to `most`, and that.
fn up_to(most: u32) -> impl Iterator<Item = u32> + Clone {
    (0..).map(|power| 1 << power).take_while(move |count| *count < most).chain([most])
}

/// The study's accesses of `client_hosts` machines with `queue_pairs` each.
fn clients(
    operation: Operation,
    region: Locality,
    client_hosts: u32,
    queue_pairs: u32,
) -> ShapePoint {
    ShapePoint {
        queue_pairs: client_hosts * queue_pairs,
        threads: client_hosts * queue_pairs.min(HOST_THREADS),
        client_hosts,
        window: UNDER_WAY,
        max_rd_atomic: STUDY_UNDER_WAY,
        mtu_bytes: STUDY_MTU_BYTES,
        // Its program inlines nothing.
        inline_bytes: 0,
        region,
        ..inbound(operation, STUDY_BYTES)
    }
}

/// Both operations at both places, by whatever `counts` count.
fn at_both_places(
    counts: impl Iterator<Item = u32> + Clone,
    point: fn(Operation, Locality, u32) -> ShapePoint,
) -> Vec<ShapePoint> {
    let lines = [READ, WRITE].into_iter().flat_map(|operation| {
        [Locality::RdmaLocal, Locality::RdmaRemote]
            .into_iter()
            .map(move |region| (operation, region))
    });
    lines
        .flat_map(|(operation, region)| {
            counts.clone().map(move |count| point(operation, region, count))
        })
        .collect()
}

pub(super) fn queue_pairs() -> Vec<ShapePoint> {
    at_both_places(up_to(MOST_QUEUE_PAIRS), |operation, region, count| {
        clients(operation, region, 1, count)
    })
}

pub(super) fn client_hosts() -> Vec<ShapePoint> {
    at_both_places(up_to(MOST_HOSTS), |operation, region, count| {
        clients(operation, region, count, HOST_THREADS)
    })
}
