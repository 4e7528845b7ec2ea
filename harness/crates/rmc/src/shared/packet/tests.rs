use super::*;

#[test]
fn requests_survive_the_way_through_their_words() {
    for (kind, again) in KINDS.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let request = Request {
            transfer: 0x7f,
            kind,
            again,
            lines: 32,
            stamp: Stamp(0x00ab_cdef),
            queue_pair: 0x00fe_dcba,
            key: 0x8765_4321,
            address: 0xffff_ffff_ffff_ffc3,
            remaining: if kind == Kind::FetchAndAdd { 8 } else { 0x9abc_def0 },
            immediate: if kind == Kind::FetchAndAdd { 0 } else { 0x1357_9bdf },
            add: if kind == Kind::FetchAndAdd { u64::MAX - 7 } else { 0 },
        };
        let words = request.words();
        assert_eq!(words[0] & 0xffff, 0, "the lap's bits are left to the ring");
        assert_eq!(Request::from_words(words, 32), Some(request));
        assert_eq!(Request::from_words(words, 31), None, "it would leave the ring");
    }
}

#[test]
fn replies_survive_the_way_through_their_words() {
    for status in STATUSES {
        let payload = status == Status::Done;
        let stamp = Stamp(9);
        let found = u64::MAX - 4;
        let reply = Reply { transfer: 127, status, payload, lines: 9, stamp, found };
        assert_eq!(reply.words()[0] & 0xffff, 0);
        assert_eq!(Reply::from_words(reply.words()), Some(reply));
    }
}

#[test]
fn a_packet_has_the_rest_of_its_transfer_or_what_its_lines_hold() {
    let length = |address, lines: u64, remaining| {
        let words = [lines << LINES_SHIFT, 0, address, remaining];
        Request::from_words(words, 255).unwrap().length()
    };
    assert_eq!(length(4096, 1, 64), 64);
    assert_eq!(length(4100, 1, 64), 60);
    assert_eq!(length(4100, 2, 64), 64);
    assert_eq!(length(4159, 3, 1 << 31), 129);
    assert_eq!(length(4159, 0, 64), 0);
    assert_eq!(length(u64::MAX, 255, 0), 0);
}

#[test]
fn words_that_are_no_packet_are_refused() {
    let (kinds, statuses) = (KINDS.len() as u64, STATUSES.len() as u64);
    assert_eq!(Request::from_words([kinds << 24, 0, 0, 0], 32), None);
    assert_eq!(Reply::from_words([statuses << 24, 0]), None);
}
