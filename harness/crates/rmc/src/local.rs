//! This process's node, as its endpoints, its regions and its responder share it.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use onesided_placement::NodeId;

use crate::{
    fabric::{Context, OwnNode},
    keys::index_of,
    losses::Losses,
    placed::Placed,
    queue_pairs::QueuePairs,
    regions::Regions,
    segments::Segments,
    serving::Serving,
    shared::{
        delay::{HopDelay, TENTHS},
        region::SharedRegion,
        sleep,
    },
};

/// A node and what requests to it may name.
pub struct LocalNode {
    /// Its place in the fabric.
    pub own: OwnNode,
    /// Where its peers are.
    pub context: Context,
    /// The emulated delay of a hop.
    pub delay: HopDelay,
    /// Distances of NUMA nodes from this node's memory; those that are not named are near.
    distances: BTreeMap<NodeId, u32>,
    /// Registered memory.
    pub regions: Regions,
    /// Memory of this process that peers can map.
    pub segments: Segments,
    /// Queue pairs that may be sent to.
    pub queue_pairs: QueuePairs,
    /// Who executes what others ask.
    pub serving: Serving,
    /// What is lost on purpose.
    pub losses: Losses,
    /// Where its process's memory is.
    pub placed: Placed,
    /// What its responder has counted.
    pub counted: Counted,
    /// Times that there was no room for a segment.
    pub crowded_out: AtomicU64,
    wishes: AtomicU64,
    settled: AtomicU64,
    ended: AtomicBool,
}

/// Counters of a responder, on cache lines of their own: it writes them all the time.
#[derive(Default)]
#[repr(align(128))]
pub struct Counted {
    /// Requests answered, refused ones included.
    pub requests: AtomicU64,
    /// Of these, refused.
    pub refused: AtomicU64,
    /// Of these, of unreliable services and not done: nobody was told.
    pub dropped: AtomicU64,
    /// Times that it slept for want of requests.
    pub slept: AtomicU64,
    /// Channels whose requester had ended without closing them.
    pub abandoned: AtomicU64,
}

/// Time between two looks whether the responder has settled.
const LOOK_AGAIN: Duration = Duration::from_micros(20);

impl LocalNode {
    /// A node with nothing registered yet.
    pub fn new(
        own: OwnNode,
        context: Context,
        (delay, distances): (HopDelay, BTreeMap<NodeId, u32>),
        losses: Losses,
        serving: Serving,
    ) -> Self {
        Self {
            serving,
            distances,
            queue_pairs: QueuePairs::new(own.number),
            own,
            context,
            delay,
            regions: Regions::new(),
            segments: Segments::default(),
            losses,
            placed: Placed::default(),
            counted: Counted::default(),
            crowded_out: AtomicU64::new(0),
            wishes: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// Tenths of a delay that a hop takes to a node that says so of its memory (`Head::memory_node`).
    pub fn tenths_to(&self, memory_node: u32) -> u32 {
        let distance =
            memory_node.checked_sub(1).and_then(|node| self.distances.get(&NodeId(node)));
        distance.copied().unwrap_or(TENTHS)
    }

    /// What peers know of the region of a key that was given out.
    #[inline]
    pub fn shared_region(&self, key: u32) -> &SharedRegion {
        let index = index_of(key).expect("a key that was given out names a place");
        &self.own.memory.regions[index]
    }

    /// Waits until the responder uses nothing that it found before this call: what was hidden
    /// from it before may then be freed.
    pub fn settle(&self) {
        let wish = self.wishes.fetch_add(1, Ordering::SeqCst) + 1;
        self.notice();
        while self.settled.load(Ordering::Acquire) < wish {
            sleep::wake(&self.own.memory.asleep.0);
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// What [`LocalNode::say_settled`] is to be told, taken before the responder looks at the
    /// tables again.
    pub fn wishes(&self) -> u64 {
        self.wishes.load(Ordering::SeqCst)
    }

    /// For the responder: it uses nothing that was hidden before so many wishes.
    pub fn say_settled(&self, wishes: u64) {
        self.settled.store(wishes, Ordering::Release);
    }

    /// Has the responder end.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.notice();
    }

    /// Whether the responder is to end.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    fn notice(&self) {
        self.own.memory.changes.0.fetch_add(1, Ordering::SeqCst);
        sleep::wake(&self.own.memory.asleep.0);
    }
}
