use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    thread,
    time::Instant,
};

use super::*;
use crate::shared::{mapping::NodeMapping, version::Version};

/// A page for segments behind the tables; keys of the table's second place.
const SEGMENT: usize = 4096;
const KEY: u32 = 2 << 8;
const INDEX: usize = 1;
const VERSION: u32 = 3;
const ADDRESS: u64 = 0x7000_0000_0040;

/// A node's file without a node, and its segment as the owner sees it.
struct Owner {
    memory: NodeMapping,
    segment: FileMapping,
}

impl Owner {
    fn new() -> Self {
        let file = tempfile::tempfile_in("/dev/shm").unwrap();
        file.set_len(SEGMENTS_OFFSET + SEGMENT as u64).unwrap();
        let segment = FileMapping::new(&file, SEGMENTS_OFFSET, SEGMENT).unwrap();
        let owner = Self { memory: NodeMapping::new(file).unwrap(), segment };
        owner.publish(SEGMENTS_OFFSET);
        owner
    }

    fn publish(&self, offset: u64) {
        self.publish_as(KEY, offset);
    }

    fn publish_as(&self, key: u32, offset: u64) {
        self.region().publish(key, (ADDRESS, SEGMENT as u64), (offset, VERSION));
    }

    fn version(&self) -> &Version {
        &self.memory.versions[VERSION as usize].0
    }

    fn region(&self) -> &SharedRegion {
        &self.memory.regions[INDEX]
    }

    fn fill(&self, value: u64) {
        for word in 0..SEGMENT / 8 {
            // SAFETY: inside the segment, atomics only.
            let word = unsafe {
                AtomicU64::from_ptr(self.segment.start().as_ptr().cast::<u64>().add(word))
            };
            word.store(value, Ordering::Relaxed);
        }
    }

    fn prepare(&self, window: &mut Window, address: u64, length: usize) -> bool {
        window.prepare(&self.memory, self.memory.file(), Wanted { key: KEY, address, length })
    }
}

/// Copies from a prepared window: how it ended, and the words.
fn copy(window: &Window, owner: &Owner, length: usize) -> (Copied, Vec<u64>) {
    copy_of(KEY, window, owner, length)
}

fn copy_of(key: u32, window: &Window, owner: &Owner, length: usize) -> (Copied, Vec<u64>) {
    let mut words = vec![u64::MAX; length.div_ceil(8)];
    let wanted = Wanted { key, address: ADDRESS, length };
    // SAFETY: the words have room.
    let copied = unsafe { window.copy(&owner.memory, wanted, words.as_mut_ptr().cast()) };
    (copied, words)
}

#[test]
fn a_part_of_a_region_is_copied_and_nothing_outside_of_it_is_prepared() {
    let (owner, mut window) = (Owner::new(), Window::default());
    owner.fill(0x0102_0304_0506_0708);
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    assert_eq!(copy(&window, &owner, 24), (Copied::All, vec![0x0102_0304_0506_0708; 3]));
    let last = ADDRESS + SEGMENT as u64 - 1;
    assert!(owner.prepare(&mut window, last, 1));
    for (address, length) in [(last, 2), (ADDRESS - 1, 1), (u64::MAX, 1), (0, usize::MAX)] {
        assert!(!owner.prepare(&mut window, address, length), "{length} bytes at {address:#x}");
    }
}

/// A peer may write anything into its file.
#[test]
fn a_place_that_the_file_does_not_have_is_not_prepared_nor_copied() {
    let (owner, mut window) = (Owner::new(), Window::default());
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    for offset in [SEGMENTS_OFFSET + 64, SEGMENTS_OFFSET - 1, 0, u64::MAX - 5] {
        owner.publish(offset);
        assert!(!owner.prepare(&mut window, ADDRESS, SEGMENT), "offset {offset}");
        assert_eq!(copy(&window, &owner, SEGMENT).0, Copied::Gone, "offset {offset}");
    }
}

#[test]
fn segments_that_are_added_are_seen() {
    let (owner, mut window) = (Owner::new(), Window::default());
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    owner.publish(SEGMENTS_OFFSET + SEGMENT as u64);
    assert!(!owner.prepare(&mut window, ADDRESS, SEGMENT));
    owner.memory.file().set_len(SEGMENTS_OFFSET + 2 * SEGMENT as u64).unwrap();
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    assert_eq!(copy(&window, &owner, 8), (Copied::All, vec![0]));
}

#[test]
fn what_is_being_stored_is_left_for_later_and_what_is_gone_is_said() {
    let (owner, mut window) = (Owner::new(), Window::default());
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    let storing = owner.version().storing();
    assert_eq!(copy(&window, &owner, SEGMENT).0, Copied::NotYet);
    drop(storing);
    assert_eq!(copy(&window, &owner, SEGMENT).0, Copied::All);
    owner.region().withdraw();
    assert_eq!(copy(&window, &owner, SEGMENT).0, Copied::Gone);
    assert!(!owner.prepare(&mut window, ADDRESS, SEGMENT));
}

/// The owner stores between two changes of the version, or after withdrawing, for another key: no
/// copy that is taken has a line of two times, or anything that is not of its region.
#[test]
fn a_copy_that_is_taken_has_whole_lines_of_one_time() {
    let owner = Owner::new();
    let mut window = Window::default();
    assert!(owner.prepare(&mut window, ADDRESS, SEGMENT));
    let (key, taken) = (AtomicU32::new(KEY), AtomicU64::new(0));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            write_all_the_time(&owner, &key, &taken);
            over.store(true, Ordering::Release);
        });
        while !over.load(Ordering::Acquire) {
            let key = key.load(Ordering::Acquire);
            let (copied, words) = copy_of(key, &window, &owner, SEGMENT);
            if copied != Copied::All {
                continue;
            }
            for line in words.chunks_exact(8) {
                assert!(line.iter().all(|word| *word == line[0]), "a torn line: {line:?}");
                // The upper half says for which key it was stored.
                let whose = (line[0] >> 32) as u32;
                assert!(whose == key || whose == 0, "of {whose:#x}, and not of {key:#x}");
            }
            taken.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(taken.into_inner() > 0);
}

fn write_all_the_time(owner: &Owner, key: &AtomicU32, taken: &AtomicU64) {
    for round in 0..1_000_u32 {
        let before = taken.load(Ordering::Relaxed);
        if round % 2 == 1 {
            // The memory goes, and is somebody else's under another tag of the key.
            owner.region().withdraw();
            let next = KEY | (round / 2 % 255 + 1);
            owner.fill(u64::from(next) << 32);
            owner.publish_as(next, SEGMENTS_OFFSET);
            key.store(next, Ordering::Release);
        } else {
            let _storing = owner.version().storing();
            let own = u64::from(key.load(Ordering::Relaxed)) << 32;
            owner.fill(own | u64::from(round));
        }
        let start = Instant::now();
        while taken.load(Ordering::Relaxed) == before && start.elapsed().as_millis() < 2 {
            // Not giving the CPU away, so that the two get one each where there are two.
            hint::spin_loop();
        }
        // Then at any moment of the next copy.
        (0..round * 7 % 256).for_each(|_| hint::spin_loop());
    }
}
