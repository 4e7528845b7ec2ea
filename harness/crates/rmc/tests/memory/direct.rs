//! Reads that ask nobody.

use std::{
    io::ErrorKind,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use onesided_rmc::{DirectError, RmcDevice, RmcOptions};
use onesided_transport::{Access, Opcode, RegisteredMemory, RemoteMemory, Transport};

use crate::node::{Fabric, Lies, Link, Memory};

const LINES: usize = 100;

#[test]
fn words_are_those_that_the_owner_and_its_peers_have_stored() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    // Not the first of its file.
    let _before = Memory::of(&there, 3, Lies::InASegment);
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let mut link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    for word in 0..LINES * 8 {
        target.word(word).store(word as u64 * 3 + 1, Ordering::Relaxed);
        assert_eq!(direct.word(8 * word as u64), Ok(word as u64 * 3 + 1));
    }
    let source = Memory::of(&here, 1, Lies::OnTheHeap);
    source.word(0).store(77, Ordering::Relaxed);
    link.succeed(&[(Opcode::Write, source.segment(0, 8), target.at(16))]);
    assert_eq!([direct.word(8), direct.word(16), direct.word(24)], [Ok(4), Ok(77), Ok(10)]);
}

/// Whole lines are copied another way than parts of them.
#[test]
fn words_in_a_row_are_copied_from_any_place_and_nothing_beside_them_is_touched() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let target = Memory::of(&there, LINES, Lies::InASegment);
    for word in 0..LINES * 8 {
        target.word(word).store(word as u64 + 1, Ordering::Relaxed);
    }
    let link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    for first in [0, 1, 7, 8, 80] {
        for count in [0, 1, 7, 8, 9, 64, 129, LINES * 8 - first] {
            let landing: Vec<_> = (0..count + 2).map(|_| AtomicU64::new(0)).collect();
            let within = &landing[1..=count];
            assert_eq!(direct.words(8 * first as u64, within), Ok(()));
            let found = landing.iter().map(|word| word.load(Ordering::Relaxed));
            let words = (first as u64 + 1..).take(count);
            assert!(found.eq([0].into_iter().chain(words).chain([0])), "{count} from {first} on");
        }
    }
}

/// Ends a thread also where an assertion fails.
struct EndAtDrop<'a>(&'a AtomicBool);

impl Drop for EndAtDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Half a word is stored byte by byte: what is loaded meanwhile is of two times.
#[test]
fn a_word_that_is_stored_in_parts_all_the_time_is_read_as_it_was_at_one_time() {
    let fabric = Fabric::new();
    let (here, there, third) = (fabric.open(), fabric.open(), fabric.open());
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let source = Memory::of(&third, 2, Lies::OnTheHeap);
            source.word(8).store(u64::MAX, Ordering::Relaxed);
            let mut writing = Link::between(&third, &there);
            let write = |line: usize| (Opcode::Write, source.segment(64 * line, 4), target.at(64));
            while !is_over.load(Ordering::Relaxed) {
                writing.succeed(&[write(0), write(1), write(0), write(1)]);
            }
        });
        let _end = EndAtDrop(&is_over);
        let (mut last, mut changes) = (0, 0_u64);
        let line: [AtomicU64; 8] = std::array::from_fn(|_| AtomicU64::new(0));
        while changes < 400 {
            let now = match changes % 2 {
                0 => direct.word(64),
                _ => direct.words(64, &line).map(|()| line[0].load(Ordering::Relaxed)),
            };
            let now = now.expect("the region is there");
            assert!([0, u64::from(u32::MAX)].contains(&now), "{now:#x}");
            changes += u64::from(now != last);
            last = now;
        }
    });
}

#[test]
fn a_region_that_is_gone_is_gone_although_its_bytes_are_still_mapped() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    assert_eq!(direct.word(0), Ok(0));
    drop(target);
    assert_eq!(direct.word(0), Err(DirectError::Gone));
    // Another that has its place in the table and in the file.
    let _other = Memory::of(&there, LINES, Lies::InASegment);
    assert_eq!(direct.word(0), Err(DirectError::Gone));
}

#[test]
fn what_may_not_be_read_is_refused_and_so_is_what_no_packet_would_bring() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let link = Link::between(&here, &there);
    let refused = |remote: RemoteMemory| {
        let error = link.client.direct(remote).err().expect("it is refused");
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    };
    let in_segment = Memory::of(&there, LINES, Lies::InASegment);
    refused(Memory::of(&there, LINES, Lies::OnTheHeap).remote());
    let remote = in_segment.remote();
    refused(RemoteMemory { length_bytes: remote.length_bytes + 1, ..remote });
    refused(RemoteMemory { address: remote.address - 1, ..remote });
    refused(RemoteMemory { key: remote.key ^ 1, ..remote });
    // Its words would lie across those of the owner.
    let (address, length_bytes) = (remote.address + 1, remote.length_bytes - 1);
    refused(RemoteMemory { address, length_bytes, ..remote });
    let written = Access { remote_read: false, ..Access::REMOTE };
    let memory = there.allocate(64 * LINES, Access::REMOTE).expect("there is room");
    let only_written = RegisteredMemory::of(&there, memory, written).expect("there is a place");
    refused(only_written.remote());
}

#[test]
fn a_fabric_with_a_delay_has_none() {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let (fabric, hop_delay) = (folder.path().to_owned(), Duration::from_nanos(50));
    let options = RmcOptions { fabric, hop_delay, ..RmcOptions::default() };
    let [here, there] = [(); 2].map(|()| RmcDevice::open(&options).expect("a node is free"));
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let link = Link::between(&here, &there);
    let error = link.client.direct(target.remote()).err().expect("it is refused");
    assert!(error.to_string().contains("no packets"), "{error}");
}

#[test]
#[should_panic(expected = "2 words from byte 6392 on are not all words of the region")]
fn words_of_which_one_is_outside_are_a_mistake_of_the_program() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    let _ = direct.words(64 * LINES as u64 - 8, &[AtomicU64::new(0), AtomicU64::new(0)]);
}

#[test]
#[should_panic(expected = "1 words from byte 6400 on")]
fn a_word_outside_is_a_mistake_of_the_program() {
    let fabric = Fabric::new();
    let (here, there) = (fabric.open(), fabric.open());
    let target = Memory::of(&there, LINES, Lies::InASegment);
    let link = Link::between(&here, &there);
    let direct = link.client.direct(target.remote()).expect("it may be read");
    let _ = direct.word(64 * LINES as u64);
}
