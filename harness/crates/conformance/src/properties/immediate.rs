//! Writes that hand 32 bits to a receive request of the peer.

use onesided_transport::{CompletionKind, CompletionStatus, WorkCompletion};

use super::{Property, connected, property};
use crate::{
    bench::{Bench, Setup},
    deviation::{Deviation, Verdict},
    fixture::Fixture,
    pair::expect_status,
    pattern::pattern,
    requests::{write, write_with_immediate},
};

pub(super) fn properties<F: Fixture>() -> Vec<Property<F>> {
    vec![
        connected!(
            a_write_with_immediate_delivers_its_bits_and_length_and_consumes_one_receive,
            WriteWithImmediate,
            UnreliableArrival
        ),
        connected!(
            immediates_consume_receives_in_the_order_of_both,
            WriteWithImmediate,
            UnreliableArrival
        ),
        connected!(a_plain_write_consumes_no_receive, WriteWithImmediate, UnreliableArrival),
        property!(
            a_write_with_immediate_without_a_receive_ends_receiver_not_ready,
            WriteWithImmediate
        ),
    ]
}

/// What the receive side must see of a write with immediate.
fn expect_receive(completion: &WorkCompletion, id: u64, immediate: u32, length: u32) -> Verdict {
    expect_status(completion, &[CompletionStatus::Success])?;
    let kind = CompletionKind::Receive { length, immediate: Some(immediate), source: None };
    if completion.id == id && completion.kind == kind {
        return Ok(());
    }
    let what = format!("receive {id} should complete as {kind:?}, found {completion:?}");
    Err(Deviation::broken(what))
}

fn a_write_with_immediate_delivers_its_bits_and_length_and_consumes_one_receive<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    let size = 5_000;
    let mut pair = bench.connect(&Setup { receive_queue_depth: 8, ..Setup::default() })?;
    // One more than is consumed, so that consuming two shows at once.
    pair.server.try_post_receive(0, 100, None)?;
    for (round, length) in (0..).zip([0, 1, 8, 257, size]) {
        let (client, server) = (bench.client_memory(size)?, bench.server_memory(size)?);
        let id = 100 + u64::from(round);
        pair.server.try_post_receive(0, id + 1, None)?;
        client.put(0, &pattern(5, size));
        let immediate = 0x0102_0304 + round;
        let local = client.segment(0, length);
        pair.client.succeed(0, write_with_immediate(7, immediate, local, server.at(0)))?;
        let found = pair.server.completion_of(0, id)?;
        expect_receive(&found, id, immediate, length as u32)?;
        pair.server.silence()?;
        let mut expected = vec![0; size];
        expected[..length].copy_from_slice(&pattern(5, size)[..length]);
        server.expect(&expected)?;
    }
    Ok(())
}

fn immediates_consume_receives_in_the_order_of_both<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let count = 64;
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&Setup { receive_queue_depth: count, ..Setup::default() })?;
    for index in 0..u64::from(count) {
        pair.server.try_post_receive(0, 1_000 + index, None)?;
    }
    let (local, remote) = (client.segment(0, 8), server.at(0));
    let request = |index: u32| write_with_immediate(index.into(), !index, local, remote);
    let requests: Vec<_> = (0..count).map(request).collect();
    pair.client.post(0, &requests)?;
    for completion in pair.client.completions(count as usize)? {
        expect_status(&completion, &[CompletionStatus::Success])?;
    }
    let received = pair.server.completions(count as usize)?;
    for (index, completion) in (0..count).zip(&received) {
        expect_receive(completion, 1_000 + u64::from(index), !index, 8)?;
    }
    Ok(())
}

fn a_plain_write_consumes_no_receive<F: Fixture>(bench: &Bench<'_, F>) -> Verdict {
    let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
    let mut pair = bench.connect(&Setup { receive_queue_depth: 8, ..Setup::default() })?;
    pair.server.try_post_receive(0, 1, None)?;
    pair.client.succeed(0, write(2, client.segment(0, 8), server.at(0)))?;
    pair.server.silence()?;
    pair.client.succeed(0, write_with_immediate(3, 4, client.segment(0, 8), server.at(0)))?;
    let found = pair.server.completion_of(0, 1)?;
    expect_receive(&found, 1, 4, 8)
}

/// IB spec vol. 1, 9.7.5.2.8: the requester gives up after the agreed number of retries. The
/// encoding's 7, for ever, is not tested: its only property is that nothing happens.
fn a_write_with_immediate_without_a_receive_ends_receiver_not_ready<F: Fixture>(
    bench: &Bench<'_, F>,
) -> Verdict {
    for rnr_retry in [0, 2] {
        let (client, server) = (bench.client_memory(8)?, bench.server_memory(8)?);
        let setup = Setup { receive_queue_depth: 8, rnr_retry, ..Setup::default() };
        let mut pair = bench.connect(&setup)?;
        let request = write_with_immediate(1, 2, client.segment(0, 8), server.at(0));
        pair.client.end_with(0, request, &[CompletionStatus::ReceiverNotReadyRetryExceeded])?;
        pair.server.silence()?;
    }
    Ok(())
}
