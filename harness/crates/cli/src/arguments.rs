//! Arguments that several commands share.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use onesided_control::{Channel, Token, WhenRefused, connect};
use onesided_experiment::profile::{ProfileName, ProfileNameError};
use onesided_results::vocabulary::Word;

use crate::back_end;

mod device;
mod limits;
mod rows;

pub use device::{BackEnd, DeviceArguments, cpus_of, node_of, rmc_node};
pub use limits::{LimitArguments, usual_limits};
pub use rows::{JsonRows, RowsArguments};

/// Reads a word of the vocabulary, for clap: help lists the words with what each means.
pub fn word<W: Word + Send + Sync>() -> impl TypedValueParser<Value = W> {
    PossibleValuesParser::new(possible::<W>()).try_map(|found| W::from_word(&found))
}

/// The words of a choice as help lists them.
pub fn possible<W: Word>() -> impl Iterator<Item = PossibleValue> {
    let listed =
        |choice: &W| PossibleValue::new(choice.word()).help(choice.about().trim_end_matches('.'));
    W::ALL.iter().map(listed)
}

/// Reads the name of a hardware profile, for clap: a directory's, and never `default`.
pub fn profile_name(text: &str) -> Result<String, String> {
    let name: ProfileName = text.parse().map_err(|error: ProfileNameError| error.to_string())?;
    Ok(name.as_str().to_owned())
}

/// Which server a client connects to.
#[derive(Args, Clone, Debug)]
pub struct ServerArguments {
    /// Control address of the server
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:18515")]
    pub server: String,
    /// How long to wait for a server that is not up yet
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    wait_for_server: Duration,
    #[command(flatten)]
    token: TokenArguments,
}

impl ServerArguments {
    /// An authenticated channel to the server.
    pub fn connect(&self) -> anyhow::Result<Channel> {
        let (wait, settings) = (self.wait_for_server, back_end::control_settings());
        let token = self.token.for_client(wait)?;
        Ok(connect(&self.server, &token, wait, WhenRefused::Retry, &settings)?)
    }
}

/// The secret that both sides share.
#[derive(Args, Clone, Debug)]
pub struct TokenArguments {
    /// File with the secret that server and clients share; else $ONESIDED_TOKEN. Never given on
    /// the command line, where everybody on the machine can read it
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// The environment variable that may hold the secret.
pub const TOKEN_VARIABLE: &str = "ONESIDED_TOKEN";

/// Time between two looks for a file that is awaited.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl TokenArguments {
    /// The secret for a client, which cannot make one up: of the file, the environment, or the
    /// file that a server of the same user makes. A server that is starting may make its file
    /// `within` this time.
    pub fn for_client(&self, within: Duration) -> anyhow::Result<Token> {
        if self.token_file.is_none() && std::env::var_os(TOKEN_VARIABLE).is_some() {
            return Ok(Token::from_environment(TOKEN_VARIABLE)?);
        }
        let path = self.token_file.clone().map_or_else(default_token_file, Ok)?;
        let deadline = Instant::now() + within;
        while !path.exists() && Instant::now() < deadline {
            std::thread::sleep(LOOK_AGAIN);
        }
        Token::from_file(&path).with_context(|| {
            format!(
                "no token: copy the server's to {}, give --token-file FILE, or set {TOKEN_VARIABLE}",
                path.display()
            )
        })
    }

    /// The secret for a server, made and kept in a file where there is none yet; and where it is.
    pub fn for_server(&self) -> anyhow::Result<(Token, String)> {
        if self.token_file.is_none() && std::env::var_os(TOKEN_VARIABLE).is_some() {
            return Ok((Token::from_environment(TOKEN_VARIABLE)?, TOKEN_VARIABLE.to_owned()));
        }
        let path = self.token_file.clone().map_or_else(default_token_file, Ok)?;
        let place = path.display().to_string();
        if path.exists() {
            return Ok((Token::from_file(&path)?, place));
        }
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
        }
        let token = Token::generate()?;
        token.write_new(&path)?;
        Ok((token, place))
    }
}

/// Where a server keeps the secret that it made, by the XDG base directory specification.
fn default_token_file() -> anyhow::Result<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let state = state.or_else(home).with_context(|| {
        format!("neither HOME nor XDG_STATE_HOME is set: give --token-file or {TOKEN_VARIABLE}")
    })?;
    Ok(state.join("onesided/token"))
}

/// A duration with its unit: 500ns, 10us, 20ms, 2s, 1min.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| {
        let bare = text.chars().all(|c| c.is_ascii_digit());
        if bare {
            format!("a unit is missing: for instance {text}ms")
        } else {
            format!("no duration ({error}): for instance 500us, 20ms, 2s or 1min")
        }
    })
}

/// A number of bytes, with or without its unit: 64, 64B, 4KiB, 2MiB, 1GiB.
pub fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(format!("'{unit}' is no unit of memory: B, KiB, MiB or GiB")),
    };
    let number: u64 = number.parse().map_err(|_| format!("'{number}' is no whole number"))?;
    number.checked_mul(factor).ok_or_else(|| format!("{text} is too much"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_carry_their_unit() {
        assert_eq!(duration("500ns"), Ok(Duration::from_nanos(500)));
        assert_eq!(duration("10us"), Ok(Duration::from_micros(10)));
        assert_eq!(duration("10").unwrap_err(), "a unit is missing: for instance 10ms");
        assert_eq!(
            duration("nonsense").unwrap_err(),
            "no duration (expected number at 0): for instance 500us, 20ms, 2s or 1min"
        );
        assert!(duration("3 lightyears").unwrap_err().contains("lightyears"));
    }

    #[test]
    fn bytes_may_carry_a_binary_unit() {
        assert_eq!(bytes("64"), Ok(64));
        assert_eq!(bytes("4KiB"), Ok(4096));
        assert!(bytes("4kb").unwrap_err().contains("no unit of memory"));
        assert!(bytes("99999999999GiB").unwrap_err().contains("too much"));
    }
}
