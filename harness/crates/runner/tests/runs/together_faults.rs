//! Client hosts that are missing, die, or are left alone.

use std::{
    thread,
    time::{Duration, Instant},
};

use onesided_results::{RunConfiguration, vocabulary::Phase};

use crate::{
    evidence::{failure, sound},
    proxy::Proxy,
    session::{SURELY, short},
    together::{Server, of_three, with_hosts},
};

/// A run that would take a minute.
fn long() -> RunConfiguration {
    RunConfiguration { duration_ms: 60_000, window_ms: 1000, ..of_three() }
}

/// Calls `act` when such a run is long under way.
fn meanwhile<R>(act: impl FnOnce() + Send, body: impl FnOnce() -> R) -> R {
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(800));
            act();
        });
        body()
    })
}

#[test]
fn a_run_that_asks_for_more_hosts_than_there_are_says_so_and_the_next_one_works() {
    let body = |server: &Server, _: &[Proxy]| {
        server.lead(|session| {
            let few = session.run(&of_three());
            let (phase, message) = failure(&few);
            assert_eq!(phase, Phase::Connect);
            let due = "the run asks for 3 client hosts, 1 further one has joined: start `onesided \
                       join` on more machines";
            assert!(message.ends_with(due), "{message}");
            sound(&session.run_soundly(&short()));
            let enough = RunConfiguration { client_hosts: 2, ..of_three() };
            sound(&session.run_soundly(&enough));
        });
    };
    with_hosts(1, 1, Duration::from_millis(200), body);
}

#[test]
fn a_host_that_dies_fails_the_run_at_once_by_its_name_and_is_missed_by_the_next() {
    let body = |server: &Server, proxies: &[Proxy]| {
        server.lead(|session| {
            let began = Instant::now();
            let result = meanwhile(|| proxies[0].cut(), || session.run(&long()));
            assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
            let (phase, message) = failure(&result);
            assert!([Phase::Measure, Phase::SetUp].contains(&phase), "{phase}: {message}");
            let host = &result.record.client.as_ref().unwrap().host.hostname;
            let named = message.contains(&format!("client host {host} (127.0.0.1:"));
            assert!(named && message.contains("is gone"), "{message}");
            let (_, message) = { failure_of(session.run(&of_three())) };
            assert!(message.contains("1 further one has joined"), "{message}");
            sound(&session.run_soundly(&short()));
            sound(&session.run_soundly(&RunConfiguration { client_hosts: 2, ..of_three() }));
        });
    };
    // Long enough for the host that is left to be back after the run that failed.
    let ((), left) = with_hosts(2, 1, Duration::from_secs(2), body);
    assert_eq!(left.iter().filter(|host| host.is_err()).count(), 1, "{left:?}");
    let other = left.iter().flatten().next().unwrap();
    assert!(other.finished >= 1 && other.failed == 1, "{other:?}");
}

fn failure_of(result: onesided_runner::RunResult) -> (Phase, String) {
    let (phase, message) = failure(&result);
    (phase, message.to_owned())
}

#[test]
fn hosts_whose_lead_dies_wait_for_the_next_one() {
    let body = |server: &Server, _: &[Proxy]| {
        let proxy = Proxy::default();
        let result = server
            .lead_behind(&proxy, |session| meanwhile(|| proxy.cut(), || session.run(&long())));
        failure(&result);
        server.lead(|session| sound(&session.run_soundly(&of_three())).queue_pairs().len())
    };
    let (queue_pairs, left) = with_hosts(2, 2, SURELY, body);
    assert_eq!(queue_pairs, 7);
    for host in left {
        let summary = host.expect("the server was there all the time");
        assert!(summary.failed == 1 && summary.finished >= 1, "{summary:?}");
    }
}

#[test]
fn two_leads_at_once_take_turns_with_the_hosts() {
    let body = |server: &Server, _: &[Proxy]| {
        thread::scope(|scope| {
            let lead = || {
                server.lead(|session| {
                    let result = session.run(&RunConfiguration { client_hosts: 2, ..of_three() });
                    assert!(result.counts.is_some(), "{:?}", result.record.outcome);
                })
            };
            let leads = [scope.spawn(lead), scope.spawn(lead)];
            for lead in leads {
                lead.join().unwrap();
            }
        });
    };
    let ((), left) = with_hosts(1, 2, SURELY, body);
    assert_eq!(left[0].as_ref().unwrap().finished, 2);
}

#[test]
fn a_part_that_cannot_be_fails_the_run_with_the_hosts_own_words() {
    let body = |server: &Server, _: &[Proxy]| {
        server.lead(|session| {
            // One process, one machine: the lead has the only CPU that is named.
            let run = RunConfiguration { client_threads: "cpus:0".to_owned(), ..of_three() };
            let (_, message) = failure_of(session.run(&run));
            assert!(message.contains("client host ") && message.contains("another client host"));
            sound(&session.run_soundly(&of_three()));
        });
    };
    with_hosts(2, 1, SURELY, body);
}
