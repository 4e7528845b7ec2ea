//! What a reference refuses.

use onesided_transport::{Access, CompletionStatus, Opcode, Payload, WorkRequest};

use super::{
    defect::Defect,
    execution::is_send,
    fabric::{Posted, RegisteredRegion, State},
};

/// What is wrong with a request's local segment.
pub fn local_error(state: &State, posted: &Posted) -> Option<CompletionStatus> {
    let local = posted.request.local;
    let inline = posted.request.payload == Payload::Inline;
    let unchecked = inline && !state.is(Defect::ChecksTheKeyOfInlineBytes);
    if local.length == 0 || unchecked || state.is(Defect::IgnoresLocalKeys) {
        return None;
    }
    let region = state.regions.get(&local.key);
    let covers = |region: &RegisteredRegion| {
        let (address, length) = (local.address, u64::from(local.length));
        state.is(Defect::IgnoresLocalBounds) || region.covers(address, length, None)
    };
    (!region.is_some_and(covers)).then_some(CompletionStatus::LocalProtectionError)
}

/// Whether an operation needs one of the rights that `access` lacks.
fn lacks_right(access: Access, opcode: Opcode) -> bool {
    match opcode {
        Opcode::Read => !access.remote_read,
        Opcode::Write | Opcode::WriteWithImmediate { .. } => !access.remote_write,
        Opcode::CompareAndSwap { .. } | Opcode::FetchAndAdd { .. } => !access.remote_atomic,
        // The receiver says where its bytes go.
        Opcode::Send { .. } | Opcode::Datagram { .. } => false,
    }
}

/// Why a peer cannot take a send into the buffer of its oldest receive request, which is there: what the
/// sender is told, and what the receive request ends with.
pub fn receive_error(
    state: &State,
    peer: u32,
    length: u32,
) -> Option<(CompletionStatus, CompletionStatus)> {
    let buffer = state.oldest_receive(peer).and_then(|&(_, buffer)| buffer);
    let room = buffer.map_or(0, |buffer| buffer.length);
    let room = room.saturating_sub(state.header(peer));
    let mistakes =
        [Defect::CutsLongSends, Defect::CutsLongUnreliableSends, Defect::CutsLongDatagrams];
    let cuts = mistakes.into_iter().any(|mistake| state.is(mistake));
    if length > room && !cuts {
        return Some((CompletionStatus::RemoteInvalidRequest, CompletionStatus::LocalLengthError));
    }
    let buffer = buffer.filter(|_| length > 0)?;
    let region = state.regions.get(&buffer.key);
    let covers =
        |region: &RegisteredRegion| region.covers(buffer.address, u64::from(buffer.length), None);
    (!region.is_some_and(covers))
        .then_some((CompletionStatus::RemoteOperationError, CompletionStatus::LocalProtectionError))
}

/// Why the peer refuses a request.
pub fn remote_error(state: &State, peer: u32, request: &WorkRequest) -> Option<CompletionStatus> {
    let access = state.queue_pairs[&peer].access;
    let asks = state.is(Defect::AsksForARightToSend) && !access.remote_write;
    let unqualified = lacks_right(access, request.opcode) || asks && is_send(request.opcode);
    if unqualified && !state.is(Defect::IgnoresRightsOfQueuePairs) {
        return Some(CompletionStatus::RemoteInvalidRequest);
    }
    let length = u64::from(request.local.length);
    if length == 0 || is_send(request.opcode) {
        return None;
    }
    let refusal = match state.is(Defect::GivesTheWrongStatus) {
        true => CompletionStatus::RemoteOperationError,
        false => CompletionStatus::RemoteAccessError,
    };
    let address = request.remote.address;
    let Some(region) = state.regions.get(&request.remote.key) else {
        return (!state.is(Defect::IgnoresRemoteKeys)).then_some(refusal);
    };
    let right_ignored = match request.opcode {
        Opcode::Read => state.is(Defect::IgnoresTheRightToRead),
        Opcode::Write => state.is(Defect::IgnoresTheRightToWrite),
        _ => state.is(Defect::IgnoresTheRightToAtomics),
    };
    let any_region = state.is(Defect::TakesAnyKeyOfTheDevice);
    let covers = |region: &RegisteredRegion| region.covers(address, length, state.defect);
    let covered = covers(region) || any_region && state.regions.values().any(covers);
    let righteous = !lacks_right(region.access, request.opcode) || right_ignored;
    (!covered || !righteous).then_some(refusal)
}
