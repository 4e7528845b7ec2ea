//! One request, executed. It needs nothing but the request and the tables of the node.

use std::{num::NonZeroU32, sync::atomic::Ordering};

use onesided_transport::{Access, CompletionStatus, DATAGRAM_HEADER, Service};

use crate::{
    keys::NOBODYS,
    local::LocalNode,
    queue_pairs::{Phase, Target},
    receives::Message,
    regions::FoundRegion,
    shared::{
        line,
        packet::{Kind, Request, Status},
        ring::LINE_BYTES,
        version::Version,
    },
};

/// How a request ended, and what an atomic found.
type Answer = (Status, u64);

/// Who asks.
#[derive(Clone, Copy)]
pub struct From {
    /// The node.
    pub node: u32,
    /// The channel by which it asks.
    pub channel: u32,
}

/// Executes a request of a node. `lines` are the payload of the request and of its reply, as many
/// as the request says.
///
/// # Safety
/// It is called by who has the duty, who settles afterwards. The first line holds
/// the request's payload, the second may be written.
#[inline]
pub unsafe fn execute(
    local: &LocalNode,
    from: From,
    request: &Request,
    lines: (*const u8, *mut u8),
) -> Answer {
    // SAFETY: the caller has the duty and settles afterwards.
    let Some(target) = (unsafe { local.queue_pairs.find(request.queue_pair) }) else {
        return (Status::NoQueuePair, 0);
    };
    if !target.service.is_reliable() {
        // SAFETY: the caller's.
        let done = unsafe { execute_unreliably(local, target, from, request, lines) };
        if !done {
            local.counted.dropped.fetch_add(1, Ordering::Relaxed);
        }
        // Nobody there is told.
        return (Status::Done, 0);
    }
    if let Err(status) = admit(target, from.node, request) {
        return (status, 0);
    }
    if matches!(request.kind, Kind::Send | Kind::SendImmediate) {
        // SAFETY: the caller's.
        return (unsafe { receive(local, target, request, lines.0) }, 0);
    }
    let region = match check(local, target, request) {
        Ok(region) => region,
        Err(status) => {
            target.fail();
            return (status, 0);
        }
    };
    // What is stored in a segment is told to who copies from it.
    let version = region.and_then(|region| region.version);
    let version = version.map(|index| &local.own.memory.versions[index as usize].0);
    // SAFETY: checked just now; what is registered stays mapped until the duty has settled.
    unsafe { perform(version, target, request, lines) }
}

/// Does a request of a queue pair that sends nothing again, or drops it; whether it was done.
///
/// # Safety
/// As [`execute`].
#[inline(never)]
unsafe fn execute_unreliably(
    local: &LocalNode,
    target: &Target,
    from: From,
    request: &Request,
    lines: (*const u8, *mut u8),
) -> bool {
    let is_send = matches!(request.kind, Kind::Send | Kind::SendImmediate);
    let is_of_datagrams = target.service == Service::UnreliableDatagram;
    let is_admitted = match is_of_datagrams {
        true => is_send && request.key == target.datagram_key,
        false => target.is_peer(from.node),
    };
    if !is_admitted || target.phase() != Phase::Connected {
        return false;
    }
    let (source, request) = match is_of_datagrams {
        true => request.sender(),
        false => (None, *request),
    };
    let request = &request;
    match request.kind {
        // SAFETY: the caller's.
        Kind::Send | Kind::SendImmediate => unsafe {
            receive_or_drop(local, target, (from.channel, source), request, lines.0)
        },
        Kind::Immediate if !target.receives.is_ready() => false,
        // A message that its sender loses on purpose: one without bytes is of no region, so its key is not looked up.
        Kind::Write if request.key == NOBODYS => false,
        Kind::Write | Kind::Immediate => match check(local, target, request) {
            Ok(region) => {
                let version = region.and_then(|region| region.version);
                let version = version.map(|index| &local.own.memory.versions[index as usize].0);
                // SAFETY: checked just now; what is registered stays mapped until the duty has settled.
                unsafe { perform(version, target, request, lines) };
                true
            }
            Err(_) => false,
        },
        Kind::Read | Kind::CompareAndSwap | Kind::FetchAndAdd | Kind::Copy => false,
    }
}

/// Puts a packet of a message into the oldest receive request, unless an earlier one of the message was
/// dropped, or another message has begun meanwhile. The packets of one follow each other in their channel;
/// others' may come between.
///
/// # Safety
/// As [`execute`].
unsafe fn receive_or_drop(
    local: &LocalNode,
    target: &Target,
    (channel, source): (u32, Option<NonZeroU32>),
    request: &Request,
    asked: *const u8,
) -> bool {
    let own = channel + 1;
    if request.address > 0 && target.assembling.load(Ordering::Relaxed) != own {
        return false;
    }
    // SAFETY: the caller's.
    let put = unsafe { put(local, target, source, request, asked) };
    let goes_on = matches!(put, Ok(End::ToCome));
    target.assembling.store(if goes_on { own } else { 0 }, Ordering::Relaxed);
    if let Err(Obstacle::Receive(CompletionStatus::LocalProtectionError, _)) = put {
        // The fault of who posted it, who is told; else it would be in the way for ever.
        target.receives.consume(CompletionStatus::LocalProtectionError, Message::default());
        target.fail();
    }
    put.is_ok()
}

/// Whether a message is whole.
enum End {
    Here,
    ToCome,
}

/// Why a packet of a message finds no place.
enum Obstacle {
    /// No receive request is posted.
    NoReceive,
    /// The oldest one cannot take it: how it ends, and what its sender is told.
    Receive(CompletionStatus, Status),
}

/// As [`put`], of a connection that tells what went wrong.
///
/// # Safety
/// As [`execute`].
#[inline(never)]
unsafe fn receive(
    local: &LocalNode,
    target: &Target,
    request: &Request,
    asked: *const u8,
) -> Status {
    // SAFETY: the caller's.
    match unsafe { put(local, target, None, request, asked) } {
        Ok(_) => Status::Done,
        Err(Obstacle::NoReceive) => {
            target.turned_away.store(true, Ordering::Relaxed);
            Status::NotReady
        }
        Err(Obstacle::Receive(found, told)) => {
            target.receives.consume(found, Message::default());
            target.fail();
            told
        }
    }
}

/// Puts a packet of a send into the buffer of the oldest receive request. Not inlined: it takes no part of
/// the time of what is one-sided.
///
/// # Safety
/// As [`execute`].
#[inline(never)]
unsafe fn put(
    local: &LocalNode,
    target: &Target,
    source: Option<NonZeroU32>,
    request: &Request,
    asked: *const u8,
) -> Result<End, Obstacle> {
    let Some(buffer) = target.receives.buffer() else { return Err(Obstacle::NoReceive) };
    let header = match target.service {
        Service::UnreliableDatagram => DATAGRAM_HEADER,
        _ => 0,
    };
    let length = request.length();
    let message = request.address.saturating_add(request.remaining.into());
    let place = buffer.address.wrapping_add(header.into()).wrapping_add(request.address);
    let fails = |found: CompletionStatus, told: Status| Err(Obstacle::Receive(found, told));
    // Packets are cut at the lines of the message, and their payload begins with the line.
    if !request.address.is_multiple_of(LINE_BYTES as u64) {
        return fails(CompletionStatus::BadResponse, Status::Invalid);
    }
    if message > buffer.length.saturating_sub(header).into() {
        return fails(CompletionStatus::LocalLengthError, Status::Invalid);
    }
    if length > 0 {
        let region = local.regions.find(buffer.key);
        let region = region.filter(|region| region.covers(place, length as u64));
        let Some(region) = region else {
            return fails(CompletionStatus::LocalProtectionError, Status::Failed);
        };
        let version = region.version.map(|index| &local.own.memory.versions[index as usize].0);
        let _storing = version.map(Version::storing);
        // SAFETY: checked just now; what is registered stays mapped until the duty has settled.
        unsafe { line::store_from(place, length, asked) };
    }
    if length < request.remaining as usize {
        return Ok(End::ToCome);
    }
    let immediate = (request.kind == Kind::SendImmediate).then_some(request.immediate);
    let message = Message { length: message as u32, immediate, source };
    target.receives.consume(CompletionStatus::Success, message);
    Ok(End::Here)
}

/// Whether the queue pair takes requests of this node now.
#[inline]
fn admit(target: &Target, node: u32, request: &Request) -> Result<(), Status> {
    match target.phase() {
        Phase::Connected if target.is_peer(node) => {}
        Phase::Error => return Err(Status::Flushed),
        _ => return Err(Status::NoQueuePair),
    }
    if target.turned_away.load(Ordering::Relaxed) {
        if !request.again {
            return Err(Status::Behind);
        }
        target.turned_away.store(false, Ordering::Relaxed);
    }
    Ok(())
}

/// Whether what is asked for may be done, and the region that it is about; none for no bytes.
#[inline]
fn check(
    local: &LocalNode,
    target: &Target,
    request: &Request,
) -> Result<Option<FoundRegion>, Status> {
    let Request { kind, key, address, remaining, .. } = *request;
    let malformed = match kind {
        Kind::CompareAndSwap | Kind::FetchAndAdd => {
            request.length() != 8 || !address.is_multiple_of(8)
        }
        Kind::Copy => request.lines != 0,
        Kind::Read | Kind::Write | Kind::Immediate => false,
        // They go another way.
        Kind::Send | Kind::SendImmediate => true,
    };
    if malformed || !allows(target.access, kind) {
        return Err(Status::Invalid);
    }
    if remaining == 0 {
        return Ok(None);
    }
    let region = local.regions.find(key).ok_or(Status::AccessRefused)?;
    let allowed = region.covers(address, remaining.into()) && allows(region.access, kind);
    let is_there = kind != Kind::Copy || region.version.is_some();
    if allowed && is_there { Ok(Some(region)) } else { Err(Status::AccessRefused) }
}

#[inline]
fn allows(access: Access, kind: Kind) -> bool {
    match kind {
        Kind::Read | Kind::Copy => access.remote_read,
        Kind::Write | Kind::Immediate => access.remote_write,
        Kind::CompareAndSwap | Kind::FetchAndAdd => access.remote_atomic,
        // Its bytes go where the receiver says.
        Kind::Send | Kind::SendImmediate => true,
    }
}

/// Does it.
///
/// # Safety
/// The bytes that the request names are mapped and may be accessed as it asks; see [`execute`].
#[inline]
unsafe fn perform(
    version: Option<&Version>,
    target: &Target,
    request: &Request,
    (asked, answer): (*const u8, *mut u8),
) -> Answer {
    let (address, length) = (request.address, request.length());
    let store = || {
        let _storing = version.map(Version::storing);
        // SAFETY: the caller's.
        unsafe { line::store(address, length, asked) };
    };
    match request.kind {
        // The requester copies; a send goes another way.
        Kind::Copy | Kind::Send | Kind::SendImmediate => {}
        // SAFETY: the caller's.
        Kind::Read => unsafe { line::load(address, length, answer) },
        Kind::Write => store(),
        Kind::Immediate => {
            if !target.receives.is_ready() {
                target.turned_away.store(true, Ordering::Relaxed);
                return (Status::NotReady, 0);
            }
            store();
            let (length, immediate) = (request.remaining, Some(request.immediate));
            let message = Message { length, immediate, source: None };
            let consumed = target.receives.consume(CompletionStatus::Success, message);
            assert!(consumed, "a receive request that was ready is consumed by nobody else");
        }
        Kind::CompareAndSwap => {
            // SAFETY: the operands are the first words of an aligned line; the word is the
            // caller's.
            let (compare, swap, word) = unsafe {
                let operands = asked.cast::<u64>();
                (operands.read(), operands.add(1).read(), line::word(address))
            };
            let _storing = version.map(Version::storing);
            let swapped = word.compare_exchange(compare, swap, Ordering::SeqCst, Ordering::SeqCst);
            return (Status::Done, swapped.unwrap_or_else(|found| found));
        }
        Kind::FetchAndAdd => {
            // SAFETY: the caller's.
            let word = unsafe { line::word(address) };
            let _storing = version.map(Version::storing);
            return (Status::Done, word.fetch_add(request.add, Ordering::SeqCst));
        }
    }
    (Status::Done, 0)
}
