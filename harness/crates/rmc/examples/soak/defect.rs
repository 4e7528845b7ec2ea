//! An endpoint that does something wrong now and then, which the soak must find.

use std::sync::atomic::{AtomicU64, Ordering};

use onesided_transport::{
    ConnectError, ConnectionAttributes, Destination, Endpoint, EndpointAddress, GidEntry, Opcode,
    PollError, PostError, ReceiveRequest, WorkCompletion, WorkRequest,
};

use crate::board::LINE_WORDS;

/// One of so many operations goes wrong, where it says "now and then".
const RARE: u64 = 64;

/// What it does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Takes a copy although something was stored meanwhile: the first half of each line is as it was when the
    /// read was posted, the other as it was at the end.
    TornRead,
    /// Reports a write, now and then, that it has not made.
    LostWrite,
    /// Answers a fetch-and-add, now and then, and adds nothing.
    LostAdd,
    /// Adds twice, now and then.
    RepeatedAdd,
    /// Loads and stores what it adds to, and others come between.
    SplitAdd,
    /// Answers a compare-and-swap, now and then, and swaps nothing.
    LostSwap,
}

impl Defect {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::TornRead,
        Self::LostWrite,
        Self::LostAdd,
        Self::RepeatedAdd,
        Self::SplitAdd,
        Self::LostSwap,
    ];

    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::TornRead => "torn read",
            Self::LostWrite => "lost write",
            Self::LostAdd => "lost add",
            Self::RepeatedAdd => "repeated add",
            Self::SplitAdd => "split add",
            Self::LostSwap => "lost swap",
        }
    }
}

/// What is done wrong when an operation completes.
enum Late {
    Nothing,
    /// Puts these words into each line's first half.
    Tear {
        local: u64,
        halves: Vec<u64>,
    },
    /// Stores what was found and this.
    Store {
        local: u64,
        remote: u64,
        add: u64,
    },
}

/// An endpoint with a defect. What it reaches is memory of this process.
pub struct Defective<E> {
    inner: E,
    defect: Defect,
    posted: u64,
    late: Vec<Late>,
}

impl<E: Endpoint> Defective<E> {
    /// Requests are of identifiers below `places`, one under way of each.
    pub fn new(inner: E, defect: Defect, places: usize) -> Self {
        Self { inner, defect, posted: 0, late: (0..places).map(|_| Late::Nothing).collect() }
    }

    /// The request that is posted instead, and what is left for its completion.
    fn spoilt(&self, request: WorkRequest) -> (WorkRequest, Late) {
        let is_now = self.posted.is_multiple_of(RARE);
        let with = |opcode| WorkRequest { opcode, ..request };
        let spoilt = match (self.defect, request.opcode) {
            (Defect::TornRead, Opcode::Read) => {
                let half = |word: &u64| word % (LINE_WORDS as u64) < LINE_WORDS as u64 / 2;
                let words = (0..u64::from(request.local.length) / 8).filter(half);
                let halves = words.map(|word| load(request.remote.address + 8 * word)).collect();
                return (request, Late::Tear { local: request.local.address, halves });
            }
            (Defect::SplitAdd, Opcode::FetchAndAdd { add }) => {
                let (local, remote) = (request.local.address, request.remote.address);
                return (with(Opcode::Read), Late::Store { local, remote, add });
            }
            (Defect::LostWrite, Opcode::Write) if is_now => {
                let local = onesided_transport::LocalSegment { length: 0, ..request.local };
                WorkRequest { local, ..request }
            }
            (Defect::LostAdd, Opcode::FetchAndAdd { .. })
            | (Defect::LostSwap, Opcode::CompareAndSwap { .. })
                if is_now =>
            {
                with(Opcode::Read)
            }
            (Defect::RepeatedAdd, Opcode::FetchAndAdd { add }) if is_now => {
                with(Opcode::FetchAndAdd { add: add.wrapping_mul(2) })
            }
            _ => request,
        };
        (spoilt, Late::Nothing)
    }
}

/// A word of memory that is registered here.
fn word<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: requests of the soak name aligned words that outlive what is under way, and are atomics.
    unsafe { AtomicU64::from_ptr(address as *mut u64) }
}

fn load(address: u64) -> u64 {
    word(address).load(Ordering::Relaxed)
}

fn store(address: u64, value: u64) {
    word(address).store(value, Ordering::Relaxed);
}

impl<E: Endpoint> Endpoint for Defective<E> {
    fn queue_pair_numbers(&self) -> &[u32] {
        self.inner.queue_pair_numbers()
    }

    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress {
        self.inner.address(gid)
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        self.inner.connect(peer, attributes)
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        self.inner.destinations(peer, attributes)
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        for request in requests {
            let (request, late) = self.spoilt(*request);
            self.late[request.id as usize] = late;
            self.posted += 1;
            // SAFETY: the caller's; it accesses no more than the request of the caller would.
            unsafe { self.inner.post(queue_pair, &[request]) }?;
        }
        Ok(())
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        // SAFETY: the caller's.
        unsafe { self.inner.post_receives(queue_pair, requests) }
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let polled = self.inner.poll(completions)?;
        for completion in &completions[..polled] {
            let late = &mut self.late[completion.id as usize];
            match std::mem::replace(late, Late::Nothing) {
                Late::Nothing => {}
                Late::Tear { local, halves } => {
                    for (index, half) in (0..).zip(halves) {
                        let each = LINE_WORDS as u64 / 2;
                        let place = index / each * LINE_WORDS as u64 + index % each;
                        store(local + 8 * place, half);
                    }
                }
                Late::Store { local, remote, add } => {
                    store(remote, load(local).wrapping_add(add));
                }
            }
        }
        Ok(polled)
    }
}
