//! What happens to the request in front of a send queue.

use std::{collections::VecDeque, mem};

use onesided_transport::{
    CompletionKind, CompletionStatus, Opcode, PathMtu, Signal, WorkCompletion, WorkRequest,
};

use super::{
    defect::Defect,
    fabric::{HeldPayload, Phase, Posted, QueuePair, State},
    medium::Message,
    movement::{move_data, taken},
    refusal::{local_error, receive_error, remote_error},
};

/// How an attempt at a request ended.
pub enum Attempt {
    Ended(CompletionStatus),
    /// The same request is tried again later.
    Again,
}

/// Executes one request of a queue pair, if there is one, after what arrives late.
pub fn execute(state: &mut State, number: u32) {
    arrive_late(state);
    if state.is(Defect::CompletesBeforeTheData) {
        report_early(state, number);
    }
    let Some(queue_pair) = state.queue_pairs.get_mut(&number) else { return };
    let reordered = match state.defect {
        Some(Defect::ReordersWrites) => queue_pair.send.len() >= 2,
        Some(Defect::ReordersSends) => front_are(&queue_pair.send, is_send, is_send),
        Some(Defect::ReordersUnreliableSends) => {
            !queue_pair.service.is_reliable() && front_are(&queue_pair.send, is_send, is_send)
        }
        Some(Defect::LetsImmediatesOvertakeSends) => {
            front_are(&queue_pair.send, is_send, |opcode| !is_send(opcode))
        }
        Some(Defect::LetsReadsOvertakeWrites) => {
            queue_pair.send.get(1).is_some_and(|second| second.request.opcode == Opcode::Read)
        }
        _ => false,
    };
    if reordered {
        queue_pair.send.swap(0, 1);
    }
    let Some(mut posted) = queue_pair.send.pop_front() else { return };
    let attempt = match queue_pair.phase {
        Phase::Error | Phase::Initialized => Attempt::Ended(CompletionStatus::Flushed),
        Phase::Connected { .. } if queue_pair.service.is_reliable() => {
            attempt(state, number, &mut posted)
        }
        Phase::Connected { .. } | Phase::Open => attempt_unreliably(state, number, &mut posted),
    };
    let queue_pair = state.queue_pairs.get_mut(&number).expect("an attempt removes none");
    match attempt {
        Attempt::Again => queue_pair.send.push_front(posted),
        Attempt::Ended(status) => {
            queue_pair.attempts = 0;
            end(state, number, &posted.request, status);
        }
    }
}

/// Whether the receiver says where the bytes go.
pub fn is_send(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Send { .. } | Opcode::Datagram { .. })
}

/// Whether the two requests in front of a queue are of these kinds.
fn front_are(
    queue: &VecDeque<Posted>,
    first: impl Fn(Opcode) -> bool,
    second: impl Fn(Opcode) -> bool,
) -> bool {
    let is = |index: usize, kind: &dyn Fn(Opcode) -> bool| {
        queue.get(index).is_some_and(|posted| kind(posted.request.opcode))
    };
    is(0, &first) && is(1, &second)
}

/// Reports everything that waits, before it is done.
fn report_early(state: &mut State, number: u32) {
    let Some(queue_pair) = state.queue_pairs.get_mut(&number) else { return };
    let mut early = Vec::new();
    for posted in &mut queue_pair.send {
        let signal = mem::replace(&mut posted.request.signal, Signal::Unsignaled);
        early.extend((signal == Signal::Signaled).then_some(posted.request.id));
    }
    for id in early {
        report(state, number, id, CompletionStatus::Success, CompletionKind::Request);
    }
}

/// Reports the end of a request, and fails its queue pair unless it succeeded.
fn end(state: &mut State, number: u32, request: &WorkRequest, status: CompletionStatus) {
    let fails = status != CompletionStatus::Success;
    if fails && !state.is(Defect::GoesOnAfterAnError) {
        let group = state.queue_pairs[&number].completion_queue;
        let together = state.is(Defect::EndsAllQueuePairsTogether);
        for (&other, queue_pair) in &mut state.queue_pairs {
            if other == number || together && queue_pair.completion_queue == group {
                queue_pair.phase = Phase::Error;
            }
        }
    }
    if fails && state.is(Defect::CompletesReceivesAtAnError) {
        for (id, _) in mem::take(&mut state.receives_mut(number).posted) {
            let kind = CompletionKind::Receive { length: 0, immediate: None, source: None };
            report(state, number, id, CompletionStatus::Success, kind);
        }
    }
    if status == CompletionStatus::RetryExceeded && state.is(Defect::ForgetsRequestsUnderWay) {
        state.queue_pairs.get_mut(&number).expect("it just ended a request").send.clear();
    }
    let signaled = request.signal == Signal::Signaled;
    let silent = match state.defect {
        Some(Defect::FlushesSilently) if status == CompletionStatus::Flushed => true,
        Some(Defect::SwallowsErrorsOfUnsignaledRequests) => !signaled,
        Some(Defect::ReportsUnsignaledRequests) => false,
        _ => !signaled && !fails,
    };
    if !silent {
        report(state, number, request.id, status, CompletionKind::Request);
    }
}

pub fn report(
    state: &mut State,
    number: u32,
    id: u64,
    status: CompletionStatus,
    kind: CompletionKind,
) {
    state.completed += 1;
    let now_and_then = state.completed.is_multiple_of(999);
    let wrong = now_and_then.then_some(state.defect).flatten();
    let queue_pair = &state.queue_pairs[&number];
    let (queue, queue_pair_number) = (queue_pair.completion_queue, queue_pair.reported_number);
    let reordered = state.is(Defect::ReordersCompletions);
    let Some(queue) = state.completion_queues.get_mut(&queue) else { return };
    let id = match wrong {
        Some(Defect::GivesAStaleId) => id ^ 0x1_0000_0000,
        _ => id,
    };
    let completion = WorkCompletion { id, queue_pair_number, status, kind };
    match wrong {
        Some(Defect::LosesACompletion) => {}
        Some(Defect::DuplicatesACompletion) => queue.extend([completion, completion]),
        _ => {
            let same = |other: &WorkCompletion| other.queue_pair_number == queue_pair_number;
            let before = queue.iter().rposition(same).filter(|_| reordered);
            queue.insert(before.unwrap_or(queue.len()), completion);
        }
    }
}

/// Tries a request of a connected queue pair.
fn attempt(state: &mut State, number: u32, posted: &mut Posted) -> Attempt {
    let Phase::Connected { peer, attributes, order } = &state.queue_pairs[&number].phase else {
        unreachable!("the caller saw it connected")
    };
    let (peer, order) = (*peer, *order);
    let (retries, rnr_retries) = (attributes.retry_count, attributes.rnr_retry);
    let (mtu, max_rd_atomic) = (attributes.path_mtu.bytes(), attributes.max_rd_atomic);
    if let Some(status) = local_error(state, posted) {
        return Attempt::Ended(status);
    }
    let answers = state.queue_pairs.get(&peer).map(|peer| &peer.phase);
    if !matches!(answers, Some(Phase::Connected { .. })) {
        return again(state, number, retries, CompletionStatus::RetryExceeded);
    }
    if let Some(status) = remote_error(state, peer, &posted.request) {
        if !state.is(Defect::GoesOnAfterAnError) {
            state.queue_pairs.get_mut(&peer).expect("it answered").phase = Phase::Error;
        }
        return Attempt::Ended(status);
    }
    let no_receive = state.oldest_receive(peer).is_none();
    let needs_receive = posted.request.opcode.consumes_receive();
    let drops = state.is(Defect::DropsSendsWithoutReceive)
        || state.shares_receives(peer) && state.is(Defect::DropsSendsToSharedReceivesRunDry);
    let dropped = is_send(posted.request.opcode) && drops;
    if needs_receive && no_receive && !dropped && !state.is(Defect::NeedsNoReceive) {
        let status = CompletionStatus::ReceiverNotReadyRetryExceeded;
        return again(state, number, rnr_retries, status);
    }
    if is_send(posted.request.opcode)
        && let Some(&(id, _)) = state.oldest_receive(peer)
        && let Some((told, found)) = receive_error(state, peer, posted.request.local.length)
    {
        state.receives_mut(peer).posted.pop_front();
        if state.is(Defect::FlushesSharedReceives) {
            state.receives_mut(peer).posted.clear();
        }
        state.queue_pairs.get_mut(&peer).expect("it answered").phase = Phase::Error;
        let kind = CompletionKind::Receive { length: 0, immediate: None, source: None };
        report(state, peer, id, found, kind);
        return Attempt::Ended(told);
    }
    let beyond = state.queue_pairs[&number].send.len() >= usize::from(max_rd_atomic);
    let forgotten = match state.defect {
        Some(Defect::ForgetsReadsBeyondTheLimit) => beyond && max_rd_atomic == 2,
        Some(Defect::OnlyTheFirstToConnectSends) => order % 2 == 1,
        // The fabric has no real memory there.
        Some(Defect::WrapsAround) => posted.request.remote.address > u64::MAX / 2,
        _ => false,
    };
    if forgotten {
        return Attempt::Ended(CompletionStatus::Success);
    }
    move_data(state, peer, posted, mtu)
}

/// Sends a request of an unreliable service: nobody here hears what becomes of it.
fn attempt_unreliably(state: &mut State, number: u32, posted: &mut Posted) -> Attempt {
    if let Some(status) = local_error(state, posted) {
        return Attempt::Ended(status);
    }
    let sender = state.queue_pairs.get_mut(&number).expect("it has the request");
    let (peer, mtu, sequence, order) = match (&sender.phase, posted.to) {
        (Phase::Connected { peer, attributes, order }, _) => {
            sender.sent += 1;
            (*peer, attributes.path_mtu.bytes(), Some(sender.sent), *order)
        }
        (_, to) => (to.expect("a datagram goes somewhere").0, PathMtu::Bytes4096.bytes(), None, 0),
    };
    if order % 2 == 1 && state.is(Defect::OnlyTheFirstToConnectSends) {
        return Attempt::Ended(CompletionStatus::Success);
    }
    if !posted.survived && state.medium.loses_next() {
        return Attempt::Ended(CompletionStatus::Success);
    }
    posted.survived = true;
    let Some(steps) = state.medium.delays_next() else {
        return arrive(state, (peer, sequence), posted, mtu);
    };
    let bytes = taken(posted, posted.request.local.length as usize);
    let posted = Posted { payload: HeldPayload::Bytes(bytes), ..*posted };
    state.medium.hold(Message { posted, peer, mtu, sequence }, steps);
    Attempt::Ended(CompletionStatus::Success)
}

/// Lets arrive what is late by now.
fn arrive_late(state: &mut State) {
    for mut message in state.medium.step() {
        let Message { ref mut posted, peer, mtu, sequence } = message;
        if let Attempt::Again = arrive(state, (peer, sequence), posted, mtu) {
            state.medium.hold(message, 1);
        }
    }
}

/// Does a request of an unreliable service, or does not. What its sender would be told, if it still waits for it.
fn arrive(
    state: &mut State,
    (peer, sequence): (u32, Option<u64>),
    posted: &mut Posted,
    mtu: u32,
) -> Attempt {
    if let (Some(sequence), Some(target)) = (sequence, state.queue_pairs.get_mut(&peer)) {
        if sequence < target.expected {
            state.medium.drop_overtaken();
            return Attempt::Ended(CompletionStatus::Success);
        }
        target.expected = sequence + 1;
    }
    let write = posted.request.opcode == Opcode::Write;
    match (why_dropped(state, peer, posted), state.defect) {
        (
            Some(why),
            Some(Defect::RefusesUnreliableSendsWithoutReceive | Defect::RefusesDatagramsToNobody),
        ) => Attempt::Ended(why),
        (Some(why), Some(Defect::RefusesUnreliableWrites)) if write => Attempt::Ended(why),
        (
            Some(CompletionStatus::ReceiverNotReadyRetryExceeded),
            Some(Defect::KeepsDatagramsWithoutReceive),
        ) => Attempt::Again,
        (
            Some(why @ CompletionStatus::ReceiverNotReadyRetryExceeded),
            Some(Defect::RefusesUnreliableSendsToSharedReceivesRunDry),
        ) if state.shares_receives(peer) => Attempt::Ended(why),
        (
            Some(CompletionStatus::ReceiverNotReadyRetryExceeded),
            Some(Defect::KeepsDatagramsToSharedReceivesRunDry),
        ) if state.shares_receives(peer) => Attempt::Again,
        (Some(_), _) => Attempt::Ended(CompletionStatus::Success),
        (None, Some(Defect::LosesUnreliableWrites)) if write => {
            Attempt::Ended(CompletionStatus::Success)
        }
        (None, Some(Defect::DuplicatesDatagrams)) => {
            let mut again = posted.clone();
            move_data(state, peer, posted, mtu);
            match why_dropped(state, peer, &again) {
                None => move_data(state, peer, &mut again, mtu),
                Some(_) => Attempt::Ended(CompletionStatus::Success),
            }
        }
        (None, _) => move_data(state, peer, posted, mtu),
    }
}

/// Why a request of an unreliable service is not done, as a reliable one would tell it.
fn why_dropped(state: &State, peer: u32, posted: &Posted) -> Option<CompletionStatus> {
    let target = state.queue_pairs.get(&peer);
    let ready = |peer: &&QueuePair| matches!(peer.phase, Phase::Connected { .. } | Phase::Open);
    let Some(target) = target.filter(ready) else { return Some(CompletionStatus::RetryExceeded) };
    let fits = posted.to.is_none_or(|(_, key)| key == target.datagram_key);
    if !fits && !state.is(Defect::IgnoresDatagramKeys) {
        return Some(CompletionStatus::RemoteInvalidRequest);
    }
    let request = &posted.request;
    if let Some(refused) = remote_error(state, peer, request) {
        return Some(refused);
    }
    if request.opcode.consumes_receive() && state.oldest_receive(peer).is_none() {
        return Some(CompletionStatus::ReceiverNotReadyRetryExceeded);
    }
    let told = is_send(request.opcode).then(|| receive_error(state, peer, request.local.length));
    told.flatten().map(|(told, _)| told)
}

/// Counts a vain attempt; ends the request when there were too many.
fn again(state: &mut State, number: u32, most: u8, status: CompletionStatus) -> Attempt {
    let lost = status == CompletionStatus::RetryExceeded;
    if lost && state.is(Defect::WaitsForLostPeers) {
        return Attempt::Again;
    }
    let queue_pair = state.queue_pairs.get_mut(&number).expect("it made the attempt");
    queue_pair.attempts += 1;
    match queue_pair.attempts > most {
        true => Attempt::Ended(status),
        false => Attempt::Again,
    }
}
