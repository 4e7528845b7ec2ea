use std::sync::Arc;

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_results::vocabulary::Service;
use onesided_transport::Transport;

use super::*;

fn sends(receive_queues: ReceiveQueues) -> RunConfiguration {
    RunConfiguration {
        operation: Operation::Send,
        receive_queues,
        queue_pairs: 5,
        threads: 2,
        window: 100,
        ..RunConfiguration::default()
    }
}

/// The reference, otherwise.
fn device(change: impl FnOnce(&mut DeviceDescription)) -> DeviceDescription {
    let reference = ReferenceTransport::open(&Arc::new(Fabric::right()));
    reference.described(change).description().clone()
}

fn refused(configuration: &RunConfiguration, device: &DeviceDescription) -> String {
    check_receive_queues(configuration, Side::Server, device).unwrap_err().explanation()
}

#[test]
fn a_shared_queue_has_twice_what_all_that_take_from_it_may_have_in_flight() {
    let (own, shared) = (sends(ReceiveQueues::PerQueuePair), sends(ReceiveQueues::Shared));
    assert_eq!((receives(&own, 2), receives(&own, 3)), (256, 256));
    assert_eq!((receives(&shared, 2), receives(&shared, 3)), (400, 600));
    let calm = RunConfiguration { window: 1, ..shared };
    assert_eq!(receives(&calm, 3), 256, "some for when the thread is not run");
    let absurd = RunConfiguration { window: u32::MAX, ..calm };
    assert_eq!(receives(&absurd, usize::MAX), u32::MAX);
}

#[test]
fn only_the_side_that_receives_shares() {
    let of = |attributes: onesided_transport::EndpointAttributes| {
        (attributes.receive_queue_depth, attributes.receive_queues)
    };
    let shared = sends(ReceiveQueues::Shared);
    assert_eq!(of(client_endpoint(&shared, 3)), (0, ReceiveQueues::PerQueuePair));
    assert_eq!(of(server_endpoint(&shared, 3)), (600, ReceiveQueues::Shared));
    let answered = RunConfiguration {
        operation: Operation::WriteAnsweredBySend,
        loop_shape: LoopShape::PingPong,
        threads: 5,
        window: 1,
        ..shared
    };
    assert_eq!(of(client_endpoint(&answered, 1)), (2, ReceiveQueues::Shared));
    assert_eq!(of(server_endpoint(&answered, 1)), (0, ReceiveQueues::PerQueuePair));
}

#[test]
fn a_device_that_shares_none_is_refused_by_the_flag_and_by_what_it_has() {
    let lacking = device(|device| device.shared_receives = vec![Service::ReliableConnection]);
    let shared = sends(ReceiveQueues::Shared);
    assert!(check_receive_queues(&shared, Side::Server, &lacking).is_ok());
    let datagrams = RunConfiguration { service: Service::UnreliableDatagram, ..shared };
    assert_eq!(
        refused(&datagrams, &lacking),
        "receive_queues (--receive-queues) = shared: queue pairs of the service ud cannot share a receive queue \
         on reference0; those that can: rc"
    );
    // It takes nothing in, and the server's may be another one.
    assert!(check_receive_queues(&datagrams, Side::Client, &lacking).is_ok());
    let own = RunConfiguration { receive_queues: ReceiveQueues::PerQueuePair, ..datagrams };
    assert!(check_receive_queues(&own, Side::Server, &lacking).is_ok());
}

#[test]
fn more_requests_than_the_longest_shared_queue_takes_are_refused_with_flags_value_and_limit() {
    let shared = sends(ReceiveQueues::Shared);
    let just = device(|device| device.limits.shared_receive_queue_depth = 600);
    assert!(check_receive_queues(&shared, Side::Server, &just).is_ok());
    let short = device(|device| device.limits.shared_receive_queue_depth = 599);
    assert_eq!(
        refused(&shared, &short),
        "receive_queues (--receive-queues) = shared: 3 queue pairs of a thread (--queue-pairs, --threads) with \
         window = 100 (--window) need shared receive queue depth 600; allowed: at most 599, the limit of \
         reference0"
    );
}

#[test]
fn more_completions_than_a_completion_queue_takes_are_refused_likewise() {
    // One more for each queue pair: what closes a run.
    let shared = sends(ReceiveQueues::Shared);
    let just = device(|device| device.limits.completion_queue_entries = 603);
    assert!(check_receive_queues(&shared, Side::Server, &just).is_ok());
    let short = device(|device| device.limits.completion_queue_entries = 602);
    let told = refused(&shared, &short);
    assert!(told.contains("need completion queue entries"), "{told}");
    assert!(told.contains(" 603; allowed: at most 602"), "{told}");
}

#[test]
fn a_queue_of_its_own_that_a_window_makes_too_long_is_refused_by_the_window() {
    let device = device(|device| device.limits.queue_depth = 512);
    let asked = |window| RunConfiguration { window, ..sends(ReceiveQueues::PerQueuePair) };
    check_receive_queues(&asked(256), Side::Server, &device).unwrap();
    let message = refused(&asked(257), &device);
    assert!(
        message.contains("window (--window) is 257, for which 514 receive requests"),
        "{message}"
    );
    assert!(
        message.contains("allowed: at most 512, the limit of a receive queue of "),
        "{message}"
    );
    // A client that receives nothing is not asked.
    check_receive_queues(&asked(257), Side::Client, &device).unwrap();
}
