//! Which system calls that place memory and prove it a filter keeps from this process.
//!
//! The engines' default filters do so for processes without `CAP_SYS_NICE`. The kernel itself never
//! answers these harmless questions with a refusal.

use std::io;
use std::ptr;
use std::thread;

use crate::place::NodeId;
use crate::syscall::{self, Mode, NodeMask};

/// The names of those that are refused, of `get_mempolicy`, `set_mempolicy`, `mbind` and
/// `move_pages`. Nothing is changed: the thread that asks ends.
pub fn refused_calls() -> Vec<&'static str> {
    thread::spawn(ask).join().expect("asking does not panic")
}

fn ask() -> Vec<&'static str> {
    let policy = syscall::thread_policy();
    let same = policy.as_ref().ok().cloned().unwrap_or_default();
    let set = syscall::set_thread_policy(&same);
    let node = NodeMask::of(NodeId(0)).expect("every machine has room for node 0");
    // No pages: a question without an effect.
    let bind = syscall::mbind(ptr::null_mut(), 0, Mode::Bind, &node);
    let page = [ptr::from_ref(&node).cast::<u8>()];
    let moved = syscall::query_pages(&page, &mut [0]);
    let answers = [
        ("get_mempolicy", policy.map(drop)),
        ("set_mempolicy", set),
        ("mbind", bind),
        ("move_pages", moved),
    ];
    let refused = answers.into_iter().filter(|(_, answer)| is_refusal(answer));
    refused.map(|(name, _)| name).collect()
}

fn is_refusal(answer: &io::Result<()>) -> bool {
    let code = answer.as_ref().err().and_then(io::Error::raw_os_error);
    matches!(code, Some(libc::EPERM | libc::EACCES))
}
