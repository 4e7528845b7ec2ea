//! What messages say.

use crate::memory::pattern;

/// Gives a message the content of its number and its sender.
pub fn write(message: &mut [u8], owner: u64, number: u64) {
    for (index, bytes) in (0..).zip(message.chunks_mut(8)) {
        let word = pattern(owner, number << 16 | index).to_le_bytes();
        bytes.copy_from_slice(&word[..bytes.len()]);
    }
}

/// Whether it is that message, to the last byte.
pub fn is(message: &[u8], length: usize, owner: u64, number: u64) -> bool {
    let mut words = (0..).zip(message.chunks(8));
    message.len() == length
        && words.all(|(index, bytes)| {
            bytes == &pattern(owner, number << 16 | index).to_le_bytes()[..bytes.len()]
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_sender_length_or_byte_is_another_message() {
        let mut message = [0; 77];
        write(&mut message, 1, 5);
        assert!(is(&message, 77, 1, 5));
        assert!(!is(&message, 77, 0, 5) && !is(&message, 77, 1, 6) && !is(&message, 78, 1, 5));
        message[76] ^= 1;
        assert!(!is(&message, 77, 1, 5));
    }
}
