use std::{thread, time::Duration};

use onesided_control::{Heartbeat, Listener, Settings, Token, WhenRefused, connect};
use onesided_transport::Transport;

use super::*;

/// Hosts that have joined, with the clients' ends of their channels.
fn pool_of(hosts: &[&str], within: Duration) -> (Pool, Vec<Channel>) {
    let pool = Pool::new(within);
    let ends = hosts.iter().map(|host| join(&pool, host)).collect();
    (pool, ends)
}

fn join(pool: &Pool, host: &str) -> Channel {
    let (within, token) = (Duration::from_secs(20), Token::generate().unwrap());
    let heartbeat = Heartbeat::new(Duration::from_millis(50), within).unwrap();
    let settings = Settings { heartbeat, ..Settings::default() };
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone()).unwrap();
    let address = listener.local_address().to_string();
    thread::scope(|scope| {
        let accepted = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap());
        let refused = WhenRefused::Fail;
        let end = connect(&address, &token, within, refused, &settings).unwrap();
        let fabric = std::sync::Arc::new(onesided_conformance::reference::Fabric::right());
        let device = onesided_conformance::reference::ReferenceTransport::open(&fabric);
        let joining = Joining { host: host.to_owned(), device: device.description().clone() };
        pool.add(accepted.join().unwrap(), joining);
        end
    })
}

fn names(claim: &Claim<'_>) -> Vec<String> {
    claim.iter().map(|joined| joined.host.clone()).collect()
}

#[test]
fn hosts_are_taken_in_the_order_of_joining_and_come_back_to_their_places() {
    let (pool, _ends) = pool_of(&["one", "two", "three"], Duration::ZERO);
    let first = pool.claim(1).unwrap();
    let second = pool.claim(2).unwrap();
    assert_eq!(
        (names(&first), names(&second)),
        (vec!["one".into()], vec!["two".into(), "three".into()])
    );
    drop(second);
    drop(first);
    assert_eq!(names(&pool.claim(3).unwrap()), ["one", "two", "three"]);
}

#[test]
fn no_two_runs_have_the_same_host_and_the_second_waits_for_the_first() {
    let (pool, _ends) = pool_of(&["one", "two"], Duration::from_secs(20));
    let first = pool.claim(1).unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| names(&pool.claim(2).unwrap()));
        thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished(), "one of its hosts is taken");
        drop(first);
        assert_eq!(waiting.join().unwrap(), ["one", "two"]);
    });
}

#[test]
fn a_run_that_waits_is_served_by_who_joins_meanwhile() {
    let (pool, mut ends) = pool_of(&["one"], Duration::from_secs(20));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| names(&pool.claim(2).unwrap()));
        ends.push(join(&pool, "two"));
        assert_eq!(waiting.join().unwrap(), ["one", "two"]);
    });
}

#[test]
fn too_few_hosts_are_told_with_what_to_do_and_none_is_kept() {
    let told = |pool: &Pool, count| pool.claim(count).err().expect("too few").explanation();
    let (pool, _ends) = pool_of(&["one"], Duration::from_millis(10));
    assert_eq!(
        told(&pool, 2),
        "the run asks for 3 client hosts, 1 further one has joined: start `onesided join` on more \
         machines"
    );
    let taken = pool.claim(1).unwrap();
    assert!(told(&pool, 1).contains("1 further one has joined, 1 of them in another run"));
    drop(taken);
    assert_eq!(names(&pool.claim(1).unwrap()), ["one"]);
    let (empty, _) = pool_of(&[], Duration::ZERO);
    assert!(told(&empty, 1).contains("asks for 2 client hosts, 0 further ones have joined"));
}

#[test]
fn a_host_that_is_gone_is_forgotten() {
    let (pool, mut ends) = pool_of(&["one", "two"], Duration::from_secs(20));
    drop(ends.remove(0));
    let began = Instant::now();
    while pool.claim(1).unwrap().first().is_some_and(|joined| joined.host == "one") {
        assert!(began.elapsed() < Duration::from_secs(20), "its channel is closed");
        thread::sleep(Duration::from_millis(5));
    }
    let only = pool.claim(1).unwrap();
    assert_eq!(names(&only), ["two"]);
}

#[test]
fn a_host_that_is_not_fit_for_another_run_is_not_given_back() {
    let (pool, ends) = pool_of(&["one", "two"], Duration::ZERO);
    let mut claim = pool.claim(2).unwrap();
    claim.keep(|joined| joined.host == "two");
    drop(claim);
    assert_eq!(names(&pool.claim(1).unwrap()), ["two"]);
    let told = pool.claim(2).err().expect("too few").explanation();
    assert!(told.contains("1 further one has joined:"), "nobody is busy: {told}");
    let ended = ends[0].receive::<()>(Duration::from_secs(20)).unwrap_err();
    assert!(matches!(ended, onesided_control::ChannelError::Closed), "{ended}");
}
