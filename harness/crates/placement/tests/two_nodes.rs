//! Placement on a machine of two or more nodes: what passing lets us claim is that memory asked
//! for on a node is there, and that memory elsewhere is found out page by page.
//!
//! On a machine of one node every test says SKIPPED on standard error; `ci/lab` runs this on two.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use onesided_placement::{
    BoundMemory, DeviceLocality, MappingSnapshot, MemoryError, MemoryPlace, NodeChoice, NodeId,
    PageRun, PageSize, PolicyGuard, Residency, ResidencyVerdict, Resolve, Topology, bind_file,
    current_cpu, pin_current_thread,
};

/// One test at a time: snapshots want a quiet process, and nodes have little memory.
static ALONE: Mutex<()> = Mutex::new(());

struct Machine {
    topology: Topology,
    _alone: MutexGuard<'static, ()>,
}

/// Written past libtest's capture and in one piece, so that a skipped test is never taken for a
/// passed one.
fn skipped(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
}

/// The machine if it has two nodes with CPUs and memory; says so if not.
fn machine() -> Option<Machine> {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let topology = Topology::discover().unwrap();
    let count = topology.nodes.len();
    let machine = Machine { topology, _alone: alone };
    if machine.nodes().len() >= 2 {
        return Some(machine);
    }
    let plural = if count == 1 { "" } else { "s" };
    skipped(&format!("this machine has {count} NUMA node{plural}; ci/lab runs this on two"));
    None
}

impl Machine {
    /// The nodes that have both CPUs and memory.
    fn nodes(&self) -> Vec<NodeId> {
        let nodes = self.topology.nodes.iter();
        nodes
            .filter(|node| node.cpus.is_some() && node.memory_bytes > 0)
            .map(|node| node.id)
            .collect()
    }

    /// Every pair of different nodes: where the thread runs, where the memory is to be.
    fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let nodes = self.nodes();
        let pairs = nodes.iter().flat_map(|run| nodes.iter().map(|bind| (*run, *bind)));
        pairs.filter(|(run, bind)| run != bind).collect()
    }

    /// Runs something in a thread pinned to a node, which the library must confirm.
    fn on<T: Send>(&self, node: NodeId, work: impl FnOnce() -> T + Send) -> T {
        let cpus = self.topology.node(node).unwrap().cpus.clone().unwrap();
        let pinned = move || {
            pin_current_thread(&cpus).unwrap();
            let (cpu, now) = current_cpu();
            assert!(cpus.contains(cpu) && now == node, "on CPU {cpu} of node {now}, not {node}");
            work()
        };
        thread::scope(|scope| scope.spawn(pinned).join()).unwrap()
    }
}

/// Writes to every page, as a library would fill what it allocated.
fn fill(start: *mut u8, length: usize) {
    for offset in (0..length).step_by(4096) {
        // SAFETY: callers pass a range they own.
        unsafe { start.add(offset).write_volatile(1) };
    }
}

#[test]
fn memory_bound_to_a_node_is_there_whichever_node_touches_it() {
    let Some(machine) = machine() else { return };
    for (run, bind) in machine.pairs() {
        let memory =
            machine.on(run, || BoundMemory::allocate(8 << 20, PageSize::Base, Some(bind))).unwrap();
        let residency = memory.residency().unwrap();
        assert_eq!(residency.verdict(), ResidencyVerdict::WhereAsked, "{residency}");
        assert_eq!(residency.by_node.get(&bind), Some(&2048), "{residency}");
    }
}

#[test]
fn unbound_memory_is_on_the_node_that_touched_it_first() {
    let Some(machine) = machine() else { return };
    for node in machine.nodes() {
        let memory =
            machine.on(node, || BoundMemory::allocate(1 << 20, PageSize::Base, None)).unwrap();
        let residency = memory.residency().unwrap();
        assert_eq!(residency.by_node.get(&node), Some(&residency.pages), "{residency}");
    }
}

#[test]
fn memory_touched_first_on_another_node_is_reported_misplaced() {
    let Some(machine) = machine() else { return };
    for (run, expected) in machine.pairs() {
        let memory =
            machine.on(run, || BoundMemory::allocate(1 << 20, PageSize::Base, None)).unwrap();
        let found =
            Residency::of(memory.as_ptr(), memory.len(), memory.page_bytes(), Some(expected));
        let found = found.unwrap();
        assert_eq!(found.verdict(), ResidencyVerdict::Misplaced);
        assert_eq!(
            found.to_string(),
            format!("pages 0-255 of 256 are on node {run}, asked: node {expected}")
        );
    }
}

#[test]
fn a_few_pages_on_the_wrong_node_are_named_by_range() {
    let Some(machine) = machine() else { return };
    let (here, there) = machine.pairs()[0];
    let length = 512 * 4096;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    // SAFETY: the mapping above. Base pages, so that each page goes where its first touch says.
    unsafe { libc::madvise(start, length, libc::MADV_NOHUGEPAGE) };
    let address = start.addr();
    let touch = move |first: usize, last: usize| {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address + first * 4096);
        fill(start, (last - first + 1) * 4096);
    };
    start.expose_provenance();
    machine.on(here, || touch(3, 7));
    machine.on(here, || touch(100, 100));
    machine.on(there, || touch(0, 510));
    let found = Residency::of(start.cast(), length, 4096, Some(there)).unwrap();
    // SAFETY: the mapping above, not used afterwards.
    unsafe { libc::munmap(start, length) };
    let run = |first_page, pages| PageRun { first_page, pages, node: here };
    assert_eq!(found.misplaced, [run(3, 5), run(100, 1)]);
    assert_eq!((found.unproven_pages, found.misplaced_pages()), (1, 6));
    assert_eq!(
        found.to_string(),
        format!(
            "pages 3-7 of 512 are on node {here}, page 100 is on node {here}, asked: node {there}; \
             1 pages unproven"
        )
    );
}

#[test]
fn a_policy_guard_places_what_is_mapped_and_only_while_it_lives() {
    let Some(machine) = machine() else { return };
    for (run, bind) in machine.pairs() {
        let unbound = || BoundMemory::allocate(1 << 20, PageSize::Base, None).unwrap();
        let (guarded, after) = machine.on(run, || {
            let guard = PolicyGuard::bind(bind).unwrap();
            let guarded = unbound();
            drop(guard);
            (guarded, unbound())
        });
        let on = |memory: &BoundMemory| memory.residency().unwrap().by_node;
        assert_eq!(on(&guarded), BTreeMap::from([(bind, 256)]));
        assert_eq!(on(&after), BTreeMap::from([(run, 256)]));
    }
}

#[test]
fn pages_of_a_file_come_from_the_node_it_was_bound_to_whoever_touches_them_first() {
    const LENGTH: usize = 1 << 20;
    let Some(machine) = machine() else { return };
    let map = |file: &std::fs::File| {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let file = std::os::fd::AsRawFd::as_raw_fd(file);
        // SAFETY: a new mapping, at an address of the kernel's choice, of bytes that the file has.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), LENGTH, access, libc::MAP_SHARED, file, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        std::ptr::NonNull::new(start.cast::<u8>()).unwrap()
    };
    for (run, bind) in machine.pairs() {
        let found = machine.on(run, || {
            let file = tempfile::tempfile_in("/dev/shm").unwrap();
            // Before it has the bytes, and not by the mapping that touches them.
            bind_file(&file, 0, LENGTH / 2, bind).unwrap();
            file.set_len(LENGTH as u64).unwrap();
            let start = map(&file);
            for offset in (0..LENGTH).step_by(4096) {
                // SAFETY: inside the mapping, which is this thread's.
                unsafe { start.add(offset).write_volatile(1) };
            }
            let found = Residency::of(start.as_ptr(), LENGTH, 4096, None).unwrap().by_node;
            // SAFETY: mapped above, and not used any more.
            unsafe { libc::munmap(start.as_ptr().cast(), LENGTH) };
            found
        });
        assert_eq!(found, BTreeMap::from([(bind, 128), (run, 128)]));
    }
}

/// Set for the process that has one arena, in which every thread allocates as the main one does.
const ONE_ARENA: &str = "MALLOC_ARENA_MAX";

#[test]
fn a_policy_guard_places_what_the_allocator_hands_out_even_from_pages_it_had_before() {
    const NAME: &str =
        "a_policy_guard_places_what_the_allocator_hands_out_even_from_pages_it_had_before";
    if std::env::var_os(ONE_ARENA).is_none_or(|arenas| arenas != "1") {
        let itself = std::env::current_exe().unwrap();
        let child = Command::new(itself).args(["--exact", NAME]).env(ONE_ARENA, "1").output();
        let child = child.unwrap();
        // Its SKIPPED, if any, belongs to this test.
        std::io::stderr().write_all(&child.stderr).expect("standard error");
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let Some(machine) = machine() else { return };
    let rings = || -> Vec<Vec<u8>> { (0..100).map(|_| vec![1; 48 << 10]).collect() };
    for (run, bind) in machine.pairs() {
        machine.on(run, || {
            // The allocator now has pages of the wrong node, free for use.
            drop(rings());
            let guard = PolicyGuard::bind(bind).unwrap();
            let placed = rings();
            guard.restore().unwrap();
            for ring in &placed {
                let found = Residency::of(ring.as_ptr(), ring.len(), 4096, Some(bind)).unwrap();
                assert!(found.misplaced_pages() <= 2 && found.pages >= 12, "{found}");
            }
        });
    }
}

#[test]
fn a_ring_mapped_under_a_guard_is_found_and_proven_by_a_snapshot() {
    let Some(machine) = machine() else { return };
    for (run, bind) in machine.pairs() {
        machine.on(run, || {
            let before = MappingSnapshot::take().unwrap();
            let guard = PolicyGuard::bind(bind).unwrap();
            let ring = BoundMemory::allocate(16 << 20, PageSize::Base, None).unwrap();
            guard.restore().unwrap();
            let appeared = before.appeared().unwrap();
            let found: Vec<Residency> =
                appeared.iter().map(|new| new.residency(Some(bind)).unwrap()).collect();
            let on_node: u64 = found.iter().filter_map(|found| found.by_node.get(&bind)).sum();
            // Some of it may lie where another test's thread had its stack.
            let pages = (ring.len() / ring.page_bytes()) as u64;
            assert!(on_node >= pages * 9 / 10, "{on_node} of {pages}: {appeared:?}");
        });
    }
}

#[test]
fn rdma_remote_is_another_node_and_memory_asked_for_there_is_there() {
    let Some(machine) = machine() else { return };
    for local in machine.nodes() {
        let device = DeviceLocality::given("rxe0", local);
        let place = MemoryPlace::On(NodeChoice::RdmaRemote);
        let remote = place.resolve(&machine.topology, &device).unwrap();
        assert_ne!(remote, Some(local));
        let memory =
            machine.on(local, || BoundMemory::allocate(1 << 20, PageSize::Base, remote)).unwrap();
        assert_eq!(memory.residency().unwrap().verdict(), ResidencyVerdict::WhereAsked);
    }
}

#[test]
fn more_than_one_node_has_is_refused_although_the_machine_has_it() {
    let Some(machine) = machine() else { return };
    for node in machine.nodes() {
        let asked = machine.topology.node(node).unwrap().memory_bytes as usize;
        let error = BoundMemory::allocate(asked, PageSize::Base, Some(node)).unwrap_err();
        assert!(
            matches!(error, MemoryError::NodeMemoryExhausted { node: named, .. } if named == node),
            "{error}"
        );
    }
}

#[test]
fn what_a_node_is_said_to_have_left_can_be_taken_without_being_killed() {
    let Some(machine) = machine() else { return };
    let node = *machine.nodes().last().unwrap();
    let error = BoundMemory::allocate(1 << 45, PageSize::Base, Some(node)).unwrap_err();
    let MemoryError::NodeMemoryExhausted { free_bytes, .. } = error else { panic!("{error}") };
    // A gigabyte at most, for the time it takes on a real server.
    let bytes = (free_bytes as usize - (free_bytes as usize / 20)).min(1 << 30);
    let memory = BoundMemory::allocate(bytes, PageSize::Base, Some(node)).unwrap();
    assert_eq!(memory.residency().unwrap().verdict(), ResidencyVerdict::WhereAsked);
}

#[test]
fn huge_pages_come_from_the_node_asked_for_or_not_at_all() {
    let Some(machine) = machine() else { return };
    const SIZE: u64 = 2 << 20;
    let mut tried = 0;
    for node in machine.nodes() {
        let free = machine.topology.node(node).unwrap().free_huge_pages.get(&SIZE).copied();
        let free = free.unwrap_or(0) as usize;
        let error = BoundMemory::allocate((free + 1) << 21, PageSize::Huge2M, Some(node));
        let error = error.unwrap_err();
        assert!(matches!(error, MemoryError::HugePagesExhausted { .. }), "{error}");
        if free > 0 {
            let memory = BoundMemory::allocate(1, PageSize::Huge2M, Some(node)).unwrap();
            let found = memory.residency().unwrap();
            assert_eq!((found.pages, found.page_bytes), (1, SIZE));
            assert_eq!(found.verdict(), ResidencyVerdict::WhereAsked, "{found}");
            tried += 1;
        }
    }
    if tried == 0 {
        skipped("no node has free huge pages to place");
    }
}

#[test]
fn the_emulated_device_of_the_lab_is_found_on_the_node_it_was_plugged_into() {
    let Some(_machine) = machine() else { return };
    let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (Some(device), Some(node)) = (said("LAB_DEVICE"), said("LAB_NIC_NODE")) else {
        return skipped("LAB_DEVICE and LAB_NIC_NODE are not set; ci/lab sets them");
    };
    let found = DeviceLocality::of(&device);
    assert_eq!(found.node, Some(node.parse().unwrap()), "{found}");
}
