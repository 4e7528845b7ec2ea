use onesided_placement::NodeId;
use onesided_transport::RegisteredMemory;

use super::*;
use crate::access::{Buffer, QueuePair, Segment};

fn open(fabric: &tempfile::TempDir) -> RmcDevice {
    let fabric = fabric.path().to_owned();
    RmcDevice::open(&RmcOptions { fabric, ..RmcOptions::default() }).unwrap()
}

/// Whether peers are told of a region.
fn is_told(device: &RmcDevice, memory: &RegisteredMemory<RmcRegion>) -> bool {
    let RemoteMemory { address, length_bytes, key } = memory.remote();
    device.node.local.shared_region(key).part(key, address, length_bytes).is_some()
}

#[test]
fn peers_are_told_of_what_is_in_a_segment_and_may_be_read() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = open(&fabric);
    let of = |memory, access| RegisteredMemory::of(&device, memory, access).unwrap();
    let write_only = Access { remote_read: false, ..Access::REMOTE };
    let segment = || segment::allocate(&device.node, 100).unwrap();
    assert!(is_told(&device, &of(segment(), Access::REMOTE)));
    assert!(!is_told(&device, &of(segment(), write_only)));
    let heap = ZeroedMemory::of_heap(100).unwrap();
    assert!(!is_told(&device, &of(heap, Access::REMOTE)));
    assert!(is_told(&device, &RegisteredMemory::new(&device, 100, Access::REMOTE).unwrap()));
    assert!(!is_told(&device, &RegisteredMemory::new(&device, 100, write_only).unwrap()));
}

#[test]
fn memory_of_a_segment_is_zero_again_after_it_was_given_back() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = open(&fabric);
    for _ in 0..3 {
        let memory = segment::allocate(&device.node, 10_000).unwrap();
        // SAFETY: it has so many bytes, which nobody else uses.
        let bytes =
            unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), memory.length()) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        bytes.fill(7);
    }
    let length = device.node.local.own.memory.file().metadata().unwrap().len();
    let one = 10_000_u64.next_multiple_of(4096);
    assert_eq!(length, crate::shared::layout::SEGMENTS_OFFSET + one, "the place is used again");
}

#[test]
fn memory_of_a_node_is_found_where_it_was_asked_from_and_an_absent_one_is_refused() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let (_, here) = onesided_placement::current_cpu();
    let open = |memory_node| {
        let fabric = fabric.path().to_owned();
        RmcDevice::open(&RmcOptions { fabric, memory_node, ..RmcOptions::default() })
    };
    let device = open(Some(here)).unwrap();
    let tables: u64 = device.pages_by_node().unwrap().into_values().sum();
    assert!(tables > 0, "the head at least is there");
    let memory = segment::allocate(&device.node, 100 * 4096).unwrap();
    // SAFETY: it has so many bytes, which nobody else uses.
    unsafe { memory.start().as_ptr().write_bytes(1, 100 * 4096) };
    let private = device.allocate(50 * 4096, Access::LOCAL).unwrap();
    let count = |found: PagesByNode| {
        assert_eq!(found.keys().collect::<Vec<_>>(), [&here]);
        found[&here] - tables
    };
    let both = 150;
    assert!(count(device.pages_by_node().unwrap()) >= both);
    drop((memory, private));
    // Where they were is told once. Giving them back touches some more of the tables.
    assert!(count(device.pages_by_node().unwrap()) >= both);
    let left = count(device.pages_by_node().unwrap());
    assert!(left < both / 2, "{left}");
    let refused = open(Some(NodeId(1000))).err().expect("there is no such node");
    assert!(matches!(refused, OpenError::Memory { .. }), "{refused}");
}

#[test]
fn a_segment_that_cannot_be_is_an_error() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = open(&fabric);
    let length = || device.node.local.own.memory.file().metadata().unwrap().len();
    let before = length();
    for bytes in [usize::MAX, isize::MAX as usize, isize::MAX as usize & !4095] {
        assert!(segment::allocate(&device.node, bytes).is_err(), "{bytes}");
    }
    assert_eq!(length(), before);
    assert!(segment::allocate(&device.node, 1).is_ok());
}

/// Whatever is stored for peers is stored between two changes of the version, of whichever region
/// of the memory it is; also a word, of which a line could otherwise be seen without an earlier one.
#[test]
fn everything_that_is_stored_for_peers_is_told_of() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let (here, there) = (open(&fabric), open(&fabric));
    let [near, far] =
        [&here, &there].map(|device| Segment::new(device, 4096, Access::REMOTE).unwrap());
    let mut own = QueuePair::new(&here, &[1], 1).unwrap();
    let mut other = QueuePair::new(&there, &[0], 1).unwrap();
    let (told, back) = (own.introduce(&near), other.introduce(&far));
    other.connect(&[told]).unwrap();
    own.connect(&[back]).unwrap();
    let buffer = Buffer::<u64>::new(&here, 512).unwrap();
    let RemoteMemory { address, length_bytes, key } = far.remote();
    let part = there.node.local.shared_region(key).part(key, address, length_bytes).unwrap();
    let version = &there.node.local.own.memory.versions[part.version as usize].0;
    let mut count = version.now().unwrap();
    for (offset, length, changes) in
        [(0, 8, 1), (0, 64, 1), (8, 16, 1), (60, 8, 1), (1, 4, 1), (5, 1, 1), (0, 4096, 2)]
    {
        own.write(1, offset, buffer.at(0), length).unwrap();
        count += 2 * changes;
        assert_eq!(version.now(), Some(count), "{length} bytes at {offset}");
    }
    own.fetch_and_add(1, 0, 1).unwrap();
    own.compare_and_swap(1, 0, 5, 6).unwrap();
    own.read(1, 0, buffer.at(0), 4096).unwrap();
    own.read(1, 0, buffer.at(0), 8).unwrap();
    assert_eq!(version.now(), Some(count + 4), "reads store nothing");
    let write_only = Access { remote_read: false, ..Access::REMOTE };
    // SAFETY: the segment lives longer, and is accessed by atomics.
    let again = unsafe { there.register(address as *mut u8, 4096, write_only) }.unwrap();
    let found = there.node.local.regions.find(again.remote().key).unwrap();
    assert_eq!(found.version, Some(part.version), "of whichever region");
}
