//! Hardware profiles: `profiles/NAME/machine.toml`, read strictly and written.
//!
//! What such a file may say is [`MachineProfile`]; what must hold between its parts is in `rules`.
//! A file that breaks either is refused with its line and column, the value, and what is allowed.

mod error;
mod name;
mod place;
mod rules;
mod text;

use std::path::Path;

use onesided_results::{MachineProfile, toml_file, version};

pub use error::{BrokenRule, ProfileError};
pub use name::{ProfileName, ProfileNameError};
pub use text::{Untold, to_text};

/// The name that the file has in every profile's folder.
pub const FILE: &str = "machine.toml";

/// Reads a profile, strictly.
///
/// # Errors
/// When it cannot be read, is not TOML or no profile, or says what cannot be.
pub fn read(path: &Path) -> Result<MachineProfile, ProfileError> {
    parse(path, &toml_file::text(path)?)
}

/// The profile that `text` is, as the content of the file at `path`, whose folder names it.
///
/// # Errors
/// When it is not TOML or no profile, or says what cannot be.
pub fn parse(path: &Path, text: &str) -> Result<MachineProfile, ProfileError> {
    let profile: MachineProfile = toml_file::parse_versioned(path, text, version::MACHINE_PROFILE)?;
    match rules::check(&profile, &folder_of(path)) {
        Ok(()) => Ok(profile),
        Err(fault) => Err(ProfileError::Broken {
            path: path.to_owned(),
            place: place::of(text, &fault.at),
            field: fault.field(),
            value: fault.value,
            rule: fault.rule,
        }),
    }
}

/// The name of the folder that a file is in; empty for a file at the root.
fn folder_of(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
