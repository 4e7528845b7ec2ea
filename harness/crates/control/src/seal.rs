//! What binds the frames of a connection to its handshake: a seal behind each frame.
//!
//! A seal is the HMAC-SHA256 (RFC 2104) of the frame's number and its bytes, under a key that both
//! sides derive from the token and this connection's nonces, another for each direction. A frame that
//! was changed, repeated, left out, put in another place, sent back or taken from another connection
//! has not the seal that is expected.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::hexadecimal::Hex32;

/// Bytes behind the body of a sealed frame.
pub(crate) const SEAL_BYTES: usize = 32;

/// Seals the frames of one direction of one connection, or opens them, in their order.
pub(crate) struct Seal {
    key: Hmac<Sha256>,
    /// Number of the next frame; 2^64 of them take longer than anything lives.
    next: u64,
}

impl Seal {
    pub(crate) fn new(key: &Hex32) -> Self {
        let key = Hmac::new_from_slice(&key.0).expect("a key of HMAC may have any length");
        Self { key, next: 0 }
    }

    /// The seal of the next frame, whose bytes are these parts joined. The number stays.
    pub(crate) fn over(&self, parts: &[&[u8]]) -> [u8; SEAL_BYTES] {
        self.digest(parts).finalize().into_bytes().into()
    }

    /// Goes on to the frame behind the one that was sealed.
    pub(crate) fn advance(&mut self) {
        self.next += 1;
    }

    /// Whether `seal` is that of the next frame, compared in constant time; if so, goes on.
    pub(crate) fn opens(&mut self, parts: &[&[u8]], seal: &[u8]) -> bool {
        let is_right = self.digest(parts).verify_slice(seal).is_ok();
        self.next += u64::from(is_right);
        is_right
    }

    fn digest(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut digest = self.key.clone();
        digest.update(&self.next.to_be_bytes());
        parts.iter().for_each(|part| digest.update(part));
        digest
    }
}

/// Without the key.
impl fmt::Debug for Seal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Seal").field("next", &self.next).finish_non_exhaustive()
    }
}

/// Both directions of a connection, as one side sees them.
#[derive(Debug)]
pub(crate) struct Seals {
    /// Of what this side sends.
    pub(crate) sending: Seal,
    /// Of what the peer sends.
    pub(crate) receiving: Seal,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first case of RFC 4231 has no number before its data; what is known here is that number,
    /// key and every part matter, and that parts are joined.
    #[test]
    fn number_key_and_every_byte_are_in_the_seal() {
        let mut seal = Seal::new(&Hex32([1; 32]));
        let first = seal.over(&[b"head", b"body"]);
        assert_eq!(first, seal.over(&[b"headbody"]));
        assert_ne!(first, seal.over(&[b"headbodx"]));
        assert_ne!(first, Seal::new(&Hex32([2; 32])).over(&[b"headbody"]));
        seal.advance();
        assert_ne!(first, seal.over(&[b"headbody"]));
    }

    #[test]
    fn only_the_next_frame_is_opened() {
        let (mut sender, mut receiver) = (Seal::new(&Hex32([3; 32])), Seal::new(&Hex32([3; 32])));
        let first = sender.over(&[b"a"]);
        sender.advance();
        let second = sender.over(&[b"a"]);
        assert!(!receiver.opens(&[b"a"], &second), "one was left out");
        assert!(!receiver.opens(&[b"b"], &first), "it was changed");
        assert!(!receiver.opens(&[b"a"], &first[..31]), "a part of a seal");
        assert!(receiver.opens(&[b"a"], &first));
        assert!(!receiver.opens(&[b"a"], &first), "it was repeated");
        assert!(receiver.opens(&[b"a"], &second));
    }
}
