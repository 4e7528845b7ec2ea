//! What happens where a container forbids the memory policy system calls.
//!
//! A system call filter (`seccomp(2)`) belongs to a thread, so each test forbids them to a thread
//! of its own.

use std::thread;

use libc::{sock_filter, sock_fprog};
use onesided_placement::{
    BoundMemory, MemoryError, PageSize, PlacementMethod, PolicyError, PolicyGuard,
    ResidencyVerdict, current_cpu, refused_calls,
};

/// Makes the calls answer EPERM for the calling thread, from now on.
fn forbid(calls: &[libc::c_long]) {
    let statement = |code: u32, k: u32| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    // Offset 0 of `seccomp_data` is the system call's number.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for call in calls {
        let code = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        program.push(sock_filter { code, jt: 0, jf: 1, k: *call as u32 });
        let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        program.push(statement(libc::BPF_RET | libc::BPF_K, refuse));
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    let filter = sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: takes numbers only.
    assert_eq!(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }, 0);
    // SAFETY: the kernel copies the program, whose length is given.
    let answer = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const filter)
    };
    assert_eq!(answer, 0, "seccomp: {}", std::io::Error::last_os_error());
}

#[test]
fn residency_is_proven_from_numa_maps_when_move_pages_is_forbidden() {
    let residency = thread::spawn(|| {
        let (_, node) = current_cpu();
        let memory = BoundMemory::allocate(33 * 4096, PageSize::Base, Some(node)).unwrap();
        assert_eq!(memory.residency().unwrap().method, PlacementMethod::MovePages);
        forbid(&[libc::SYS_move_pages]);
        memory.residency().unwrap()
    });
    let residency = residency.join().unwrap();
    assert_eq!(residency.method, PlacementMethod::NumaMaps);
    assert_eq!(residency.verdict(), ResidencyVerdict::WhereAsked, "{residency}");
}

#[test]
fn binding_that_is_forbidden_is_an_error_and_never_memory_elsewhere() {
    let error = thread::spawn(|| {
        let (_, node) = current_cpu();
        forbid(&[libc::SYS_mbind]);
        BoundMemory::allocate(4096, PageSize::Base, Some(node)).map(|memory| memory.len())
    });
    let error = error.join().unwrap().unwrap_err();
    assert!(matches!(error, MemoryError::BindingRefused { .. }), "{error}");
    assert!(error.to_string().contains("--cap-add SYS_NICE"), "{error}");
}

#[test]
fn a_policy_that_is_forbidden_is_an_error() {
    for call in [libc::SYS_set_mempolicy, libc::SYS_get_mempolicy] {
        let error = thread::spawn(move || {
            let (_, node) = current_cpu();
            forbid(&[call]);
            PolicyGuard::bind(node).map(drop)
        });
        let error = error.join().unwrap().unwrap_err();
        assert!(matches!(error, PolicyError::Refused { .. }), "{error}");
    }
}

#[test]
fn the_calls_that_a_filter_refuses_are_named_and_no_others() {
    let named = |calls: &'static [libc::c_long]| {
        thread::spawn(move || {
            forbid(calls);
            refused_calls()
        })
        .join()
        .unwrap()
    };
    assert_eq!(named(&[libc::SYS_mbind, libc::SYS_move_pages]), ["mbind", "move_pages"]);
    assert_eq!(named(&[libc::SYS_get_mempolicy]), ["get_mempolicy"]);
    assert_eq!(named(&[libc::SYS_set_mempolicy]), ["set_mempolicy"]);
    assert!(named(&[libc::SYS_getppid]).is_empty());
}
