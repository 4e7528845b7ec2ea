//! Mappings that appear, seen on the running process; one test, because a snapshot wants a process
//! whose other threads are quiet.

use onesided_placement::{BoundMemory, Mapping, MappingSnapshot, PageSize, current_cpu};

fn holding(appeared: &[Mapping], start: usize, length: usize) -> Vec<&Mapping> {
    let holds = |new: &&Mapping| new.start <= start && start + length <= new.start + new.length;
    appeared.iter().filter(holds).collect()
}

fn bound_memory_appears_and_is_proven() {
    let (_, node) = current_cpu();
    let before = MappingSnapshot::take().unwrap();
    let memory = BoundMemory::allocate(64 * 4096, PageSize::Base, Some(node)).unwrap();
    let appeared = before.appeared().unwrap();
    let found = holding(&appeared, memory.as_ptr().addr(), memory.len());
    assert_eq!(found.len(), 1, "{appeared:?}");
    let residency = found[0].residency(Some(node)).unwrap();
    assert!(residency.by_node.get(&node) >= Some(&64), "{residency}");
    drop(memory);
}

fn reserved_address_space_appears_when_it_becomes_accessible() {
    let length = 64 * 4096;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new inaccessible mapping at an address of the kernel's choice.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    let before = MappingSnapshot::take().unwrap();
    assert!(holding(&before.appeared().unwrap(), start.addr(), length).is_empty());
    // SAFETY: the mapping above.
    assert_eq!(unsafe { libc::mprotect(start, length, libc::PROT_READ) }, 0);
    assert_eq!(holding(&before.appeared().unwrap(), start.addr(), length).len(), 1);
    // SAFETY: as above; not used afterwards.
    assert_eq!(unsafe { libc::munmap(start, length) }, 0);
}

fn only_touched_pages_are_resident() {
    let length = 16 * 4096;
    let (kind, access) =
        (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new mapping at an address of the kernel's choice.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, kind, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    for page in [2, 3, 9] {
        // SAFETY: inside the mapping above.
        unsafe { start.cast::<u8>().add(page * 4096).write_volatile(1) };
    }
    let mapping = Mapping { start: start.addr(), length, backing: None };
    let parts: Vec<_> = mapping
        .resident()
        .iter()
        .map(|part| ((part.start - start.addr()) / 4096, part.length / 4096))
        .collect();
    assert_eq!(parts, [(2, 2), (9, 1)]);
    // SAFETY: as above; not used afterwards.
    assert_eq!(unsafe { libc::munmap(start, length) }, 0);
}

fn heap_growth_appears() {
    let before = MappingSnapshot::take().unwrap();
    // Small enough that the allocator does not map each piece by itself.
    let pieces: Vec<Vec<u8>> = (0..400).map(|piece| vec![piece as u8 | 1; 48 << 10]).collect();
    let appeared = before.appeared().unwrap();
    let grown: usize = appeared.iter().map(|new| new.length).sum();
    assert!(grown >= 400 * (48 << 10) / 2, "{appeared:?}");
    let last = pieces.last().unwrap();
    assert_eq!(holding(&appeared, last.as_ptr().addr(), last.len()).len(), 1, "{appeared:?}");
}

#[test]
fn what_is_mapped_grown_or_made_accessible_appears() {
    bound_memory_appears_and_is_proven();
    reserved_address_space_appears_when_it_becomes_accessible();
    heap_growth_appears();
    only_touched_pages_are_resident();
}
