//! Post and poll.
//!
//! Both go through `ibv_post_send(3)` and `ibv_poll_cq(3)`, never through extended completion
//! queues (`ibv_start_poll(3)`): Soft-RoCE's provider in rdma-core 44 to 54 moves the consumer
//! index twice when a poll ends on an empty queue, and then reports a ring of stale entries as
//! successes; 55 to 58 unlock twice. That is a plausible number and no error.
//!
//! Nothing here allocates, locks or logs. What is posted and polled through is allocated when
//! the endpoint is made, by its thread.

use std::{ffi::c_int, io, num::NonZeroU32, ptr};

use onesided_transport::{
    CompletionKind, CompletionStatus, DATAGRAM_HEADER, Destination, Opcode, PollError, PostError,
    ReceiveRequest, Service, WorkCompletion, WorkRequest,
};

use crate::{
    ffi::{
        self, IBV_WC_RECV, IBV_WC_WITH_IMM, ibv_cq, ibv_qp, ibv_recv_wr, ibv_send_wr,
        ibv_send_wr__bindgen_ty_2__bindgen_ty_3 as Target, ibv_srq, ibv_wc,
    },
    post_list::PostList,
    receive_list::ReceiveList,
};

/// Requests behind one doorbell at most; a longer list is posted in parts of this length. Ours:
/// 512 KiB of requests, more than any queue of the experiments holds.
const LONGEST_POST: usize = 4096;

/// Completions that one poll takes at most. Ours: 3 KiB, which stays in the first cache level.
const COMPLETIONS_PER_POLL: usize = 64;

/// What requests of other services than the reliable one are held to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) service: Service,
    pub(crate) longest_datagram: u32,
}

impl Rules {
    /// Bytes at the front of receive buffers that are no message.
    fn header(self) -> u32 {
        if self.service == Service::UnreliableDatagram { DATAGRAM_HEADER } else { 0 }
    }
}

/// Handles of what an endpoint has.
pub(crate) struct Handles {
    pub(crate) queue_pairs: Box<[*mut ibv_qp]>,
    pub(crate) completion_queues: Box<[*mut ibv_cq]>,
    /// The receive queue of all queue pairs, where they share one.
    pub(crate) shared_receives: Option<*mut ibv_srq>,
}

/// What a thread posts to and polls from. The handles are those of the endpoint that it is in.
pub(crate) struct DataPath {
    queue_pairs: Box<[*mut ibv_qp]>,
    /// The same once they are connected; empty until then, and always of unreliable services. The bounds
    /// check that every post makes sends both to `post_otherwise`, which costs reliable ones nothing. A
    /// post that comes too early is refused there: some providers take it, and Soft-RoCE refuses it but
    /// sends it later.
    connected: Box<[*mut ibv_qp]>,
    /// Whether posts to queue pairs of another service may pass.
    is_open: bool,
    rules: Rules,
    completion_queues: Box<[*mut ibv_cq]>,
    shared_receives: Option<*mut ibv_srq>,
    /// The completion queue that the next poll asks first.
    next: usize,
    posts: PostList,
    receives: ReceiveList,
    completions: Box<[ibv_wc]>,
}

impl DataPath {
    /// Allocates what posts of up to `send_queue_depth` requests need.
    pub(crate) fn new(
        Handles { queue_pairs, completion_queues, shared_receives }: Handles,
        send_queue_depth: u32,
        rules: Rules,
    ) -> Self {
        let longest = (send_queue_depth as usize).clamp(1, LONGEST_POST);
        Self {
            queue_pairs,
            connected: Box::default(),
            is_open: false,
            rules,
            completion_queues,
            shared_receives,
            next: 0,
            posts: PostList::new(longest),
            receives: ReceiveList::new(),
            completions: vec![ibv_wc::default(); COMPLETIONS_PER_POLL].into_boxed_slice(),
        }
    }

    /// Lets posts pass: the queue pairs are ready to send.
    pub(crate) fn open(&mut self) {
        match self.rules.service.is_reliable() {
            true => self.connected = self.queue_pairs.clone(),
            false => self.is_open = true,
        }
    }

    /// Adds destinations of datagrams.
    pub(crate) fn add_destinations(
        &mut self,
        targets: impl Iterator<Item = Target>,
    ) -> Vec<Destination> {
        self.posts.add_destinations(targets)
    }

    /// Posts `requests` to the queue pair of index `queue_pair`.
    ///
    /// # Panics
    /// When there is no such queue pair.
    ///
    /// # Safety
    /// As [`onesided_transport::Endpoint::post`]; the handles live.
    #[inline(always)]
    pub(crate) unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let Some(&handle) = self.connected.get(queue_pair) else {
            // SAFETY: the caller's.
            return unsafe { self.post_otherwise(queue_pair, requests) };
        };
        // SAFETY: the handle lives, the list ends in a null pointer, and what its segments refer
        // to is the caller's promise.
        let post = |first, refused: &mut *mut ibv_send_wr| unsafe {
            ffi::post_send(handle, first, refused)
        };
        let refused = match requests {
            // Most lists: no loop over parts and places.
            [WorkRequest { opcode: Opcode::Datagram { .. }, .. }] => {
                Some(Refused { request: 0, why: Refusal::Code(libc::EOPNOTSUPP) })
            }
            [request] => alone(&mut self.posts, request, post),
            _ => self.rules.checked(&mut self.posts, requests, post),
        };
        match refused {
            None => Ok(()),
            Some(refused) => Err(post_error(queue_pair, refused)),
        }
    }

    /// Posts to a queue pair of another service than the reliable one, or refuses a post that comes too
    /// early.
    ///
    /// # Safety
    /// As [`DataPath::post`].
    #[inline(never)]
    unsafe fn post_otherwise(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        if !self.is_open {
            return Err(self.not_connected(queue_pair));
        }
        let handle = self.queue_pairs[queue_pair];
        // SAFETY: as in `post`.
        let post = |first, refused: &mut *mut ibv_send_wr| unsafe {
            ffi::post_send(handle, first, refused)
        };
        let refused = match requests {
            [request] if self.rules.allow(&self.posts, request) => {
                alone(&mut self.posts, request, post)
            }
            _ => self.rules.checked(&mut self.posts, requests, post),
        };
        match refused {
            None => Ok(()),
            Some(refused) => Err(post_error(queue_pair, refused)),
        }
    }

    /// Posts receive requests to the queue pair of index `queue_pair`, or to the queue that it shares.
    ///
    /// # Panics
    /// When there is no such queue pair.
    ///
    /// # Safety
    /// As [`DataPath::post`].
    #[inline]
    pub(crate) unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let handle = self.queue_pairs[queue_pair];
        let header = self.rules.header();
        let room = |request: &ReceiveRequest| request.buffer.map_or(0, |buffer| buffer.length);
        let short = requests.iter().position(|request| room(request) < header);
        let shared = self.shared_receives;
        // SAFETY: the handles live, the list ends in a null pointer and is copied by the call.
        let post = |first, refused: &mut *mut ibv_recv_wr| unsafe {
            match shared {
                None => ffi::post_receive(handle, first, refused),
                Some(queue) => ffi::post_shared_receive(handle, queue, first, refused),
            }
        };
        let good = &requests[..short.unwrap_or(requests.len())];
        let refused = self.receives.in_parts(good, post);
        match refused.or(short.map(|request| Refused { request, why: Refusal::Code(libc::EINVAL) }))
        {
            None => Ok(()),
            Some(refused) => Err(post_error(queue_pair, refused)),
        }
    }

    /// Takes completions into the front of `completions`.
    ///
    /// With one completion queue it costs one `ibv_poll_cq`. With several it asks them in turn,
    /// from where the last poll stopped, until one has completions: one call when all are busy,
    /// one for each when all are empty. The next poll starts behind the one that had some, so a
    /// busy queue cannot keep others waiting for more than a round.
    ///
    /// # Errors
    /// When a completion queue broke.
    #[inline]
    pub(crate) fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let room = completions.len().min(self.completions.len());
        let taken = &mut self.completions[..room];
        // SAFETY: the handles live as long as the endpoint, which is borrowed exclusively.
        let mut poll = |queue| unsafe { ffi::poll_completions(queue, taken) };
        let count = match *self.completion_queues {
            // Most threads have one: it needs no turns.
            [queue] => counted(poll(queue))?,
            _ => in_turn(&self.completion_queues, &mut self.next, poll)?,
        };
        // Most polls that wait find nothing, the others one completion.
        if count > 0 {
            let header = self.rules.header();
            for (to, from) in completions.iter_mut().zip(&self.completions[..count]) {
                *to = translate(from, header);
            }
        }
        Ok(count)
    }
}

impl DataPath {
    #[cold]
    fn not_connected(&self, queue_pair: usize) -> PostError {
        assert!(queue_pair < self.queue_pairs.len(), "there is no queue pair {queue_pair}");
        let source = io::Error::from_raw_os_error(libc::ENOTCONN);
        PostError::Invalid { queue_pair, request: 0, source }
    }
}

impl Rules {
    /// Whether the service has such a request, and it is not too long.
    #[inline]
    fn allow(self, posts: &PostList, request: &WorkRequest) -> bool {
        let fits = match request.opcode {
            Opcode::Datagram { destination, .. } => {
                posts.has(destination) && request.local.length <= self.longest_datagram
            }
            _ => true,
        };
        fits && request.opcode.is_of(self.service)
    }

    /// Posts the requests before the first that the service does not have, or that is too long.
    fn checked(
        self,
        posts: &mut PostList,
        requests: &[WorkRequest],
        post: impl FnMut(*mut ibv_send_wr, &mut *mut ibv_send_wr) -> c_int,
    ) -> Option<Refused> {
        let wrong = requests.iter().position(|request| !self.allow(posts, request));
        match wrong {
            None => in_parts(posts, requests, post),
            Some(wrong) => in_parts(posts, &requests[..wrong], post)
                .or(Some(Refused { request: wrong, why: self.refusal(posts, &requests[wrong]) })),
        }
    }

    /// Why a request is not allowed.
    #[cold]
    fn refusal(self, posts: &PostList, request: &WorkRequest) -> Refusal {
        match request.opcode {
            Opcode::Datagram { destination, .. }
                if request.opcode.is_of(self.service) && !posts.has(destination) =>
            {
                Refusal::UnknownDestination
            }
            _ => Refusal::Code(libc::EOPNOTSUPP),
        }
    }
}

/// A request that was refused, here or by a provider.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Position in all requests.
    pub(crate) request: usize,
    pub(crate) why: Refusal,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// An error number: of the provider, or ours where it was not asked.
    Code(c_int),
    /// Another endpoint has given out the destination.
    UnknownDestination,
}

/// Posts a list of one request.
#[inline]
fn alone(
    posts: &mut PostList,
    request: &WorkRequest,
    post: impl FnOnce(*mut ibv_send_wr, &mut *mut ibv_send_wr) -> c_int,
) -> Option<Refused> {
    let mut refused = ptr::null_mut();
    match posts.with_one(request, |first| post(first, &mut refused)) {
        0 => None,
        code => Some(Refused { request: 0, why: Refusal::Code(code) }),
    }
}

/// Posts `requests` in parts that fit into `posts`, until one is refused.
#[inline(never)]
fn in_parts(
    posts: &mut PostList,
    requests: &[WorkRequest],
    mut post: impl FnMut(*mut ibv_send_wr, &mut *mut ibv_send_wr) -> c_int,
) -> Option<Refused> {
    let mut left = requests;
    while !left.is_empty() {
        let (part, behind) = left.split_at(left.len().min(posts.length()));
        let mut refused = ptr::null_mut();
        let code = posts.with(part, |first| post(first, &mut refused));
        if code != 0 {
            let before = requests.len() - left.len();
            let request = before + posts.position(refused, part.len());
            return Some(Refused { request, why: Refusal::Code(code) });
        }
        left = behind;
    }
    None
}

/// Asks each queue once, from `next` on, until one has completions; returns how many.
#[inline(never)]
fn in_turn<Q: Copy>(
    queues: &[Q],
    next: &mut usize,
    mut poll: impl FnMut(Q) -> c_int,
) -> Result<usize, PollError> {
    for _ in 0..queues.len() {
        let queue = queues[*next];
        *next = if *next + 1 == queues.len() { 0 } else { *next + 1 };
        match counted(poll(queue))? {
            0 => {}
            count => return Ok(count),
        }
    }
    Ok(0)
}

/// What `ibv_poll_cq(3)` returned: how many completions, or below zero that the queue broke.
#[inline]
fn counted(code: c_int) -> Result<usize, PollError> {
    usize::try_from(code).map_err(|_| PollError { code })
}

/// Out of the way of posts that succeed.
#[cold]
fn post_error(queue_pair: usize, Refused { request, why }: Refused) -> PostError {
    let source = match why {
        Refusal::UnknownDestination => {
            return PostError::UnknownDestination { queue_pair, request };
        }
        Refusal::Code(libc::ENOMEM) => return PostError::QueueFull { queue_pair, request },
        Refusal::Code(code) if code > 0 => io::Error::from_raw_os_error(code),
        Refusal::Code(_) => io::Error::last_os_error(),
    };
    PostError::Invalid { queue_pair, request, source }
}

/// Out of `struct ibv_wc`. Of one that is no success only the id, the queue pair and the status
/// have a meaning (`ibv_poll_cq(3)`). The length that it says of a datagram is with its `header`.
#[inline]
fn translate(completion: &ibv_wc, header: u32) -> WorkCompletion {
    let kind = if completion.opcode & IBV_WC_RECV == 0 {
        CompletionKind::Request
    } else {
        // SAFETY: every bit pattern of the union is a number.
        let immediate = unsafe { completion.__bindgen_anon_1.imm_data };
        let with_immediate = completion.wc_flags & IBV_WC_WITH_IMM != 0;
        CompletionKind::Receive {
            length: completion.byte_len.saturating_sub(header),
            immediate: with_immediate.then(|| u32::from_be(immediate)),
            // A header is before datagrams only; of a connection the field has no meaning.
            source: NonZeroU32::new(completion.src_qp).filter(|_| header > 0),
        }
    };
    WorkCompletion {
        id: completion.wr_id,
        queue_pair_number: completion.qp_num,
        status: CompletionStatus::from_code(completion.status),
        kind,
    }
}

#[cfg(test)]
mod tests;
