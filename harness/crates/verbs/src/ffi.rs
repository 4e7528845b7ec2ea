//! libibverbs as its C header declares it, and what that header does inline.

#[allow(
    dead_code,
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]
mod bindings;
#[cfg(target_arch = "x86_64")]
#[allow(clippy::all)]
mod layout;
mod verbs_context;

pub(crate) use bindings::*;
pub(crate) use verbs_context::{
    QueryGidTable, poll_completions, post_receive, post_send, post_shared_receive, query_port,
};

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("the layouts in ffi/bindings.rs are those of 64-bit Linux");
