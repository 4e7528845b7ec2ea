//! The name of a profile.

use std::{fmt, str::FromStr};

use onesided_results::directory::is_plain_name;

/// The name of a profile that runs can be filed under: a directory's, and not one that means
/// something else to somebody.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileName(String);

/// The folder of the example to copy.
pub(super) const TEMPLATE: &str = "template";

impl ProfileName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Why a text is no name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileNameError {
    /// It could be no directory, or one that is hidden or elsewhere.
    #[error(
        "\"{name}\" cannot name a profile, which is a directory; allowed: letters, digits, '-', \
         '_' and '.', not first a '.'"
    )]
    NoDirectory {
        /// The text.
        name: String,
    },
    /// Snakemake reads `profiles/default/config.yaml` beside the Snakefile without being asked
    /// (Snakemake manual, "Profiles").
    #[error(
        "a hardware profile is never called \"default\": Snakemake would take profiles/default for \
         its own profile; choose the machine's name"
    )]
    Default,
    /// The name of the example to copy, which is no machine.
    #[error(
        "profiles/template is an example to copy and no machine: give --profile the name of yours"
    )]
    Template,
}

impl FromStr for ProfileName {
    type Err = ProfileNameError;

    fn from_str(name: &str) -> Result<Self, ProfileNameError> {
        match name {
            // On a file system that ignores case `Default` is `default`.
            _ if name.eq_ignore_ascii_case("default") => Err(ProfileNameError::Default),
            _ if name.eq_ignore_ascii_case(TEMPLATE) => Err(ProfileNameError::Template),
            _ if !is_plain_name(name) => {
                Err(ProfileNameError::NoDirectory { name: name.to_owned() })
            }
            _ => Ok(Self(name.to_owned())),
        }
    }
}
