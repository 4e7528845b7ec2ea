//! Any interleaving of sends and receives at both ends, beside two queues; and what a message
//! allocates.

#[path = "../../../rmc/tests/access/counting_allocator.rs"]
mod counting_allocator;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, Channel, Opening, SendError, Settings};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::ConnectionAttributes;
use proptest::prelude::*;

use counting_allocator::allocations_of_this_thread;

type End = Channel<RmcDevice>;

/// Two ends, and the folder of their fabric, which is to stay as long.
fn connected(here: Settings, there: Settings) -> ([End; 2], tempfile::TempDir) {
    let fabric = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
    let open = || RmcDevice::open(&options).expect("a node is free");
    let devices = [open(), open()];
    let connection = ConnectionAttributes::reliable(16);
    let make = |device, settings| Opening::new(device, settings).expect("within the limits");
    let (one, other) = (make(&devices[0], &here), make(&devices[1], &there));
    let (told, back) = (one.invitation(None), other.invitation(None));
    let other = other.connect(&devices[1], &told, &connection).expect("one fabric");
    let one = one.connect(&devices[0], &back, &connection).expect("one fabric");
    ([one, other], fabric)
}

/// One step of one of the ends.
#[derive(Clone, Debug)]
enum Step {
    Send { length: usize },
    Receive,
    Progress,
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let length = prop_oneof![0..120_usize, 0..3_000_usize];
    let step = prop_oneof![
        4 => length.prop_map(|length| Step::Send { length }),
        3 => Just(Step::Receive),
        1 => Just(Step::Progress),
    ];
    (0..2_usize, step)
}

fn settings() -> impl Strategy<Value = Settings> {
    let threshold = prop_oneof![Just(ALWAYS_PULL), Just(ALWAYS_PUSH), 1..2_000_u32];
    (2..90_u32, 64..9_000_u32, threshold).prop_map(|(ring_lines, outbox_bytes, threshold_bytes)| {
        Settings { ring_lines, outbox_bytes, threshold_bytes }
    })
}

fn bytes(number: u64, length: usize) -> Vec<u8> {
    (0..length as u64).map(|index| (index * 37 + number * 11 + (index >> 7)) as u8).collect()
}

/// Both ends, what each was sent and has not received, and how many were sent in all.
struct Model {
    ends: [End; 2],
    sent: [VecDeque<Vec<u8>>; 2],
    number: u64,
}

impl Model {
    fn send(&mut self, end: usize, length: usize) {
        let message = bytes(self.number, length);
        match self.ends[end].try_send(&message) {
            Ok(()) => {
                self.sent[1 - end].push_back(message);
                self.number += 1;
            }
            Err(
                SendError::Full | SendError::TooLongToPush { .. } | SendError::TooLongToPull { .. },
            ) => {}
            Err(other) => panic!("{other}"),
        }
    }

    fn receive(&mut self, end: usize) -> Option<usize> {
        let expected = self.sent[end].front();
        let check = |found: &[u8]| {
            assert_eq!(Some(found), expected.map(Vec::as_slice));
            found.len()
        };
        let received = self.ends[end].try_receive_with(check).expect("the peer lives");
        if received.is_some() {
            self.sent[end].pop_front();
        }
        received
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_brings_every_message_once_in_order_and_unchanged(
        here in settings(),
        there in settings(),
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let sent = [VecDeque::new(), VecDeque::new()];
        let (ends, _fabric) = connected(here, there);
        let mut model = Model { ends, sent, number: 0 };
        for (end, step) in steps {
            match step {
                Step::Send { length } => model.send(end, length),
                Step::Receive => drop(model.receive(end)),
                Step::Progress => model.ends[end].progress().expect("the peer lives"),
            }
        }
        let start = Instant::now();
        while model.sent.iter().any(|sent| !sent.is_empty()) {
            model.receive(0);
            model.receive(1);
            prop_assert!(start.elapsed() < Duration::from_secs(20), "some never come");
        }
        for end in 0..2 {
            prop_assert_eq!(model.receive(end), None, "nothing comes twice");
        }
    }
}

#[test]
fn messages_do_not_allocate() {
    for threshold_bytes in [ALWAYS_PULL, 500, ALWAYS_PUSH] {
        let settings = Settings { threshold_bytes, ..Settings::default() };
        let ([mut here, mut there], _fabric) = connected(settings, settings);
        let message = bytes(1, 3_000);
        let mut round = |count: usize| {
            for number in 0..count {
                let sent = &message[..number * 97 % 3_000];
                // One thread has both ends: the other gets on in calls only, too.
                while let Err(refused) = here.try_send(sent) {
                    assert!(matches!(refused, SendError::Full), "{refused}");
                    there.progress().expect("it lives");
                }
                let mut received = None;
                while received.is_none() {
                    here.progress().expect("it lives");
                    received = there.try_receive_with(|bytes| bytes == sent).expect("it lives");
                }
                assert_eq!(received, Some(true));
            }
        };
        round(300);
        let before = allocations_of_this_thread();
        round(600);
        assert_eq!(allocations_of_this_thread(), before);
    }
}
