//! Frames: a length, a kind, a JSON body and, once the peer is authenticated, a seal; written whole
//! and read from pieces of any size.

use serde::{Serialize, de::DeserializeOwned, de::IgnoredAny};

use crate::{
    finite::{self, Unsound},
    seal::{SEAL_BYTES, Seal},
};

mod error;

pub use error::{EncodeError, FrameError};

/// Longest body of a frame once the peer is authenticated, in bytes.
///
/// Ours: 200 windows of 1024 queue pairs at 40 bytes of JSON are 8 MiB; the double of it leaves
/// room, and is little enough to be held in memory.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

/// Bytes in front of the body: length (4, big-endian) and kind (1).
pub(crate) const HEADER_BYTES: usize = 5;

/// Most bytes reserved for a body before any of it arrived, and the size of one read. Ours: a
/// page-sized multiple that makes reads few without trusting the announced length.
pub(crate) const CHUNK_BYTES: usize = 16 << 10;

/// What a frame is for; the byte on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Proves who speaks, before anything else.
    Handshake = 1,
    /// Carries what the channel's owner sends.
    Message = 2,
    /// Asks for a sign of life.
    Ping = 3,
    /// Gives a sign of life.
    Answer = 4,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Handshake, Self::Message, Self::Ping, Self::Answer]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// A whole frame, whose body is valid JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    pub(crate) body: String,
}

impl Frame {
    /// The error that a frame of this kind is where only `expected` may be.
    pub(crate) fn unexpected(&self, expected: &'static str) -> FrameError {
        FrameError::UnexpectedKind { found: format!("{:?}", self.kind).to_lowercase(), expected }
    }
}

/// Writes `value` as one frame of at most `limit` bytes of body.
///
/// # Errors
/// The value holds a number that is not finite, has no form in JSON, or is too long.
pub(crate) fn encode<T: Serialize + ?Sized>(
    kind: Kind,
    value: &T,
    limit: usize,
) -> Result<Vec<u8>, EncodeError> {
    finite::check(value).map_err(|found| match found {
        Unsound::NotFinite { value, field } => EncodeError::NotFinite { value, field },
        Unsound::Other(detail) => EncodeError::NotJson { detail },
    })?;
    let mut bytes = vec![0; HEADER_BYTES];
    serde_json::to_writer(&mut bytes, value)
        .map_err(|error| EncodeError::NotJson { detail: error.to_string() })?;
    let length = bytes.len() - HEADER_BYTES;
    match u32::try_from(length) {
        Ok(announced) if length <= limit => bytes[..4].copy_from_slice(&announced.to_be_bytes()),
        _ => return Err(EncodeError::TooLong { length, limit }),
    }
    bytes[4] = kind as u8;
    Ok(bytes)
}

/// Reads a body as a `T`.
///
/// # Errors
/// [`FrameError::UnexpectedShape`].
pub(crate) fn decode<T: DeserializeOwned>(body: &str) -> Result<T, FrameError> {
    serde_json::from_str(body).map_err(|error| FrameError::UnexpectedShape {
        expected: std::any::type_name::<T>(),
        detail: error.to_string(),
    })
}

/// Assembles frames from bytes as they arrive; does no input or output itself.
///
/// It never takes more than the current frame needs, so nothing is left over when another reader
/// takes over, and it never reserves more than the limit, nor much more than has arrived.
pub(crate) struct FrameParser {
    limit: usize,
    /// What the frames are sealed with; none before the peer is authenticated.
    seal: Option<Seal>,
    stage: Stage,
}

enum Stage {
    Header {
        bytes: [u8; HEADER_BYTES],
        filled: usize,
    },
    Body {
        header: [u8; HEADER_BYTES],
        kind: Kind,
        length: usize,
        bytes: Vec<u8>,
    },
    Seal {
        header: [u8; HEADER_BYTES],
        kind: Kind,
        body: Vec<u8>,
        bytes: [u8; SEAL_BYTES],
        filled: usize,
    },
}

const BETWEEN_FRAMES: Stage = Stage::Header { bytes: [0; HEADER_BYTES], filled: 0 };

impl FrameParser {
    /// A parser of frames without a seal that accepts bodies of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, seal: None, stage: BETWEEN_FRAMES }
    }

    /// The same of frames that have a seal.
    pub(crate) fn sealed(limit: usize, seal: Seal) -> Self {
        Self { seal: Some(seal), ..Self::new(limit) }
    }

    /// How many bytes the current stage still needs; at least one.
    pub(crate) fn wanted(&self) -> usize {
        match &self.stage {
            Stage::Header { filled, .. } => HEADER_BYTES - filled,
            Stage::Body { length, bytes, .. } => length - bytes.len(),
            Stage::Seal { filled, .. } => SEAL_BYTES - filled,
        }
    }

    /// The error that the end of the stream is here; `None` between frames, where it may end.
    pub(crate) fn truncation(&self) -> Option<FrameError> {
        match &self.stage {
            Stage::Header { filled: 0, .. } => None,
            Stage::Header { filled, .. } => Some(FrameError::Truncated {
                part: "header",
                received: *filled,
                expected: HEADER_BYTES,
            }),
            Stage::Body { length, bytes, .. } => Some(FrameError::Truncated {
                part: "body",
                received: bytes.len(),
                expected: *length,
            }),
            Stage::Seal { filled, .. } => Some(FrameError::Truncated {
                part: "seal",
                received: *filled,
                expected: SEAL_BYTES,
            }),
        }
    }

    /// Takes the next bytes of the stream, and gives the frame that they complete.
    ///
    /// # Errors
    /// The bytes are no frame. The stream has no meaning from there on.
    ///
    /// # Panics
    /// There are more bytes than [`FrameParser::wanted`].
    pub(crate) fn absorb(&mut self, arrived: &[u8]) -> Result<Option<Frame>, FrameError> {
        assert!(arrived.len() <= self.wanted(), "a reader asks for no more than the parser wants");
        match &mut self.stage {
            Stage::Header { bytes, filled } => {
                fill(bytes, filled, arrived);
                if *filled == HEADER_BYTES {
                    self.stage = begin_body(*bytes, self.limit)?;
                }
                Ok(None)
            }
            Stage::Body { header, kind, length, bytes } => {
                extend_within(bytes, arrived, *length);
                if bytes.len() < *length {
                    return Ok(None);
                }
                let (header, kind, body) = (*header, *kind, std::mem::take(bytes));
                if self.seal.is_some() {
                    let bytes = [0; SEAL_BYTES];
                    self.stage = Stage::Seal { header, kind, body, bytes, filled: 0 };
                    return Ok(None);
                }
                self.finish(kind, body)
            }
            Stage::Seal { header, kind, body, bytes, filled } => {
                fill(bytes, filled, arrived);
                if *filled < SEAL_BYTES {
                    return Ok(None);
                }
                let (kind, body) = (*kind, std::mem::take(body));
                // Before anything in it is looked at.
                if self.seal.as_mut().is_some_and(|seal| !seal.opens(&[&*header, &body], &*bytes)) {
                    return Err(FrameError::Altered);
                }
                self.finish(kind, body)
            }
        }
    }

    fn finish(&mut self, kind: Kind, body: Vec<u8>) -> Result<Option<Frame>, FrameError> {
        self.stage = BETWEEN_FRAMES;
        Ok(Some(Frame { kind, body: checked_body(body)? }))
    }
}

fn fill(bytes: &mut [u8], filled: &mut usize, arrived: &[u8]) {
    bytes[*filled..*filled + arrived.len()].copy_from_slice(arrived);
    *filled += arrived.len();
}

fn begin_body(header: [u8; HEADER_BYTES], limit: usize) -> Result<Stage, FrameError> {
    let [a, b, c, d, kind] = header;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > limit {
        return Err(FrameError::TooLong { length, limit });
    }
    if length == 0 {
        return Err(FrameError::Empty);
    }
    let kind = Kind::from_byte(kind).ok_or(FrameError::UnknownKind { found: kind })?;
    Ok(Stage::Body { header, kind, length, bytes: Vec::with_capacity(length.min(CHUNK_BYTES)) })
}

/// Appends, at least doubling the room when it is short but never beyond `length`.
fn extend_within(bytes: &mut Vec<u8>, arrived: &[u8], length: usize) {
    let needed = bytes.len() + arrived.len();
    if needed > bytes.capacity() {
        let room = needed.max(bytes.capacity() * 2).min(length);
        bytes.reserve_exact(room - bytes.len());
    }
    bytes.extend_from_slice(arrived);
}

fn checked_body(bytes: Vec<u8>) -> Result<String, FrameError> {
    let body = String::from_utf8(bytes)
        .map_err(|error| FrameError::NotText { offset: error.utf8_error().valid_up_to() })?;
    match serde_json::from_str::<IgnoredAny>(&body) {
        Ok(_) => Ok(body),
        Err(error) => Err(not_json(&body, &error)),
    }
}

fn not_json(body: &str, error: &serde_json::Error) -> FrameError {
    let line_start: usize =
        body.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    // The parser's column is that of the offending byte or, after a sign, of the one behind it.
    let at = line_start + error.column();
    let rest = &body.as_bytes()[at.saturating_sub(2).min(body.len())..];
    for skipped in 0..rest.len().min(3) {
        for literal in ["NaN", "-NaN", "Infinity", "-Infinity"] {
            if rest[skipped..].starts_with(literal.as_bytes()) {
                return FrameError::NotFinite { literal, offset: at.saturating_sub(2) + skipped };
            }
        }
    }
    FrameError::NotJson { detail: error.to_string() }
}

#[cfg(test)]
mod tests;
