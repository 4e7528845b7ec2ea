use proptest::prelude::*;

use super::*;
use crate::hexadecimal::Hex32;

const LIMIT: usize = 1 << 20;

fn wire(announced: u32, kind: u8, body: &[u8]) -> Vec<u8> {
    [&announced.to_be_bytes()[..], &[kind], body].concat()
}

fn framed(body: &[u8]) -> Vec<u8> {
    wire(u32::try_from(body.len()).unwrap(), 2, body)
}

/// Feeds bytes in pieces of at most `piece`, as a stream would deliver them; ends with what the end
/// of stream means.
fn feed(bytes: &[u8], piece: usize, limit: usize) -> Result<Vec<Frame>, FrameError> {
    feed_to(FrameParser::new(limit), bytes, piece)
}

fn feed_to(mut parser: FrameParser, bytes: &[u8], piece: usize) -> Result<Vec<Frame>, FrameError> {
    let limit = parser.limit;
    let mut frames = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece.min(parser.wanted()).min(rest.len()));
        frames.extend(parser.absorb(now)?);
        if let Stage::Body { bytes, .. } = &parser.stage {
            assert!(
                bytes.capacity() <= limit,
                "{} reserved for a limit of {limit}",
                bytes.capacity()
            );
            let earned = (bytes.len() * 2).max(CHUNK_BYTES);
            assert!(
                bytes.capacity() <= earned,
                "{} reserved for {} received",
                bytes.capacity(),
                bytes.len()
            );
        }
        rest = later;
    }
    parser.truncation().map_or(Ok(frames), Err)
}

fn error_of(bytes: &[u8]) -> FrameError {
    feed(bytes, usize::MAX, LIMIT).unwrap_err()
}

#[test]
fn the_bytes_of_a_frame_are_length_kind_and_json() {
    let bytes = encode(Kind::Ping, &serde_json::json!({"sequence": 7}), LIMIT).unwrap();
    assert_eq!(bytes, b"\x00\x00\x00\x0e\x03{\"sequence\":7}");
}

#[test]
fn each_way_to_be_no_frame_is_its_own_error() {
    assert_eq!(
        error_of(&wire(LIMIT as u32 + 1, 2, b"")),
        FrameError::TooLong { length: LIMIT + 1, limit: LIMIT }
    );
    assert_eq!(error_of(&wire(0, 2, b"")), FrameError::Empty);
    assert_eq!(error_of(&wire(2, 9, b"{}")), FrameError::UnknownKind { found: 9 });
    assert_eq!(
        error_of(&wire(9, 2, b"{}")),
        FrameError::Truncated { part: "body", received: 2, expected: 9 }
    );
    assert_eq!(
        error_of(b"\0\0"),
        FrameError::Truncated { part: "header", received: 2, expected: 5 }
    );
    assert_eq!(error_of(&framed(b"{\"a\": \"\xff\"}")), FrameError::NotText { offset: 7 });
    assert!(matches!(error_of(&framed(b"{\"a\": 1")), FrameError::NotJson { .. }));
    assert!(matches!(error_of(&framed(b"1 2")), FrameError::NotJson { .. }));
    assert!(matches!(error_of(b"GET / HTTP/1.1\r\n"), FrameError::TooLong { .. }));
}

#[test]
fn numbers_that_json_does_not_have_are_named_and_located() {
    for (body, literal, offset) in [
        ("NaN", "NaN", 0),
        ("{\"a\":NaN}", "NaN", 5),
        ("{\"a\": NaN}", "NaN", 6),
        ("[1,\n 2, Infinity]", "Infinity", 8),
        ("{\"a\":-Infinity}", "-Infinity", 5),
        ("-NaN", "-NaN", 0),
    ] {
        assert_eq!(
            error_of(&framed(body.as_bytes())),
            FrameError::NotFinite { literal, offset },
            "{body}"
        );
    }
    assert!(matches!(error_of(&framed(b"[\"NaN\"")), FrameError::NotJson { .. }));
}

#[test]
fn deeply_nested_json_is_an_error_and_not_a_stack_overflow() {
    assert!(matches!(error_of(&framed(&[b'['; 100_000])), FrameError::NotJson { .. }));
}

#[test]
fn a_body_of_another_type_names_the_type_and_what_is_missing() {
    #[derive(Debug, serde::Deserialize)]
    struct Wanted {
        #[serde(rename = "extra")]
        _extra: u64,
    }
    let error = decode::<Wanted>("{\"other\": 1}").unwrap_err();
    assert!(
        matches!(&error, FrameError::UnexpectedShape { expected, .. } if expected.ends_with("Wanted"))
    );
    assert!(error.to_string().contains("missing field `extra`"), "{error}");
}

#[test]
fn values_that_cannot_be_sent_are_refused_before_sending() {
    assert_eq!(
        encode(Kind::Message, &Some(f64::INFINITY), LIMIT).unwrap_err(),
        EncodeError::NotFinite { value: f64::INFINITY, field: None }
    );
    assert_eq!(
        encode(Kind::Message, &"x".repeat(9), 10).unwrap_err(),
        EncodeError::TooLong { length: 11, limit: 10 }
    );
    assert!(encode(Kind::Message, &"x".repeat(8), 10).is_ok());
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(encode(Kind::Message, &keys, LIMIT), Err(EncodeError::NotJson { .. })));
}

#[test]
fn integers_of_64_bits_travel_exactly() {
    let bytes = encode(Kind::Message, &u64::MAX, LIMIT).unwrap();
    let frames = feed(&bytes, 1, LIMIT).unwrap();
    assert_eq!(decode::<u64>(&frames[0].body).unwrap(), u64::MAX);
}

fn json_like_byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,-NaIn1e\\u".to_vec())]
}

proptest! {
    #[test]
    fn long_bodies_reserve_no_more_than_twice_what_arrived(
        announced in 1u32..3_000_000,
        sent in 0usize..300_000,
        piece in 1_000usize..100_000,
    ) {
        let _ = feed(&wire(announced, 2, &vec![b'x'; sent]), piece, 2_000_000);
    }

    #[test]
    fn any_bytes_in_any_pieces_neither_panic_nor_reserve_beyond_the_limit(
        bytes in proptest::collection::vec(any::<u8>(), 0..4096),
        piece in 1usize..64,
        limit in 1usize..100_000,
    ) {
        let _ = feed(&bytes, piece, limit);
    }

    #[test]
    fn any_body_behind_a_plausible_header_neither_panics_nor_reserves_beyond_the_limit(
        announced in 0u32..6_000,
        kind in 0u8..6,
        piece in 1usize..2_000,
        limit in 1usize..5_000,
        body in proptest::collection::vec(json_like_byte(), 0..3_000),
    ) {
        let _ = feed(&wire(announced, kind, &body), piece, limit);
    }

    #[test]
    fn any_text_that_is_nearly_json_is_judged_without_a_panic(
        text in "[\\[\\]{}:,\"\n NaInfity0-9é\\\\-]{1,60}",
    ) {
        let _ = feed(&framed(text.as_bytes()), usize::MAX, LIMIT);
    }

    #[test]
    fn frames_survive_any_cutting(
        texts in proptest::collection::vec(".*", 1..8),
        piece in 1usize..40,
    ) {
        let bytes: Vec<u8> =
            texts.iter().flat_map(|text| encode(Kind::Message, text, LIMIT).unwrap()).collect();
        let read: Vec<String> = feed(&bytes, piece, LIMIT)
            .unwrap()
            .iter()
            .map(|frame| decode(&frame.body).unwrap())
            .collect();
        prop_assert_eq!(read, texts);
    }

    #[test]
    fn one_bit_changed_anywhere_in_sealed_frames_is_no_frame(
        texts in proptest::collection::vec(".{0,20}", 1..4),
        piece in 1usize..80,
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut seal = Seal::new(&Hex32([5; 32]));
        let mut bytes = Vec::new();
        for text in &texts {
            let frame = encode(Kind::Message, text, LIMIT).unwrap();
            let sealed = seal.over(&[&frame]);
            bytes.extend(frame);
            bytes.extend(sealed);
            seal.advance();
        }
        let parser = || FrameParser::sealed(LIMIT, Seal::new(&Hex32([5; 32])));
        let read = feed_to(parser(), &bytes, piece).unwrap();
        prop_assert_eq!(read.len(), texts.len());
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(feed_to(parser(), &bytes, piece).is_err());
    }

    #[test]
    fn a_stream_cut_inside_a_frame_is_truncated(text in ".{0,50}", cut in 1usize..200) {
        let bytes = encode(Kind::Message, &text, LIMIT).unwrap();
        let kept = cut.min(bytes.len() - 1);
        let outcome = feed(&bytes[..kept], 7, LIMIT);
        prop_assert!(matches!(outcome, Err(FrameError::Truncated { .. })), "cut at {}", kept);
    }
}
