use std::{collections::VecDeque, num::NonZeroU32};

use onesided_transport::{
    ConnectError, ConnectionAttributes, Destination, EndpointAddress, GidEntry, PollError,
    WorkRequest,
};

use super::*;

/// Receive queues of an endpoint, without a network: what is posted waits there until a message takes it.
struct Queues {
    numbers: Vec<u32>,
    queues: Vec<VecDeque<ReceiveRequest>>,
    /// Lists of requests that were posted.
    lists: usize,
}

impl Queues {
    fn of(numbers: &[u32], receive_queues: ReceiveQueues) -> Self {
        let count = match receive_queues {
            ReceiveQueues::PerQueuePair => numbers.len(),
            ReceiveQueues::Shared => 1,
        };
        Self { numbers: numbers.to_vec(), queues: vec![VecDeque::new(); count], lists: 0 }
    }

    /// A message of so many bytes to a queue pair takes the oldest request of its queue.
    fn take(&mut self, queue_pair: usize, length: u32) -> WorkCompletion {
        let queue = if self.queues.len() == 1 { 0 } else { queue_pair };
        let request = self.queues[queue].pop_front().expect("a request is posted");
        WorkCompletion {
            id: request.id,
            queue_pair_number: self.numbers[queue_pair],
            status: CompletionStatus::Success,
            kind: CompletionKind::Receive { length, immediate: None, source: None },
        }
    }

    /// How often each id is posted, queue by queue.
    fn ids(&self) -> Vec<Vec<usize>> {
        let of = |queue: &VecDeque<ReceiveRequest>| {
            let mut counts = vec![0; self.numbers.len()];
            queue.iter().for_each(|request| counts[request.id as usize] += 1);
            counts
        };
        self.queues.iter().map(of).collect()
    }
}

impl Endpoint for Queues {
    fn queue_pair_numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn address(&self, _: Option<GidEntry>) -> EndpointAddress {
        unreachable!("nothing connects")
    }

    fn connect(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        unreachable!("nothing connects")
    }

    fn destinations(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        unreachable!("nothing connects")
    }

    unsafe fn post(&mut self, _: usize, _: &[WorkRequest]) -> Result<(), PostError> {
        unreachable!("the server of these runs posts no requests")
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let queue = if self.queues.len() == 1 { 0 } else { queue_pair };
        self.queues[queue].extend(requests);
        self.lists += 1;
        Ok(())
    }

    fn poll(&mut self, _: &mut [WorkCompletion]) -> Result<usize, PollError> {
        Ok(0)
    }
}

const DEPTH: usize = 40;
/// Not in the order of their indices.
const NUMBERS: [u32; 3] = [70, 12, 33];

fn receives(queues: ReceiveQueues) -> Receives {
    let landing = |index: u64| LocalSegment { address: 0x1000 * (index + 1), length: 64, key: 5 };
    let requests = (0..).zip((0..3).map(landing));
    let requests = requests.map(|(id, landing)| ReceiveRequest { id, buffer: Some(landing) });
    Receives { requests: requests.collect(), depth: DEPTH, queues, senders: Arc::from([5, 9]) }
}

/// Filled receive queues, and who keeps them so.
fn filled(receive_queues: ReceiveQueues) -> (Queues, Replenisher) {
    let receives = receives(receive_queues);
    let mut queues = Queues::of(&NUMBERS, receive_queues);
    receives.fill(&mut queues).unwrap();
    queues.lists = 0;
    (queues, Replenisher::of(receives, &NUMBERS))
}

/// What a poll finds when messages of 8 bytes have come to these queue pairs.
fn polled(queues: &mut Queues, to: impl IntoIterator<Item = usize>) -> Vec<WorkCompletion> {
    to.into_iter().map(|queue_pair| queues.take(queue_pair, 8)).collect()
}

fn count_and_post(
    replenisher: &mut Replenisher,
    queues: &mut Queues,
    completions: &[WorkCompletion],
) {
    completions.iter().for_each(|completion| replenisher.count(completion).unwrap());
    replenisher.post(queues, completions).unwrap();
}

#[test]
fn a_shared_queue_is_filled_with_the_landings_in_turn_and_own_queues_with_one_each() {
    let (shared, _) = filled(ReceiveQueues::Shared);
    assert_eq!(shared.ids(), [[14, 13, 13]]);
    let first: Vec<_> = shared.queues[0].iter().map(|request| request.id).take(4).collect();
    assert_eq!(first, [0, 1, 2, 0]);
    let (own, _) = filled(ReceiveQueues::PerQueuePair);
    assert_eq!(own.ids(), [[DEPTH, 0, 0], [0, DEPTH, 0], [0, 0, DEPTH]]);
}

#[test]
fn every_request_that_a_message_took_is_posted_again_whoever_took_it() {
    for receive_queues in [ReceiveQueues::Shared, ReceiveQueues::PerQueuePair] {
        let (mut queues, mut replenisher) = filled(receive_queues);
        let full = queues.ids();
        let mut sent = [0; 3];
        for round in 0..500_usize {
            // From no message to as many as a poll takes, mostly to one queue pair.
            let to = (0..round % (POLLED + 1)).map(|at| if at % 5 == 0 { round % 3 } else { 2 });
            to.clone().for_each(|queue_pair| sent[queue_pair] += 1);
            let completions = polled(&mut queues, to);
            count_and_post(&mut replenisher, &mut queues, &completions);
            assert_eq!(queues.ids(), full, "{receive_queues}: round {round}");
        }
        assert_eq!(replenisher.received.by_queue_pair, sent, "{receive_queues}");
    }
}

#[test]
fn messages_are_of_the_queue_pair_that_got_them_and_not_of_the_request_that_they_took() {
    let (mut queues, mut replenisher) = filled(ReceiveQueues::Shared);
    let completions = polled(&mut queues, [1, 1, 1, 1, 0]);
    assert_eq!(completions.iter().map(|taken| taken.id).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
    count_and_post(&mut replenisher, &mut queues, &completions);
    assert_eq!(replenisher.received.by_queue_pair, [1, 4, 0]);
}

#[test]
fn one_list_refills_a_shared_queue_and_own_queues_take_one_each() {
    for (receive_queues, lists) in [(ReceiveQueues::Shared, 1), (ReceiveQueues::PerQueuePair, 3)] {
        let (mut queues, mut replenisher) = filled(receive_queues);
        let completions = polled(&mut queues, [0, 1, 2, 0, 1, 2]);
        count_and_post(&mut replenisher, &mut queues, &completions);
        assert_eq!(queues.lists, lists, "{receive_queues}");
        replenisher.post(&mut queues, &[]).unwrap();
        assert_eq!(queues.lists, lists, "{receive_queues}: nothing came");
    }
}

#[test]
fn what_only_closes_a_run_is_no_message_and_what_was_flushed_is_not_posted_again() {
    let (mut queues, mut replenisher) = filled(ReceiveQueues::Shared);
    let taken = [(2, 0), (2, 8), (1, 8), (0, 0), (0, 8)];
    let mut completions = taken.map(|(queue_pair, length)| queues.take(queue_pair, length));
    completions[0].kind = CompletionKind::Receive { length: 0, immediate: Some(0), source: None };
    completions[2].status = CompletionStatus::Flushed;
    completions[4].kind = CompletionKind::Receive { length: 8, immediate: Some(0), source: None };
    count_and_post(&mut replenisher, &mut queues, &completions);
    // An empty message is one, and so is one with an immediate.
    assert_eq!(replenisher.received.by_queue_pair, [2, 0, 1]);
    assert_eq!(queues.queues[0].len(), DEPTH - 1);
}

#[test]
fn a_foreign_datagram_is_counted_apart_and_its_request_posted_again() {
    let (mut queues, mut replenisher) = filled(ReceiveQueues::Shared);
    let full = queues.ids();
    let from = |source, taken: WorkCompletion| {
        let CompletionKind::Receive { length, immediate, .. } = taken.kind else { unreachable!() };
        let kind = CompletionKind::Receive { length, immediate, source: NonZeroU32::new(source) };
        WorkCompletion { kind, ..taken }
    };
    // 5 and 9 are of the run; who is not named is not known as foreign.
    let completions = [(5, 8), (9, 8), (6, 8), (7, 0), (0, 8)]
        .map(|(source, length)| from(source, queues.take(1, length)));
    count_and_post(&mut replenisher, &mut queues, &completions);
    let Received { by_queue_pair, foreign } = &replenisher.received;
    assert_eq!((&by_queue_pair[..], *foreign), (&[0, 3, 0][..], 2));
    assert_eq!(queues.ids(), full);
}

#[test]
fn a_completion_of_a_foreign_queue_pair_or_of_no_request_is_stale_and_an_error_names_its_queue_pair()
 {
    let (mut queues, mut replenisher) = filled(ReceiveQueues::Shared);
    let right = queues.take(1, 8);
    for wrong in [
        WorkCompletion { queue_pair_number: 99, ..right },
        WorkCompletion { id: 3, ..right },
        WorkCompletion { id: u64::MAX, ..right },
    ] {
        let fault = replenisher.count(&wrong).unwrap_err();
        assert!(matches!(fault, DataPathFault::Stale { .. }), "{wrong:?}: {fault}");
    }
    let failed = WorkCompletion { status: CompletionStatus::LocalLengthError, ..right };
    let fault = replenisher.count(&failed).unwrap_err();
    assert!(matches!(fault, DataPathFault::Completion { queue_pair: 1, .. }), "{fault}");
    assert_eq!(replenisher.received.by_queue_pair, [0; 3]);
}
