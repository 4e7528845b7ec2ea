use std::{io, thread};

use super::*;

/// Has the kernel refuse `unshare(2)` to the calling thread, as containers do by default.
fn forbid_unshare() -> io::Result<()> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let load_number = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0);
    let is_unshare = libc::sock_filter {
        jf: 1,
        ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_unshare as u32)
    };
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let mut program = [
        load_number,
        is_unshare,
        statement(libc::BPF_RET | libc::BPF_K, refuse),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the filter lives through the call, which copies it; only this thread is bound.
    let code = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter)
    };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[test]
fn a_thread_that_may_not_have_open_files_of_its_own_posts_all_the_same() {
    let settled = thread::spawn(|| {
        forbid_unshare().unwrap();
        assert_eq!(own_file_table().unwrap_err().raw_os_error(), Some(libc::EPERM));
        settle_in(None)
    });
    settled.join().unwrap().unwrap();
}
