//! The machine that all simulate: two cards' and links' servers between 8 queue pairs and memory.

/// Queue pairs, each with a thread and one READ at a time.
pub const QUEUE_PAIRS: usize = 8;
pub const POST_NS: u64 = 100;
pub const POLL_NS: u64 = 50;
pub const DOORBELL_NS: u64 = 200;
pub const REQUEST_NS: u64 = 60;
pub const PACKET_NS: u64 = 20;
pub const ONE_WAY_NS: u64 = 200;
pub const MEMORY_NS: u64 = 300;
pub const COMPLETION_NS: u64 = 300;

const PS: u64 = 1_000;

/// What happens to a queue pair's request next.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Step {
    Issue,
    Reply,
    Complete,
}

/// The servers, by when they are free, and what completed.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Machine {
    card: u64,
    way_out: u64,
    way_back: u64,
    pub completed: u64,
    pub end: u64,
}

fn serve(free: &mut u64, at: u64, ns: u64) -> u64 {
    *free = at.max(*free) + ns * PS;
    *free
}

impl Machine {
    pub fn until(end: u64) -> Self {
        Self { end, ..Self::default() }
    }

    /// When the first request of each queue pair is at the card.
    pub const fn first() -> u64 {
        (POST_NS + DOORBELL_NS) * PS
    }

    /// Does a step at `now`, in picoseconds; what follows it, and when.
    pub fn step(&mut self, step: Step, now: u64) -> (Step, u64) {
        match step {
            Step::Issue => {
                let sent = serve(&mut self.card, now, REQUEST_NS);
                let sent = serve(&mut self.way_out, sent, PACKET_NS);
                (Step::Reply, sent + (ONE_WAY_NS + MEMORY_NS) * PS)
            }
            Step::Reply => {
                let back = serve(&mut self.way_back, now, PACKET_NS);
                (Step::Complete, back + (ONE_WAY_NS + COMPLETION_NS) * PS)
            }
            Step::Complete => {
                let taken = now + POLL_NS * PS;
                self.completed += u64::from(taken < self.end);
                (Step::Issue, taken + (POST_NS + DOORBELL_NS) * PS)
            }
        }
    }
}
