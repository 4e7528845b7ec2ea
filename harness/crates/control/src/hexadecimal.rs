//! 32 bytes written as 64 hexadecimal digits: nonces, proofs, generated tokens.

use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 32 bytes whose serialised form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hex32(pub(crate) [u8; 32]);

impl Hex32 {
    /// Takes 32 bytes from the operating system's random generator (getrandom(2)).
    ///
    /// # Errors
    /// The operating system offers no random bytes.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The 64 digits.
    pub(crate) fn digits(&self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            write!(text, "{byte:02x}").expect("writing to a string does not fail");
            text
        })
    }

    /// Reads 64 digits of either case; anything else is `None`.
    pub(crate) fn from_digits(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Self(bytes))
    }
}

impl Serialize for Hex32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.digits())
    }
}

impl<'de> Deserialize<'de> for Hex32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_digits(&text)
            .ok_or_else(|| de::Error::custom("expected 64 hexadecimal digits (32 bytes)"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_lower_case_with_leading_zeros() {
        let mut bytes = [0; 32];
        bytes[0] = 0x0a;
        bytes[31] = 0xff;
        assert_eq!(Hex32(bytes).digits(), format!("0a{}ff", "0".repeat(60)));
    }

    #[test]
    fn text_of_another_length_or_alphabet_is_refused() {
        for text in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g0".repeat(32), &"é".repeat(32)]
        {
            assert_eq!(Hex32::from_digits(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn digits_read_back_to_the_same_bytes(bytes: [u8; 32]) {
            prop_assert_eq!(Hex32::from_digits(&Hex32(bytes).digits()), Some(Hex32(bytes)));
        }
    }
}
