//! Operations through the data path, each seen in memory.

use onesided_transport::{
    CompletionKind, CompletionQueues, CompletionStatus, Endpoint, EndpointAttributes, LocalSegment,
    Opcode, Payload, PostError, ReceiveRequest, Signal, Transport, WorkRequest,
};
use onesided_verbs::VerbsDevice;

use crate::{
    Test,
    loop_back::{LoopBack, attributes, completions, connection},
};

pub const TESTS: &[Test] = &[
    ("writes_and_reads_move_the_bytes", writes_and_reads),
    ("atomics_return_what_was_there_before", atomics),
    ("an_immediate_arrives_with_its_length_at_a_receive_posted_before_connecting", immediate),
    ("an_inline_write_needs_no_registered_memory", inline),
    ("a_length_of_zero_succeeds_and_touches_nothing", zero_length),
    ("of_a_list_of_4_only_the_signaled_request_completes", list_of_four),
    ("a_full_queue_is_told_and_everything_posted_before_it_completes", full_queue),
    ("queue_pairs_with_completion_queues_of_their_own_are_all_heard", own_completion_queues),
    ("a_wrong_remote_key_is_an_access_error_and_then_all_is_flushed", wrong_key),
    ("counters_of_the_port_count_what_was_sent", counters),
];

fn writes_and_reads(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    for word in 0..512 {
        pair.client_memory.set(word, 0x1111 * word as u64);
    }
    pair.execute(pair.request(1, Opcode::Write, 4096));
    assert!((0..512).all(|word| pair.server_memory.get(word) == 0x1111 * word as u64));
    assert_eq!(pair.server_memory.get(512), 0);
    pair.server_memory.set(100, 42);
    let read = WorkRequest {
        local: pair.client_memory.local(1024, 8),
        remote: pair.server_memory.remote(100),
        ..pair.request(2, Opcode::Read, 8)
    };
    pair.execute(read);
    assert_eq!(pair.client_memory.get(1024), 42);
    assert_eq!(pair.client_memory.get(1025), 0);
}

fn atomics(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    pair.server_memory.set(0, 40);
    pair.execute(pair.request(1, Opcode::FetchAndAdd { add: 2 }, 8));
    assert_eq!((pair.client_memory.get(0), pair.server_memory.get(0)), (40, 42));
    let swap = |compare| Opcode::CompareAndSwap { compare, swap: 99 };
    pair.execute(pair.request(2, swap(7), 8));
    assert_eq!((pair.client_memory.get(0), pair.server_memory.get(0)), (42, 42));
    pair.execute(pair.request(3, swap(42), 8));
    assert_eq!((pair.client_memory.get(0), pair.server_memory.get(0)), (42, 99));
}

fn immediate(device: &VerbsDevice) {
    let one = attributes(1, CompletionQueues::PerThread);
    let mut pair = LoopBack::single(device);
    let mut server = device.create_endpoint(&one).expect("a server can be made");
    // SAFETY: no memory is given.
    unsafe { server.post_receives(0, &[ReceiveRequest { id: 77, buffer: None }]) }
        .expect("INIT takes receive requests");
    let mut client = device.create_endpoint(&one).expect("a client can be made");
    let connection = connection(device);
    let (to_client, to_server) = (client.address(connection.gid), server.address(connection.gid));
    client.connect(&to_server, &connection).expect("the client connects");
    server.connect(&to_client, &connection).expect("the server connects");
    (pair.client, pair.server) = (client, server);
    pair.client_memory.set(0, 5);
    pair.execute(pair.request(1, Opcode::WriteWithImmediate { immediate: 0xdead_beef }, 8));
    let received = completions(&mut pair.server, 1)[0];
    assert_eq!((received.id, received.status), (77, CompletionStatus::Success));
    let kind = CompletionKind::Receive { length: 8, immediate: Some(0xdead_beef), source: None };
    assert_eq!((received.kind, pair.server_memory.get(0)), (kind, 5));
}

fn inline(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    let mut payload = [7_u64, 8, 9];
    let local = LocalSegment { address: (&raw const payload).addr() as u64, length: 24, key: 0 };
    let request =
        WorkRequest { local, payload: Payload::Inline, ..pair.request(1, Opcode::Write, 24) };
    // An inline post reads the payload through its address.
    (&raw mut payload).expose_provenance();
    pair.post(0, &[request]);
    payload.fill(0);
    std::hint::black_box(&payload);
    assert_eq!(completions(&mut pair.client, 1)[0].status, CompletionStatus::Success);
    assert_eq!([0, 1, 2].map(|word| pair.server_memory.get(word)), [7, 8, 9]);
}

fn zero_length(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    pair.client_memory.set(0, 3);
    pair.server_memory.set(0, 4);
    pair.execute(pair.request(1, Opcode::Write, 0));
    pair.execute(pair.request(2, Opcode::Read, 0));
    let inline = WorkRequest { payload: Payload::Inline, ..pair.request(3, Opcode::Write, 0) };
    pair.execute(inline);
    assert_eq!((pair.client_memory.get(0), pair.server_memory.get(0)), (3, 4));
    pair.execute(pair.request(4, Opcode::Write, 8));
    assert_eq!(pair.server_memory.get(0), 3);
}

fn list_of_four(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    let mut list = Vec::new();
    for word in 0..4_usize {
        pair.client_memory.set(word, 100 + word as u64);
        list.push(WorkRequest {
            local: pair.client_memory.local(word, 8),
            remote: pair.server_memory.remote(3 - word),
            signal: if word == 3 { Signal::Signaled } else { Signal::Unsignaled },
            ..pair.request(word as u64, Opcode::Write, 8)
        });
    }
    pair.post(0, &list);
    assert_eq!(completions(&mut pair.client, 1)[0].id, 3);
    let written = [0, 1, 2, 3].map(|word| pair.server_memory.get(word));
    assert_eq!(written, [103, 102, 101, 100]);
}

/// Three queue pairs that share a completion queue and whose peer is gone, each filled until it
/// refuses. With a peer that answers, Soft-RoCE is never full: it frees an entry of the send
/// queue when the request is done, not when its completion is polled.
fn full_queue(device: &VerbsDevice) {
    let LoopBack { mut client, server, client_memory, server_memory } =
        LoopBack::new(device, &attributes(3, CompletionQueues::PerThread));
    drop(server);
    let request = |id| WorkRequest {
        id,
        opcode: Opcode::Write,
        local: client_memory.local(0, 8),
        remote: server_memory.remote(0),
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    let list: Vec<_> = (0..4096).map(request).collect();
    let mut posted = 0;
    for queue_pair in 0..3 {
        // SAFETY: the requests refer to memory that outlives the client.
        let error = unsafe { client.post(queue_pair, &list) }.expect_err("no queue is that deep");
        let PostError::QueueFull { queue_pair: full, request } = error else {
            panic!("a full queue is no {error}")
        };
        assert_eq!(full, queue_pair);
        assert!((16..80).contains(&request), "{request} requests fit into a depth of 16");
        posted += request;
    }
    let all = completions(&mut client, posted);
    for &number in client.queue_pair_numbers() {
        let own: Vec<_> = all.iter().filter(|one| one.queue_pair_number == number).collect();
        assert!((0..).zip(&own).all(|(place, one)| one.id == place), "in order, none twice");
        assert_eq!(own[0].status, CompletionStatus::RetryExceeded);
        assert!(own[1..].iter().all(|one| one.status == CompletionStatus::Flushed), "{own:?}");
    }
}

fn own_completion_queues(device: &VerbsDevice) {
    let per_queue_pair =
        EndpointAttributes { inline_bytes: 0, ..attributes(12, CompletionQueues::PerQueuePair) };
    let mut pair = LoopBack::new(device, &per_queue_pair);
    for queue_pair in 0..12 {
        for id in 0..4 {
            pair.post(queue_pair, &[pair.request(id, Opcode::Write, 8)]);
        }
    }
    let all = completions(&mut pair.client, 48);
    for &number in pair.client.queue_pair_numbers() {
        let ids: Vec<_> =
            all.iter().filter(|one| one.queue_pair_number == number).map(|one| one.id).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
    }
}

fn wrong_key(device: &VerbsDevice) {
    let mut pair = LoopBack::single(device);
    let mut wrong = pair.request(1, Opcode::Write, 8);
    wrong.remote.key ^= 0xff00;
    pair.client_memory.set(0, 1);
    pair.post(0, &[wrong]);
    let completion = completions(&mut pair.client, 1)[0];
    assert_eq!((completion.id, completion.status), (1, CompletionStatus::RemoteAccessError));
    pair.post(0, &[pair.request(2, Opcode::Write, 8)]);
    let completion = completions(&mut pair.client, 1)[0];
    assert_eq!((completion.id, completion.status), (2, CompletionStatus::Flushed));
    assert_eq!(pair.server_memory.get(0), 0);
}

fn counters(device: &VerbsDevice) {
    let counted = || device.counters().expect("the port has counters");
    let before = counted();
    let mut pair = LoopBack::single(device);
    for id in 0..64 {
        pair.execute(pair.request(id, Opcode::Write, 64));
    }
    let after = counted();
    assert!(before.keys().eq(after.keys()), "the same ones");
    let grown = |name: &&String| after[*name] > before[*name];
    let grown: Vec<_> = before.keys().filter(grown).collect();
    assert!(!grown.is_empty(), "none of {before:?} counted 64 writes");
}
