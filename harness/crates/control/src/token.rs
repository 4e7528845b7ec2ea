//! The secret that server and clients share.

use std::{
    env,
    ffi::OsString,
    fmt,
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use hmac::{Hmac, Mac};
use onesided_results::regular_file;
use sha2::Sha256;

use crate::hexadecimal::Hex32;

/// Fewest characters of a token: what stands in the way of guessing it off line from an overheard
/// proof. Ours: 16 characters of base64 are 96 bits. Generated tokens have 256.
pub const MIN_TOKEN_CHARACTERS: usize = 16;

/// Most bytes read of a token file, so that a wrong path does not pull a disk image into memory.
/// Ours.
const MAX_TOKEN_FILE_BYTES: u64 = 4096;

/// Permission bits that let others than the owner use a file (chmod(1): group and others).
const GROUP_AND_OTHERS: u32 = 0o077;

/// The secret that server and clients share, without white space around it.
///
/// It comes from a file or the environment, never from the command line, which every user of the
/// machine can read in `/proc`. It has neither `Display` nor `Serialize`, and `Debug` hides it; only
/// [`Token::write_new`] writes it.
#[derive(Clone)]
pub struct Token(String);

/// Why a token could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The operating system gave no random bytes.
    #[error("cannot generate a token: no random bytes from the operating system: {source}")]
    NoRandomness {
        /// What the operating system said.
        source: getrandom::Error,
    },
    /// The file cannot be read.
    #[error("cannot read the token file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("the token file {} is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// Others than the owner may use the file.
    #[error(
        "the token file {} has mode {mode:04o}, so that others can use it: chmod 600 it, \
        and replace the token if others could have read it",
        path.display()
    )]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file is longer than any token.
    #[error("the token file {} is longer than {limit} bytes: is it the right file?", path.display())]
    FileTooLong {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The file exists already, or cannot be made.
    #[error("cannot write a new token file {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the operating system said; `AlreadyExists` if there is one.
        source: io::Error,
    },
    /// The variable is not set.
    #[error("the environment has no {name}: set it, or name a token file")]
    NotInEnvironment {
        /// The variable.
        name: String,
    },
    /// The token is not text.
    #[error("the token in {origin} is not UTF-8 text")]
    NotText {
        /// The file or variable.
        origin: String,
    },
    /// There is nothing but white space.
    #[error("the token in {origin} is empty")]
    Empty {
        /// The file or variable.
        origin: String,
    },
    /// The token is too short to be a secret.
    #[error("the token in {origin} has {characters} characters, {minimum} are needed")]
    TooShort {
        /// The file or variable.
        origin: String,
        /// Its length.
        characters: usize,
        /// The least length.
        minimum: usize,
    },
}

impl Token {
    /// Makes a token of 32 random bytes, written as 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`TokenError::NoRandomness`].
    pub fn generate() -> Result<Self, TokenError> {
        let bytes = Hex32::random().map_err(|source| TokenError::NoRandomness { source })?;
        Ok(Self(bytes.digits()))
    }

    /// Reads the token from a regular file that only its owner may use; white space around it is
    /// dropped.
    ///
    /// # Errors
    /// The file is unreadable, no regular file, open to group or others, too long, or its token
    /// empty or too short.
    pub fn from_file(path: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Unreadable { path: path.to_owned(), source };
        let file = regular_file::open(path).map_err(|source| match source.kind() {
            ErrorKind::InvalidInput | ErrorKind::IsADirectory => {
                TokenError::NotAFile { path: path.to_owned() }
            }
            _ => unreadable(source),
        })?;
        // Asked of the open file: the path may name another one by now.
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
        if mode & GROUP_AND_OTHERS != 0 {
            return Err(TokenError::OpenToOthers { path: path.to_owned(), mode });
        }
        let mut bytes = Vec::new();
        file.take(MAX_TOKEN_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_TOKEN_FILE_BYTES {
            return Err(TokenError::FileTooLong {
                path: path.to_owned(),
                limit: MAX_TOKEN_FILE_BYTES,
            });
        }
        let origin = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => Self::from_text(&text, origin),
            Err(_) => Err(TokenError::NotText { origin }),
        }
    }

    /// Reads the token from an environment variable; white space around it is dropped.
    ///
    /// # Errors
    /// The variable is not set or not text, or its token empty or too short.
    pub fn from_environment(name: &str) -> Result<Self, TokenError> {
        Self::from_variable(name, env::var_os(name))
    }

    fn from_variable(name: &str, value: Option<OsString>) -> Result<Self, TokenError> {
        let value = value.ok_or_else(|| TokenError::NotInEnvironment { name: name.to_owned() })?;
        match value.into_string() {
            Ok(text) => Self::from_text(&text, name.to_owned()),
            Err(_) => Err(TokenError::NotText { origin: name.to_owned() }),
        }
    }

    fn from_text(text: &str, origin: String) -> Result<Self, TokenError> {
        let text = text.trim();
        let characters = text.chars().count();
        match characters {
            0 => Err(TokenError::Empty { origin }),
            1..MIN_TOKEN_CHARACTERS => {
                Err(TokenError::TooShort { origin, characters, minimum: MIN_TOKEN_CHARACTERS })
            }
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// Writes the token and a line end to a new file of mode 0600; an existing file, also a
    /// dangling link, is refused. The file appears whole: who waits for it may read it at once.
    ///
    /// # Errors
    /// [`TokenError::Unwritable`].
    pub fn write_new(&self, path: &Path) -> Result<(), TokenError> {
        let unwritable = |source| TokenError::Unwritable { path: path.to_owned(), source };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", std::process::id()));
        let unfinished = Path::new(&name);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(unfinished)
            .map_err(unwritable)?;
        let written = file
            .write_all(format!("{}\n", self.0).as_bytes())
            .and_then(|()| file.sync_all())
            // A second name is refused where something is; a rename would replace it.
            .and_then(|()| fs::hard_link(unfinished, path));
        let removed = fs::remove_file(unfinished);
        written.and(removed).map_err(unwritable)
    }

    /// HMAC-SHA256 over the parts in order, keyed with the token.
    pub(crate) fn authenticate(&self, parts: &[&[u8]]) -> Hex32 {
        Hex32(self.keyed(parts).finalize().into_bytes().into())
    }

    /// Whether `proof` is what [`Token::authenticate`] gives for these parts, compared in constant
    /// time.
    pub(crate) fn verifies(&self, parts: &[&[u8]], proof: &Hex32) -> bool {
        self.keyed(parts).verify_slice(&proof.0).is_ok()
    }

    fn keyed(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes())
            .expect("HMAC takes a key of any length (RFC 2104)");
        parts.iter().for_each(|part| mac.update(part));
        mac
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests;
