use onesided_transport::{LocalSegment, Payload, RemoteSegment, Signal};

use super::*;

fn request(opcode: Opcode, address: u64, length: u32) -> WorkRequest {
    WorkRequest {
        id: 1,
        opcode,
        local: LocalSegment { address: 0, length, key: 0 },
        remote: RemoteSegment { address, key: 0 },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    }
}

fn pieces(request: &WorkRequest, room: u32) -> Vec<Piece> {
    let mut done = 0;
    let mut pieces = Vec::new();
    loop {
        let next = piece(request, done, room);
        done += next.length;
        pieces.push(next);
        if next.is_last {
            return pieces;
        }
    }
}

#[test]
fn transfers_are_cut_at_cache_lines_of_the_target() {
    for (address, length, expected) in [
        (4096, 64, vec![64]),
        (4096, 0, vec![0]),
        (4100, 64, vec![60, 4]),
        (4159, 130, vec![1, 64, 64, 1]),
    ] {
        for opcode in [Opcode::Read, Opcode::Write] {
            let pieces = pieces(&request(opcode, address, length), 1);
            let lengths: Vec<_> = pieces.iter().map(|piece| piece.length).collect();
            assert_eq!(lengths, expected);
            let ends = pieces.iter().map(|piece| piece.address + u64::from(piece.remaining));
            assert!(ends.clone().all(|end| end == address + u64::from(length)));
        }
    }
}

#[test]
fn a_train_has_all_that_there_is_room_for() {
    for (address, length, room, expected) in [
        (4096, 8192, 32, vec![(32, 2048); 4]),
        (4096, 64, 32, vec![(1, 64)]),
        (4100, 64, 32, vec![(2, 64)]),
        (4159, 130, 2, vec![(2, 65), (2, 65)]),
        (4159, 0, 32, vec![(1, 0)]),
    ] {
        let pieces = pieces(&request(Opcode::Read, address, length), room);
        let found: Vec<_> = pieces.iter().map(|piece| (piece.lines, piece.length)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn an_immediate_comes_with_its_only_line_or_behind_the_last() {
    let opcode = Opcode::WriteWithImmediate { immediate: 7 };
    for length in [0, 1, 60] {
        let pieces = pieces(&request(opcode, 4100, length), 1);
        assert_eq!(pieces.len(), 1);
        assert_eq!((pieces[0].kind, pieces[0].length), (Kind::Immediate, length));
    }
    let pieces = pieces(&request(opcode, 4100, 61), 1);
    let kinds: Vec<_> = pieces.iter().map(|piece| (piece.kind, piece.length)).collect();
    assert_eq!(kinds, [(Kind::Write, 60), (Kind::Write, 1), (Kind::Immediate, 0)]);
    assert_eq!((pieces[2].address, pieces[2].remaining), (4100, 61));
}

#[test]
fn a_send_is_cut_at_cache_lines_of_the_message_wherever_its_bytes_are() {
    for (immediate, kind) in [(None, Kind::Send), (Some(7), Kind::SendImmediate)] {
        let request = request(Opcode::Send { immediate }, 4100, 130);
        let found: Vec<_> = pieces(&request, 2)
            .iter()
            .map(|piece| (piece.kind, piece.address, piece.length, piece.remaining))
            .collect();
        assert_eq!(found, [(kind, 0, 128, 130), (kind, 128, 2, 2)]);
    }
}
