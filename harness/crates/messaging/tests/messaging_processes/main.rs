//! Channels and a barrier over rmc across processes, and what only other processes can do: end
//! without a word.
//!
//! The others are this program started once more; invitations travel as JSON through pipes. An
//! argument selects the tests whose name contains it.

mod other;
mod side;

use std::{
    env,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use onesided_messaging::{
    ALWAYS_PULL, ALWAYS_PUSH, BarrierError, ChannelError, SendError, Settings,
};
use onesided_rmc::RmcDevice;
use onesided_transport::Transport;

use other::{Other, Role};
use side::{message, open};

/// Set in another process, to the fabric's folder.
const OTHER: &str = "ONESIDED_TEST_OTHER_PROCESS";

/// Longest wait for a peer that receives.
const LONG: Duration = Duration::from_secs(30);

type Test = (&'static str, fn(&Path));

const TESTS: &[Test] = &[
    ("messages_go_to_another_process_and_back", echoed),
    ("a_send_to_a_killed_process_ends_and_other_channels_go_on", killed_receiver),
    ("a_receive_from_a_killed_process_ends_in_bounded_time", killed_sender),
    ("a_barrier_of_processes_goes_on_without_one_that_was_killed", killed_in_a_barrier),
];

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let Some(fabric) = env::var_os(OTHER) {
        side::play(Path::new(&fabric), Role::named(&arguments[0]));
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let wanted = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    println!("messaging over rmc, nodes of several processes");
    let (mut passed, mut failed) = (0, 0);
    for (name, test) in TESTS.iter().filter(|(name, _)| name.contains(&wanted)) {
        let fabric = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
        match std::panic::catch_unwind(|| test(fabric.path())) {
            Ok(()) => {
                println!("ok {name}");
                passed += 1;
            }
            Err(_) => {
                println!("FAIL {name}: see above");
                failed += 1;
            }
        }
    }
    println!("{passed} passed, {failed} failed, 0 skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn echoed(fabric: &Path) {
    for threshold_bytes in [ALWAYS_PULL, 1024, ALWAYS_PUSH] {
        let device = open(fabric);
        let mut other = Other::start(fabric, Role::Echo);
        let settings = Settings { threshold_bytes, ..Settings::default() };
        let mut channel = other.channel(&device, settings);
        for number in 0..400 {
            let sent = message(number, (number as usize * 61) % 9_000);
            channel.send(&sent).expect("it lives");
            channel.receive_with(|bytes| assert!(bytes == sent)).expect("it lives");
        }
        channel.drain(LONG).expect("it lives");
    }
}

fn lives(device: &RmcDevice, other: &mut Other) {
    let mut channel = other.channel(device, Settings::default());
    for number in 0..100 {
        channel.send(&message(number, 3_000)).expect("it lives");
        channel.receive_with(|bytes| assert!(bytes == message(number, 3_000))).expect("it lives");
    }
}

fn is_loss(error: &ChannelError) -> bool {
    matches!(error, ChannelError::PeerGone { .. })
}

fn killed_receiver(fabric: &Path) {
    let device = open(fabric);
    let (mut doomed, mut survivor) =
        (Other::start(fabric, Role::Echo), Other::start(fabric, Role::Echo));
    for threshold_bytes in [ALWAYS_PULL, ALWAYS_PUSH] {
        let settings = Settings { ring_lines: 64, outbox_bytes: 1 << 13, threshold_bytes };
        let mut channel = doomed.channel(&device, settings);
        channel.send(&message(1, 1_000)).expect("it lives");
        doomed.kill();
        let start = Instant::now();
        let lost = (0..1_000).find_map(|number| channel.send(&message(number, 1_000)).err());
        let lost = lost.expect("a ring is bounded");
        assert!(matches!(&lost, SendError::Channel { source } if is_loss(source)), "{lost:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert!(is_loss(&channel.drain(LONG).unwrap_err()));
        doomed = Other::start(fabric, Role::Echo);
    }
    lives(&device, &mut survivor);
}

fn killed_sender(fabric: &Path) {
    let device = open(fabric);
    let mut doomed = Other::start(fabric, Role::Echo);
    let mut channel = doomed.channel(&device, Settings::default());
    doomed.kill();
    // Nothing is under way: only that it asks tells it.
    let start = Instant::now();
    let lost = channel.receive_with(|_| ()).unwrap_err();
    assert!(is_loss(&lost), "{lost:?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    lives(&device, &mut Other::start(fabric, Role::Echo));
}

fn killed_in_a_barrier(fabric: &Path) {
    const NODES: usize = 3;
    let device = open(fabric);
    let mut others = [Other::start(fabric, Role::Meet(1)), Other::start(fabric, Role::Meet(2))];
    let mut barrier = other::barrier(&device, NODES, &mut others);
    (0..100).for_each(|_| barrier.wait().expect("all live"));
    // The others meet in the next rounds until this one ends it.
    others[0].kill();
    let mut lost = Vec::new();
    while barrier.rounds() < 200 {
        if let Err(BarrierError::Lost { node, source }) = barrier.wait() {
            assert!(is_loss(&source), "{source:?}");
            lost.push(node);
            barrier.leave_out(node);
        }
    }
    assert_eq!(lost, [1]);
    drop(barrier);
    assert_eq!(others[1].told::<Vec<usize>>(), [1, 0], "it has lost the same, and then this one");
    assert_eq!(device.description().back_end, "rmc");
}
