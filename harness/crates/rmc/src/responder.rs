//! The remote request processing pipeline of a node: who has the duty (`duty`) executes what others
//! ask.
//!
//! There is one at a time, and nobody else stores anything on behalf of peers, so
//! requests to a node are executed one at a time, each packet whole. It goes round the channels that
//! are in use; what seldom changes is told by one word that it looks at on each round.

mod execute;
mod idle;
mod short;

use std::{
    hint, mem,
    ptr::NonNull,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

pub use self::idle::RESPONDERS_SPIN;
use self::{
    execute::{From, execute},
    idle::{Idle, Idling},
    short::{Done, execute_line},
};
use crate::{
    fabric::is_living,
    local::LocalNode,
    shared::{
        delay::{Hop, Stamp},
        layout::{CHANNELS, ChannelState, state},
        packet::{Kind, REPLY_WORDS, REQUEST_WORDS, Reply, Request, Status},
        ring::{LAP_BITS, LINES_SHIFT, Receiver, Sender},
        sleep,
    },
};

/// Requests in one look from which on more are likely to follow at once. Ours.
const MANY: usize = 4;

/// Pauses that it makes when there are none after all, as a requester does.
const MOMENT: u32 = 4;

/// Rounds without anything after which one who stands in is done. Ours: some 10 µs.
const QUIET: u32 = 2_000;

/// Rounds between two looks at the time.
const ROUNDS: u32 = 1 << 16;

/// Time between two looks whether requesters still live.
pub const CENSUS: Duration = Duration::from_millis(100);

/// A channel in use.
struct Served {
    channel: usize,
    node: u32,
    requests: Receiver<REQUEST_WORDS>,
    replies: Sender<REPLY_WORDS>,
    /// How long packets take from there.
    hop: Hop,
    /// Whether the last look found many.
    busy: bool,
}

/// What a turn came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Nothing was there.
    Nothing,
    /// Something is there, or was.
    Something,
}

/// The state of who executes.
pub struct Responder {
    served: Vec<Served>,
    /// What it has looked at; nothing yet.
    changes: Option<u32>,
    requests: u64,
    refused: u64,
    census: Instant,
}

/// Executes requests until the node ends.
pub fn run(local: &LocalNode, responder: &mut Responder) {
    let mut idle = Idle::default();
    let mut rounds = 0_u32;
    while responder.look_at_changes(local) {
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(ROUNDS) {
            responder.take_census(local);
        }
        match responder.round(local) {
            Turn::Something => idle.over(),
            Turn::Nothing => match idle.next() {
                Idling::Go => {}
                Idling::Sleep(time) => responder.sleep(local, time),
            },
        }
    }
}

/// Executes requests until there are none for a moment, somebody else will, or the node ends.
pub fn run_while_busy(local: &LocalNode, responder: &mut Responder, is_wanted: impl Fn() -> bool) {
    let (mut idle, mut rounds) = (0, 0_u32);
    while idle < QUIET && !is_wanted() && responder.look_at_changes(local) {
        idle = if responder.round(local) == Turn::Something { 0 } else { idle + 1 };
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(ROUNDS) {
            responder.take_census(local);
        }
    }
}

impl Responder {
    /// One that has not looked at anything yet.
    pub fn new() -> Self {
        let served = Vec::with_capacity(CHANNELS);
        Self { served, changes: None, requests: 0, refused: 0, census: Instant::now() }
    }

    /// Everyone's turn.
    #[inline]
    pub fn round(&mut self, local: &LocalNode) -> Turn {
        let mut something = Turn::Nothing;
        let mut requests = 0;
        for served in &mut self.served {
            let (turn, refused) = served.turn(local, &mut requests);
            self.refused += refused;
            if turn == Turn::Something {
                something = turn;
            }
        }
        if requests > 0 {
            self.requests += requests;
            local.counted.requests.store(self.requests, Ordering::Relaxed);
            local.counted.refused.store(self.refused, Ordering::Relaxed);
        }
        something
    }

    /// Notices channels that come and go and wishes of its process. False when it is to end.
    #[inline]
    pub fn look_at_changes(&mut self, local: &LocalNode) -> bool {
        let changes = local.own.memory.changes.0.load(Ordering::Acquire);
        if Some(changes) == self.changes {
            return true;
        }
        self.changes = Some(changes);
        let wishes = local.wishes();
        self.go_round_channels(local);
        local.say_settled(wishes);
        !local.has_ended()
    }

    #[cold]
    fn go_round_channels(&mut self, local: &LocalNode) {
        let memory = &local.own.memory;
        for (channel, owner) in memory.channels.iter().enumerate() {
            let place = self.served.iter().position(|served| served.channel == channel);
            match (owner.state.load(Ordering::Acquire), place) {
                (state::READY, None) => {
                    let rings = &memory.rings[channel];
                    // SAFETY: the rings are mapped as long as `local`, which has this state; the
                    // requester has cleared them and has one end of each, the duty the other.
                    let (requests, replies) = unsafe {
                        (
                            Receiver::new(NonNull::from(&rings.requests)),
                            Sender::new(NonNull::from(&rings.replies)),
                        )
                    };
                    let node = owner.node.load(Ordering::Relaxed);
                    let hop = local.delay.hop(owner.tenths.load(Ordering::Relaxed));
                    let served = Served { channel, node, requests, replies, hop, busy: false };
                    self.served.push(served);
                }
                (state::CLOSING, place) => {
                    if let Some(place) = place {
                        self.served.swap_remove(place);
                    }
                    free(owner);
                }
                _ => {}
            }
        }
    }

    /// Frees the channels of requesters that have ended without closing them.
    pub fn take_census(&mut self, local: &LocalNode) {
        if self.census.elapsed() < CENSUS {
            return;
        }
        self.census = Instant::now();
        let memory = &local.own.memory;
        for (channel, owner) in memory.channels.iter().enumerate() {
            let found = owner.state.load(Ordering::Acquire);
            let instance = owner.instance.load(Ordering::Acquire);
            // One that is just being taken does not say whose it is yet.
            if found == state::FREE || instance == 0 {
                continue;
            }
            let node = owner.node.load(Ordering::Relaxed) as u16;
            if !is_living(&local.context, node, instance) {
                self.served.retain(|served| served.channel != channel);
                free(owner);
                local.counted.abandoned.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Sleeps, unless something has come meanwhile.
    #[cold]
    fn sleep(&mut self, local: &LocalNode, time: Duration) {
        self.take_census(local);
        let memory = &local.own.memory;
        sleep::announce(&memory.asleep.0);
        let changed = Some(memory.changes.0.load(Ordering::SeqCst)) != self.changes;
        if changed || self.served.iter().any(|served| served.requests.peek().is_some()) {
            return sleep::withdraw(&memory.asleep.0);
        }
        local.counted.slept.fetch_add(1, Ordering::Relaxed);
        sleep::sleep(&memory.asleep.0, time);
    }
}

/// Lets another requester take a channel.
fn free(owner: &ChannelState) {
    owner.instance.store(0, Ordering::Relaxed);
    owner.state.store(state::FREE, Ordering::Release);
}

impl Served {
    /// The request of these words. Replies are as far in their lane as requests in theirs, so
    /// there is as much room for both.
    #[inline]
    fn request(&self, words: [u64; REQUEST_WORDS]) -> Option<Request> {
        Request::from_words(words, self.requests.room())
    }

    /// Executes requests that have arrived; adds to `requests`, and returns how many were refused.
    #[inline]
    fn turn(&mut self, local: &LocalNode, requests: &mut u64) -> (Turn, u64) {
        let mut refused = 0;
        // The first one at once: whether there are more is looked at when it is answered.
        let (mut ready, mut has_looked, mut is_there) = (1, false, false);
        while ready > 0 {
            let Some(words) = self.requests.peek() else { break };
            is_there = true;
            if !local.delay.has_passed(Stamp::of_header(words[0]), self.hop) {
                break;
            }
            refused += u64::from(self.answer(local, words) != Status::Done);
            *requests += 1;
            ready -= 1;
            if !has_looked {
                ready = self.requests.look_ahead(Request::has_payload);
                self.busy = ready >= MANY;
                has_looked = true;
            }
        }
        if is_there {
            return (Turn::Something, refused);
        }
        if mem::take(&mut self.busy) {
            // More is being written just now, to the cache line that was just looked at.
            (0..MOMENT).for_each(|_| hint::spin_loop());
        }
        (Turn::Nothing, 0)
    }

    /// Executes the next request, which has these words, and answers it.
    #[inline]
    fn answer(&mut self, local: &LocalNode, words: [u64; REQUEST_WORDS]) -> Status {
        let first = words[0];
        let transfer = (first >> LAP_BITS) as u8;
        // What the requester looks at meanwhile is fetched while the request is executed.
        self.replies.prefetch();
        let places = (self.requests.line(), self.replies.line());
        // SAFETY: the first line is of the packet that was just found, the second of a free slot;
        // this thread has the duty, and settles between rounds.
        if let Some(done) = unsafe { execute_line(local, self.node, words, places) } {
            let (Done { payload, found }, status) = (done, Status::Done);
            let stamp = local.delay.stamp();
            let reply = Reply { transfer, payload, status, lines: 1, stamp, found };
            self.requests.advance_line();
            // SAFETY: as below.
            unsafe { self.replies.publish_line(reply.words()) };
            return status;
        }
        // SAFETY: as above.
        let (payload, status, found) = unsafe { self.execute_any(local, words, places) };
        self.requests.advance(first);
        let (lines, stamp) = ((first >> LINES_SHIFT) as u8, local.delay.stamp());
        let reply = Reply { transfer, payload, status, lines, stamp, found };
        // SAFETY: a requester has no more slots of requests under way than there are, and a
        // reply takes those of its request, so they are free.
        unsafe { self.replies.publish(reply.words()) };
        status
    }

    /// Executes any request; whether its reply has a payload, how it ended, what an atomic found.
    ///
    /// # Safety
    /// As [`execute`].
    #[inline(never)]
    unsafe fn execute_any(
        &self,
        local: &LocalNode,
        words: [u64; REQUEST_WORDS],
        places: (*const u8, *mut u8),
    ) -> (bool, Status, u64) {
        let Some(request) = self.request(words) else { return (false, Status::Invalid, 0) };
        let from = From { node: self.node, channel: self.channel as u32 };
        // SAFETY: the caller's.
        let (status, found) = unsafe { execute(local, from, &request, places) };
        (request.kind == Kind::Read, status, found)
    }
}
