//! Which differences of memory a lost message explains.

use super::*;
use crate::{
    bench::{Bench, MemoryOf, PairOf, Setup},
    pattern::pattern,
    reference::{Fabric, ReferenceFixture},
    requests::{send, unsignaled, write},
};

type Pair = PairOf<ReferenceFixture>;
type Memory = MemoryOf<ReferenceFixture>;

/// Bytes that the client writes to the server's memory, in two halves.
const BYTES: usize = 64;

/// Does something with a pair over a service, and the memory of client and server.
fn on<R>(
    service: Service,
    fabric: Fabric,
    act: impl FnOnce(&mut Pair, &Memory, &Memory) -> R,
) -> R {
    let fixture = ReferenceFixture::with(fabric);
    let bench = Bench::open(&fixture, service).unwrap();
    let (client, server) =
        (bench.client_memory(BYTES).unwrap(), bench.server_memory(BYTES).unwrap());
    let mut pair = bench.connect(&Setup { receive_queue_depth: 1, ..Setup::default() }).unwrap();
    act(&mut pair, &client, &server)
}

/// What is found where `expected` should be, after the client has written the front of its memory.
fn found(length: usize, content: u64, expected: &[u8]) -> Deviation {
    on(Service::UnreliableConnection, Fabric::right(), |pair, client, server| {
        client.put(0, &pattern(content, BYTES));
        pair.client.succeed(0, write(1, client.segment(0, length), server.at(0))).unwrap();
        pair.expect(server, expected).unwrap_err()
    })
}

#[test]
fn memory_that_a_message_left_as_it_was_may_be_a_loss() {
    let expected = pattern(1, BYTES);
    // Nothing of it, and the first of two.
    for length in [0, BYTES / 2] {
        let found = found(length, 1, &expected);
        assert!(found.may_be_a_loss(), "{}", found.chain());
        assert!(found.chain().contains("the server's memory differs in "), "{}", found.chain());
    }
}

#[test]
fn one_wrong_byte_is_no_loss_whatever_else_is_missing() {
    let expected = pattern(1, BYTES);
    let mut wrong = expected.clone();
    wrong[3] ^= 0xff;
    for length in [4, BYTES] {
        let found = found(length, 1, &wrong);
        assert!(!found.may_be_a_loss(), "{}", found.chain());
    }
    let found = found(BYTES, 2, &expected);
    assert!(!found.may_be_a_loss(), "{}", found.chain());
}

#[test]
fn what_was_put_seen_or_there_in_between_may_be_what_a_loss_left() {
    let (first, second, third) = (pattern(1, BYTES), pattern(2, BYTES), pattern(3, BYTES));
    on(Service::UnreliableConnection, Fabric::right(), |pair, client, server| {
        server.put(0, &first);
        assert!(pair.expect(server, &second).unwrap_err().may_be_a_loss());
        client.put(0, &second);
        pair.client.succeed(0, write(1, client.segment(0, BYTES), server.at(0))).unwrap();
        // It was not said that the second content may be there.
        assert!(!pair.expect(server, &third).unwrap_err().may_be_a_loss());
        server.holds_in_between(&second);
        assert!(pair.expect(server, &third).unwrap_err().may_be_a_loss());
        pair.expect(server, &second).unwrap();
        assert!(pair.expect(server, &third).unwrap_err().may_be_a_loss());
        // Once the second was seen, the first must not come back.
        server.put(0, &first);
        pair.expect(server, &first).unwrap();
        pair.client.succeed(0, write(1, client.segment(0, BYTES), server.at(0))).unwrap();
        assert!(!pair.expect(server, &third).unwrap_err().may_be_a_loss());
    });
}

#[test]
fn a_changed_margin_is_no_loss() {
    on(Service::UnreliableConnection, Fabric::right(), |pair, _, server| {
        server.put_beside(0xdd);
        assert!(!pair.expect(server, &pattern(1, BYTES)).unwrap_err().may_be_a_loss());
    });
}

#[test]
fn over_a_reliable_connection_nothing_is_a_loss() {
    on(Service::ReliableConnection, Fabric::right(), |pair, _, server| {
        assert!(!pair.expect(server, &pattern(1, BYTES)).unwrap_err().may_be_a_loss());
    });
}

#[test]
fn a_message_that_never_comes_may_be_lost_and_an_own_completion_may_not() {
    let all_lost = Fabric::right().losing(1.0, 1);
    on(Service::UnreliableConnection, all_lost, |pair, client, _| {
        pair.server.try_post_receive(0, 1, None).unwrap();
        pair.client.succeed(0, send(1, None, client.segment(0, 0))).unwrap();
        assert!(pair.server.completions(1).unwrap_err().may_be_a_loss());
        assert!(!pair.client.completions(1).unwrap_err().may_be_a_loss());
    });
}

#[test]
fn what_comes_after_the_expected_bytes_is_seen_where_nothing_is_acknowledged() {
    on(Service::UnreliableConnection, Fabric::right(), |pair, client, server| {
        client.put(0, &pattern(1, BYTES));
        // Nothing has been polled, so that it is under way still.
        let request = unsignaled(write(1, client.segment(0, BYTES), server.at(0)));
        pair.client.post(0, &[request]).unwrap();
        pair.arrived(server, &[0; BYTES]).unwrap();
        let late = pair.expect(server, &[0; BYTES]).unwrap_err();
        assert!(matches!(late, Deviation::Bytes { .. }), "{}", late.chain());
    });
}
