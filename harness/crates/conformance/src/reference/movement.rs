//! How bytes get from here to there.

use std::{mem, num::NonZeroU32};

use onesided_transport::{CompletionKind, CompletionStatus, Opcode, WorkRequest};

use super::{
    defect::Defect,
    execution::{Attempt, report},
    fabric::{HeldPayload, Posted, State},
};

/// Copies bytes of this process out.
pub fn bytes_at(address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    // SAFETY: the caller checked the address against registered memory, which is mapped, or has
    // it from a post that promises so.
    unsafe { (address as *const u8).copy_to(bytes.as_mut_ptr(), length) }
    bytes
}

/// Copies bytes into this process's memory.
fn put_bytes_at(address: u64, bytes: &[u8]) {
    // SAFETY: as for `bytes_at`; region owners expect changes.
    unsafe { (address as *mut u8).copy_from(bytes.as_ptr(), bytes.len()) }
}

fn word_at(address: u64) -> u64 {
    u64::from_ne_bytes(bytes_at(address, 8).try_into().expect("eight bytes were asked"))
}

/// Does what was asked: everything has been checked.
pub fn move_data(state: &mut State, peer: u32, posted: &mut Posted, mtu: u32) -> Attempt {
    let request = posted.request;
    let (local, remote) = (request.local.address, request.remote.address);
    let mut length = request.local.length as usize;
    let remote = match state.is(Defect::AlignsAddresses) {
        true => remote & !7,
        false => remote,
    };
    match state.defect {
        Some(Defect::TakesNoBytesForOne) if length == 0 => length = 1,
        Some(Defect::LosesThePacketAfterTheSeventh) if mtu == 256 => {
            length = length.min(7 * 256);
        }
        _ => {}
    }
    match request.opcode {
        Opcode::Read => {
            let extra = usize::from(state.is(Defect::ReadsOneByteTooFar));
            put_bytes_at(local, &bytes_at(remote, length + extra));
        }
        Opcode::Write | Opcode::WriteWithImmediate { .. } => {
            write_bytes(state, remote, taken(posted, length));
            deliver(state, peer, &request, posted.source);
        }
        Opcode::Send { .. } | Opcode::Datagram { .. } => {
            fill(state, peer, taken(posted, length));
            deliver(state, peer, &request, posted.source);
        }
        Opcode::CompareAndSwap { compare, swap } => {
            swap_word(state, (local, remote), compare, swap);
        }
        Opcode::FetchAndAdd { add } => return add_to_word(state, (local, remote), add, posted),
    }
    Attempt::Ended(CompletionStatus::Success)
}

/// The bytes of a request that has some for the peer: those that were taken before, or those of now.
pub fn taken(posted: &mut Posted, length: usize) -> Vec<u8> {
    match mem::replace(&mut posted.payload, HeldPayload::Nothing) {
        HeldPayload::Bytes(bytes) => bytes,
        HeldPayload::Nothing | HeldPayload::Word(_) => {
            bytes_at(posted.request.local.address, length)
        }
    }
}

fn write_bytes(state: &State, remote: u64, mut bytes: Vec<u8>) {
    match state.defect {
        Some(Defect::DropsTheLastByteOfWrites) => drop(bytes.pop()),
        Some(Defect::WritesOneByteTooFar) => bytes.push(0),
        _ => {}
    }
    put_bytes_at(remote, &bytes);
}

/// Puts the bytes of a send into the buffer of the peer's oldest receive request.
fn fill(state: &State, peer: u32, mut bytes: Vec<u8>) {
    let queue = state.receives(peer);
    let receives = &queue.posted;
    let second = usize::from(state.is(Defect::FillsTheSecondReceive));
    let place = match queue.is_shared && state.is(Defect::FillsTheNewestOfSharedReceives) {
        true => receives.back(),
        false => receives.get(second).or_else(|| receives.front()),
    };
    let Some(&(_, Some(buffer))) = place else { return };
    let header = match state.is(Defect::WritesDatagramsOverTheHeader) {
        true => 0,
        false => state.header(peer),
    };
    bytes.truncate(buffer.length.saturating_sub(header) as usize);
    match state.defect {
        Some(Defect::DropsTheLastByteOfSends) => drop(bytes.pop()),
        Some(Defect::WritesForEmptySends) if bytes.is_empty() => bytes.push(0xff),
        _ => {}
    }
    put_bytes_at(buffer.address + u64::from(header), &bytes);
}

/// Consumes a receive request of the peer, where the operation does.
fn deliver(state: &mut State, peer: u32, request: &WorkRequest, source: Option<NonZeroU32>) {
    let is_shared = state.shares_receives(peer);
    let immediate = match request.opcode {
        Opcode::WriteWithImmediate { .. }
            if is_shared && state.is(Defect::KeepsSharedReceivesFromImmediates) =>
        {
            return;
        }
        Opcode::WriteWithImmediate { immediate } => Some(immediate),
        Opcode::Send { .. } if state.is(Defect::LosesImmediatesOfSends) => None,
        Opcode::Datagram { .. } if state.is(Defect::LosesImmediatesOfDatagrams) => None,
        Opcode::Send { immediate } | Opcode::Datagram { immediate, .. } => immediate,
        _ if state.is(Defect::ConsumesReceivesByWrites) => Some(0),
        _ => return,
    };
    let immediate = match state.is(Defect::SwapsBytesOfImmediates) {
        true => immediate.map(u32::swap_bytes),
        false => immediate,
    };
    let newest = state.is(Defect::TakesTheNewestReceive)
        || is_shared && state.is(Defect::TakesTheNewestOfSharedReceives);
    let named = match state.is(Defect::NamesTheFirstOfSharedReceives) {
        true => state.queue_pairs[&peer].receive_queue,
        false => peer,
    };
    let consumed = 1 + usize::from(state.is(Defect::ConsumesTwoReceives));
    for _ in 0..consumed {
        let receives = &mut state.receives_mut(peer).posted;
        let taken = if newest { receives.pop_back() } else { receives.pop_front() };
        let Some((id, _buffer)) = taken else { return };
        let kind = CompletionKind::Receive { length: request.local.length, immediate, source };
        report(state, named, id, CompletionStatus::Success, kind);
    }
}

fn swap_word(state: &mut State, (local, remote): (u64, u64), compare: u64, swap: u64) {
    let previous = word_at(remote);
    let equal = previous == compare;
    state.swaps += u64::from(equal);
    let lost = state.is(Defect::LosesASwap) && state.swaps.is_multiple_of(31);
    if (equal || state.is(Defect::SwapsAlways)) && !lost {
        put_bytes_at(remote, &swap.to_ne_bytes());
    }
    put_bytes_at(local, &previous.to_ne_bytes());
}

fn add_to_word(
    state: &mut State,
    (local, remote): (u64, u64),
    add: u64,
    posted: &mut Posted,
) -> Attempt {
    let previous = match mem::replace(&mut posted.payload, HeldPayload::Nothing) {
        HeldPayload::Word(found) => found,
        _ if state.is(Defect::TearsAdds) => {
            posted.payload = HeldPayload::Word(word_at(remote));
            return Attempt::Again;
        }
        _ => word_at(remote),
    };
    let sum = previous.wrapping_add(add);
    state.adds += 1;
    match state.defect {
        Some(Defect::LosesAnAdd) if state.adds.is_multiple_of(97) => {}
        Some(Defect::AddsToFourBytes) => {
            let low = (previous as u32).wrapping_add(add as u32);
            put_bytes_at(remote, &low.to_ne_bytes());
        }
        _ => put_bytes_at(remote, &sum.to_ne_bytes()),
    }
    let returned = if state.is(Defect::ReturnsTheSum) { sum } else { previous };
    put_bytes_at(local, &returned.to_ne_bytes());
    Attempt::Ended(CompletionStatus::Success)
}
