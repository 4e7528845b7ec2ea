//! Sends: the receiver says where their bytes go.

use std::num::NonZeroU32;

use onesided_transport::{
    Access, CompletionKind, CompletionStatus, PostError, ReceiveRequest, WorkCompletion,
};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::expect_status,
    pattern::pattern,
    requests::{inline, send, write_with_immediate},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(a_send_arrives_whole_in_the_oldest_receive, Send, UnreliableArrival),
        connected!(sends_arrive_in_post_order, Send, UnreliableArrival),
        connected!(receive_requests_of_a_list_are_consumed_in_its_order, Send, UnreliableArrival),
        connected!(
            a_list_of_receive_requests_is_posted_up_to_the_one_refused,
            Send,
            UnreliableArrival
        ),
        connected!(
            a_send_without_bytes_hands_over_its_immediate_and_touches_no_memory,
            Send,
            UnreliableArrival
        ),
        connected!(a_send_needs_no_right_of_the_peer, Send, UnreliableArrival),
        connected!(
            an_inline_send_takes_its_bytes_when_it_is_posted,
            Send,
            Inline,
            UnreliableArrival
        ),
        connected!(
            sends_and_writes_with_immediate_consume_receives_in_post_order,
            Send,
            WriteWithImmediate,
            UnreliableArrival
        ),
        property!(a_send_without_a_receive_ends_receiver_not_ready, Send),
        property!(a_send_longer_than_its_receive_is_never_cut_short_in_silence, Send),
    ]
}

/// Who a completion says sent the datagram.
pub(super) fn source_of(completion: &WorkCompletion) -> Option<NonZeroU32> {
    match completion.kind {
        CompletionKind::Receive { source, .. } => source,
        CompletionKind::Request => None,
    }
}

/// What the receive side of a connection must see, which names no sender.
pub(super) fn expect_receive(
    completion: &WorkCompletion,
    id: u64,
    length: usize,
    immediate: Option<u32>,
) -> Verdict {
    expect_receive_from(completion, id, length, immediate, None)
}

/// What the receiver of a datagram must see. Whose it is, `a_datagram_names_its_sender` asks.
pub(super) fn expect_datagram(
    completion: &WorkCompletion,
    id: u64,
    length: usize,
    immediate: Option<u32>,
) -> Verdict {
    let source = source_of(completion);
    if source.is_none() {
        let what = format!("a datagram should name its sender, found {completion:?}");
        return Err(Deviation::broken(what));
    }
    expect_receive_from(completion, id, length, immediate, source)
}

fn expect_receive_from(
    completion: &WorkCompletion,
    id: u64,
    length: usize,
    immediate: Option<u32>,
    source: Option<NonZeroU32>,
) -> Verdict {
    expect_status(completion, &[CompletionStatus::Success])?;
    let kind = CompletionKind::Receive { length: length as u32, immediate, source };
    if completion.id == id && completion.kind == kind {
        return Ok(());
    }
    let what = format!("receive {id} should complete as {kind:?}, found {completion:?}");
    Err(Deviation::broken(what))
}

fn receiving() -> Setup {
    Setup { receive_queue_depth: 8, ..Setup::default() }
}

/// Lengths below and above a cache line, a packet and a few packets; buffers that begin anywhere and have
/// more room than is needed.
fn a_send_arrives_whole_in_the_oldest_receive<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (size, room) = (20_000, 9_000);
    let mut pair = bench.connect(&receiving())?;
    for (round, length) in (0..).zip([0, 1, 8, 63, 64, 65, 257, 2_047, 2_049, 5_000, room]) {
        let (client, server) = (bench.client_memory(size)?, bench.server_memory(size)?);
        client.put(0, &pattern(7, size));
        let (from, first, second) = (3 * round, 5 * round + 1, 10_000);
        // Both at once, so that bytes in the wrong one show.
        for (id, to) in [(1, first), (2, second)] {
            pair.server.try_post_receive(0, id, Some(server.segment(to, room)))?;
        }
        let mut expected = vec![0; size];
        for (id, to, immediate) in [(1, first, None), (2, second, Some(0x0102_0304))] {
            let from = from + to % 64;
            pair.client.succeed(0, send(9, immediate, client.segment(from, length)))?;
            expect_receive(&pair.server.completion_of(0, id)?, id, length, immediate)?;
            pair.server.silence()?;
            expected[to..to + length].copy_from_slice(&pattern(7, size)[from..from + length]);
            server.expect(&expected)?;
        }
        client.expect(&pattern(7, size))?;
    }
    Ok(())
}

fn sends_arrive_in_post_order<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (count, bytes) = (64_usize, 8);
    let (client, server) =
        (bench.client_memory(count * bytes)?, bench.server_memory(count * bytes)?);
    let setup = Setup { receive_queue_depth: count as u32, ..Setup::default() };
    let mut pair = bench.connect(&setup)?;
    client.put(0, &pattern(3, count * bytes));
    for index in 0..count {
        let buffer = server.segment(index * bytes, bytes);
        pair.server.try_post_receive(0, 1_000 + index as u64, Some(buffer))?;
    }
    let request = |index: usize| {
        send(index as u64, Some(!(index as u32)), client.segment(index * bytes, bytes))
    };
    let requests: Vec<_> = (0..count).map(request).collect();
    pair.client.post(0, &requests)?;
    for completion in pair.client.completions(count)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    for (index, completion) in pair.server.completions(count)?.iter().enumerate() {
        expect_receive(completion, 1_000 + index as u64, bytes, Some(!(index as u32)))?;
    }
    server.expect(&pattern(3, count * bytes))
}

/// A list is longer than what providers take at once; each message tells its number.
fn receive_requests_of_a_list_are_consumed_in_its_order<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (count, bytes) = (100_usize, 8);
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(count * bytes)?);
    let setup = Setup { receive_queue_depth: count as u32, ..Setup::default() };
    let mut pair = bench.connect(&setup)?;
    let receive = |index: usize| ReceiveRequest {
        id: 1_000 + index as u64,
        // From the last place to the first, so that the order of memory is not that of the list.
        buffer: Some(server.segment((count - 1 - index) * bytes, bytes)),
    };
    let requests: Vec<_> = (0..count).map(receive).collect();
    pair.server.try_post_receives(0, &requests)?;
    let mut expected = vec![0; count * bytes];
    for index in 0..count {
        client.put(0, &pattern(index as u64, bytes));
        pair.client.succeed(0, send(5, None, client.segment(0, bytes)))?;
        let id = 1_000 + index as u64;
        expect_receive(&pair.server.completion_of(0, id)?, id, bytes, None)?;
        let place = (count - 1 - index) * bytes;
        expected[place..place + bytes].copy_from_slice(&pattern(index as u64, bytes));
    }
    server.expect(&expected)
}

/// As lists of the send queue: what is before the one refused is posted, what is behind it is not.
fn a_list_of_receive_requests_is_posted_up_to_the_one_refused<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (few, many) = (3, 5_000);
    let client = bench.client_memory(8)?;
    let mut pair = bench.connect(&receiving())?;
    let receives = |ids: std::ops::Range<u64>| -> Vec<_> {
        ids.map(|id| ReceiveRequest { id, buffer: None }).collect()
    };
    pair.server.try_post_receives(0, &receives(0..few))?;
    let posted = match pair.server.try_post_receives(0, &receives(few..many)) {
        Err(PostError::QueueFull { request, .. }) => few + request as u64,
        Ok(()) => {
            return Err(Deviation::broken(format!("{many} receive requests found room")));
        }
        Err(other) => return Err(other.into()),
    };
    // All of them, and one more where there is room again.
    for id in (0..posted).chain([many]) {
        if id == many {
            pair.server.try_post_receives(0, &receives(many..many + 1))?;
        }
        pair.client.succeed(0, send(5, None, client.segment(0, 0)))?;
        expect_receive(&pair.server.completion_of(0, id)?, id, 0, None)?;
    }
    Ok(())
}

fn a_send_without_bytes_hands_over_its_immediate_and_touches_no_memory<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&receiving())?;
    // With a buffer and without one, with an immediate and without.
    let buffers = [None, Some(server.segment(0, 8))];
    let all = buffers
        .into_iter()
        .flat_map(|buffer| [Some(u32::MAX - 1), None].map(|bits| (buffer, bits)));
    for (id, (buffer, immediate)) in (0..).zip(all) {
        pair.server.try_post_receive(0, id, buffer)?;
        pair.client.succeed(0, send(5, immediate, client.segment(0, 0)))?;
        expect_receive(&pair.server.completion_of(0, id)?, id, 0, immediate)?;
    }
    server.expect(&[0; 8])
}

/// Rights are for memory that the sender names (IB spec vol. 1, 10.6.3.1): here it names none.
fn a_send_needs_no_right_of_the_peer<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) =
        (bench.client_memory(100)?, bench.server_memory_for(100, Access::LOCAL)?);
    let mut pair = bench.connect(&Setup { access: Access::LOCAL, ..receiving() })?;
    client.put(0, &pattern(1, 100));
    pair.server.try_post_receive(0, 1, Some(server.segment(0, 100)))?;
    pair.client.succeed(0, send(2, None, client.segment(0, 100)))?;
    expect_receive(&pair.server.completion_of(0, 1)?, 1, 100, None)?;
    server.expect(&pattern(1, 100))
}

fn an_inline_send_takes_its_bytes_when_it_is_posted<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let bytes = 24;
    let (client, server) = (bench.client_memory(bytes)?, bench.server_memory(bytes)?);
    let mut pair = bench.connect(&Setup { inline_bytes: bytes as u32, ..receiving() })?;
    client.put(0, &pattern(2, bytes));
    pair.server.try_post_receive(0, 1, Some(server.segment(0, bytes)))?;
    pair.client.post(0, &[inline(send(2, None, client.segment(0, bytes)))])?;
    client.put(0, &vec![0xff; bytes]);
    expect_status(&pair.client.completion_of(0, 2)?, &[CompletionStatus::Success])?;
    expect_receive(&pair.server.completion_of(0, 1)?, 1, bytes, None)?;
    server.expect(&pattern(2, bytes))
}

fn sends_and_writes_with_immediate_consume_receives_in_post_order<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let (client, server) = (bench.client_memory(32)?, bench.server_memory(96)?);
    let mut pair = bench.connect(&receiving())?;
    client.put(0, &pattern(4, 32));
    for id in 0..8 {
        let buffer = server.segment(32 + 8 * id as usize, 8);
        pair.server.try_post_receive(0, id, Some(buffer))?;
    }
    let local = |index: usize| client.segment(8 * (index % 4), 8);
    let request = |index: usize| match index % 2 {
        0 => send(index as u64, None, local(index)),
        _ => write_with_immediate(
            index as u64,
            index as u32,
            local(index),
            server.at(8 * (index % 4)),
        ),
    };
    let requests: Vec<_> = (0..8).map(request).collect();
    pair.client.post(0, &requests)?;
    for completion in pair.client.completions(8)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    for (index, completion) in (0..8).zip(pair.server.completions(8)?) {
        let immediate = (index % 2 == 1).then_some(index);
        expect_receive(&completion, index.into(), 8, immediate)?;
    }
    // A write leaves the buffer of the receive request that it consumes as it was.
    let sent = pattern(4, 32);
    let mut expected = vec![0; 96];
    for index in 0..8 {
        let to = if index % 2 == 0 { 32 + 8 * index } else { 8 * (index % 4) };
        expected[to..to + 8].copy_from_slice(&sent[8 * (index % 4)..][..8]);
    }
    server.expect(&expected)
}

/// As for a write with immediate (IB spec vol. 1, 9.7.5.2.8).
fn a_send_without_a_receive_ends_receiver_not_ready<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    for (rnr_retry, length) in [(0, 8), (2, 5_000)] {
        let client = bench.client_memory(length)?;
        let mut pair = bench.connect(&Setup { rnr_retry, ..receiving() })?;
        let request = send(1, Some(2), client.segment(0, length));
        pair.client.end_with(0, request, &[CompletionStatus::ReceiverNotReadyRetryExceeded])?;
        pair.server.silence()?;
    }
    Ok(())
}

/// The responder refuses it (IB spec vol. 1, 9.7.4.1.8 and 9.9.3), and what lies behind the buffer stays as
/// it was. How many bytes of the buffer have been written by then is left open.
fn a_send_longer_than_its_receive_is_never_cut_short_in_silence<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    for (room, length) in [(0, 1), (8, 9), (100, 5_000)] {
        let (client, server) = (bench.client_memory(5_000)?, bench.server_memory(5_000)?);
        let mut pair = bench.connect(&receiving())?;
        client.put(0, &pattern(6, 5_000));
        let buffer = (room > 0).then(|| server.segment(0, room));
        pair.server.try_post_receive(0, 3, buffer)?;
        let refused =
            [CompletionStatus::RemoteInvalidRequest, CompletionStatus::RemoteOperationError];
        pair.client.end_with(0, send(4, None, client.segment(0, length)), &refused)?;
        let found = pair.server.completion_of(0, 3)?;
        if found.status == CompletionStatus::Success {
            let what = format!("{length} bytes ended in a receive request of {room}: {found:?}");
            return Err(Deviation::broken(what));
        }
        let mut expected = vec![0; 5_000];
        expected[..room].copy_from_slice(&server.get(0, room));
        server.expect(&expected)?;
    }
    Ok(())
}
