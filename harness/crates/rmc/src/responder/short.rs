//! The short way: a request of one cache line that nothing is against.

use std::sync::atomic::Ordering;

use onesided_transport::Access;

use crate::{
    local::LocalNode,
    shared::{
        line,
        packet::{Kind, REQUEST_WORDS},
        ring::{LINE_BYTES, LINES_SHIFT},
        version::Version,
    },
};

/// What a request that was executed found, where it is an atomic, and whether its reply has a payload.
pub struct Done {
    pub payload: bool,
    pub found: u64,
}

const READ: u64 = Kind::Read as u64;
const WRITE: u64 = Kind::Write as u64;
const ADD: u64 = Kind::FetchAndAdd as u64;

/// Executes a read, a write or an addition of one line that may be done. Of any other request
/// nothing is done: `execute` does it, or says what is wrong with it. `lines` are the payload of
/// the request and of its reply.
///
/// # Safety
/// As [`super::execute::execute`].
#[inline]
pub unsafe fn execute_line(
    local: &LocalNode,
    node: u32,
    words: [u64; REQUEST_WORDS],
    lines: (*const u8, *mut u8),
) -> Option<Done> {
    // Kind and number of lines; with the mark of a repetition a kind is none of these.
    match (words[0] >> 24 & 0xff, (words[0] >> LINES_SHIFT) as u8) {
        // SAFETY: the caller's.
        (READ, 1) => unsafe { execute_kind::<READ>(local, node, words, lines) },
        // SAFETY: the caller's.
        (WRITE, 1) => unsafe { execute_kind::<WRITE>(local, node, words, lines) },
        // SAFETY: the caller's.
        (ADD, 1) => unsafe { execute_kind::<ADD>(local, node, words, lines) },
        _ => None,
    }
}

/// # Safety
/// As [`super::execute::execute`].
#[inline]
unsafe fn execute_kind<const KIND: u64>(
    local: &LocalNode,
    node: u32,
    [_, names, address, last]: [u64; REQUEST_WORDS],
    (asked, answer): (*const u8, *mut u8),
) -> Option<Done> {
    let allows = |access: Access| match KIND {
        READ => access.remote_read,
        WRITE => access.remote_write,
        _ => access.remote_atomic,
    };
    let offset = address as usize % LINE_BYTES;
    let length = if KIND == ADD { 8 } else { last as u32 as usize };
    // No bytes at all are not of one line either.
    let is_of_one_line = length.wrapping_sub(1) < LINE_BYTES - offset;
    if !is_of_one_line || KIND == ADD && !offset.is_multiple_of(8) {
        return None;
    }
    // SAFETY: the caller has the duty and settles afterwards.
    let target = unsafe { local.queue_pairs.find(names as u32) }?;
    if !target.is_open_to(node) || !allows(target.access) {
        return None;
    }
    let region = local.regions.find((names >> 32) as u32)?;
    if !region.covers(address, length as u64) || !allows(region.access) {
        return None;
    }
    if KIND == READ {
        // SAFETY: checked just now; what is registered stays mapped until the duty has settled.
        unsafe { line::load_within(address, length, answer.add(offset)) };
        return Some(Done { payload: true, found: 0 });
    }
    let version = region.version.map(|index| &local.own.memory.versions[index as usize].0);
    let _storing = version.map(Version::storing);
    if KIND == WRITE {
        // SAFETY: as above.
        unsafe { line::store(address, length, asked) };
        return Some(Done { payload: false, found: 0 });
    }
    // SAFETY: as above.
    let found = unsafe { line::word(address) }.fetch_add(last, Ordering::SeqCst);
    Some(Done { payload: false, found })
}
