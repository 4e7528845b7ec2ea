//! Peers in a process of their own, which is stopped and killed.
//!
//! The child is this test program again, running one test with the server's address in its
//! environment.

use std::{
    env,
    process::{Child, Command, Stdio},
    thread,
    time::Instant,
};

use onesided_control::{Channel, ChannelError, Token, WhenRefused, connect};

use crate::{SURELY, known_token, listen, milliseconds, patient, wait_for_death, with_patience};

const ADDRESS: &str = "ONESIDED_TEST_ADDRESS";
const TOKEN: &str = "ONESIDED_TEST_TOKEN";

/// Connects, says so, and stays until the server closes.
fn stay_connected(address: &str, token: &Token) {
    let channel = connect(address, token, SURELY, WhenRefused::Fail, &patient()).unwrap();
    channel.send(&"here").unwrap();
    let end = channel.receive::<String>(6 * SURELY).unwrap_err();
    assert!(matches!(end, ChannelError::Closed), "{end}");
}

#[test]
fn a_client_stays_until_its_server_closes() {
    if let Ok(address) = env::var(ADDRESS) {
        return stay_connected(&address, &Token::from_environment(TOKEN).unwrap());
    }
    let token = Token::generate().unwrap();
    let listener = listen(&token, patient());
    let address = listener.local_address().to_string();
    thread::scope(|scope| {
        scope.spawn(|| stay_connected(&address, &token));
        let channel = listener.accept().unwrap().authenticate().unwrap();
        assert_eq!(channel.receive::<String>(SURELY).unwrap(), "here");
    });
}

/// A child that is killed whatever becomes of the test.
struct Peer(Child);

impl Peer {
    fn signal(&self, name: &str) {
        let status = Command::new("sh")
            .args(["-c", "kill -\"$1\" \"$2\"", "sh", name, &self.0.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success(), "kill -{name}: {status}");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn connected_child(patience: std::time::Duration) -> (Peer, Channel) {
    let (token, secret) = known_token();
    let listener = listen(&token, with_patience(patience));
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "processes::a_client_stays_until_its_server_closes"])
        .env(ADDRESS, listener.local_address().to_string())
        .env(TOKEN, secret)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let child = Peer(child);
    let channel = listener.accept().unwrap().authenticate().unwrap();
    assert_eq!(channel.receive::<String>(SURELY).unwrap(), "here");
    (child, channel)
}

#[test]
fn a_stopped_process_is_noticed_in_bounded_time() {
    let patience = milliseconds(1500);
    let (child, channel) = connected_child(patience);
    thread::sleep(patience * 2);
    assert!(channel.peer().is_alive(), "{:?}", channel.peer().death());
    let start = Instant::now();
    child.signal("STOP");
    wait_for_death(&channel.peer());
    assert!(start.elapsed() >= patience / 2, "{:?}", start.elapsed());
    let death = channel.peer().death();
    assert!(matches!(death, Some(ChannelError::Silent { .. })), "{death:?}");
}

#[test]
fn a_process_that_was_stopped_for_less_than_the_patience_is_forgiven() {
    let (child, channel) = connected_child(SURELY);
    child.signal("STOP");
    thread::sleep(milliseconds(500));
    child.signal("CONT");
    thread::sleep(milliseconds(200));
    assert!(channel.peer().is_alive(), "{:?}", channel.peer().death());
    channel.send(&1).unwrap();
}

#[test]
fn a_killed_process_is_noticed_long_before_the_patience_is_over() {
    let (mut child, channel) = connected_child(SURELY);
    child.0.kill().unwrap();
    let waited = wait_for_death(&channel.peer());
    assert!(waited < SURELY / 2, "{waited:?}");
    let death = channel.peer().death();
    // Which of the two depends on whether one of our pings lay unread.
    assert!(matches!(death, Some(ChannelError::Closed | ChannelError::Reset)), "{death:?}");
}
