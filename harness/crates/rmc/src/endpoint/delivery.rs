//! What a reply brings: a payload, or leave to copy.

use onesided_transport::WorkRequest;

use super::{
    channel::Channel,
    in_flight::Flight,
    short::copy_part,
    window::{Copied, Wanted},
};
use crate::shared::packet::Kind;

/// Brings a payload, or what an atomic found, to where it was asked for.
///
/// # Safety
/// The flight's local segment is as the contract asks of posts, the line that of its reply.
#[inline]
pub unsafe fn deliver(flight: &Flight, found: u64, line: *const u8) {
    let local = flight.local as *mut u8;
    match flight.kind {
        // SAFETY: the segment has room for the piece, which is within the lines.
        Kind::Read => unsafe {
            copy_part(line.add(flight.line_offset.into()), local, flight.length);
        },
        // SAFETY: the segment of an atomic has eight bytes.
        Kind::CompareAndSwap | Kind::FetchAndAdd => unsafe {
            local.cast::<u64>().write_unaligned(found);
        },
        Kind::Write | Kind::Immediate | Kind::Copy | Kind::Send | Kind::SendImmediate => {}
    }
}

/// Copies what the peer has given leave to. Not inlined: it takes no part of the time of short
/// operations.
///
/// # Safety
/// The flight's local segment is as the contract asks of posts.
#[inline(never)]
pub unsafe fn fetch(channel: &Channel, flight: &Flight, request: &WorkRequest) -> Copied {
    // SAFETY: the segment has room for the piece.
    unsafe { channel.copy(wanted_of(flight, request), flight.local as *mut u8) }
}

/// What a flight that copies copies.
#[inline]
pub fn wanted_of(flight: &Flight, request: &WorkRequest) -> Wanted {
    let behind = flight.local - request.local.address;
    let address = request.remote.address.wrapping_add(behind);
    Wanted { key: request.remote.key, address, length: flight.length as usize }
}
