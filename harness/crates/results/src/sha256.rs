//! SHA-256 sums (FIPS 180-4), as lists and manifests have them: in hexadecimal digits.

use std::{
    fs::File,
    io::{self, Read},
};

use sha2::{Digest as _, Sha256};

/// What is read, with its sum and its length.
pub(crate) struct Summed<R> {
    content: R,
    sum: Sha256,
    bytes: u64,
}

impl<R: Read> Summed<R> {
    /// Of `content`, of which nothing has been read.
    pub(crate) fn new(content: R) -> Self {
        Self { content, sum: Sha256::new(), bytes: 0 }
    }

    /// How much has been read, and its sum.
    pub(crate) fn finish(self) -> (u64, String) {
        let digits = self.sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (self.bytes, digits)
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(buffer)?;
        self.sum.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

/// Length and sum of a whole file, which is read in pieces: it may be larger than memory.
pub(crate) fn of_file(file: File) -> io::Result<(u64, String)> {
    let mut summed = Summed::new(file);
    io::copy(&mut summed, &mut io::sink())?;
    Ok(summed.finish())
}
