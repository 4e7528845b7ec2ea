//! A side that goes away in the middle of a run.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use onesided_conformance::reference::{Defect, Fabric, Progress, ReferenceTransport};
use onesided_control::{ChannelError, Heartbeat, Settings};
use onesided_results::{
    RunConfiguration,
    vocabulary::{LoopShape, Operation, Phase},
};
use onesided_runner::{RunResult, SessionSummary};

use crate::{
    evidence::failure,
    fabrics::run_wrongly,
    proxy::Proxy,
    session::{SURELY, Session, devices, patient, session, short},
};

/// Phases in which requests flow; a machine that is busy may still be warming up.
const FLOWING: [Phase; 2] = [Phase::WarmUp, Phase::Measure];

/// A run that would take a minute, long under way when something happens to the network.
fn interrupted(
    fabric: Fabric,
    configuration: &RunConfiguration,
    settings: &Settings,
    happens: impl FnOnce(&Proxy) + Send,
) -> (RunResult, Result<SessionSummary, ChannelError>, Duration) {
    let proxy = Proxy::default();
    let (client, server) = devices(fabric);
    let configuration =
        RunConfiguration { duration_ms: 60_000, window_ms: 1000, ..configuration.clone() };
    let began = Instant::now();
    let (result, served) = thread::scope(|scope| {
        let body = |session: Session<'_, _>| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(600));
                happens(&proxy);
            });
            session.run(&configuration)
        };
        session((&client, &server), settings, |direct| proxy.before(direct), body)
    });
    (result, served, began.elapsed())
}

#[test]
fn a_server_that_dies_fails_the_run_at_once() {
    let threads = RunConfiguration { threads: 2, queue_pairs: 2, window: 4, ..short() };
    let (result, served, took) = interrupted(Fabric::right(), &threads, &patient(), Proxy::cut);
    let (phase, message) = failure(&result);
    // Whichever is noticed first: that nobody answers, or that the connection is closed.
    let noticed = message.contains("the other side is gone") || message.contains("retr");
    assert!(FLOWING.contains(&phase) && noticed, "{phase}: {message}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    let error = served.expect_err("its client was cut off");
    assert!(matches!(error, ChannelError::Closed | ChannelError::Reset), "{error}");
}

#[test]
fn a_server_that_falls_silent_fails_the_run_when_its_heartbeat_is_missed() {
    let heartbeat = Heartbeat::new(Duration::from_millis(50), Duration::from_millis(1500)).unwrap();
    let settings = Settings { heartbeat, ..patient() };
    let (result, served, took) =
        interrupted(Fabric::right(), &short(), &settings, Proxy::fall_silent);
    let (phase, message) = failure(&result);
    let noticed = message.contains("the other side is gone") || message.contains("retr");
    assert!(FLOWING.contains(&phase) && noticed, "{phase}: {message}");
    assert!(took < SURELY, "{took:?}");
    assert!(served.is_err(), "its client was cut off");
}

#[test]
fn a_ping_pong_whose_server_dies_fails_at_once() {
    let configuration = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        operation: Operation::Write,
        ..short()
    };
    let fabric = Fabric::right().progressing(Progress::ByPosts);
    let (result, _, took) = interrupted(fabric, &configuration, &patient(), Proxy::cut);
    let (phase, message) = failure(&result);
    assert!(FLOWING.contains(&phase), "{phase}: {message}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn the_failure_of_one_thread_stops_the_others_and_is_the_one_that_is_told() {
    // On a shared completion queue only the first queue pair of each thread is named rightly.
    let configuration =
        RunConfiguration { threads: 2, queue_pairs: 3, duration_ms: 60_000, ..short() };
    let began = Instant::now();
    let defect = Defect::NamesTheFirstQueuePair;
    let result = run_wrongly(defect, &configuration);
    let (_, message) = failure(&result);
    assert!(message.contains("belongs to no work request in flight"), "{message}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn the_servers_threads_have_ended_before_a_failed_run_is_let_go() {
    // They hold their queue pairs, those the fabric; and use memory that is released after them.
    let ping_pong = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        operation: Operation::Write,
        queue_pairs: 2,
        threads: 2,
        // It ends with the failure, which comes after a thousand completions.
        duration_ms: 60_000,
        window_ms: 1000,
        ..short()
    };
    let replenished =
        RunConfiguration { operation: Operation::WriteWithImmediate, ..ping_pong.clone() };
    let replenished = RunConfiguration { loop_shape: LoopShape::Closed, ..replenished };
    let of_sends =
        |run: &RunConfiguration| RunConfiguration { operation: Operation::Send, ..run.clone() };
    let sent = [of_sends(&ping_pong), of_sends(&replenished)];
    for configuration in [ping_pong, replenished].into_iter().chain(sent) {
        let fabric = Arc::new(Fabric::wrong(Defect::GivesAStaleId).progressing(Progress::ByPosts));
        let (client, server) =
            (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric));
        let devices_alone = Arc::strong_count(&fabric);
        let (result, held) = session(
            (&client, &server),
            &patient(),
            |direct| direct,
            // The session goes on: it is not its end that ends the threads.
            |session| (session.run(&configuration), Arc::strong_count(&fabric)),
        )
        .0;
        failure(&result);
        assert_eq!(
            held, devices_alone,
            "{}: somebody still drives queue pairs",
            configuration.operation
        );
    }
}
